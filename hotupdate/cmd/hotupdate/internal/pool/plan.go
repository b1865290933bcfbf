package pool

import (
	"cmp"
	"errors"
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// State says whether a pool is in both manifests.
type State uint8

// The states.
const (
	Kept    State = iota // the pool is on both sides
	Added                // the pool is new: its machines are created, and no other machine is touched
	Removed              // the pool is gone, and so are its machines
	// Renamed: the pool has another name: its machines are deleted, and others are created, because
	// their names begin with the pool's name
	Renamed
)

// String returns the state in a word.
func (s State) String() string { return [...]string{"kept", "added", "removed", "renamed"}[s] }

// Planned says what a change does to one pool. A bare provider config is a pool without a name.
type Planned struct {
	// Name is the pool's name. FormerName is the old name of a renamed pool.
	Name, FormerName string
	// State says whether the pool is in both manifests.
	State State
	// Before and After are the numbers of machines of the pool. A pool that does not exist has
	// none.
	Before, After facts.Machines
	// OldLine and NewLine are the lines in the files at which the pool stands, 0 if they are not known.
	OldLine, NewLine int
	// Versions are the Kubernetes versions before and after, on the sides that have the pool; empty if they are not
	// known.
	Versions []string
	// Accepted says why people accept the verdict; empty if they do not. See [Plan.Accept].
	Accepted string
	// ByKind says that the pool stands for a custom resource: if it is only on one side, the
	// verdict of the comparison is the effect of its addition or removal.
	ByKind bool
	// Comparison has the changes of a kept or renamed pool, and the verdict on a kept or added
	// pool; see [Planned.Effect].
	judge.Comparison
}

// Effect returns what happens to the machines of the pool. The machines of an added pool are
// created, if it is admitted. The machines of a removed or renamed pool are deleted: the pool of
// the new name gets others, if it is admitted. For a provider config that is only on one side, the
// effect on its pools is unknown. For a custom resource, the class of its kind says whether it has
// machines.
func (p *Planned) Effect() verdict.Verdict { return p.Verdict }

// Effects returns the effect and, for a kept pool, the second verdict.
func (p *Planned) Effects() []verdict.Verdict {
	if p.State == Kept {
		return p.Comparison.Effects()
	}
	return []verdict.Verdict{p.Effect()}
}

// Touched returns the largest number of machines that the change may touch: the added and deleted
// machines if only their number changes, and otherwise all machines of the pool. A refused change
// touches none.
func (p *Planned) Touched() int {
	effects := p.Effects()
	isOfNumber := len(effects) == 1 && effects[0].IsOfNumber()
	switch {
	case p.Effect() == verdict.None, p.Effect() == verdict.Forbidden:
		return 0
	case p.State == Added:
		return p.After.Maximum
	case isOfNumber:
		return p.Numbers.Touched()
	}
	return max(p.Before.Maximum, p.After.Maximum)
}

// Place is a place in a file. The zero value is none.
type Place struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

// Plan says what a change does to a Worker, a Shoot, or a bare provider config.
type Plan struct {
	// Kind, Namespace and Name identify the new manifest; they are empty for a provider config.
	Kind            facts.Kind
	Namespace, Name string
	// State says whether the manifest is on both sides: it is kept, added or removed.
	State State
	// OldPlace and NewPlace are the places of the manifests, if they are known.
	OldPlace, NewPlace Place
	// AbovePools are the differences above the pools.
	judge.AbovePools
	// Pools say what happens to each worker pool. A provider config is one pool without a name.
	Pools []Planned
	// LeftOut are the fields of the cluster's Shoot that the plan does not show.
	LeftOut []LeftOut
	// IsRefused says that Gardener's own code refuses the change, see [Plan.Merge].
	IsRefused      bool
	isAssumedToRun bool // the old spec, see [verdict.OldSpecRuns]
	// Accepted says why people accept the findings above the pools, or the removal of a manifest
	// without pools; empty if they do not. See [Plan.Accept].
	Accepted string
}

// Verdict returns the gravest effect on any machine. A change that Gardener refuses touches none.
func (p *Plan) Verdict() verdict.Verdict { return slices.Max(p.Verdicts()) }

// Possible returns the verdicts on the whole manifest that can come true: see [Plan.Verdict].
func (p *Plan) Possible() verdict.Set {
	may := p.possible()
	for i := range p.Pools {
		if !p.IsRefused {
			may = may.And(p.Pools[i].Possible())
		}
	}
	return may
}

// possible returns the verdicts on the manifest as a whole that can come true.
func (p *Plan) possible() verdict.Set {
	if p.IsRefused || p.State == Removed && len(p.Pools) == 0 {
		return verdict.Only(p.ofManifest())
	}
	return p.AbovePools.Possible()
}

// Verdicts returns the effect of the manifest as a whole, then the effects on the pools. If Gardener
// refuses the change, there are no effects on pools.
func (p *Plan) Verdicts() []verdict.Verdict {
	all := []verdict.Verdict{p.ofManifest()}
	for i := range p.Pools {
		if !p.IsRefused {
			all = append(all, p.Pools[i].Effect())
		}
	}
	return all
}

// ofManifest returns the effect of the manifest as a whole.
func (p *Plan) ofManifest() verdict.Verdict {
	switch {
	case p.IsRefused:
		return verdict.Forbidden
	case p.State == Removed && len(p.Pools) == 0:
		return verdict.Removed
	}
	return p.AbovePools.Verdict()
}

// MoveNew sets the place of the new manifest, and moves the lines on its side with it. The plan was made of the same
// text at another place.
func (p *Plan) MoveNew(to Place) {
	by := to.Line - p.NewPlace.Line
	p.NewPlace = to
	for i := range p.Changes {
		p.Changes[i].NewLine += by
	}
	for i := range p.Pools {
		p.Pools[i].NewLine += by
		for j := range p.Pools[i].Changes {
			p.Pools[i].Changes[j].NewLine += by
		}
	}
}

// NewPlan says what happens to each worker pool when one manifest replaces another of the same kind
// and provider. [NewAppliedPlan] is for a manifest that is applied to a Shoot of a cluster.
//
// Pools are paired by name. A removed and an added pool are one renamed pool if their hashed fields
// except credentials, strategies and the hashed parts of their provider configs are equal. The
// first such removed pool is paired with the first such added pool. The pools have the order of the
// new manifest. Removed pools follow in the order of the old manifest.
//
// The time is linear in the size of the manifests. All problems are joined, each a [*fault.Error].
func NewPlan(old, updated *facts.Manifest, o judge.Options) (*Plan, error) {
	plan, err := compare(old, updated, o)
	if err != nil {
		return nil, err
	}
	if updated.IsReadBack() && !old.IsReadBack() {
		plan.hide(hotupdate.OpAdd, nil)
	}
	plan.remark()
	return plan, nil
}

// compare says what happens to each worker pool, see [NewPlan].
func compare(old, updated *facts.Manifest, o judge.Options) (*Plan, error) {
	if err := hasProviders(old, updated); err != nil {
		return nil, err
	}
	if old.Kind != updated.Kind || old.Provider != updated.Provider {
		return nil, &fault.Error{
			Kind: fault.Conflict, Code: "other-provider",
			What: "is of another kind or provider than the manifest it is compared with",
			Hint: "compare manifests of one kind and provider",
		}
	}
	transition := updated.Following(old, &o.Landscape)
	plan := &Plan{
		Kind: updated.Kind, Namespace: updated.Namespace, Name: updated.Name, isAssumedToRun: transition.IsOldAssumed,
	}
	r := o.ReceiverOf(updated)
	if updated.Kind != facts.NoKind {
		plan.AbovePools = r.AbovePools(old, updated, transition)
	}
	pairs := pairUp(old.Pools, updated.Pools, o)
	var problems []error
	for _, pool := range updated.Pools {
		if err := o.CheckInterrupted(); err != nil {
			return nil, err
		}
		pool.Cluster.Transition = transition
		planned, err := planOf(pairs.before[pool.Worker.Name], pool, r)
		problems = append(problems, err)
		plan.Pools = append(plan.Pools, planned)
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	for _, pool := range pairs.gone {
		gone, _ := oneSided(pool, Removed, r)
		plan.Pools = append(plan.Pools, gone)
	}
	plan.dropShownAtPools()
	return plan, nil
}

// hasProviders reports a Shoot or Worker without the type of its provider, if the other one has it: a part of
// a manifest, such as a patch.
func hasProviders(old, updated *facts.Manifest) error {
	isPartial := old.Kind == updated.Kind && (old.Provider == "") != (updated.Provider == "")
	if updated.Kind == facts.NoKind || !isPartial {
		return nil
	}
	field := "spec.provider.type"
	if updated.Kind == facts.Worker {
		field = "spec.type"
	}
	what := "has no " + field
	if old.Provider == "" {
		what = "is compared with a manifest that has no " + field
	}
	return &fault.Error{
		Kind: fault.Invalid, Code: "no-provider-type", What: what,
		Hint: "compare whole manifests: a part of one, such as a patch, has to be merged first",
	}
}

// LeftOut is a field that only the Shoot of the cluster has, and that a plan does not show because it
// touches no machine.
type LeftOut struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// hide removes the fields that only a manifest from a cluster has and that touch no machine. A rule
// counts them, including the fields that were left out before.
func (p *Plan) hide(onlyInCluster hotupdate.Op, kept []LeftOut) {
	p.LeftOut = kept
	isHidden := func(c judge.Finding) bool { return c.Verdict == verdict.None && c.Op == onlyInCluster }
	p.Changes = slices.DeleteFunc(p.Changes, func(c judge.Finding) bool {
		if isHidden(c) {
			p.LeftOut = append(p.LeftOut, LeftOut{c.Path, whyLeftOut(c)})
		}
		return isHidden(c)
	})
	for i := range p.Pools {
		planned := &p.Pools[i]
		planned.Changes = slices.DeleteFunc(planned.Changes, func(c judge.Finding) bool {
			if isHidden(c) {
				p.LeftOut = append(p.LeftOut, LeftOut{"pool " + planned.Name + ": " + c.Path, whyLeftOut(c)})
			}
			return isHidden(c)
		})
	}
	if len(p.LeftOut) > 0 {
		p.Rules = verdict.Sorted(append(p.Rules, verdict.LeftOut(len(p.LeftOut))))
	}
}

// whyLeftOut says why a change touches no machine.
func whyLeftOut(c judge.Finding) string {
	if c.Op == hotupdate.OpAdd {
		return "added: " + cmp.Or(c.Rule.Text, "no machine is touched")
	}
	return "removed, or filled in again by Gardener: " + cmp.Or(c.Rule.Text, "no machine is touched")
}

// dropShownAtPools removes the changes above the pools that a pool already lists. If no pool lists
// a change, no pool's name depends on it, except when pools list a value that follows from several
// fields together.
func (p *Plan) dropShownAtPools() {
	states := []verdict.Rule{verdict.StateChanged, verdict.StateUnknown, verdict.ProxyModeChanged}
	isState := func(r verdict.Rule) bool { return slices.Contains(states, r) }
	isOfState := slices.ContainsFunc(p.Pools, func(planned Planned) bool {
		return slices.ContainsFunc(planned.Rules, isState)
	})
	told := map[string]bool{} // the pointers, in the Shoot, of the changes that pools list
	for i := range p.Pools {
		for _, c := range p.Pools[i].Changes {
			told[c.Pointer] = true
		}
	}
	p.Changes = slices.DeleteFunc(p.Changes, func(c judge.Finding) bool {
		return (c.Rule == verdict.ToldAtPools || c.Verdict == verdict.None) && told[c.Pointer]
	})
	for i := range p.Changes {
		if p.Changes[i].Rule == verdict.ToldAtPools && !isOfState {
			p.Changes[i].Rule = verdict.NotHashed
		}
	}
}

// remark says that admission is not judged, if anything was changed that Gardener may refuse.
func (p *Plan) remark() {
	if p.Kind != facts.Shoot {
		return
	}
	if p.isChanged() {
		p.Rules = append(p.Rules, verdict.AdmissionUnjudged)
		if p.isAssumedToRun {
			p.Rules = append(p.Rules, verdict.OldSpecRuns)
		}
		p.Rules = verdict.Sorted(p.Rules)
	}
}

// AdmissionAsked notes that Gardener was asked whether it admits the change. It is not asked about
// the deletion of a Shoot.
func (p *Plan) AdmissionAsked() {
	if p.State == Removed {
		return
	}
	p.Rules = slices.DeleteFunc(p.Rules, func(r verdict.Rule) bool { return r == verdict.AdmissionUnjudged })
}

// isChanged reports whether the two sides differ in anything.
func (p *Plan) isChanged() bool {
	isChanged := func(planned Planned) bool {
		return planned.State != Kept || len(planned.Changes)+len(planned.Unjudged) > 0
	}
	isKept := p.State == Kept && len(p.Changes)+len(p.Unjudged) == 0
	return !isKept || slices.ContainsFunc(p.Pools, isChanged)
}

// OneSided returns the plan of a manifest that is only on one side. It is added or removed with all
// of its pools. [Check] reports their errors.
func OneSided(m *facts.Manifest, state State, o judge.Options) *Plan {
	plan := &Plan{Kind: m.Kind, Namespace: m.Namespace, Name: m.Name, State: state}
	if state == Added {
		plan.Rules = o.Landscape.Dropped(m)
	}
	r := o.ReceiverOf(m)
	for i := range m.Pools {
		planned, _ := oneSided(&m.Pools[i], state, r)
		plan.Pools = append(plan.Pools, planned)
	}
	plan.remark()
	return plan
}

// planOf plans a pool of the new manifest: a pool that is on both sides, possibly under another
// name, or a new pool.
func planOf(before *facts.Pool, pool facts.Pool, r *judge.Receiver) (Planned, error) {
	if before == nil {
		return oneSided(&pool, Added, r)
	}
	old := *before
	planned := Planned{
		Name: pool.Worker.Name, Before: old.Running(), After: pool.Wanted(),
		Versions: []string{old.Worker.KubernetesVersion, pool.Worker.KubernetesVersion},
	}
	var err error
	if old.Worker.Name == pool.Worker.Name {
		planned.Comparison, err = r.Compare(old, pool)
		return planned, err
	}
	planned.State = Renamed
	planned.FormerName = old.Worker.Name
	// node-agent secret names cover the names of the pools
	old.NodeAgentSecretName = nil
	pool.NodeAgentSecretName = nil
	planned.Comparison, err = r.Renamed(old, pool)
	return planned, err
}

// oneSided plans a pool that is only in one of the manifests. The errors are those of [judge.Options.Check], and only
// of a new pool.
func oneSided(p *facts.Pool, state State, r *judge.Receiver) (planned Planned, err error) {
	none := facts.Machines{Known: true}
	planned = Planned{
		Name: p.Worker.Name, State: state, Versions: []string{p.Worker.KubernetesVersion}, ByKind: r.Custom != nil,
	}
	if state == Added {
		planned.Before = none
		planned.After = p.Wanted()
		planned.Comparison, err = r.Added(p)
		return planned, err
	}
	planned.Before = p.Running()
	planned.After = none
	planned.Comparison = r.Gone(p)
	return planned, nil
}
