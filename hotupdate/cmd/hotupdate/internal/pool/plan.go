package pool

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// State says whether a pool is in both manifests.
type State uint8

// The states.
const (
	Kept    State = iota // the pool is on both sides
	Added                // the pool is new: its machines are created, and no other machine is touched
	Removed              // the pool is gone, and so are its machines
	// Renamed: the pool has another name: its machines are replaced, because their names begin with
	// that of the pool
	Renamed
)

// String returns the state in a word.
func (s State) String() string { return [...]string{"kept", "added", "removed", "renamed"}[s] }

// Planned says what a change does to one pool. A provider config on its own is a pool without a
// name.
type Planned struct {
	// Name is the pool's name. FormerName is the old name of a renamed pool.
	Name, FormerName string
	// State says whether the pool is in both manifests.
	State State
	// Before and After are the numbers of machines of the pool. A pool that does not exist has
	// none.
	Before, After Machines
	// Comparison has the changes of a kept or renamed pool, and the verdict on a kept or added
	// pool; see [Planned.Effect].
	Comparison
}

// Effect returns what happens to the machines of the pool: those of an added pool are created, if
// it is admitted, those of a removed pool are deleted, and those of a renamed pool are replaced, if it
// is admitted.
func (p Planned) Effect() Verdict {
	switch p.State {
	case Removed:
		return ComeOrGo
	case Renamed:
		return max(Roll, p.Verdict)
	case Kept, Added:
	}
	return p.Verdict
}

// Plan says what a change does to a Worker, a Shoot, or a provider config on its own.
type Plan struct {
	// Kind, Namespace and Name are those of the new manifest; empty for a provider config.
	Kind            Kind
	Namespace, Name string
	// Changes are the differences above the pools. Unjudged are the paths of those that this
	// command does not know.
	Changes  []Judged
	Unjudged []string
	// Rules are the rules that the verdict on all pools depends on.
	Rules []Rule
	// Pools say what happens to each worker pool. A provider config is one pool without a name.
	Pools []Planned
}

// Verdict returns the gravest effect on any machine.
func (p *Plan) Verdict() Verdict {
	worst := gravest(p.Changes)
	if len(p.Unjudged) > 0 {
		worst = max(worst, Indeterminate)
	}
	if slices.ContainsFunc(p.Rules, func(r Rule) bool { return r.Kind == Refuses }) {
		worst = Forbidden
	}
	for _, planned := range p.Pools {
		worst = max(worst, planned.Effect())
	}
	return worst
}

// NewPlan says what happens to each worker pool when one manifest replaces another of the same kind
// and provider.
//
// Pools are paired by name. A removed and an added pool are one renamed pool if their triggers
// except credentials, strategies and the hashed parts of their provider configs are equal. The
// first removed such pool is paired with the first added one. The order is that of the new
// manifest, then removed pools in the order of the old one.
//
// The time is linear in the size of the manifests. All problems are joined, each a [*fault.Error].
func NewPlan(old, updated *Manifest, o Options) (*Plan, error) {
	if old.Kind != updated.Kind || old.Provider != updated.Provider {
		return nil, &fault.Error{
			Kind: fault.Conflict, Code: "other-provider",
			What: "is of another kind or provider than the manifest it is compared with",
			Hint: "compare manifests of one kind and provider",
		}
	}
	plan := &Plan{Kind: updated.Kind, Namespace: updated.Namespace, Name: updated.Name}
	plan.judge(old, updated, o)
	before, gone := o.pair(old.Pools, updated.Pools)
	var all []error
	for _, pool := range updated.Pools {
		planned, err := o.without(pool, Added), error(nil)
		if was := before[pool.Worker.Name]; was != nil {
			planned, err = o.plan(*was, pool)
		} else {
			_, _, err = pool.read(o)
		}
		all, plan.Pools = append(all, err), append(plan.Pools, planned)
	}
	for _, pool := range gone {
		plan.Pools = append(plan.Pools, o.without(*pool, Removed))
	}
	if err := errors.Join(all...); err != nil {
		return nil, err
	}
	plan.Changes = slices.DeleteFunc(plan.Changes,
		func(c Judged) bool { return c.Rule == RuleOf("ToldAtPools") && plan.tells(c.Pointer) })
	return plan, nil
}

// tells reports whether a pool has a change of the field at a pointer in the Shoot.
func (p *Plan) tells(pointer string) bool {
	return slices.ContainsFunc(p.Pools, func(planned Planned) bool {
		return slices.ContainsFunc(planned.Changes, func(c Judged) bool { return c.Pointer == pointer })
	})
}

// OneSided returns the plan of a manifest that is only on one side: all of its pools are added, or
// removed.
func OneSided(m *Manifest, state State, o Options) *Plan {
	plan := &Plan{Kind: m.Kind, Namespace: m.Namespace, Name: m.Name}
	for _, pool := range m.Pools {
		plan.Pools = append(plan.Pools, o.without(pool, state))
	}
	return plan
}

// judge judges the fields above the pools.
func (p *Plan) judge(old, updated *Manifest, o Options) {
	old.decode()
	updated.decode()
	c := Comparison{Verdict: None}
	rest, unjudged, judged := tables()[string(updated.Kind)].rest(hotupdate.AutoRollingUpdate,
		old.root, updated.root)
	c.Changes, c.Unjudged = rest, unjudged
	s := &shoots{old, updated, o.CloudProfile}
	for _, judge := range shootJudgements {
		if updated.Kind == Shoot {
			for _, found := range judge(s) {
				c.merge(found)
			}
		}
	}
	for _, d := range judged { // of a Worker, or spelled in another way
		switch provider := o.provider(&Pool{Provider: updated.Provider}); {
		case c.touches(d.at.String()):
		case updated.Kind == Worker && (provider.Name == "" || provider.HashesState):
			c.merge(d.change(Indeterminate, RuleOf("BeyondManifests")))
		default:
			c.merge(d.change(None, RuleOf("SameMeaning")))
		}
	}
	c.ruleIf(RuleOf("ExtensionAdopted"), o.Extension != Released && o.Extension != Both && o.Naming == nil)
	c.ruleIf(RuleOf("ExtensionReleased"), o.Extension == Released)
	c.ruleIf(RuleOf("WaitsForMaintenance"), updated.confined)
	c.finish(&Pool{})
	p.Changes, p.Rules, p.Unjudged = c.Changes, c.Rules, c.Unjudged
	for i, change := range p.Changes {
		p.Changes[i].Decides = change.Verdict == Forbidden || change.Verdict == Indeterminate
	}
}

// pair returns the old pool of each new one, by the new name, and the removed pools. It compares
// contents only if there are removed and added pools.
func (o Options) pair(old, updated []Pool) (before map[string]*Pool, gone []*Pool) {
	before = map[string]*Pool{}
	byName := map[string]bool{}
	for _, pool := range updated {
		byName[pool.Worker.Name] = true
	}
	for i := range old {
		if pool := &old[i]; byName[pool.Worker.Name] {
			before[pool.Worker.Name] = pool
		} else {
			gone = append(gone, pool)
		}
	}
	if len(gone) == 0 || len(before) == len(updated) {
		return before, gone
	}
	byContent := map[string][]*Pool{}
	for _, pool := range gone {
		if content, err := o.content(*pool); err == nil {
			byContent[content] = append(byContent[content], pool)
		}
	}
	for _, pool := range updated {
		if before[pool.Worker.Name] != nil {
			continue
		}
		content, err := o.content(pool)
		if same := byContent[content]; err == nil && len(same) > 0 {
			before[pool.Worker.Name], byContent[content] = same[0], same[1:]
			gone = slices.DeleteFunc(gone, func(p *Pool) bool { return p == same[0] })
		}
	}
	return before, gone
}

// plan says what happens to a pool that is on both sides, possibly under another name.
func (o Options) plan(before, pool Pool) (Planned, error) {
	planned := Planned{Name: pool.Worker.Name, Before: before.machines(), After: pool.machines()}
	if before.Worker.Name != pool.Worker.Name {
		planned.State, planned.FormerName = Renamed, before.Worker.Name
		before.NodeAgentSecretName, pool.NodeAgentSecretName = nil, nil // they cover the pools' names
	}
	var err error
	planned.Comparison, err = Compare(before, pool, o)
	return planned, err
}

// without says what happens to a pool that is only in one of the manifests.
func (o Options) without(p Pool, state State) Planned {
	none, there := Machines{Known: true}, p.machines()
	planned := Planned{
		Name: p.Worker.Name, State: state, Before: there, After: none,
		Comparison: Comparison{Strategy: o.strategyOf(p), Verdict: ComeOrGo},
	}
	if state == Added {
		planned.Before, planned.After = none, there
		planned.judgeAdded(&p, o)
	}
	return planned
}

// judgeAdded judges whether a new pool is admitted.
func (c *Comparison) judgeAdded(added *Pool, o Options) {
	for _, found := range added.invalid(o.CloudProfile) {
		found.Path, found.Change = "", hotupdate.Change{}
		c.merge(found)
	}
	if (o.Extension == Released || o.Extension == Both) && o.Naming == nil &&
		len(added.newFields(o.provider(added))) > 0 {
		c.merge(Judged{Verdict: Forbidden, Rule: RuleOf("NotReleased")})
	}
	if o.CloudProfile.expired(hash.Image{}, imageOf(added.Worker)) {
		c.merge(Judged{Verdict: Forbidden, Rule: refused(imageFunction, imageExpired)})
	}
	if inPlace(added.declared) {
		c.Rules = append(c.Rules, RuleOf("GateIsOn"))
		if v, rule := o.CloudProfile.inPlace(hash.Image{}, imageOf(added.Worker)); v != None {
			c.merge(Judged{Verdict: v, Rule: rule})
		}
	}
}

// content returns a text that is equal for two pools exactly if one may be the other under a new
// name.
func (o Options) content(p Pool) (string, error) {
	p.NodeAgentSecretName = nil
	p.Worker.CARotation, p.Worker.ServiceAccountKeyRotation = hash.Rotation{}, hash.Rotation{}
	fields, err := p.hashedFields()
	var text []string
	for _, f := range fields {
		text = append(text, fmt.Sprintf("%s=%v", f.path, f.hashed))
	}
	slices.Sort(text)
	schema, _ := o.schemaOf(p.ProviderConfig)
	config, configErr := schema.DocumentRaw(p.ProviderConfig)
	return strings.Join(text, "\n") + string(config), errors.Join(err, configErr)
}

// Check reports the errors of all pools, such as a provider config that its Schema cannot read.
// [NewPlan] does not read configs whose bytes are the same on both sides.
func Check(pools []Pool, o Options) error {
	var all []error
	for _, p := range pools {
		_, _, err := p.read(o)
		all = append(all, err)
	}
	return errors.Join(all...)
}

// Explain lists every field that is set and decides about the machines of a pool, with its class:
// the changes from an empty pool.
func Explain(p Pool, o Options) (hotupdate.Changes, error) {
	fields, config, err := p.read(o)
	all := changedFields(nil, fields)
	for i := range all {
		p.nameOwn(&all[i])
	}
	for _, change := range config {
		all = append(all, change.Change)
	}
	slices.SortStableFunc(all, func(a, b hotupdate.Change) int {
		return cmp.Compare((&Judged{Change: a}).member(), (&Judged{Change: b}).member())
	})
	return all, err
}

// read returns the hashed fields of a pool, and the changes of its provider config from an empty
// one.
func (p *Pool) read(o Options) (fields []hashedField, config []Judged, err error) {
	none := Pool{ownKubelet: p.ownKubelet}
	if !p.isBare() {
		fields, err = p.hashedFields()
	} else {
		none.Unknown = p.Unknown
	}
	configs, configErr := compareConfigs(&none, p, o)
	return fields, configs.Changes, p.located(err, configErr)
}
