package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// section is the view of a report, a manifest or a pool. Title, Facts and Message may be hostile.
type section struct {
	Title, Facts, Message string
	Alike                 int    // more manifests with the same change, see merge
	Word                  string // the verdict, or the state of a pool that was not kept
	Groups                []group
	Remarks               []remark
	IsOneSided            bool
	Sections              []section // the manifests of a report, the pools of a manifest
	LeftOut               []pool.LeftOut
}

// remark is a fact or rule that a verdict depends on beside the changes. Remarks with one label may
// share a line.
type remark struct{ Label, Text, Source string }

// The labels of remarks that are not rules.
const (
	unjudgedLabel = "not judged"
	questionLabel = "question"
	adoptedLabel  = "once the extension has adopted hot updates"
)

// group is a list of changes with one verdict and one reason.
type group struct {
	Verdict, Why, Source string
	Decides              bool
	Changes              []ChangeReport
}

// viewOf returns the section of a report, or that of the manifest if there is only one, or that of
// the pool if it is a provider config on its own.
func viewOf(r *Report) *section {
	root := section{Word: r.Verdict}
	for i := range r.Manifests {
		root.Sections = append(root.Sections, r.Manifests[i].section())
	}
	if len(root.Sections) == 1 && r.Omitted == 0 {
		root = root.Sections[0]
	} else {
		root.Message = root.counted("manifest", r.Omitted)
		root.share()
		root.merge()
	}
	root.gravestFirst()
	if isRefused := root.Word == verdict.Forbidden.String(); r.isAdmissionOpen && !isRefused {
		root.Message += ", if Gardener admits it"
	}
	for _, warning := range r.Warnings {
		root.Remarks = append(root.Remarks, remark{Label: "warning", Text: warning})
	}
	root.Remarks = append(root.Remarks, r.assumptionRemarks()...)
	return &root
}

func (m *ManifestReport) section() section {
	s := section{
		Title: m.title(), Word: m.Verdict, Groups: groupsOf(m.Changes, configField), LeftOut: m.LeftOut,
	}
	s.Remarks = m.Basis.remarks(s.Groups, "")
	s.addAccepted(m.Accepted)
	if m.isBare() {
		only := m.Pools[0].section("")
		only.Remarks = append(only.Remarks, s.Remarks...)
		if m.Name != "" {
			only.Title = s.Title
		}
		return only
	}
	for i := range m.Pools {
		s.Sections = append(s.Sections, m.Pools[i].section(configField))
	}
	s.share()
	s.Message = s.counted("pool", m.quiet)
	if len(m.Pools)+m.quiet == 0 {
		s.Message = "there are no worker pools"
	}
	return s
}

// section returns the view of a pool, whose provider config is at a path.
func (p *PoolReport) section(config string) section {
	s := section{
		Facts: p.facts(), Word: p.Verdict, Message: p.Message, Groups: groupsOf(p.Changes, config),
		IsOneSided: p.isOneSided(),
	}
	if config != "" {
		s.Title = "pool " + p.Name
	}
	for i := range s.Groups {
		if strings.Contains(p.Message, s.Groups[i].Why) { // the line above has it
			s.Groups[i].Why = ""
		}
	}
	s.Remarks = p.Basis.remarks(s.Groups, p.Message)
	if p.Adopted != "" {
		s.Remarks = append([]remark{{Label: adoptedLabel, Text: p.Adopted}}, s.Remarks...)
	}
	s.addAccepted(p.Accepted)
	return s
}

// addAccepted adds why people accept the verdict, as in accepted until 2026-12-31: agreed.
func (s *section) addAccepted(why string) {
	if until, reason, isAccepted := strings.Cut(why, ": "); isAccepted {
		s.Remarks = append([]remark{{Label: until, Text: reason}}, s.Remarks...)
	}
}

// addNotJudged adds the objects that are not judged, before all other remarks.
func (s *section) addNotJudged(all []NotJudged) {
	var remarks []remark
	for _, one := range all {
		for line := range strings.SplitSeq(one.Text, "\n") {
			remarks = append(remarks, remark{Label: "an object is not judged", Text: line})
		}
	}
	s.Remarks = append(remarks, s.Remarks...)
}

// share moves the remarks that every compared section repeats to the section around them. Of admission the whole
// report speaks once.
func (s *section) share() {
	compared := 0
	in := map[remark]int{}
	for _, part := range s.Sections {
		if part.Word != verdict.Added.String() && part.Word != verdict.Removed.String() {
			compared++
			for _, r := range part.Remarks {
				in[r]++
			}
		}
	}
	isCommon := func(r remark) bool {
		isRepeated := in[r] == compared && compared > 1
		return isRepeated || r.Text == verdict.AdmissionUnjudged.Text
	}
	for i := range s.Sections {
		part := &s.Sections[i]
		for _, r := range part.Remarks {
			if isCommon(r) && !slices.Contains(s.Remarks, r) {
				s.Remarks = append(s.Remarks, r)
			}
		}
		part.Remarks = slices.DeleteFunc(part.Remarks, isCommon)
	}
	s.shareQuestions()
}

// shareQuestions moves a question that several sections repeat to the section around them, with their names.
func (s *section) shareQuestions() {
	of := map[remark][]string{}
	var asked []remark
	for _, part := range s.Sections {
		for _, r := range part.Remarks {
			if r.Label == questionLabel {
				of[r] = append(of[r], part.Title)
				asked = append(asked, r)
			}
		}
	}
	isRepeated := func(r remark) bool { return len(of[r]) > 1 }
	for i, r := range asked {
		if isRepeated(r) && !slices.Contains(asked[:i], r) {
			shared := r
			shared.Label = questionLabel + " of " + someOf(of[r])
			s.Remarks = append(s.Remarks, shared)
		}
	}
	for i := range s.Sections {
		part := &s.Sections[i]
		part.Remarks = slices.DeleteFunc(part.Remarks, isRepeated)
	}
}

// maxAsking bounds the sections that a question names.
const maxAsking = 5

// someOf lists names, and how many more there are.
func someOf(names []string) string {
	if more := len(names) - maxAsking; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxAsking], ", "), more)
	}
	return strings.Join(names, ", ")
}

// merge makes one section of those that differ only in their titles and machines, such as sixty
// Shoots with one change.
func (s *section) merge() {
	first := map[string]int{}
	merged := []section{}
	equal := map[int]int{}
	for _, part := range s.Sections {
		key := part.content()
		if i, known := first[key]; known && !part.isQuiet() {
			equal[i]++
			continue
		}
		first[key] = len(merged)
		merged = append(merged, part)
	}
	for i, more := range equal {
		one := &merged[i]
		one.Alike = more
		for j := range one.Sections {
			one.Sections[j].Facts = ""
		}
	}
	s.Sections = merged
}

// heading is the title on a separate line, with the number of manifests that share it.
func (s *section) heading(escape plaintext.Escape) string {
	title := plaintext.Shorten(s.Title, maxTitle, escape)
	if s.Alike > 0 {
		title += fmt.Sprintf(" and %d more with the same change", s.Alike)
	}
	return title
}

// content returns a text that is equal for two sections that differ only in their titles and
// machines.
func (s *section) content() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%q %q %q %+v", s.Word, s.Message, s.Remarks, s.Groups)
	for i := range s.Sections {
		text.WriteString(s.Sections[i].Title + s.Sections[i].content())
	}
	return text.String()
}

// isQuiet reports whether nothing happens, and there are no changes and remarks.
func (s *section) isQuiet() bool {
	hasWords := s.IsOneSided || len(s.Groups)+len(s.Remarks) > 0
	if s.Word != none || hasWords {
		return false
	}
	return !slices.ContainsFunc(s.Sections, func(part section) bool { return !part.isQuiet() })
}

// parts returns the shown sections, and the titles of the quiet ones, which share a line.
func (s *section) parts() (shown []*section, quiet []string) {
	for i := range s.Sections {
		if part := &s.Sections[i]; part.isQuiet() {
			quiet = append(quiet, part.Title)
		} else {
			shown = append(shown, part)
		}
	}
	return shown, quiet
}

// none is the verdict if nothing happens.
var none = verdict.None.String()

// remarks lists the facts and rules that a verdict depends on, without assumptions and without the rules in its
// message or in a group of changes.
func (b *Basis) remarks(groups []group, message string) (all []remark) {
	for _, path := range b.Unjudged {
		all = append(all, remark{Label: unjudgedLabel, Text: path})
	}
	isAsked := func(rule verdict.Rule) bool {
		return slices.ContainsFunc(b.Questions, func(q Question) bool { return q.rule == rule && q.text != rule.Text })
	}
	for _, question := range b.Questions {
		if question.text == question.rule.Text {
			continue // the rule says all that is known
		}
		all = append(all, remark{Label: questionLabel, Text: question.text, Source: question.rule.Source})
	}
	for _, rule := range b.Rules {
		if rule.Kind == verdict.Assumes {
			continue // the whole report speaks of it once
		}
		told := slices.ContainsFunc(groups, func(g group) bool { return g.Why == rule.Text })
		if !told && !isAsked(rule) && !strings.Contains(message, rule.Text) {
			all = append(all, remark{string(rule.Kind), rule.Text, rule.Source})
		}
	}
	return all
}

// groupsOf groups changes by verdict and reason. Groups that decide the verdict come first.
// Otherwise the groups have the order of the changes.
func groupsOf(changes []ChangeReport, config string) (groups []group) {
	for _, c := range changes {
		why, source := c.why(config)
		i := slices.IndexFunc(groups,
			func(g group) bool { return g.Verdict == c.Verdict && g.Why == why && g.Decides == c.Decides })
		if i < 0 {
			i = len(groups)
			groups = append(groups, group{Verdict: c.Verdict, Why: why, Source: source, Decides: c.Decides})
		}
		// lines are not shown, and differ between manifests
		c.OldLine = 0
		c.NewLine = 0
		groups[i].Changes = append(groups[i].Changes, c.parts()...)
	}
	decides := func(g group) bool { return g.Decides }
	others := slices.DeleteFunc(slices.Clone(groups), decides)
	return append(slices.DeleteFunc(groups, func(g group) bool { return !decides(g) }), others...)
}

// why returns the reason of a change's verdict for readers: the rule, or the origin of its class.
func (c *ChangeReport) why(config string) (text, source string) {
	switch {
	case c.Rule != nil:
		return c.Rule.Text, c.Rule.Source
	case c.Omitted:
		return "one side leaves the field to a default that is not known", ""
	case !strings.HasPrefix(c.Path, config) && strings.Contains(c.Source, "extension"):
		return "by the extension's rules for worker pools", ""
	case !strings.HasPrefix(c.Path, config):
		return "by Gardener's rules for worker pools", ""
	case c.Path == config:
		return "compared as a whole", ""
	case c.Origin == "unknown member":
		return "not in the Schema", ""
	case c.Origin == "default":
		return c.Class + " by default", ""
	}
	return "declared " + c.Class, ""
}

// configField is the member of a pool with the provider config.
const configField = "providerConfig"

// mark is the first character of a change.
func (c *ChangeReport) mark() string {
	return cmp.Or(map[string]string{string(hotupdate.OpAdd): "+", string(hotupdate.OpRemove): "-"}[c.Op], "~")
}

// remarkLines joins the paths that are not judged.
func remarkLines(all []remark) (lines []remark) {
	for _, r := range all {
		i := slices.IndexFunc(lines, func(line remark) bool { return line.Label == r.Label })
		if i < 0 || r.Label != unjudgedLabel {
			lines = append(lines, r)
		} else {
			lines[i].Text += "; " + r.Text
		}
	}
	return lines
}
