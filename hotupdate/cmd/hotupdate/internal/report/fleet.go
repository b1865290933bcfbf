package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/kubeminor"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// Fleet has the members of a report that only an audit knows.
type Fleet struct {
	// Unit is the name of the things that are counted if they are not pools: object.
	Unit string `json:"unit,omitempty"`
	// Partial says that the audit was interrupted.
	Partial bool `json:"partial,omitempty"`
	// Objects counts all objects of the input.
	Objects Objects `json:"objects"`
	// Groups counts the pools by verdict for each project, minor, strategy and provider.
	Groups map[Dimension]map[string]Counts `json:"groups"`
	// Eras say how the releases hash the pools of each minor.
	Eras []Span `json:"eras"`
}

// Objects counts the objects of the input of an audit.
type Objects struct {
	Read   int `json:"read"`
	Judged int `json:"judged"`
	// Skipped counts the other objects by reason.
	Skipped map[Skip]int `json:"skipped"`
}

// Skip is a reason for not judging an object.
type Skip string

// The reasons, worded to follow a number.
const (
	OtherKind     Skip = "of other kinds"
	OtherProvider Skip = "of other providers"
	OtherConfig   Skip = "with other kinds of provider configs"
	NoPools       Skip = "without worker pools"
	Duplicate     Skip = "that were read before"
	NotReadable   Skip = "that cannot be read"
)

var skips = []Skip{OtherKind, OtherProvider, OtherConfig, NoPools, Duplicate, NotReadable}

// String counts the objects of the input by what was done with them.
func (o *Objects) String() string { return judgedLabel + " " + o.counts() }

// judgedLabel is the label of the remark that counts the objects.
const judgedLabel = "judged"

func (o *Objects) counts() string {
	text := plaintext.Thousands(o.Judged) + " of " + numberOf(o.Read, "object")
	if skipped := plaintext.Listed(skips, func(s Skip) int { return o.Skipped[s] }); skipped != "" {
		text += "; not judged: " + skipped
	}
	return text
}

// Counts are numbers of pools by the word of a verdict.
type Counts map[string]Count

// Add adds to the numbers of a verdict.
func (c Counts) Add(word string, more Count) { c[word] = c[word].Plus(more) }

// Merge adds all numbers of others.
func (c Counts) Merge(others Counts) {
	for word, more := range others {
		c.Add(word, more)
	}
}

// Of returns the numbers of some verdicts together.
func (c Counts) Of(words ...string) (sum Count) {
	for _, word := range words {
		sum = sum.Plus(c[word])
	}
	return sum
}

// Summands returns the numbers that are not 0, the gravest verdict first.
func (c Counts) Summands() []Summand {
	sum := []Summand{}
	for _, word := range ofReleases {
		if count := c[word]; count.Pools > 0 {
			sum = append(sum, Summand{word, count})
		}
	}
	return sum
}

var ofReleases = verdict.Words(verdict.OfReleases())

// Dimension is a property by which an audit groups pools.
type Dimension string

// The dimensions. A pool counts once for each of its causes.
const (
	ByCause    Dimension = "cause"
	ByProject  Dimension = "project"
	ByMinor    Dimension = "minor"
	ByStrategy Dimension = "strategy"
	ByProvider Dimension = "provider"
)

// Dimensions returns all dimensions except [ByCause].
func Dimensions() []Dimension { return []Dimension{ByProject, ByMinor, ByStrategy, ByProvider} }

// Span says how the pools of one minor are hashed.
type Span struct {
	Minor string `json:"minor"`
	// OldEra and NewEra are in force; they are empty if they are not known.
	OldEra string `json:"oldEra,omitempty"`
	NewEra string `json:"newEra,omitempty"`
	// Differ says that the releases hash some pools of the minor differently.
	Differ bool `json:"differ"`
	Pools  int  `json:"pools"`
}

// Unknown replaces a missing value of a dimension.
const Unknown = "unknown"

// CompareMinors orders minors as numbers, and other texts after them.
func CompareMinors(a, b string) int {
	first, errFirst := kubeminor.Parse(a)
	second, errSecond := kubeminor.Parse(b)
	if errFirst != nil || errSecond != nil {
		return cmp.Compare(a, b)
	}
	return first.Compare(second)
}

// Shown says which parts of a report of audit are shown.
type Shown struct {
	// By is the dimension by which the pools are grouped. A page has all of them.
	By Dimension
	// Only are the verdicts of the causes, groups and pools that are shown. If it is empty, all are.
	Only []string
	// Limit bounds the causes and the rows of a table. 0 means no limit, and a negative number the usual one.
	Limit int
}

// Shows reports whether a verdict is shown.
func (s *Shown) Shows(word string) bool { return len(s.Only) == 0 || slices.Contains(s.Only, word) }

// usualLimit bounds causes and rows unless the user says otherwise.
const usualLimit = 20

// head returns the beginning of a list that is shown, and how many more there are.
func head[E any](list []E, limit int) (shown []E, more int) {
	if limit < 0 {
		limit = usualLimit
	}
	if limit == 0 {
		return list, 0
	}
	shown = list[:min(limit, len(list))]
	return shown, len(list) - len(shown)
}

// Compare orders causes: the gravest first, then the causes of the most pools.
func (c *Cause) Compare(b *Cause) int {
	return cmp.Or(
		verdict.CompareWords(c.Verdict, b.Verdict), -cmp.Compare(c.Pools, b.Pools), cmp.Compare(c.Path, b.Path),
		cmp.Compare(c.Finding, b.Finding), cmp.Compare(c.Code, b.Code), CompareMinors(c.Minor, b.Minor),
		cmp.Compare(c.OldEra, b.OldEra), cmp.Compare(c.NewEra, b.NewEra), cmp.Compare(c.Text, b.Text),
		cmp.Compare(c.Accepted, b.Accepted),
	)
}

// reasonKey identifies the causes that are shown as one: those that differ only in their minors and eras.
type reasonKey struct {
	verdict, accepted string
	reason            Reason
}

// shownCauses returns the causes of the shown verdicts, each with all of its minors.
func (r *Report) shownCauses(s Shown) (causes []*Cause) {
	byReason := map[reasonKey]*Cause{}
	for i := range r.Causes {
		c := &r.Causes[i]
		key := reasonKey{c.Verdict, c.Accepted, c.Reason}
		switch known := byReason[key]; {
		case !s.Shows(c.Verdict):
		case known == nil:
			one := *c
			byReason[key] = &one
			causes = append(causes, &one)
		default:
			minors := append(strings.Split(known.Minor, ", "), c.Minor)
			slices.SortFunc(minors, CompareMinors)
			known.Minor = strings.Join(slices.Compact(minors), ", ")
			known.Pools += c.Pools
			known.Machines += c.Machines
			samples := slices.Concat(known.Samples, c.Samples)
			known.Samples = samples[:min(len(samples), maxSamples)]
		}
	}
	slices.SortFunc(causes, (*Cause).Compare)
	return causes
}

// listed are the listed pools of each cause.
func (r *Report) listed() map[reasonKey][]subject {
	all := map[reasonKey][]subject{}
	for i := range r.Manifests {
		m := &r.Manifests[i]
		for j := range m.Pools {
			p := &m.Pools[j]
			of := m.subjectOf(p, m.Subject(p.Name))
			of.Version = p.KubernetesVersion
			of.Machines = p.Touched
			for _, reason := range p.Reasons {
				key := reasonKey{p.Verdict, p.Accepted, reason}
				all[key] = append(all[key], of)
			}
		}
	}
	return all
}

// fleetView returns the view of a report of audit: a section for each cause, and tables of the
// counts.
func (r *Report) fleetView(s Shown, dimensions []Dimension) section {
	root := section{Word: r.Verdict, Title: r.counted(), Counts: r.counts()}
	if r.Partial {
		root.Facts = "partial: the audit was interrupted"
	}
	if slices.Contains(dimensions, ByCause) {
		r.addCauses(&root, s)
	}
	for _, d := range dimensions {
		if d != ByCause {
			root.addTable(r.groupsTable(s, d), s.Limit)
		}
	}
	root.addTable(r.erasTable(), s.Limit)
	root.Tail = append(root.Tail, remark{Label: judgedLabel, Text: r.Objects.counts()})
	return root
}

// addCauses adds a section for each shown cause. Causes of the same pools share one.
func (r *Report) addCauses(root *section, s Shown) {
	listed := r.listed()
	shown, more := head(r.shownCauses(s), s.Limit)
	for _, c := range shown {
		part := r.causeSection(c, listed[reasonKey{c.Verdict, c.Accepted, c.Reason}])
		if i := slices.IndexFunc(root.Sections, part.hasSubjectsOf); i >= 0 {
			root.Sections[i].Groups = append(root.Sections[i].Groups, part.Groups...)
		} else {
			root.Sections = append(root.Sections, part)
		}
	}
	if more > 0 {
		root.Tail = append(root.Tail, remark{Label: "and " + numberOf(more, "more cause"), Text: "--limit 0 shows all"})
	}
	for i := range r.Manifests {
		for j := range r.Manifests[i].Pools {
			if p := &r.Manifests[i].Pools[j]; len(p.Reasons) == 0 {
				root.Sections = append(root.Sections, section{Title: r.Manifests[i].Subject(p.Name), Word: p.Verdict})
			}
		}
	}
}

// causeSection returns the view of a cause. Without listed pools, it has samples.
func (r *Report) causeSection(c *Cause, listed []subject) section {
	word, _ := verdict.OfWord(c.Verdict)
	part := section{
		Word: c.Verdict, Message: word.OfRelease(hotupdate.AutoRollingUpdate), Pools: c.Pools, Machines: c.Machines,
		Groups: []group{{Verdict: c.Verdict, Why: c.Text + inMinors(c.Minor), Decides: true}}, Of: listed,
	}
	if len(listed) != c.Pools {
		part.Of = nil
		for _, sample := range c.Samples {
			of := subject{Name: sample.Pool}
			if sample.Place != nil {
				of.Places = append(of.Places, *sample.Place)
			}
			part.Of = append(part.Of, of)
		}
	}
	for i := range part.Of {
		part.Of[i].Kind = r.unit()
	}
	if c.Pools == 1 && len(part.Of) == 1 {
		part.Title = part.Of[0].Name
		if c.Machines > 0 {
			part.Facts = "up to " + numberOf(c.Machines, "machine")
		}
	}
	part.addAccepted(c.Accepted)
	return part
}

// inMinors names the Kubernetes minors of a cause, if they are known.
func inMinors(minors string) string {
	if minors == "" || minors == Unknown {
		return ""
	}
	return " (Kubernetes " + minors + ")"
}

// hasSubjectsOf reports whether two sections have the same verdict on the same pools, all of which are known.
func (s *section) hasSubjectsOf(other section) bool {
	areAlike := s.Word == other.Word && s.Pools == other.Pools && len(s.Of) == s.Pools
	name := func(a, b subject) bool { return a.Name == b.Name && slices.Equal(a.Places, b.Places) }
	haveRemarks := slices.Equal(s.Remarks, other.Remarks)
	return areAlike && haveRemarks && slices.EqualFunc(s.Of, other.Of, name)
}

// unit is the name of the things that are counted.
func (r *Report) unit() string {
	if r.hasObjects {
		return "object"
	}
	return "pool"
}

// table has counts of an audit in addition to the causes.
type table struct {
	Title, Note string
	Header      []string
	Rows        [][]string
	Hidden      int // number of rows beyond the limit
}

// IsNumber reports whether a column has numbers only.
func (t *table) IsNumber(column int) bool {
	return !slices.ContainsFunc(t.Rows, func(row []string) bool {
		return strings.Trim(row[column], "0123456789,") != ""
	})
}

// addTable adds a table that has rows.
func (s *section) addTable(t table, limit int) {
	if len(t.Rows) > 0 {
		t.Rows, t.Hidden = head(t.Rows, limit)
		s.Tables = append(s.Tables, &t)
	}
}

// groupsTable counts the pools of each group by verdict. Machines are those that are touched.
func (r *Report) groupsTable(s Shown, by Dimension) table {
	t := table{Title: "by " + string(by), Header: []string{string(by)}}
	var words []string
	for _, of := range r.Sum {
		if s.Shows(of.Verdict) {
			words = append(words, of.Verdict)
			t.Header = append(t.Header, of.Verdict)
		}
	}
	if !r.hasObjects {
		t.Header = append(t.Header, "machines touched, at most")
	}
	groups := r.Groups[by]
	for _, value := range groupNames(by, groups) {
		counts := groups[value]
		if counts.Of(words...).Pools == 0 {
			continue
		}
		cells := []string{value}
		for _, word := range words {
			cells = append(cells, plaintext.Thousands(counts[word].Pools))
		}
		if !r.hasObjects {
			cells = append(cells, plaintext.Thousands(counts.Of(words...).Machines))
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// groupNames returns the names of groups, the groups with the most of the gravest verdicts first;
// minors are in their own order.
func groupNames(d Dimension, groups map[string]Counts) []string {
	pools := func(c Counts) (numbers []int) {
		for _, word := range ofReleases {
			numbers = append(numbers, c[word].Pools)
		}
		return numbers
	}
	return slices.SortedFunc(maps.Keys(groups), func(a, b string) int {
		if d == ByMinor {
			return CompareMinors(a, b)
		}
		return cmp.Or(slices.Compare(pools(groups[b]), pools(groups[a])), cmp.Compare(a, b))
	})
}

// erasTable says how each minor is hashed. It is empty if the releases do not differ.
func (r *Report) erasTable() table {
	t := table{
		Title: "eras", Header: []string{"minor", "pools", "old era", "new era", "difference"},
		Note: "A release may hash in another way, at no cost, from a minor on that no pool runs.",
	}
	if !slices.ContainsFunc(r.Eras, func(span Span) bool { return span.Differ }) {
		return t
	}
	for _, span := range r.Eras {
		pools := plaintext.Thousands(span.Pools)
		t.Rows = append(t.Rows, []string{span.Minor, pools, span.OldEra, span.NewEra, r.remarkOn(&span)})
	}
	return t
}

// remarkOn describes the effect of the eras on the pools of a minor.
func (r *Report) remarkOn(s *Span) string {
	switch {
	case !s.Differ:
		return "the same"
	case s.Pools > 0:
		return "differ"
	}
	open := r.mayRunAnyMinor()
	if len(open) == 0 {
		return "the switch is free: no pool runs this minor"
	}
	return "no pool is known to run this minor; " + strings.Join(open, ", ")
}

// mayRunAnyMinor counts the pools whose minor is not known and the objects that were not read: they
// may run any minor.
func (r *Report) mayRunAnyMinor() (counts []string) {
	pools := 0
	for _, span := range r.Eras {
		if span.Minor == Unknown {
			pools += span.Pools
		}
	}
	if pools > 0 {
		counts = append(counts, fmt.Sprintf("pools without a known minor: %d", pools))
	}
	if unread := r.Objects.Skipped[NotReadable]; unread > 0 {
		counts = append(counts, fmt.Sprintf("objects that cannot be read: %d", unread))
	}
	return counts
}
