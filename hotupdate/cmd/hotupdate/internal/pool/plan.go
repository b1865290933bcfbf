package pool

import (
	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// State says whether a pool stands on both sides of a change.
type State uint8

// The states.
const (
	Kept    State = iota // the pool is on both sides
	Added                // the pool is new
	Removed              // the pool is gone, and so are its machines
	Renamed              // the pool has another name: its machines are replaced, because their names begin with the pool's
)

// String returns the state in a word.
func (s State) String() string {
	switch s {
	case Kept:
		return "kept"
	case Added:
		return "added"
	case Removed:
		return "removed"
	case Renamed:
		return "renamed"
	}
	return "unknown"
}

// PoolPlan is what a change does to one pool.
type PoolPlan struct {
	// Name is the pool's name, FormerName the one that a renamed pool had.
	Name, FormerName string
	// State says whether the pool stands on both sides.
	State State
	// Comparison is what changed in a pool that was kept or renamed. Its Outcome counts for kept pools only.
	Comparison
}

// NewPlan says what happens to each worker pool when one manifest takes the place of another of the same kind and provider.
//
// Pools are paired by name. A pool that is gone and a new one are one renamed pool if their triggers, strategies and the hashed part of
// their provider configs are equal, credentials aside; of several, the first that is gone goes with the first that is new. The order is
// that of the new manifest, then removed pools in the order of the old one.
//
// The time is linear in the size of the manifests. All problems come back joined, each a [*fault.Error].
func NewPlan(old, updated *Manifest, o Options) ([]PoolPlan, error) {
	old, updated = orEmpty(old, updated), orEmpty(updated, old)
	if old.Kind != updated.Kind || old.Provider != updated.Provider {
		return nil, &fault.Error{
			Kind: fault.Conflict, Code: "other-provider", What: "is of another kind or provider than the manifest it is compared with",
			Hint: "compare manifests of one kind and provider",
		}
	}
	p := &planner{options: o, kept: map[string]Pool{}, gone: map[string]Pool{}, alike: map[string][]Pool{}}
	p.pair(old.Pools, updated.Pools)
	for _, pool := range updated.Pools {
		p.plan(pool)
	}
	for _, pool := range old.Pools {
		if _, ok := p.gone[pool.Worker.Name]; ok {
			p.pools = append(p.pools, PoolPlan{Name: pool.Worker.Name, State: Removed, Comparison: Comparison{Strategy: o.strategyOf(pool)}})
		}
	}
	if err := p.problems.err(); err != nil {
		return nil, err
	}
	return p.pools, nil
}

// orEmpty returns m, or a manifest without pools that goes with the other one.
func orEmpty(m, other *Manifest) *Manifest {
	switch {
	case m != nil:
		return m
	case other != nil:
		return &Manifest{Kind: other.Kind, Provider: other.Provider}
	default:
		return &Manifest{}
	}
}

type planner struct {
	options    Options
	kept, gone map[string]Pool   // the old pools, by name
	alike      map[string][]Pool // those that are gone, by content
	pools      []PoolPlan
	problems   reader
}

// pair sorts the old pools by what becomes of them. Content is compared only if there are both pools that are gone and new ones.
func (p *planner) pair(old, updated []Pool) {
	for _, pool := range old {
		p.gone[pool.Worker.Name] = pool
	}
	for _, pool := range updated {
		if before, ok := p.gone[pool.Worker.Name]; ok {
			p.kept[pool.Worker.Name] = before
			delete(p.gone, pool.Worker.Name)
		}
	}
	if len(p.kept) == len(updated) {
		return
	}
	for _, pool := range old {
		if _, ok := p.gone[pool.Worker.Name]; !ok {
			continue
		}
		if content, err := p.options.content(pool); err == nil {
			p.alike[content] = append(p.alike[content], pool)
		}
	}
}

// plan adds the plan of a pool of the new manifest.
func (p *planner) plan(pool Pool) {
	planned := PoolPlan{Name: pool.Worker.Name}
	var err error
	if before, ok := p.kept[pool.Worker.Name]; ok {
		planned.Comparison, err = Compare(before, pool, p.options)
	} else if before, ok := p.formerly(pool); ok {
		planned.State, planned.FormerName = Renamed, before.Worker.Name
		planned.Comparison, err = Compare(before.withoutSecretName(), pool.withoutSecretName(), p.options)
	} else {
		planned.State, planned.Strategy = Added, p.options.strategyOf(pool)
		_, err = Explain(pool, p.options)
	}
	if err != nil {
		p.problems.problems = append(p.problems.problems, err)
	}
	p.pools = append(p.pools, planned)
}

// formerly finds the pool that a new one was, and takes it from those that are gone.
func (p *planner) formerly(pool Pool) (Pool, bool) {
	if len(p.alike) == 0 {
		return Pool{}, false
	}
	content, err := p.options.content(pool)
	if err != nil || len(p.alike[content]) == 0 {
		return Pool{}, false
	}
	before := p.alike[content][0]
	p.alike[content] = p.alike[content][1:]
	delete(p.gone, before.Worker.Name)
	return before, true
}

// withoutSecretName drops the name of a secret, which holds the pool's.
func (p Pool) withoutSecretName() Pool {
	p.NodeAgentSecretName = nil
	return p
}

func (o Options) strategyOf(p Pool) hotupdate.Strategy {
	if o.Strategy != nil {
		return *o.Strategy
	}
	return p.Worker.UpdateStrategy
}

// content returns a text that two pools share exactly if one may be the other under a new name.
func (o Options) content(p Pool) (string, error) {
	p.NodeAgentSecretName = nil
	forget(&p, SameCredentials)
	v := variantOf(p.Provider)
	schema, err := v.schema()
	if err != nil {
		return "", err
	}
	triggers, err := p.triggers(v)
	if err != nil {
		return "", err
	}
	text, err := schema.AppendDocument(nil, triggers)
	if err != nil {
		return "", err
	}
	config, err := o.configDocument(p.ProviderConfig)
	return string(append(append(text, '\n'), config...)), err
}

func (o Options) configDocument(raw []byte) ([]byte, error) {
	if schema, _ := o.schemaOf(nil, raw); schema != nil {
		return hash.DocumentRaw(schema, raw)
	}
	schema, err := hotupdate.SchemaOf[whole]()
	if err != nil {
		return nil, err
	}
	return hash.Document(schema, &whole{nothing(raw)})
}

// Check reports what [NewPlan] would refuse in any pool of the manifest, a provider config that its Schema cannot read among it. It
// also reads those that are the same on both sides, which [NewPlan] recognises by their bytes.
func Check(m *Manifest, o Options) error {
	r := &reader{}
	for _, p := range orEmpty(m, nil).Pools {
		if _, err := Explain(p, o); err != nil {
			r.problems = append(r.problems, err)
		}
	}
	return r.err()
}

// Explain lists every field of a pool that is set and that decides about its machines, with its class: what sets the pool apart from an
// empty one.
func Explain(p Pool, o Options) (hotupdate.Changes, error) {
	r := &reader{}
	pool, err := p.explainTriggers()
	r.found(p.Worker.Name, "", err)
	var config hotupdate.Changes
	if !isNull(p.ProviderConfig) {
		schema, _ := o.schemaOf(nil, p.ProviderConfig)
		config, err = o.configDiff(schema, nil, p.ProviderConfig)
		r.found(p.Worker.Name, configField, err)
		for i := range config {
			config[i] = below(config[i])
		}
	}
	if err := r.err(); err != nil {
		return nil, err
	}
	return join(pool, config), nil
}

func (p Pool) explainTriggers() (hotupdate.Changes, error) {
	v := variantOf(p.Provider)
	schema, err := v.schema()
	if err != nil {
		return nil, err
	}
	triggers, err := p.triggers(v)
	if err != nil {
		return nil, err
	}
	return schema.Diff(nil, triggers)
}
