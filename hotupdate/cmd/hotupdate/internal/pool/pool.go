// Package pool says what a change of a Shoot, a Worker or a provider config does to the machines of
// its worker pools.
//
// [NewPlan] pairs the pools of two manifests, has each pair judged, and collects the findings. It
// must not know how a [Plan] is shown. The packages below it depend on each other in this order,
// and use the verdicts of package verdict:
//
//	facts   what the manifests say, and what Gardener fills in
//	fields  what a change of each field does
//	judge   findings about a pool, and above the pools
package pool

import (
	"cmp"
	"errors"
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
)

// Check reports the errors of all pools, such as a provider config that its Schema cannot read.
// [NewPlan] does not read configs whose bytes are the same on both sides.
func Check(pools []facts.Pool, o judge.Options) error {
	var all []error
	for i := range pools {
		if err := o.CheckInterrupted(); err != nil {
			return err
		}
		all = append(all, o.Check(&pools[i]))
	}
	return errors.Join(all...)
}

// SetField is a field that is set, as the change from an empty pool, with the meaning of its value, see
// schemabridge.Description.
type SetField struct {
	hotupdate.Change

	As, By string
}

// Explain lists every field that is set and decides about the machines of a pool, with its class.
func Explain(p facts.Pool, o judge.Options) ([]SetField, error) {
	all, err := o.SetFields(&p)
	slices.SortStableFunc(all, func(a, b hotupdate.Change) int { return cmp.Compare(judge.Member(a), judge.Member(b)) })
	describe := o.Describer(&p)
	fields := make([]SetField, len(all))
	for i, change := range all {
		described := describe(change)
		fields[i] = SetField{change, described.As, described.By}
	}
	return fields, err
}

// pairing finds the pools of two manifests that belong together.
type pairing struct {
	before map[string]*facts.Pool // the old pool of each new one, by the new name
	gone   []*facts.Pool          // the removed pools
}

// pairUp pairs pools by name. A removed and an added pool are one renamed pool if their hashed
// fields except credentials, strategies and the hashed parts of their provider configs are equal. It
// compares contents only if there are removed and added pools.
func pairUp(old, updated []facts.Pool, o judge.Options) pairing {
	pairs := pairing{before: map[string]*facts.Pool{}}
	isNew := map[string]bool{}
	for _, p := range updated {
		isNew[p.Worker.Name] = true
	}
	for i := range old {
		p := &old[i]
		if isNew[p.Worker.Name] {
			pairs.before[p.Worker.Name] = p
		} else {
			pairs.gone = append(pairs.gone, p)
		}
	}
	if len(pairs.gone) > 0 && len(pairs.before) < len(updated) {
		pairs.pairRenamed(updated, o)
	}
	return pairs
}

// pairRenamed pairs the first removed pool of each content with the first added one.
func (p *pairing) pairRenamed(updated []facts.Pool, o judge.Options) {
	byContent := map[string][]*facts.Pool{}
	for _, removed := range p.gone {
		if content, err := contentOf(*removed, o); err == nil {
			byContent[content] = append(byContent[content], removed)
		}
	}
	for _, added := range updated {
		if p.before[added.Worker.Name] != nil {
			continue
		}
		content, err := contentOf(added, o)
		same := byContent[content]
		if err != nil || len(same) == 0 {
			continue
		}
		p.before[added.Worker.Name] = same[0]
		byContent[content] = same[1:]
		p.gone = slices.DeleteFunc(p.gone, func(removed *facts.Pool) bool { return removed == same[0] })
	}
}

// contentOf returns a text that is equal for two pools exactly if one may be a renamed copy of the
// other.
func contentOf(p facts.Pool, o judge.Options) (string, error) {
	p = o.Stated(p)
	content, err := p.Content()
	document, configErr := o.Document(p.Config)
	return content + string(document), errors.Join(err, configErr)
}
