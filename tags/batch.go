package tags

import (
	"cmp"
	"slices"
)

// Batch is one call: it either sets or removes the same infrastructure tags on all of its
// resources.
type Batch struct {
	Resources []string
	Set       []Tag
	Remove    []Tag // the value is the condition
}

// Batches cuts plans into calls, to be made one after the other until one fails.
//
//   - No call has more resources or infrastructure tags than the cloud takes, or the same key
//     twice.
//   - For every resource the calls together carry out its plan, each step once, in the plan's
//     order: first the removals of resources whose limit leaves no room, then everything that is
//     set, then the other removals.
//   - Resources with the same steps share calls. Within a step resources and infrastructure tags
//     keep their order.
//
// After a failure the machine is planned again, and the new plan repeats every change that reads do
// not show yet. So retry a call that the cloud throttles: a driver that gives up may spend its
// whole quota on the first calls of every plan.
//
// Drivers of clouds that replace everything at once use [ResourcePlan.Apply] instead. The batches
// share memory with the plans.
func (r *Rules) Batches(plans []ResourcePlan) []Batch {
	setting := func(s step) Batch { return Batch{Resources: s.resources, Set: s.tags} }
	removing := func(s step) Batch { return Batch{Resources: s.resources, Remove: s.tags} }
	removals := func(setFirst bool) func(*ResourcePlan) []Tag {
		return func(p *ResourcePlan) []Tag {
			if p.setFirst != setFirst {
				return nil
			}
			return p.Remove
		}
	}
	atOnce := cmp.Or(r.removalsPerCall, r.TagsPerCall)
	batches := r.cut(nil, plans, atOnce, removing, removals(false))
	batches = r.cut(batches, plans, r.TagsPerCall, setting, func(p *ResourcePlan) []Tag { return p.Set })
	return r.cut(batches, plans, atOnce, removing, removals(true))
}

// step is a group of resources with the same infrastructure tags to set or to remove.
type step struct {
	resources []string
	tags      []Tag
}

// steps groups resources with the same infrastructure tags, in the order of the groups' first
// resources.
func steps(plans []ResourcePlan, of func(*ResourcePlan) []Tag) []step {
	var all []step
	for i := range plans {
		tags := of(&plans[i])
		if len(tags) == 0 {
			continue
		}
		at := slices.IndexFunc(all, func(s step) bool { return slices.Equal(s.tags, tags) })
		if at < 0 {
			at = len(all)
			all = append(all, step{tags: tags})
		}
		all[at].resources = append(all[at].resources, plans[i].Resource)
	}
	return all
}

// cut splits one step of all plans into calls that the cloud accepts, of at most atOnce
// infrastructure tags.
func (r *Rules) cut(
	batches []Batch, plans []ResourcePlan, atOnce int, as func(step) Batch, of func(*ResourcePlan) []Tag,
) []Batch {
	for _, s := range steps(plans, of) {
		for resources := range slices.Chunk(s.resources, max(r.ResourcesPerCall, 1)) {
			for rest := s.tags; len(rest) > 0; {
				n := 1
				for n < min(len(rest), atOnce) && rest[n].Key != rest[n-1].Key { // sorted by key
					n++
				}
				batches = append(batches, as(step{resources, rest[:n:n]}))
				rest = rest[n:]
			}
		}
	}
	return batches
}
