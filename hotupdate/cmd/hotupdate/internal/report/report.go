// Package report shows what a change does to the machines of worker pools: as text for a terminal,
// as Markdown for a comment on a pull request, as a page for a browser, and as JSON for programs.
//
// It owns words, order, escaping and shortening. A [pool.Plan] has the changes and their effects.
// The package must not read configurations, files or the environment.
//
//   - The same plan gives the same bytes. Manifests, pools and changes have the order of the plan.
//     In the formats for people, changes that decide a verdict come first and are marked, and
//     common remarks are written once.
//   - Values of sensitive fields are not in a report, even if a change has them. Their paths and
//     verdicts are.
//   - No value, path or name can move a cursor, colour a terminal, reverse the reading direction,
//     or become Markdown or HTML.
//   - Long values are shortened around the first difference of old and new. JSON has whole values.
package report

import (
	"cmp"
	_ "embed" // of the schema
	"encoding/json"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// FormatVersion is the version of the JSON form, see [Schema]. Within a version, members may be
// added, but not removed or changed.
const FormatVersion = 4

//go:embed report.v4.schema.json
var schema []byte

// Schema returns the JSON Schema of the JSON form. Releases publish its file, and the files of former
// versions, which therefore stay in this folder.
func Schema() []byte { return schema }

// Report says what a change does to each manifest. Its JSON form is documented in its [Schema].
type Report struct {
	FormatVersion int       `json:"formatVersion"`
	Command       string    `json:"command"` // plan or audit
	Verdict       string    `json:"verdict"`
	Sum           []Summand `json:"sum"`
	// Causes are the findings without repetition, the gravest first.
	Causes    []Cause          `json:"causes"`
	Manifests []ManifestReport `json:"manifests"`
	// Omitted counts the manifests that are not listed, see [Selection]. Their verdict is none.
	Omitted  int      `json:"omitted"`
	Warnings []string `json:"warnings"`
	// Assumptions are the assumptions behind the verdicts of the report, each once.
	Assumptions []Assumption `json:"assumptions"`
	// NotJudged are the objects that were not judged.
	NotJudged []NotJudged `json:"notJudged"`
	// Compared says what was compared.
	Compared Compared `json:"compared"`
	// Machines is the number of machines that all pools have, at most, on the side that has more.
	Machines int `json:"machines"`

	*Fleet // of audit; nil in reports of plan

	isAdmissionOpen bool // no code was asked whether a change is admitted
	hasObjects      bool // custom resources, which have no pools
	hasPools        bool // a manifest that has pools
}

// Compared has the compared sides, the version and the time. A report without the time has the same
// bytes for the same plans.
type Compared struct {
	Old     string `json:"old,omitempty"`
	New     string `json:"new,omitempty"`
	Version string `json:"version,omitempty"`
	At      string `json:"-"`
}

// String returns a sentence with the compared sides, the time and the version.
func (c Compared) String() string {
	var parts []string
	if c.Old != "" {
		parts = append(parts, plaintext.Printable(c.Old+" compared with "+c.New))
	}
	if c.At != "" {
		parts = append(parts, c.At)
	}
	if c.Version != "" {
		parts = append(parts, "hotupdate "+c.Version)
	}
	return strings.Join(parts, "; ")
}

// NotJudged is an object that was not compared, or text that cannot be read. The text says why, with the
// place in each line.
type NotJudged struct {
	pool.Place

	Text string `json:"text"`
}

// Selection says what a report leaves out. The sum counts all pools.
type Selection struct {
	// All lists every manifest. Otherwise, unchanged manifests are only counted if there are several.
	All bool
	// Quiet leaves out manifests, pools and changes whose verdict is none.
	Quiet bool
}

// ManifestReport says what a change does to a Shoot, a Worker, or a bare provider config, which has
// no kind and one pool without a name.
type ManifestReport struct {
	Kind      string `json:"kind,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
	// APIVersion is the apiVersion of a custom resource. Project and Provider are properties of
	// groups. Only audit sets them.
	APIVersion string `json:"apiVersion,omitempty"`
	Project    string `json:"project,omitempty"`
	Provider   string `json:"provider,omitempty"`

	OldPlace *pool.Place    `json:"oldPlace,omitempty"`
	NewPlace *pool.Place    `json:"newPlace,omitempty"`
	State    string         `json:"state"`
	Verdict  string         `json:"verdict"`
	Accepted string         `json:"accepted,omitempty"`
	Changes  []ChangeReport `json:"changes"`
	Pools    []PoolReport   `json:"pools"`
	// LeftOut are the fields of the cluster's Shoot that are not among the changes.
	LeftOut []pool.LeftOut `json:"leftOut,omitempty"`

	Basis

	quiet     int  // the number of pools that are left out, see [Selection]
	isRefused bool // by Gardener's own code, see [pool.Plan]
}

// PoolReport says what a change does to one worker pool. Adopted is the verdict once the extension
// has adopted the library, if it differs. Also has a second verdict: machines are replaced, and
// others deleted. Accepted says why people accept all verdicts. Touched is the number of machines
// that the change touches, at most.
type PoolReport struct {
	Name       string         `json:"name,omitempty"`
	FormerName string         `json:"formerName,omitempty"`
	State      string         `json:"state"`
	Strategy   string         `json:"strategy"`
	Verdict    string         `json:"verdict"`
	Also       []string       `json:"also,omitempty"`
	Message    string         `json:"message"`
	Adopted    string         `json:"adopted,omitempty"`
	Accepted   string         `json:"accepted,omitempty"`
	Before     facts.Machines `json:"before"`
	After      facts.Machines `json:"after"`
	Touched    int            `json:"touched"`
	OldLine    int            `json:"oldLine,omitempty"`
	NewLine    int            `json:"newLine,omitempty"`
	OldEra     string         `json:"oldEra,omitempty"`
	NewEra     string         `json:"newEra,omitempty"`
	Changes    []ChangeReport `json:"changes"`
	// KubernetesVersion and Reasons are of audit: why the releases differ. An unchanged pool has no reasons.
	KubernetesVersion string   `json:"kubernetesVersion,omitempty"`
	Reasons           []Reason `json:"reasons,omitempty"`

	Basis

	counted int // the machines that the verdict is about, at most
	// isRaised says that the verdict is the one above the pools, which is accepted there. Then acceptedBeside says why
	// people accept the other verdicts.
	isRaised       bool
	acceptedBeside string
}

// acceptedFor says why people accept one of the verdicts on a pool of a manifest; empty if they do not.
func (p *PoolReport) acceptedFor(word string, m *ManifestReport) string {
	switch {
	case !p.isRaised:
		return p.Accepted
	case word == p.Verdict:
		return m.Accepted
	}
	return p.acceptedBeside
}

// Reason is a reason of an audit for the verdict on a pool.
type Reason struct {
	Path    string `json:"path,omitempty"`    // with [] for elements of lists and maps
	Finding string `json:"finding,omitempty"` // the kind of a hotupdate.Finding
	Code    string `json:"code,omitempty"`    // the code of a fault.Error
	Text    string `json:"text"`
}

// Basis has the facts and rules on which a verdict depends, in addition to the changes.
type Basis struct {
	Assumed  []facts.Unknown `json:"assumedUnchanged"`
	Unjudged []string        `json:"unjudged"`
	Rules    []verdict.Rule  `json:"rules"`
	// MayBecome are the verdicts that can come true once all facts are known, the gravest first;
	// empty if the verdict is certain. Unbounded says that something was not judged, so that each
	// verdict in the list that is graver than the known one is possible.
	MayBecome []string `json:"mayBecome,omitempty"`
	Unbounded bool     `json:"unbounded,omitempty"`
	// Questions are the unknown facts on which the verdict depends.
	Questions []Question `json:"questions,omitempty"`
}

// Question is a fact that a verdict lacks: what it is, who has it, how to state it, and what each of its
// values gives.
type Question struct {
	Fact   string  `json:"fact"`
	Owner  string  `json:"owner,omitempty"`
	Answer string  `json:"answer,omitempty"`
	Values []Value `json:"values,omitempty"`

	text string       // for people
	rule verdict.Rule // which needs the fact
}

// Value is a value of a fact, in words, with the verdicts that it gives, the gravest first.
type Value struct {
	Value    string   `json:"value"`
	Verdicts []string `json:"verdicts"`
}

// ChangeReport is a difference, with its own effect.
type ChangeReport struct {
	Op        string          `json:"op"`
	Path      string          `json:"path"`
	Pointer   string          `json:"pointer"`
	Verdict   string          `json:"verdict"`
	Decides   bool            `json:"decides,omitempty"`
	Class     string          `json:"class"`
	Origin    string          `json:"origin"`
	Source    string          `json:"source,omitempty"`
	Rule      *verdict.Rule   `json:"rule,omitempty"`
	Old       json.RawMessage `json:"old,omitempty"`
	New       json.RawMessage `json:"new,omitempty"`
	Sensitive bool            `json:"sensitive,omitempty"`
	Omitted   bool            `json:"omitted,omitempty"`
	OldLine   int             `json:"oldLine,omitempty"`
	NewLine   int             `json:"newLine,omitempty"`

	inSpec bool // of a custom resource
}

// New makes a report of plans, and of warnings about their manifests.
func New(plans []*pool.Plan, warnings []string, s Selection) *Report {
	r := empty("plan")
	r.Warnings = present(warnings)
	gravest := verdict.None
	for _, plan := range plans {
		judged := plan.Verdict()
		gravest = max(gravest, judged)
		m := ManifestReport{
			Kind: string(plan.Kind), Namespace: plan.Namespace, Name: plan.Name,
			OldPlace: placeOf(plan.OldPlace), NewPlace: placeOf(plan.NewPlace),
			State: plan.State.String(), Verdict: judged.String(), Accepted: plan.Accepted,
			Changes: changesOf(plan.Changes), Pools: []PoolReport{}, LeftOut: plan.LeftOut,
			Basis:     basisOf(nil, plan.Unjudged, plan.Rules, plan.Possible(), plan.Questions()),
			isRefused: plan.IsRefused,
		}
		isOpen := slices.Contains(plan.Rules, verdict.AdmissionUnjudged)
		r.isAdmissionOpen = r.isAdmissionOpen || isOpen
		for _, p := range plan.Pools {
			shown := poolOf(p)
			shown.raise(&p, plan)
			if judged == verdict.Forbidden { // nothing of a refused manifest is applied
				shown.Touched = 0
				shown.counted = 0
			}
			r.Machines += max(p.Before.Maximum, p.After.Maximum)
			isObject := p.Name == "" && m.Name != ""
			r.hasObjects = r.hasObjects || isObject
			for i := range shown.Changes {
				shown.Changes[i].inSpec = isObject
			}
			m.Pools = append(m.Pools, shown)
		}
		r.hasPools = r.hasPools || !m.isBare()
		r.Manifests = append(r.Manifests, m)
	}
	r.Verdict = gravest.String()
	r.Sum = sumOf(r.Manifests)
	r.selectParts(s)
	r.Assumptions = r.assumptions()
	found := r.Findings()
	r.Causes = found.Causes()
	return r
}

func empty(command string) *Report {
	return &Report{
		FormatVersion: FormatVersion, Command: command, Verdict: none, Sum: []Summand{}, Causes: []Cause{},
		Manifests: []ManifestReport{}, Warnings: []string{}, Assumptions: []Assumption{}, NotJudged: []NotJudged{},
	}
}

// NewFleet returns an empty report of audit, which counts pools or, by their name, other units.
func NewFleet(unit string) *Report {
	r := empty("audit")
	r.Fleet = &Fleet{
		Objects: Objects{Skipped: map[Skip]int{}}, Groups: map[Dimension]map[string]Counts{}, Eras: []Span{},
	}
	for _, d := range Dimensions() {
		r.Groups[d] = map[string]Counts{}
	}
	r.SetUnit(unit)
	return r
}

// SetUnit names the things that an audit counts; an empty name stands for pools.
func (r *Report) SetUnit(unit string) {
	r.Unit = unit
	r.hasObjects = unit != ""
	r.hasPools = unit == ""
}

// selectParts leaves out the parts that are not selected.
func (r *Report) selectParts(s Selection) {
	all := len(r.Manifests)
	if all > 1 && !s.All {
		r.Manifests = slices.DeleteFunc(r.Manifests, func(m ManifestReport) bool { return m.isUnchanged() })
	}
	if s.Quiet {
		r.Manifests = slices.DeleteFunc(r.Manifests, func(m ManifestReport) bool { return m.Verdict == none })
		for i := range r.Manifests {
			r.Manifests[i].quieten()
		}
	}
	r.Omitted = all - len(r.Manifests)
}

// isUnchanged reports whether both sides are the same.
func (m *ManifestReport) isUnchanged() bool {
	isChanged := func(p PoolReport) bool {
		return p.State != pool.Kept.String() || p.Verdict != none || len(p.Changes)+len(p.Unjudged) > 0
	}
	isKept := m.State == pool.Kept.String() && m.Verdict == none
	hasChanges := len(m.Changes)+len(m.Unjudged) > 0
	return isKept && !hasChanges && !slices.ContainsFunc(m.Pools, isChanged)
}

// quieten leaves out the pools and changes whose verdict is none.
func (m *ManifestReport) quieten() {
	isNone := func(c ChangeReport) bool { return c.Verdict == none }
	m.Changes = slices.DeleteFunc(m.Changes, isNone)
	all := len(m.Pools)
	m.Pools = slices.DeleteFunc(m.Pools, func(p PoolReport) bool { return p.Verdict == none })
	m.quiet = all - len(m.Pools)
	for i := range m.Pools {
		m.Pools[i].Changes = slices.DeleteFunc(m.Pools[i].Changes, isNone)
	}
}

// placeOf returns a place that a report shows, or nil if it is not known.
func placeOf(p pool.Place) *pool.Place {
	if p == (pool.Place{}) {
		return nil
	}
	return &p
}

func poolOf(p pool.Planned) PoolReport {
	changes := changesOf(p.Changes)
	for i := range changes { // of a renamed pool, the name decides
		changes[i].Decides = changes[i].Decides && p.State == pool.Kept
	}
	adopted := ""
	if p.Adopted != nil {
		adopted = p.Adopted.String()
	}
	var also []string
	for _, v := range p.Effects()[1:] {
		also = append(also, v.String())
	}
	return PoolReport{
		Name: p.Name, FormerName: p.FormerName, State: p.State.String(), Strategy: p.Strategy.String(),
		Verdict: p.Effect().String(),
		Also:    also,
		Message: messageOf(p), Adopted: adopted, Accepted: p.Accepted,
		Before: p.Before, After: p.After, Touched: p.Touched(),
		OldLine: p.OldLine, NewLine: p.NewLine,
		OldEra: p.OldEra, NewEra: p.NewEra,
		Changes: changes, Basis: basisOf(p.Unknown, p.Unjudged, p.Rules, p.Possible(), p.Questions),
		counted: countedOf(&p),
	}
}

// raise gives a kept pool the verdict above the pools, if that is graver, because it concerns the
// machines of all pools. A refused change touches none.
func (p *PoolReport) raise(planned *pool.Planned, plan *pool.Plan) {
	above := plan.AbovePools.Verdict()
	isOfAll := planned.State == pool.Kept && !plan.IsRefused && above != verdict.Forbidden
	if !isOfAll || above <= planned.Effect() {
		return
	}
	areKnown := planned.Before.Known && planned.After.Known
	isEmpty := areKnown && planned.Before.Maximum+planned.After.Maximum == 0
	if above.IsOfNumber() && isEmpty {
		return
	}
	p.isRaised = true
	p.acceptedBeside = p.Accepted
	p.Accepted = plan.Accepted
	if own := planned.Effect(); own != verdict.None {
		p.Also = append([]string{own.String()}, p.Also...)
		if p.acceptedBeside == "" {
			p.Accepted = ""
		}
	}
	may := planned.Possible().And(plan.AbovePools.Possible())
	p.Basis.become(may)
	raised := judge.Comparison{Strategy: planned.Strategy, Verdict: above, May: may}
	raised.Numbers.DeletedAtMost = max(planned.Before.Maximum, planned.After.Maximum)
	message := raised.Consequence()
	if planned.Effect() != verdict.None {
		message += "; also " + p.Message
	}
	p.Message = message
	p.Verdict = above.String()
	p.Touched = raised.Numbers.DeletedAtMost
	p.counted = p.Touched
}

// countedOf returns the number of machines that count under the verdict on a pool. A pool that loses
// machines and gets others in other zones does not lose both. If something happens to the machines that stay as well,
// all of them count.
func countedOf(p *pool.Planned) int {
	isAlone := p.State == pool.Kept && len(p.Effects()) == 1
	if isAlone && p.Effect().IsOfNumber() {
		return p.Numbers.Of(p.Effect())
	}
	return p.Touched()
}

// messageOf says what the verdict means. For a kept pool, the comparison has a more specific text.
func messageOf(p pool.Planned) string {
	isOneSided := []verdict.Verdict{verdict.Added, verdict.PoolRenamed, verdict.Removed}
	if p.State != pool.Kept && slices.Contains(isOneSided, p.Effect()) {
		return p.Effect().Consequence(p.Strategy)
	}
	return p.Consequence()
}

// NoBasis is a basis that is empty in JSON.
func NoBasis() Basis {
	return Basis{Assumed: []facts.Unknown{}, Unjudged: []string{}, Rules: []verdict.Rule{}}
}

func basisOf(
	unknown []facts.Unknown, unjudged []string, rules []verdict.Rule, may verdict.Set, asked []verdict.Question,
) Basis {
	basis := Basis{Assumed: present(unknown), Unjudged: present(unjudged), Rules: present(rules)}
	basis.become(may)
	for _, question := range asked {
		basis.Questions = append(basis.Questions, questionOf(question))
	}
	return basis
}

// become sets the verdicts that can come true.
func (b *Basis) become(may verdict.Set) {
	b.MayBecome = nil
	b.Unbounded = false
	if !may.IsOne() {
		b.MayBecome = may.Words()
		b.Unbounded = !may.IsBounded()
	}
}

func questionOf(q verdict.Question) Question {
	shown := Question{Fact: q.Fact, Owner: q.Owner, Answer: q.Answer, text: q.String(), rule: q.Rule}
	for _, value := range q.Values {
		shown.Values = append(shown.Values, Value{value.Text, value.Gives.Words()})
	}
	return shown
}

// present returns a copy of a list that is not null in JSON.
func present[E any](list []E) []E { return append([]E{}, list...) }

func changesOf(changes []judge.Finding) []ChangeReport {
	all := make([]ChangeReport, len(changes))
	for i, c := range changes {
		all[i] = ChangeReport{
			Op: string(c.Op), Path: c.Path, Pointer: c.Pointer, Verdict: c.Verdict.String(), Decides: c.Decides,
			Class:  c.Class.String(),
			Origin: cmp.Or(c.Origin, "default"), Source: c.Source,
			Sensitive: c.Sensitive, Omitted: c.Omitted, OldLine: c.OldLine, NewLine: c.NewLine,
		}
		if c.Rule != verdict.NoRule {
			all[i].Rule = &c.Rule
		}
		if !c.Sensitive {
			// the same JSON
			all[i].Old = json.RawMessage(plaintext.Printable(c.Old))
			all[i].New = json.RawMessage(plaintext.Printable(c.New))
		}
	}
	return all
}

// Origin says for developers where the class of a field comes from. The source has names from a
// Schema, which may be hostile.
func Origin(origin, source string) string {
	if origin == "default" && source != "" { // a function of Gardener
		return source
	}
	return cmp.Or(origins[origin], origin+" ") + source
}

// origin says for developers where the verdict on a change comes from: the class of a field or, for
// a field of Gardener's types, which has no class, the rule above the change.
func (c *ChangeReport) origin() string {
	hasNoClass := c.Class == hotupdate.Ignored.String() && c.Origin == "default"
	if hasNoClass && c.Source == "" {
		return "a field of Gardener, judged by the rule above"
	}
	if c.inSpec {
		return OriginInSpec(c.Origin, c.Source)
	}
	return Origin(c.Origin, c.Source)
}

// OriginInSpec says where the class of a field of a custom resource comes from.
func OriginInSpec(origin, source string) string {
	switch {
	case origin == "default":
		return "no class is given"
	case origin == "override", origin == "inherited" && source != "":
		return "class of " + source
	}
	return Origin(origin, source)
}

var origins = map[string]string{
	"default": "default, no struct tag", "struct tag": "struct tag on ", "inherited": "inherited from ",
	"override": "override of ", "hotwhen": "hotwhen on ", "unknown member": "not in the Schema",
}

// isBare reports whether the manifest is a bare provider config.
func (m *ManifestReport) isBare() bool { return len(m.Pools) == 1 && m.Pools[0].Name == "" }

// noun names the things that a report counts.
func (r *Report) noun() string {
	if r.hasObjects {
		return "object"
	}
	return "worker pool"
}

// title names the manifest: Shoot garden-dev/web, or Shoot if it has no name.
func (m *ManifestReport) title() string {
	return strings.TrimSpace(m.Kind + " " + strings.Trim(m.Namespace+"/"+m.Name, "/"))
}

// facts returns the pool's former name, and its machines before and after: formerly a; 1 to 3 machines, then 2
// machines.
func (p *PoolReport) facts() string {
	var all []string
	add := func(prefix, before, after string) {
		shown := cmp.Or(after, before)
		areBoth := before != "" && after != ""
		if areBoth && before != after && p.State == pool.Kept.String() {
			shown = before + ", then " + after
		}
		if shown != "" {
			all = append(all, prefix+shown)
		}
	}
	add("formerly ", p.FormerName, "")
	if p.isOneSided() && p.Verdict == none {
		add("", p.State, "")
	}
	add("", machines(p.Before), machines(p.After))
	return strings.Join(all, "; ")
}

// isOneSided reports whether the pool is only on one side.
func (p *PoolReport) isOneSided() bool {
	return p.State == pool.Added.String() || p.State == pool.Removed.String()
}

// machines returns a number of machines in words; empty if it is 0, unknown, or a number that
// Gardener refuses.
func machines(m facts.Machines) string {
	isNone := m.Maximum == 0 || m.Minimum > m.Maximum
	if !m.Known || isNone {
		return ""
	}
	return m.String()
}

// JSON returns a report, or another value, as JSON for programs and people. Unprintable characters
// are escaped; only strings can have them. Values are whole, and numbers exact: decode them
// accordingly.
func JSON(value any) ([]byte, error) {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(value)
	lines := strings.Split(text.String(), "\n")
	for i, line := range lines {
		lines[i] = plaintext.Printable(line)
	}
	return []byte(strings.Join(lines, "\n")), err
}
