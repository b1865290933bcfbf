package audit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// ByCause groups by reason. A pool counts once for each of its reasons.
const ByCause Dimension = "cause"

// View says which parts of a report are shown.
type View struct {
	// By is the dimension by which the pools are grouped.
	By Dimension
	// Only are the verdicts that are shown in groups and lists. If it is empty, all are.
	Only []string
	// All says that unchanged pools are listed, too.
	All bool
	// Limit bounds the rows of a table. 0 means no limit. If it is negative, each table has its usual limit.
	Limit int
}

// Shows reports whether a verdict is shown.
func (v View) Shows(verdict string) bool { return len(v.Only) == 0 || slices.Contains(v.Only, verdict) }

// Lists reports whether pools with a verdict are listed.
func (v View) Lists(verdict string) bool { return v.Shows(verdict) && (v.All || verdict != unchanged) }

// shownCauses are the causes of the shown verdicts, each with all minors in which it stands.
func (r *Report) shownCauses(v View) (all []*Cause) {
	byReason := map[causeKey]*Cause{}
	for _, c := range r.Causes {
		key := causeKey{Verdict: c.Verdict, Reason: c.Reason}
		switch known := byReason[key]; {
		case !v.Shows(c.Verdict):
		case known == nil:
			one := *c
			byReason[key] = &one
			all = append(all, &one)
		default:
			minors := append(strings.Split(known.Minor, ", "), c.Minor)
			slices.SortFunc(minors, compareMinors)
			known.Minor = strings.Join(slices.Compact(minors), ", ")
			known.Count = known.plus(c.Count)
			known.Samples = head(slices.Concat(known.Samples, c.Samples), samples)
		}
	}
	slices.SortFunc(all, compareCauses)
	return all
}

// section is a table with a title.
type section struct {
	Title   string
	Verdict string // of pools that are listed; empty in other tables
	Header  []string
	Rows    [][]string // cells, and after them notes, which are shown below the row
	Hidden  int        // number of rows beyond the limit
}

// IsNumber reports whether a column has numbers only, such as 3 or 1 to 5.
func (s *section) IsNumber(column int) bool {
	for _, row := range s.Rows {
		if strings.Trim(strings.ReplaceAll(row[column], " to ", ""), "0123456789") != "" {
			return false
		}
	}
	return true
}

// IsLast reports whether a column is the last one, below which a row's notes are shown.
func (s *section) IsLast(column int) bool { return column == len(s.Header)-1 }

// Headline is the summary in one line.
func (r *Report) Headline() string {
	text := plaintext.Counted(r.Verdicts.Total().Pools, r.unit())
	countOf := func(word string) int { return r.Verdicts[word].Pools }
	if by := plaintext.Listed(verdict.Words(verdict.OfReleases()), countOf); by != "" {
		text += ": " + by
	}
	if r.Partial {
		text = "partial, for it was interrupted: " + text
	}
	return text
}

// Accounting says what happened to all objects of the input, and what the verdicts rest on.
func (r *Report) Accounting() string {
	text := fmt.Sprintf("judged %d of %s", r.Objects.Judged, plaintext.Counted(r.Objects.Read, "object"))
	if skipped := plaintext.Listed(Skips(), func(s Skip) int { return r.Objects.Skipped[s] }); skipped != "" {
		text += "; not judged: " + skipped
	}
	lines := []string{text}
	for _, a := range r.Assumptions {
		line := fmt.Sprintf("assumption: %s (%s); %s", a.Text, plaintext.Counted(a.Pools, "pool"), a.Answer)
		lines = append(lines, plaintext.Printable(line))
	}
	for _, remark := range r.Remarks {
		lines = append(lines, plaintext.Printable(remark))
	}
	return strings.Join(lines, "\n")
}

// ofObjects is the unit of reports about custom resources.
const ofObjects = "object"

func (r *Report) unit() string { return cmp.Or(r.Unit, "pool") }

// inUnits is a table of a report about custom resources: their machines and Kubernetes versions are
// not known.
func (r *Report) inUnits(s section) section {
	if r.Unit == "" {
		return s
	}
	s.Title = strings.Replace(s.Title, "pool", r.Unit, 1)
	isUnknown := func(head string) bool { return slices.Contains([]string{"machines", "minor", "version"}, head) }
	for i := range s.Rows {
		cells := s.Rows[i][:len(s.Header)]
		notes := s.Rows[i][len(s.Header):]
		var kept []string
		for column, cell := range cells {
			if !isUnknown(s.Header[column]) {
				kept = append(kept, cell)
			}
		}
		s.Rows[i] = append(kept, notes...)
	}
	s.Header = slices.DeleteFunc(slices.Clone(s.Header), isUnknown)
	for i, head := range s.Header {
		s.Header[i] = strings.Replace(head, "pool", r.Unit, 1)
	}
	return s
}

// usualLimit bounds the rows of a table without pools, unless the view has a limit.
const usualLimit = 20

// sections are the tables of a report that have rows: one for each dimension, and one of the listed
// pools for each verdict. Pools bounds the rows of the latter, unless the view has a limit.
func (r *Report) sections(v View, pools int, by ...Dimension) (all []section) {
	add := func(s section, limit int) {
		s = r.inUnits(s)
		if v.Limit >= 0 {
			limit = v.Limit
		}
		shown := head(s.Rows, limit)
		s.Hidden = len(s.Rows) - len(shown)
		s.Rows = shown
		if len(shown) > 0 {
			all = append(all, s)
		}
	}
	add(r.consequences(), usualLimit)
	for _, d := range by {
		if d == ByCause {
			add(r.causesSection(v), usualLimit)
		} else {
			add(r.groupsSection(v, d), usualLimit)
		}
	}
	add(r.erasSection(), usualLimit)
	add(r.unreadableSection(), usualLimit)
	for _, word := range verdict.Words(verdict.OfReleases()) {
		add(r.poolsSection(word), pools)
	}
	return all
}

func (r *Report) consequences() section {
	s := section{Header: []string{"consequence", "pools", "machines", "known pools"}}
	for _, word := range verdict.Words(verdict.OfReleases()) {
		if count := r.Verdicts[word]; count.Pools > 0 {
			s.Rows = append(s.Rows, []string{
				word, strconv.Itoa(count.Pools), count.Machines(), strconv.Itoa(r.Known[word].Pools),
			})
		}
	}
	return s
}

func (r *Report) causesSection(v View) section {
	s := section{Title: "causes", Header: []string{"consequence", "pools", "machines", "minor", "because"}}
	for _, c := range r.shownCauses(v) {
		one := []string{c.Verdict, strconv.Itoa(c.Pools), c.Machines(), c.Minor, c.Text}
		for _, sample := range c.Samples {
			one = append(one, fmt.Sprintf("%s (%s)", sample.Pool, sample.At(sample.Line)))
		}
		if more := c.Pools - len(c.Samples); more > 0 {
			one = append(one, fmt.Sprintf("and %d more", more))
		}
		s.Rows = append(s.Rows, one)
	}
	return s
}

// values are the names of groups, those with the most of the gravest verdicts first; minors are in
// their order.
func values(d Dimension, groups map[string]Counts) []string {
	return slices.SortedFunc(maps.Keys(groups), func(a, b string) int {
		if d == ByMinor {
			return compareMinors(a, b)
		}
		return cmp.Or(slices.Compare(groups[b].pools(), groups[a].pools()), cmp.Compare(a, b))
	})
}

func (r *Report) groupsSection(v View, by Dimension) section {
	s := section{Title: "by " + string(by), Header: []string{string(by)}}
	var verdicts []string
	for _, word := range verdict.Words(verdict.OfReleases()) {
		if v.Shows(word) && r.Verdicts[word].Pools > 0 {
			verdicts = append(verdicts, word)
			s.Header = append(s.Header, word)
		}
	}
	s.Header = append(s.Header, "machines")
	for _, value := range values(by, r.Groups[by]) {
		counts := r.Groups[by][value]
		if counts.Of(verdicts...).Pools == 0 {
			continue
		}
		cells := []string{value}
		for _, verdict := range verdicts {
			cells = append(cells, strconv.Itoa(counts[verdict].Pools))
		}
		s.Rows = append(s.Rows, append(cells, counts.Of(verdicts...).Machines()))
	}
	return s
}

// erasSection says how each minor is hashed. It is empty if the releases do not differ.
func (r *Report) erasSection() section {
	s := section{Title: "eras", Header: []string{"minor", "pools", "old era", "new era", "difference"}}
	if !slices.ContainsFunc(r.Eras, func(span *Span) bool { return span.Differ }) {
		return s
	}
	for _, span := range r.Eras {
		pools := strconv.Itoa(span.Pools)
		s.Rows = append(s.Rows, []string{span.Minor, pools, span.OldEra, span.NewEra, r.remarkOn(span)})
	}
	return s
}

// hashedDifferently is the remark that the releases hash the pools of a minor differently.
const hashedDifferently = "differ"

// remarkOn says what the eras mean for the pools of a minor.
func (r *Report) remarkOn(s *Span) string {
	switch {
	case !s.Differ:
		return "the same"
	case s.Pools > 0:
		return hashedDifferently
	}
	open := r.mayRunAnyMinor()
	if len(open) == 0 {
		return "the switch is free: no pool runs this minor"
	}
	return "no pool is known to run this minor; " + strings.Join(open, ", ")
}

// mayRunAnyMinor counts what may run any minor: pools whose minor is not known, and objects that were not read.
func (r *Report) mayRunAnyMinor() (all []string) {
	pools := 0
	for _, span := range r.Eras {
		if span.Minor == unknown {
			pools += span.Pools
		}
	}
	if pools > 0 {
		all = append(all, fmt.Sprintf("pools without a known minor: %d", pools))
	}
	if unread := r.Objects.Skipped[NotReadable]; unread > 0 {
		all = append(all, fmt.Sprintf("objects that cannot be read: %d", unread))
	}
	return all
}

// poolsSection lists the pools with a verdict.
func (r *Report) poolsSection(verdict string) section {
	s := section{
		Title: verdict + " pools", Verdict: verdict,
		Header: []string{"pool", "version", "machines", "place", "because"},
	}
	for _, p := range r.Pools {
		if p.Verdict != verdict {
			continue
		}
		row := append([]string{p.Title(), p.KubernetesVersion, p.count().Machines(), p.At(p.Line)}, p.texts()...)
		if p.Known != "" {
			row = append(row, "known: "+p.Known)
		}
		s.Rows = append(s.Rows, row)
	}
	return s
}

// texts are the reasons for the verdict, or one empty text.
func (p *JudgedPool) texts() (all []string) {
	for _, because := range p.Reasons {
		all = append(all, because.Text)
	}
	if len(all) == 0 {
		return []string{""}
	}
	return all
}

func (r *Report) unreadableSection() section {
	s := section{Title: "not readable", Header: []string{"place", "because"}}
	for _, u := range r.Unreadable {
		s.Rows = append(s.Rows, append([]string{u.At(u.Line)}, strings.Split(u.Text, "\n")...))
	}
	return s
}
