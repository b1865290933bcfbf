package report

import (
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/admission"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// The limits of warnings beside [admission.MaxWarning], in characters: kubectl shows lines above the first badly, and
// API servers cut off what is above 4,096 in all.
const (
	goodWarning = 120
	maxWarnings = 3500
)

// Warnings returns the report as the warnings of an admission webhook: printable ASCII, one line each, the gravest
// first. If they are about several pools, the first one counts the pools by verdict. Pools under one verdict by the
// same changes share a warning.
//
// There is no such warning if nothing happens to machines, or machines and pools are only added. The report's own
// warnings are last.
func Warnings(r *Report) []string {
	var all []warned
	for i := range r.Manifests {
		all = append(all, r.Manifests[i].warned()...)
	}
	all = grouped(all)
	slices.SortStableFunc(all, func(a, b warned) int { return verdict.CompareWords(a.word, b.word) })
	var lines []string
	if sum := r.warnedSum(); sum != "" {
		lines = append(lines, sum)
	}
	for i := range all {
		lines = append(lines, all[i].line())
	}
	for _, warning := range r.Warnings {
		if text := shortened(warning); text != "" {
			lines = append(lines, text)
		}
	}
	return bounded(lines)
}

// shortened makes one warning of a text.
func shortened(text string) string {
	return plaintext.Shorten(text, admission.MaxWarning, plaintext.ASCII)
}

// bounded returns the first warnings, and how many are left out.
func bounded(lines []string) []string {
	const last = len("and 1,000,000 more warnings")
	size := last
	for i, line := range lines {
		size += len(line)
		if size > maxWarnings {
			rest := len(lines) - i
			return append(lines[:i:i], "and "+plaintext.Thousands(rest)+plural(rest, " more warning", " more warnings"))
		}
	}
	return lines
}

// warnedSum counts the pools by verdict if warnings concern several: 42 pools roll, up to 210
// machines.
func (r *Report) warnedSum() string {
	var clauses []string
	pools := 0
	for _, s := range r.Sum {
		of, _ := verdict.OfWord(s.Verdict)
		if of.IsSilent() {
			continue
		}
		pools += s.Pools
		clauses = append(clauses, of.Happens(s.Pools, "pool")+upToMachines(s.Machines))
	}
	if pools < 2 {
		return ""
	}
	return shortened(strings.Join(clauses, "; "))
}

// upToMachines continues a clause with the number of machines, at most, if there are any.
func upToMachines(count int) string {
	if count == 0 {
		return ""
	}
	return ", up to " + plaintext.Thousands(count) + plural(count, " machine", " machines")
}

// warned is a warning: a verdict on subjects, with its causes.
type warned struct {
	word     string
	detail   string // of the verdict
	subjects []string
	machines int
	causes   []clause
}

// clause is a cause in a long form, with values, and in a short form.
type clause struct{ long, short string }

// warned returns the warnings about a manifest.
func (m *ManifestReport) warned() (warnings []warned) {
	isAbove := m.Verdict == verdict.Forbidden.String() || len(m.Pools) == 0
	if word := m.Verdict; isAbove && !isSilent(word) {
		above := warned{word: word, subjects: []string{m.title()}, causes: m.causesAbove(word)}
		if refusals := refusalsIn(m.Rules); len(above.causes) == 0 {
			above.causes = refusals
		}
		if len(above.causes) > 0 || len(m.Pools) == 0 {
			warnings = append(warnings, above)
		}
	}
	for i := range m.Pools {
		warnings = append(warnings, m.warnedOf(&m.Pools[i])...)
	}
	return warnings
}

func isSilent(word string) bool {
	v, _ := verdict.OfWord(word)
	return v.IsSilent()
}

// warnedOf returns the warnings about a pool, for its verdict and its second verdict.
func (m *ManifestReport) warnedOf(p *PoolReport) (warnings []warned) {
	subject := m.title()
	if p.Name != "" {
		subject = "pool " + p.Name
	}
	subject = plaintext.Shorten(subject, maxTitle, plaintext.ASCII)
	for i, word := range append([]string{p.Verdict}, p.Also...) {
		if isSilent(word) {
			continue
		}
		one := warned{word: word, subjects: []string{subject}, causes: m.causesOf(p, word)}
		if i == 0 {
			one.machines = p.counted
			one.detail = p.undecided()
		}
		warnings = append(warnings, one)
	}
	return warnings
}

// undecided lists the verdicts that can come true, if the verdict is not decided and they are known.
func (p *PoolReport) undecided() string {
	isOpen := p.Verdict == verdict.Indeterminate.String() && !p.Unbounded
	if !isOpen || len(p.MayBecome) == 0 {
		return ""
	}
	last := len(p.MayBecome) - 1
	return " (" + strings.TrimPrefix(strings.Join(p.MayBecome[:last], ", ")+" or ", " or ") + p.MayBecome[last] + ")"
}

// causesOf returns the causes of a verdict on a pool: its former name, the unknown facts, the rules that refuse the
// change, the changes of the pool or above the pools, or else the meaning of the verdict.
func (m *ManifestReport) causesOf(p *PoolReport, word string) (clauses []clause) {
	switch word {
	case verdict.Indeterminate.String():
		for _, question := range p.Questions {
			clauses = append(clauses, same("not known: "+question.Fact))
		}
	case verdict.Forbidden.String():
		clauses = refusalsIn(p.Rules)
	}
	if len(clauses) == 0 {
		clauses = causesIn(p.Changes, word)
	}
	if len(clauses) == 0 {
		clauses = m.causesAbove(word)
	}
	if p.FormerName != "" {
		former := "formerly " + plaintext.Shorten(p.FormerName, maxTitle, plaintext.ASCII)
		if len(clauses) == 0 {
			return []clause{same(former)}
		}
		clauses[0] = clause{former + ", " + clauses[0].long, former + ", " + clauses[0].short}
	}
	if len(clauses) == 0 && !p.isOneSided() {
		return []clause{same(p.Message)}
	}
	return clauses
}

func (m *ManifestReport) causesAbove(word string) []clause {
	var above []ChangeReport
	for _, c := range m.Changes {
		if c.Verdict == word {
			c.Decides = true
			above = append(above, c)
		}
	}
	return causesIn(above, word)
}

// refusalsIn returns the texts of the rules that refuse a change.
func refusalsIn(rules []verdict.Rule) (clauses []clause) {
	for _, rule := range rules {
		if rule.Kind == verdict.Refuses {
			clauses = append(clauses, same(rule.Text))
		}
	}
	return clauses
}

// causesIn returns the changes that decide a verdict. For a refused change it returns the reason.
func causesIn(changes []ChangeReport, word string) (clauses []clause) {
	for i := range changes {
		c := &changes[i]
		if !c.Decides || c.Verdict != word {
			continue
		}
		path := shownPath(c.Path, plaintext.ASCII)
		cause := clause{c.warning(path), path}
		if isRefused := word == verdict.Forbidden.String(); isRefused && c.Rule != nil {
			cause = clause{path + ": " + plaintext.ASCII(c.Rule.Text), path}
		}
		clauses = append(clauses, cause)
	}
	return clauses
}

// warning says in a clause what changes.
func (c *ChangeReport) warning(path string) string {
	values := c.values(plaintext.ASCII)
	text := path + " " + strings.Join(values, " -> ")
	switch c.Op {
	case string(hotupdate.OpAdd):
		return text + " added"
	case string(hotupdate.OpRemove):
		return text + " removed"
	}
	return text
}

func same(text string) clause {
	text = plaintext.ASCII(text)
	return clause{text, text}
}

// grouped joins the warnings with one verdict and the same causes.
func grouped(all []warned) (groups []warned) {
	at := map[string]int{}
	for _, one := range all {
		parts := []string{one.word + one.detail}
		for _, c := range one.causes {
			parts = append(parts, c.long)
		}
		key := strings.Join(parts, "\n")
		i, isKnown := at[key]
		if !isKnown {
			at[key] = len(groups)
			groups = append(groups, one)
			continue
		}
		groups[i].subjects = append(groups[i].subjects, one.subjects...)
		groups[i].machines += one.machines
	}
	return groups
}

// line writes a warning: with the values of as many changes as fit, or else with the first path.
func (w *warned) line() string {
	head := namesOf(w.subjects) + ": " + w.word + w.detail + upToMachines(w.machines)
	if len(w.causes) == 0 {
		return shortened(head)
	}
	mostThatFit := goodWarning / len("; ") // each follows a separator
	for shown := min(len(w.causes), mostThatFit); shown > 0; shown-- {
		if line := head + w.listed(shown, clause.inFull); len(line) <= goodWarning {
			return line
		}
	}
	line := head + w.listed(1, clause.inShort)
	if len(line) <= goodWarning || len(line) > admission.MaxWarning {
		return shortened(line)
	}
	if full := head + w.listed(1, clause.inFull); len(full) <= admission.MaxWarning {
		return full // no form is short
	}
	return line
}

func (c clause) inFull() string { return c.long }

func (c clause) inShort() string { return c.short }

// listed lists the first causes, and how many more there are.
func (w *warned) listed(count int, form func(clause) string) string {
	var shown []string
	for _, c := range w.causes[:count] {
		shown = append(shown, form(c))
	}
	text := ": " + strings.Join(shown, "; ")
	if more := len(w.causes) - count; more > 0 {
		text += "; and " + plaintext.Thousands(more) + " more"
	}
	return text
}

// maxNamed bounds the pools that a warning names.
const maxNamed = 3

// namesOf names subjects: pool a, pools a and b, pools a, b, c and 40 more.
func namesOf(subjects []string) string {
	if len(subjects) == 1 {
		return subjects[0]
	}
	names := make([]string, len(subjects))
	for i, subject := range subjects {
		names[i] = strings.TrimPrefix(subject, "pool ")
	}
	last := len(names) - 1
	text := "pools " + strings.Join(names[:last], ", ") + " and " + names[last]
	if isShort := len(names) <= maxNamed && len(text) <= maxTitle; isShort {
		return text
	}
	shown := 1
	for shown < maxNamed && len(strings.Join(names[:shown+1], ", ")) < maxTitle {
		shown++
	}
	return "pools " + strings.Join(names[:shown], ", ") + " and " + plaintext.Thousands(len(names)-shown) + " more"
}
