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
func (r *Rules) Batches(plans []ResourcePlan) (batches []Batch) {
	var first, set, last []step
	for i := range plans {
		p := &plans[i]
		set = join(set, p.Resource, p.Set)
		if p.setFirst {
			last = join(last, p.Resource, p.Remove)
		} else {
			first = join(first, p.Resource, p.Remove)
		}
	}
	setting := func(s step) { batches = append(batches, Batch{Resources: s.resources, Set: s.tags}) }
	removing := func(s step) { batches = append(batches, Batch{Resources: s.resources, Remove: s.tags}) }
	atOnce := cmp.Or(r.removalsPerCall, r.TagsPerCall)
	r.cut(first, atOnce, removing)
	r.cut(set, r.TagsPerCall, setting)
	r.cut(last, atOnce, removing)
	return batches
}

// step is a group of resources with the same infrastructure tags to set or to remove.
type step struct {
	resources []string
	tags      []Tag
}

// join adds a resource to the step with the same infrastructure tags, or as a new step.
func join(steps []step, resource string, tags []Tag) []step {
	if len(tags) == 0 {
		return steps
	}
	at := slices.IndexFunc(steps, func(s step) bool { return slices.Equal(s.tags, tags) })
	if at < 0 {
		at = len(steps)
		steps = append(steps, step{tags: tags})
	}
	steps[at].resources = append(steps[at].resources, resource)
	return steps
}

// cut splits steps into calls that the cloud accepts, of at most atOnce infrastructure tags.
func (r *Rules) cut(steps []step, atOnce int, call func(step)) {
	for _, s := range steps {
		for resources := range slices.Chunk(s.resources, max(r.ResourcesPerCall, 1)) {
			for rest := s.tags; len(rest) > 0; {
				n := 1
				for n < min(len(rest), atOnce) && rest[n].Key != rest[n-1].Key { // sorted by key
					n++
				}
				call(step{resources, rest[:n:n]})
				rest = rest[n:]
			}
		}
	}
}
