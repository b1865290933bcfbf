package driver

import (
	"cmp"
	"maps"
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// tellUnapplied reports a change of the hot part that changes no result of a Project or Members,
// for instance a change of a field that none of them reads: the update succeeds without a call.
func (u *update[T, C]) tellUnapplied() {
	isChanged := func(part machineupdate.Part) bool { return part.Applied != "" && part.Applied != part.Desired }
	if !slices.ContainsFunc(u.request.Parts, isChanged) || u.isProjected() {
		return
	}
	lane := cmp.Or(u.request.Lane, "without a name")
	u.tell("the driver applies nothing of what has changed in the lane " + lane + " of the class")
}

// isProjected reports whether a Project or Members returns different results for the desired and
// the applied part of a kind.
func (u *update[T, C]) isProjected() bool {
	for i := range u.definition.Tags {
		t := &u.definition.Tags[i]
		differs := func(kind tags.Kind) bool {
			specs := u.parts[string(kind)]
			return specs != nil && !maps.Equal(t.Project(specs[0], kind), t.Project(specs[1], kind))
		}
		if u.request.Lane == "" && slices.ContainsFunc(t.Kinds, differs) {
			return true
		}
	}
	for i := range u.definition.Groups {
		g := &u.definition.Groups[i]
		differs := func(r *Resource) bool {
			specs := u.parts[string(g.Kind)]
			return !maps.Equal(g.Project(specs[0], r), g.Project(specs[1], r))
		}
		if g.Lane == u.request.Lane && slices.ContainsFunc(u.of(g.Kind), differs) {
			return true
		}
	}
	for i := range u.definition.Sets {
		s := &u.definition.Sets[i]
		differs := func(r *Resource) bool {
			specs := u.parts[string(s.Kind)]
			return !slices.Equal(s.members(specs[0], r), s.members(specs[1], r))
		}
		if s.Lane == u.request.Lane && slices.ContainsFunc(u.of(s.Kind), differs) {
			return true
		}
	}
	return false
}

// tellKept reports attributes without a default that the desired part does not set, and that keep the value
// of the applied part, or of an attempt of which a read shows that it took effect.
func (u *update[T, C]) tellKept(
	g *AttributeGroup[T, C], r *Resource, desired, applied map[string]string, attempted []map[string]string,
) {
	for _, name := range slices.Sorted(maps.Keys(g.Defaults)) {
		isLive := func(sent map[string]string) bool {
			return sent[name] != "" && sent[name] == r.Attributes[name].target
		}
		isUnset := g.Defaults[name] == "" && desired[name] == ""
		isOurs := applied[name] != "" || slices.ContainsFunc(attempted, isLive)
		if isUnset && isOurs {
			u.tell(r.text() + " keeps its " + name + ": the class no longer sets it, and the group has no default")
		}
	}
}

func (u *update[T, C]) tell(message string) {
	if u.request.Tell != nil && !u.request.ReadOnly {
		u.request.Tell(message)
	}
}
