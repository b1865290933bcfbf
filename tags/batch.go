package tags

import (
	"slices"
	"strconv"
)

// Batch is one call: it does the same to all of its resources.
type Batch struct {
	Op        Op
	Resources []string
	Tags      []Tag // for Remove the value is the condition
}

// Op is what a call does. The zero value is NoOp.
type Op uint8

// The operations.
const (
	NoOp Op = iota
	Remove
	Set
)

// String returns the operation's name.
func (o Op) String() string {
	switch o {
	case NoOp:
		return "NoOp"
	case Remove:
		return "Remove"
	case Set:
		return "Set"
	}
	return "Op(" + strconv.Itoa(int(o)) + ")"
}

// Batches cuts plans into calls, to be made one after the other until one fails.
//
//   - No call has more resources or infrastructure tags than the cloud takes, nor one key twice.
//   - For every resource the calls together do what its plan says, each step once, in the plan's order: first the removals of resources
//     whose plan says [RemoveFirst], then all that is set, then the other removals.
//   - Resources with the same steps share calls. Within a step resources and infrastructure tags keep their order.
//
// What fails is planned anew, and the new plan has the contested steps again. So a call that the cloud throttles is to be repeated after
// a while: giving up at it lets the next plan spend what the cloud allows on its first calls, and no order of the calls helps against that.
//
// Drivers of clouds that replace everything at once use [ResourcePlan.Apply] instead. The batches share memory with the plans.
func (r *Rules) Batches(plans []ResourcePlan) []Batch {
	var batches []Batch
	batches = appendStep(batches, plans, Remove, r.RemoveCall, func(p *ResourcePlan) []Tag {
		if p.Order == RemoveFirst {
			return p.Remove
		}
		return nil
	})
	batches = appendStep(batches, plans, Set, r.SetCall, func(p *ResourcePlan) []Tag { return p.Set })
	return appendStep(batches, plans, Remove, r.RemoveCall, func(p *ResourcePlan) []Tag {
		if p.Order != RemoveFirst {
			return p.Remove
		}
		return nil
	})
}

// group is resources with the same infrastructure tags in a step.
type group struct {
	resources []string
	tags      []Tag
}

func appendStep(batches []Batch, plans []ResourcePlan, op Op, limit Call, of func(*ResourcePlan) []Tag) []Batch {
	for _, g := range groups(plans, of) {
		for resources := range slices.Chunk(g.resources, max(limit.Resources, 1)) {
			for rest := g.tags; len(rest) > 0; {
				n := firstCall(rest, max(limit.Tags, 1))
				batches = append(batches, Batch{Op: op, Resources: resources, Tags: rest[:n:n]})
				rest = rest[n:]
			}
		}
	}
	return batches
}

// groups collects resources with the same infrastructure tags, in the order of their first.
func groups(plans []ResourcePlan, of func(*ResourcePlan) []Tag) []group {
	var all []group
	for i := range plans {
		tags := of(&plans[i])
		if len(tags) == 0 {
			continue
		}
		at := slices.IndexFunc(all, func(g group) bool { return slices.Equal(g.tags, tags) })
		if at < 0 {
			at = len(all)
			all = append(all, group{tags: tags})
		}
		all[at].resources = append(all[at].resources, plans[i].Resource)
	}
	return all
}

// firstCall returns how many of tags fit into one call: at most limit, and each key once. Tags are sorted by key.
func firstCall(tags []Tag, limit int) int {
	n := 1
	for n < len(tags) && n < limit && tags[n].Key != tags[n-1].Key {
		n++
	}
	return n
}
