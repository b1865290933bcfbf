package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
)

// view is a report as it is read: what several pools or manifests have in common is said once, and those to which nothing happens are put
// together.
type view struct {
	*Report

	Manifests []manifestView
	Remarks   []remark // of every manifest
}

type manifestView struct {
	*Manifest

	Groups  []group
	Pools   []poolView
	Remarks []remark // of the manifest, or of every pool
	Quiet   bool
}

type poolView struct {
	*Pool

	Groups  []group
	Remarks []remark
	Quiet   bool // there is nothing to say but that nothing happens
}

// remark is something that a verdict rests on beside the changes. Remarks with one label may share a line.
type remark struct{ Label, Text, Source string }

// The labels of remarks that no rule makes.
const (
	assumedLabel  = "assumed unchanged"
	unjudgedLabel = "not judged"
)

// group is changes that do the same for the same reason.
type group struct {
	Verdict, Why, Source string
	Decides              bool
	Changes              []Change
}

func viewOf(r *Report) *view {
	v := &view{Report: r, Manifests: make([]manifestView, len(r.Manifests))}
	lists := make([][]remark, len(r.Manifests))
	for i := range r.Manifests {
		v.Manifests[i] = manifestViewOf(&r.Manifests[i])
		lists[i] = v.Manifests[i].Remarks
	}
	if len(lists) > 1 {
		v.Remarks = inAll(lists)
	}
	for i := range v.Manifests {
		m := &v.Manifests[i]
		m.Remarks = without(m.Remarks, v.Remarks)
		m.Quiet = len(m.Groups)+len(m.Remarks) == 0 && !slices.ContainsFunc(m.Pools, func(p poolView) bool { return !p.Quiet })
	}
	for _, warning := range r.Warnings {
		v.Remarks = append(v.Remarks, remark{Label: "warning", Text: warning})
	}
	return v
}

func manifestViewOf(m *Manifest) manifestView {
	v := manifestView{Manifest: m, Groups: groupsOf(m.Changes, m.isBare()), Pools: make([]poolView, len(m.Pools))}
	v.Remarks = m.Basis.remarks(v.Groups, "")
	var compared [][]remark
	for i := range m.Pools {
		p := &v.Pools[i]
		*p = poolView{Pool: &m.Pools[i], Groups: groupsOf(m.Pools[i].Changes, m.isBare())}
		for j := range p.Groups {
			if strings.Contains(p.Message, p.Groups[j].Why) { // the line above says it
				p.Groups[j].Why = ""
			}
		}
		if p.State == pool.Added.String() || p.State == pool.Removed.String() {
			continue
		}
		p.Remarks = p.Basis.remarks(p.Groups, p.Message)
		compared = append(compared, p.Remarks)
	}
	shared := inAll(compared)
	if len(compared) == 1 && !m.isBare() { // what is assumed stands at the end, and what was found with its pool
		shared = slices.DeleteFunc(shared, func(r remark) bool { return !slices.Contains(lastLabels, r.Label) })
	}
	for i := range v.Pools {
		p := &v.Pools[i]
		p.Remarks = without(p.Remarks, shared)
		p.Quiet = !m.isBare() && p.State == pool.Kept.String() && p.Verdict == pool.None.String() && len(p.Groups)+len(p.Remarks) == 0
	}
	v.Remarks = append(v.Remarks, without(shared, v.Remarks)...)
	return v
}

// quiet names the pools to which nothing happens.
func (v *manifestView) quiet() (names []string) {
	for i := range v.Pools {
		if v.Pools[i].Quiet {
			names = append(names, "pool "+v.Pools[i].Name)
		}
	}
	return names
}

// quiet names the manifests to which nothing happens, if there are several.
func (v *view) quiet() (names []string) {
	for i := range v.Manifests {
		if m := &v.Manifests[i]; m.Quiet && len(v.Manifests) > 1 {
			names = append(names, m.title(func(text string) string { return text }))
		}
	}
	return names
}

// none is the verdict on those to which nothing happens.
var none = pool.None.String()

// remarks lists what a verdict rests on, but for the rules that its message or a group of changes tells.
func (b *Basis) remarks(groups []group, message string) (all []remark) {
	for _, path := range b.Unjudged {
		all = append(all, remark{Label: unjudgedLabel, Text: path})
	}
	for _, thing := range b.Assumed {
		all = append(all, remark{Label: assumedLabel, Text: thing})
	}
	for _, rule := range b.Rules {
		told := slices.ContainsFunc(groups, func(g group) bool { return g.Why == rule.Text })
		if !told && !strings.Contains(message, rule.Text) {
			all = append(all, remark{rule.Kind, rule.Text, rule.Source})
		}
	}
	return all
}

// inAll returns what all lists have in common.
func inAll(lists [][]remark) []remark {
	if len(lists) == 0 {
		return nil
	}
	common := slices.Clone(lists[0])
	for _, list := range lists[1:] {
		common = slices.DeleteFunc(common, func(r remark) bool { return !slices.Contains(list, r) })
	}
	return common
}

func without(all, some []remark) []remark {
	return slices.DeleteFunc(slices.Clone(all), func(r remark) bool { return slices.Contains(some, r) })
}

// heading is what the changes do, and why.
func (g *group) heading() string { return strings.TrimSuffix(g.Verdict+": "+g.Why, ": ") }

// groupsOf groups changes by what they do and why. Those that decide the verdict come first, then the order is that of the changes.
func groupsOf(changes []Change, isBare bool) (groups []group) {
	for _, c := range changes {
		why, source := c.why(isBare)
		i := slices.IndexFunc(groups, func(g group) bool { return g.Verdict == c.Verdict && g.Why == why && g.Decides == c.Decides })
		if i < 0 {
			i = len(groups)
			groups = append(groups, group{Verdict: c.Verdict, Why: why, Source: source, Decides: c.Decides})
		}
		groups[i].Changes = append(groups[i].Changes, c)
	}
	decides, others := []group{}, []group{}
	for _, g := range groups {
		if g.Decides {
			decides = append(decides, g)
		} else {
			others = append(others, g)
		}
	}
	return append(decides, others...)
}

// why says in the reader's words why a change does what it does: the rule, or where its class comes from.
func (c *Change) why(isBare bool) (text, source string) {
	switch {
	case c.Rule != nil:
		return c.Rule.Text, c.Rule.Source
	case c.Omitted:
		return "one side leaves it to a default that is not known", ""
	case !isBare && !strings.HasPrefix(c.Path, configField):
		return "by Gardener's rules for worker pools", ""
	case c.Path == configField || c.Path == "":
		return "compared as a whole", ""
	case c.Origin == hotupdate.OriginUnknown.String():
		return "not in the Schema", ""
	case c.Origin == hotupdate.OriginDefault.String():
		return c.Class + " by default", ""
	}
	return "declared " + c.Class, ""
}

// configField is the member of a pool below which the changes of its provider config stand.
const configField = "providerConfig"

// mark is the first character of a change.
func (c *Change) mark() string {
	return cmp.Or(map[string]string{hotupdate.Add.String(): "+", hotupdate.Remove.String(): "-"}[c.Op], "~")
}

// remarkLines joins the remarks that share a line. What is assumed stands last.
func remarkLines(all []remark) (lines []remark) {
	for _, r := range all {
		i := slices.IndexFunc(lines, func(line remark) bool { return line.Label == r.Label })
		if i < 0 || r.Label != assumedLabel && r.Label != unjudgedLabel {
			lines = append(lines, r)
		} else {
			lines[i].Text += "; " + r.Text
		}
	}
	slices.SortStableFunc(lines, func(a, b remark) int { return slices.Index(lastLabels, a.Label) - slices.Index(lastLabels, b.Label) })
	return lines
}

// lastLabels are those of the remarks that stand last.
var lastLabels = []string{assumedLabel, pool.Assumes.String()}
