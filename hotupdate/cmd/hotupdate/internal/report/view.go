package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/lazyregexp"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// section is the view of a report or of a cause. Title, Facts and Message may be hostile.
type section struct {
	Title, Facts, Message string
	Word                  string // the verdict
	Counts                string // of the subjects, by verdict
	Groups                []group
	Remarks               []remark
	Tail                  []remark  // after all sections
	Sections              []section // the causes of a report
	LeftOut               []pool.LeftOut
	Of                    []subject // that the section is about
	Pools, Machines       int       // of a cause of audit, whose subjects may be some of its pools
	Tables                []*table  // of audit
	IsOneSided            bool      // the subject is on one side only, which is shown even if nothing happens
	IsWhole               bool      // the report
}

// subject is a manifest, or a pool of a manifest, that a cause concerns.
type subject struct {
	Kind     string // of what the subject is, for counting
	Name     string
	Machines int // that the verdict is about, at most
	Places   []pool.Place
	Eras     string
	Version  string // of Kubernetes, if an audit tells it
}

// remark is a fact or rule on which a verdict depends, in addition to the changes. Remarks with one
// label may share a line.
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

// viewOf returns the view of a report: remarks on the whole, and a section for each cause, the
// gravest first. If there is only one manifest or pool, remarks about it become remarks on the
// whole.
func viewOf(r *Report, s Shown, dimensions ...Dimension) *section {
	root := section{Word: r.Verdict}
	switch {
	case r.Fleet != nil:
		root = r.fleetView(s, dimensions)
	case len(r.Manifests) == 1 && r.Omitted == 0:
		root = r.Manifests[0].section(r)
	default:
		for i := range r.Manifests {
			root.Sections = append(root.Sections, r.Manifests[i].flat()...)
		}
		root.Title = r.counted()
		root.Counts = r.counts()
		root.share()
		root.Sections = slices.DeleteFunc(root.Sections, func(s section) bool { return s.Message == "" && s.isQuiet() })
	}
	root.IsWhole = true
	root.merge()
	root.gravestFirst()
	root.absorb(r.subjects())
	if isRefused := root.Word == verdict.Forbidden.String(); r.isAdmissionOpen && !isRefused {
		root.Message += ", if Gardener admits it"
	}
	for _, warning := range r.Warnings {
		root.Tail = append(root.Tail, remark{Label: "warning", Text: warning})
	}
	root.Tail = append(root.Tail, r.assumptionRemarks()...)
	return &root
}

// counted counts the manifests and the pools of a report: 3,000 manifests, 30,000 pools. A provider config and a
// custom resource have no pools.
func (r *Report) counted() string {
	all := len(r.Manifests) + r.Omitted
	text := numberOf(all, "manifest")
	if r.hasPools && len(r.Sum) > 0 {
		text += ", " + r.pools()
	}
	return text
}

// counts counts the pools by verdict, with their machines: 1 roll (up to 60 machines), 1 none. If all have the verdict
// of the report, there are only machines.
func (r *Report) counts() string {
	if len(r.Sum) == 1 && r.Sum[0].Verdict == r.Verdict {
		return strings.TrimSpace(r.Sum[0].details())
	}
	var all []string
	for _, s := range r.Sum {
		all = append(all, plaintext.Thousands(s.Pools)+" "+s.Verdict+s.details())
	}
	return strings.Join(all, ", ")
}

// section returns the view of the only manifest of a report.
func (m *ManifestReport) section(r *Report) section {
	own := m.own()
	if m.isBare() {
		only := m.Pools[0].section("")
		only.Remarks = append(only.Remarks, own.Remarks...)
		only.Tail = own.Tail
		only.Of = []subject{m.subjectOf(&m.Pools[0], m.title())}
		if m.Name != "" {
			only.Title = own.Title
		}
		return only
	}
	for i := range m.Pools {
		own.Sections = append(own.Sections, m.pool(i, "pool "+m.Pools[i].Name))
	}
	own.share()
	own.Word = m.Verdict
	if isOne := len(m.Pools) == 1 && m.quiet == 0 && len(own.Groups) == 0; isOne && m.Pools[0].Verdict == m.Verdict {
		only := own.Sections[0]
		only.Title = own.Title + ", " + only.Title
		only.Remarks = append(only.Remarks, own.Remarks...)
		only.Tail = own.Tail
		only.LeftOut = own.LeftOut
		return only
	}
	own.Title += ": " + r.pools()
	own.Counts = r.counts()
	if len(m.Pools)+m.quiet == 0 {
		own.Title = strings.TrimSuffix(m.title()+": there are no worker pools", ": ")
	}
	return own
}

// pools counts the pools of the report: 3 pools.
func (r *Report) pools() string { return numberOf(r.subjects(), "pool") }

// subjects is the number of the pools of the report, also of those that are left out.
func (r *Report) subjects() (pools int) {
	for _, s := range r.Sum {
		pools += s.Pools
	}
	return pools
}

// own returns the view of the part of a manifest above its pools.
func (m *ManifestReport) own() section {
	s := section{Title: m.title(), Word: m.above(), Groups: groupsOf(m.Changes, configField), LeftOut: m.LeftOut}
	s.Remarks = m.Basis.remarks(s.Groups, "")
	s.addAccepted(m.Accepted)
	s.Of = []subject{{Kind: cmp.Or(m.Kind, "manifest"), Name: m.title(), Places: m.places(m.Changes, 0, 0)}}
	return s
}

// above is the gravest verdict above the pools.
func (m *ManifestReport) above() string {
	gravest := none
	if len(m.Pools) == 0 {
		gravest = m.Verdict
	}
	for _, c := range m.Changes {
		if verdict.CompareWords(c.Verdict, gravest) < 0 {
			gravest = c.Verdict
		}
	}
	return gravest
}

// flat returns the views of one of several manifests: of the part above the pools, if it has
// findings, and of the pools.
func (m *ManifestReport) flat() (sections []section) {
	if m.isBare() {
		only := m.pool(0, m.title())
		only.Remarks = append(only.Remarks, m.own().Remarks...)
		return []section{only}
	}
	own := m.own()
	if m.isUnchanged() && len(m.Pools) > 0 {
		own.Message = "both sides are the same"
		own.Remarks = nil
		return []section{own}
	}
	hasOwn := len(own.Groups)+len(own.Remarks)+len(own.LeftOut) > 0
	if len(m.Pools)+m.quiet == 0 {
		own.Message = "there are no worker pools"
		hasOwn = true
	}
	if hasOwn {
		sections = append(sections, own)
	}
	for i := range m.Pools {
		sections = append(sections, m.pool(i, "pool "+m.Pools[i].Name+" of "+m.title()))
	}
	return sections
}

// pool returns the view of a pool under a title.
func (m *ManifestReport) pool(i int, title string) section {
	p := &m.Pools[i]
	config := configField
	if m.isBare() {
		config = ""
	}
	s := p.section(config)
	s.Title = title
	s.Of = []subject{m.subjectOf(p, title)}
	return s
}

func (m *ManifestReport) subjectOf(p *PoolReport, title string) subject {
	kind := "pool"
	if m.isBare() {
		kind = cmp.Or(m.Kind, "provider config")
	}
	return subject{
		Kind: kind, Name: title, Machines: p.counted, Places: m.places(p.Changes, p.OldLine, p.NewLine),
		Eras: erasOf(p),
	}
}

// places returns the places of the deciding changes, without repetition, or the place of the pool
// if no change decides. They are in one file, because a pool is.
func (m *ManifestReport) places(changes []ChangeReport, oldLine, newLine int) (places []pool.Place) {
	add := func(oldLine, newLine int) {
		if place := m.at(oldLine, newLine); place.File != "" && !slices.Contains(places, place) {
			places = append(places, place)
		}
	}
	for i := range changes {
		if c := &changes[i]; c.Decides {
			add(c.OldLine, c.NewLine)
		}
	}
	if len(places) == 0 {
		add(oldLine, newLine)
	}
	slices.SortStableFunc(places, func(a, b pool.Place) int { return a.Line - b.Line })
	return places
}

// erasOf are the eras of a pool on both sides, for developers.
func erasOf(p *PoolReport) string {
	switch {
	case p.OldEra == "" && p.NewEra == "":
		return ""
	case p.OldEra == p.NewEra, p.OldEra == "", p.NewEra == "":
		return "era " + cmp.Or(p.NewEra, p.OldEra)
	}
	return "era " + p.OldEra + ", then " + p.NewEra
}

// section returns the view of a pool, whose provider config is at a path.
func (p *PoolReport) section(config string) section {
	s := section{
		Facts: p.facts(), Word: p.Verdict, Message: p.Message, Groups: groupsOf(p.Changes, config),
		IsOneSided: p.isOneSided(),
	}
	for i := range s.Groups {
		if strings.Contains(p.Message, s.Groups[i].Why) { // the line above has the reason
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

// share moves remarks that every compared section repeats behind all sections. The remark on
// admission appears once in the whole report.
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
	isAdmission := func(r remark) bool { return r.Text == verdict.AdmissionUnjudged.Text }
	isCommon := func(r remark) bool {
		isRepeated := in[r] == compared && compared > 1
		return isRepeated || isAdmission(r)
	}
	for _, r := range s.Remarks {
		if isAdmission(r) {
			s.Tail = append(s.Tail, r)
		}
	}
	s.Remarks = slices.DeleteFunc(s.Remarks, isAdmission)
	for i := range s.Sections {
		part := &s.Sections[i]
		for _, r := range part.Remarks {
			if isCommon(r) && !slices.Contains(s.Tail, r) {
				s.Tail = append(s.Tail, r)
			}
		}
		part.Remarks = slices.DeleteFunc(part.Remarks, isCommon)
	}
	s.shareQuestions()
}

// shareQuestions moves a question that several sections repeat behind all sections, with their names.
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
			s.Tail = append(s.Tail, shared)
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

// merge makes one section of those that differ only in their subjects and machines: a cause with all that it concerns.
func (s *section) merge() {
	first := map[string]int{}
	merged := []section{}
	for _, part := range s.Sections {
		key := part.content()
		i, known := first[key]
		if !known || part.isQuiet() {
			first[key] = len(merged)
			merged = append(merged, part)
			continue
		}
		one := &merged[i]
		one.Of = append(one.Of, part.Of...)
		one.Facts = ""
		one.LeftOut = append(one.LeftOut, part.LeftOut...)
		if one.Message != part.Message {
			v, _ := verdict.OfWord(one.Word)
			one.Message = v.Consequence(hotupdate.AutoRollingUpdate)
		}
	}
	s.Sections = merged
}

// absorb merges the only cause into the report, if the cause concerns all subjects.
func (s *section) absorb(subjects int) {
	isMore := len(s.Groups)+len(s.Remarks) > 0 || len(s.Sections) != 1
	if isMore || s.Sections[0].subjects() != subjects {
		return
	}
	only := s.Sections[0]
	switch {
	case subjects > 1:
	case only.Pools == 0: // of plan
		return
	default:
		s.Title = only.Title
		s.Facts = cmp.Or(s.Facts, only.Facts)
		s.Counts = ""
	}
	s.Message = only.Message
	s.Of = only.Of
	s.Pools = only.Pools
	s.Machines = only.Machines
	s.Groups = only.Groups
	s.Remarks = only.Remarks
	s.LeftOut = append(s.LeftOut, only.LeftOut...)
	s.Sections = nil
}

// subjects is the number of the subjects.
func (s *section) subjects() int { return max(len(s.Of), s.Pools) }

// heading names the only subject of the section, or counts its subjects.
func (s *section) heading(escape plaintext.Escape) string {
	if s.IsWhole || s.subjects() < 2 {
		return plaintext.Shorten(s.Title, 2*maxTitle, escape)
	}
	kind := s.Of[0].Kind
	machines := 0
	if s.Pools > 0 {
		machines = s.Machines
	}
	for _, of := range s.Of {
		if s.Pools == 0 {
			machines += of.Machines
		}
		if of.Kind != kind {
			kind = "manifest"
		}
	}
	text := numberOf(s.subjects(), plaintext.Shorten(kind, maxTitle, escape))
	if machines > 0 {
		text += " (up to " + numberOf(machines, "machine") + ")"
	}
	return text
}

// numberOf is a number with commas and its noun.
func numberOf(n int, noun string) string {
	return plaintext.Thousands(n) + " " + plural(n, noun, noun+"s")
}

// digits are the numbers of machines in a message.
var digits = lazyregexp.New("[0-9,]+")

// content returns a text that is equal for two sections that differ only in their subjects and machines.
func (s *section) content() string {
	message := s.Message
	if !strings.Contains(message, ";") { // nothing else happens
		message = digits().ReplaceAllString(message, "")
	}
	groups, _ := json.Marshal(s.Groups) // as JSON, so that rules are compared by value
	return fmt.Sprintf("%q %q %q %s %v", s.Word, message, s.Remarks, groups, s.IsOneSided)
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
func (b *Basis) remarks(groups []group, message string) (remarks []remark) {
	for _, path := range b.Unjudged {
		remarks = append(remarks, remark{Label: unjudgedLabel, Text: path})
	}
	isAsked := func(rule verdict.Rule) bool {
		return slices.ContainsFunc(b.Questions, func(q Question) bool { return q.rule == rule && q.text != rule.Text })
	}
	for _, question := range b.Questions {
		if question.text == question.rule.Text {
			continue // the rule has all that is known
		}
		remarks = append(remarks, remark{Label: questionLabel, Text: question.text, Source: question.rule.Source})
	}
	for _, rule := range b.Rules {
		if rule.Kind == verdict.Assumes {
			continue // the remark appears once in the whole report
		}
		told := slices.ContainsFunc(groups, func(g group) bool { return g.Why == rule.Text })
		if !told && !isAsked(rule) && !strings.Contains(message, rule.Text) {
			remarks = append(remarks, remark{string(rule.Kind), rule.Text, rule.Source})
		}
	}
	return remarks
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
		return "what is filled in for absent fields decides, and is not known", ""
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
