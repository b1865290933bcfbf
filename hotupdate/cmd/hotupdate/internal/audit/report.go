package audit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/release"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/report"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/kubeminor"
)

// Report is the result of an audit. Its size does not grow with the number of pools, except for
// [Report.Pools] and [Report.Unreadable].
type Report struct {
	FormatVersion int    `json:"formatVersion"`
	Command       string `json:"command"` // audit
	// Compared names the releases.
	Compared report.Compared `json:"compared"`
	// Verdict is the gravest one.
	Verdict string `json:"verdict"`
	// Sum counts the pools by verdict, the gravest first, as a report of plan does.
	Sum []report.Summand `json:"sum"`
	// Unit is what the counts of pools count: objects for custom resources, which have no pools, and
	// else empty.
	Unit string `json:"unit,omitempty"`
	// Partial says that the audit was interrupted.
	Partial bool `json:"partial,omitempty"`
	// Objects counts all objects of the input.
	Objects Objects `json:"objects"`
	// Verdicts counts the pools by verdict, and Known counts the pools with known findings. In JSON, the sum has them.
	Verdicts Counts `json:"-"`
	Known    Counts `json:"-"`
	// Causes are the reasons for verdicts, most pools first. A pool with several reasons counts in
	// each.
	Causes []*Cause `json:"causes"`
	// Groups counts the pools by verdict for each project, minor, strategy and provider.
	Groups map[Dimension]map[string]Counts `json:"groups"`
	// Eras say how the releases hash the pools of each minor.
	Eras []*Span `json:"eras"`
	// Pools are the listed pools, the gravest verdicts first.
	Pools []*JudgedPool `json:"pools"`
	// Unreadable are the objects that cannot be read; only the first ones if there are very many.
	Unreadable []Unreadable `json:"notJudged"`
	// Assumptions are those that verdicts rest on, each once.
	Assumptions []Assumption `json:"assumptions"`
	// Remarks are about the call, such as expired acceptances.
	Remarks []string `json:"warnings"`

	assumed map[verdict.Assumption]int // the number of pools
	causes  map[causeKey]*Cause
	spans   map[Span]*Span // by minor and eras
	seen    []string       // some providers and kinds of provider configs that are not judged

	// providers are those of judged pools; true if a config of one is of the releases' kind
	providers map[string]bool
}

// Objects counts the objects of the input.
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

// Skips are all reasons.
func Skips() []Skip {
	return []Skip{OtherKind, OtherProvider, OtherConfig, NoPools, Duplicate, NotReadable}
}

// Assumption is an assumption that verdicts rest on, with the number of their pools.
type Assumption struct {
	verdict.Assumption

	Pools int `json:"pools"`
}

// Unreadable is an object that cannot be read.
type Unreadable struct {
	manifest.Place

	Text string `json:"text"`
}

// Count is a number of pools, with the number of their machines.
type Count struct {
	Pools   int `json:"pools"`
	Minimum int `json:"minimum"`
	Maximum int `json:"maximum"`
}

func (c Count) plus(more Count) Count {
	return Count{c.Pools + more.Pools, c.Minimum + more.Minimum, c.Maximum + more.Maximum}
}

// Machines returns the number of machines.
func (c Count) Machines() string {
	if c.Minimum == c.Maximum {
		return strconv.Itoa(c.Minimum)
	}
	return fmt.Sprintf("%d to %d", c.Minimum, c.Maximum)
}

// The words of verdicts that are compared here.
var (
	unchanged = verdict.None.String()
	rolled    = verdict.Roll.String()
	renamed   = verdict.ClassRenamed.String()
)

// Counts are counts by the word of a verdict: see [verdict.OfReleases].
type Counts map[string]Count

func (c Counts) add(verdict string, more Count) { c[verdict] = c[verdict].plus(more) }

// Of returns the count of some verdicts.
func (c Counts) Of(verdicts ...string) (sum Count) {
	for _, v := range verdicts {
		sum = sum.plus(c[v])
	}
	return sum
}

// pools returns the number of pools of each verdict.
func (c Counts) pools() (all []int) {
	for _, v := range verdict.Words(verdict.OfReleases()) {
		all = append(all, c[v].Pools)
	}
	return all
}

// Total returns the count of all pools.
func (c Counts) Total() Count { return c.Of(verdict.Words(verdict.OfReleases())...) }

// Dimension is a property by which pools are grouped.
type Dimension string

// The dimensions other than [ByCause].
const (
	ByProject  Dimension = "project"
	ByMinor    Dimension = "minor"
	ByStrategy Dimension = "strategy"
	ByProvider Dimension = "provider"
)

// Dimensions are all of them.
func Dimensions() []Dimension { return []Dimension{ByProject, ByMinor, ByStrategy, ByProvider} }

// Cause is a reason, with the pools that have it.
type Cause struct {
	causeKey
	Count

	// Samples are some of the pools.
	Samples []Sample `json:"samples"`
}

// causeKey identifies a cause.
type causeKey struct {
	Verdict string `json:"verdict"`
	Reason

	// OldEra and NewEra are in force for the minor.
	OldEra string `json:"oldEra,omitempty"`
	NewEra string `json:"newEra,omitempty"`
	Minor  string `json:"minor"`
}

// Sample is one of the pools of a cause.
type Sample struct {
	manifest.Place

	Pool string `json:"pool"`
}

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

// The limits that make the size of a report independent of the size of the fleet.
const (
	samples = 3
	// groups bounds the causes, the groups of each dimension, and the objects that cannot be read.
	// Further ones are only counted.
	groups = 10_000
	others = "(others)"
)

// newReport returns an empty report.
func newReport(old, updated string) *Report {
	r := &Report{
		FormatVersion: report.FormatVersion, Command: "audit", Compared: report.Compared{Old: old, New: updated},
		Sum: []report.Summand{}, Verdict: unchanged, Remarks: []string{}, Objects: Objects{Skipped: map[Skip]int{}},
		Verdicts: Counts{}, Known: Counts{}, Groups: map[Dimension]map[string]Counts{},
		Unreadable: []Unreadable{}, causes: map[causeKey]*Cause{}, spans: map[Span]*Span{},
		assumed:   map[verdict.Assumption]int{},
		providers: map[string]bool{},
	}
	for _, d := range Dimensions() {
		r.Groups[d] = map[string]Counts{}
	}
	return r
}

// add counts a pool.
func (r *Report) add(p *JudgedPool) {
	count := p.count()
	minor := minorOf(p.KubernetesVersion)
	r.Verdicts.add(p.Verdict, count)
	if p.Known != "" {
		r.Known.add(p.Verdict, count)
	}
	for d, value := range map[Dimension]string{
		ByProject: p.Project, ByMinor: minor, ByStrategy: p.Strategy, ByProvider: p.Provider,
	} {
		group(r.Groups[d], value).add(p.Verdict, count)
	}
	isNamedAnew := p.Verdict == rolled || p.Verdict == renamed
	r.addSpan(Span{minor, p.OldEra, p.NewEra, p.OldEra != p.NewEra || isNamedAnew, 1})
	for _, rule := range p.assumes {
		r.assumed[verdict.AssumptionOf(rule)]++
	}
	for _, key := range p.causes() {
		r.addCause(&Cause{key, count, []Sample{{p.Place, p.Title()}}})
	}
}

func (p *JudgedPool) count() Count { return Count{1, p.Minimum, p.Maximum} }

// group returns the counts of a group. If there are very many groups, the further ones share counts.
func group(all map[string]Counts, value string) Counts {
	value = cmp.Or(value, unknown)
	if all[value] == nil && len(all) >= groups {
		value = others
	}
	if all[value] == nil {
		all[value] = Counts{}
	}
	return all[value]
}

func (r *Report) addSpan(s Span) {
	key := Span{Minor: s.Minor, OldEra: s.OldEra, NewEra: s.NewEra}
	switch known := r.spans[key]; {
	case s.OldEra+s.NewEra == "": // the pool could not be hashed
	case known != nil:
		known.Pools += s.Pools
		known.Differ = known.Differ || s.Differ
	case len(r.spans) < groups:
		r.spans[key] = &s
	}
}

func (r *Report) addCause(c *Cause) {
	known := r.causes[c.causeKey]
	if known == nil && len(r.causes) >= groups {
		c = &Cause{
			causeKey{Verdict: c.Verdict, Reason: Reason{Text: "other causes"}, Minor: others}, c.Count, c.Samples,
		}
		known = r.causes[c.causeKey]
	}
	if known == nil {
		r.causes[c.causeKey] = c
		return
	}
	known.Count = known.plus(c.Count)
	known.Samples = head(append(known.Samples, c.Samples...), samples)
}

// unknown replaces a missing value.
const unknown = "unknown"

// minorOf returns the minor of a Kubernetes version.
func minorOf(version string) string {
	minor, err := kubeminor.Parse(version)
	if err != nil {
		return unknown
	}
	return minor.String()
}

// Title names the pool.
func (p *JudgedPool) Title() string {
	title := strings.TrimPrefix(fmt.Sprintf("%s: %s %s", p.Namespace, p.Kind, p.Name), ": ")
	if p.APIVersion != "" {
		return title
	}
	return title + ", pool " + p.Pool
}

// causes are the causes of a verdict.
func (p *JudgedPool) causes() (all []causeKey) {
	for _, because := range p.Reasons {
		all = append(all, causeKey{p.Verdict, because, p.OldEra, p.NewEra, minorOf(p.KubernetesVersion)})
	}
	return all
}

// addEras adds the minors at which an era begins.
func (r *Report) addEras(old, updated *release.Release) {
	for _, e := range slices.Concat(old.Eras, updated.Eras) {
		if e.From != "" {
			before, _ := old.Era(e.From) // which is a minor
			after, _ := updated.Era(e.From)
			r.addSpan(Span{e.From, before.Name, after.Name, before.Name != after.Name, 0})
		}
	}
}

// finish sorts the report.
func (r *Report) finish(known *Known) {
	r.Remarks = append([]string{}, append(r.Remarks, known.accepted.Remarks(!r.Partial)...)...) // no null in JSON
	r.Assumptions = []Assumption{}
	for assumption, pools := range r.assumed {
		r.Assumptions = append(r.Assumptions, Assumption{assumption, pools})
	}
	slices.SortFunc(r.Assumptions, func(a, b Assumption) int { return a.Compare(b.Assumption) })
	r.sum()
	r.Causes = slices.AppendSeq([]*Cause{}, maps.Values(r.causes))
	r.Eras = slices.AppendSeq([]*Span{}, maps.Values(r.spans))
	slices.SortFunc(r.Causes, compareCauses)
	slices.SortFunc(r.Eras, func(a, b *Span) int {
		return cmp.Or(compareMinors(a.Minor, b.Minor), cmp.Compare(a.OldEra, b.OldEra), cmp.Compare(a.NewEra, b.NewEra))
	})
}

// sum makes the sum, and the gravest verdict.
func (r *Report) sum() {
	r.Sum = []report.Summand{}
	for _, v := range verdict.OfReleases() {
		word := v.String()
		if count := r.Verdicts[word]; count.Pools > 0 {
			r.Sum = append(r.Sum, report.Summand{
				Verdict: word, Pools: count.Pools, Machines: count.Maximum, Minimum: count.Minimum,
				Accepted: r.Known[word].Pools,
			})
		}
	}
	r.Verdict = unchanged
	if len(r.Sum) > 0 {
		r.Verdict = r.Sum[0].Verdict
	}
}

// countSum reads the sum of a former result.
func (r *Report) countSum() {
	r.Verdicts = Counts{}
	r.Known = Counts{}
	for _, s := range r.Sum {
		r.Verdicts.add(s.Verdict, Count{s.Pools, s.Minimum, s.Machines})
		r.Known.add(s.Verdict, Count{Pools: s.Accepted})
	}
}

func compareCauses(a, b *Cause) int {
	return cmp.Or(
		verdict.CompareWords(a.Verdict, b.Verdict), -cmp.Compare(a.Pools, b.Pools), cmp.Compare(a.Path, b.Path),
		cmp.Compare(a.Finding, b.Finding), cmp.Compare(a.Code, b.Code),
		compareMinors(a.Minor, b.Minor), cmp.Compare(a.OldEra, b.OldEra), cmp.Compare(a.NewEra, b.NewEra),
		cmp.Compare(a.Text, b.Text),
	)
}

// compareMinors orders minors as numbers, and other texts after them.
func compareMinors(a, b string) int {
	first, errFirst := kubeminor.Parse(a)
	second, errSecond := kubeminor.Parse(b)
	if errFirst != nil || errSecond != nil {
		return cmp.Compare(a, b)
	}
	return first.Compare(second)
}

// List sets the listed pools. The gravest verdicts come first.
func (r *Report) List(pools []*JudgedPool) {
	r.Pools = append([]*JudgedPool{}, pools...) // no null in JSON
	slices.SortStableFunc(r.Pools, func(a, b *JudgedPool) int { return verdict.CompareWords(a.Verdict, b.Verdict) })
}

// Gravest returns the gravest verdict that is not known, or [verdict.None] if there is none.
func (r *Report) Gravest() verdict.Verdict {
	for _, v := range verdict.OfReleases() {
		if word := v.String(); r.Verdicts[word].Pools > r.Known[word].Pools {
			return v
		}
	}
	return verdict.None
}
