package driver

import (
	"context"
	"slices"
)

// planSet plans the calls for a set of each resource of its kind: one for each member.
func (u *update[T, C]) planSet(s *Set[T, C]) {
	specs := u.parts[string(s.Kind)]
	for _, r := range u.of(s.Kind) {
		wanted := s.members(specs[0], r)
		var ours []string // members in the recorded parts
		for _, recorded := range specs[1:] {
			ours = append(ours, s.members(recorded, r)...)
		}
		u.hide(slices.Values(wanted))
		u.hide(slices.Values(ours))
		live, isKnown := r.Sets[s.Name]
		isConcerned := len(wanted) > 0 || len(ours) > 0
		switch {
		case !isConcerned: // all members belong to others
		case !isKnown:
			u.pending = append(u.pending, pendingOn(r))
		default:
			added, removed := difference(wanted, ours, live)
			for _, name := range added {
				u.changeMember("AddMember", s.AddMember, r, name)
			}
			for _, name := range removed {
				u.changeMember("RemoveMember", s.RemoveMember, r, name)
			}
		}
	}
}

// members returns the members that a spec gives to a resource, sorted and without repetition.
func (s *Set[T, C]) members(spec *T, r *Resource) []string { return ordered(s.Members(spec, r)) }

// difference returns which wanted members a live set lacks, and which of its members are ours and not
// wanted.
func difference(wanted, ours, live []string) (added, removed []string) {
	for _, name := range wanted {
		if !slices.Contains(live, name) {
			added = append(added, name)
		}
	}
	for _, name := range ordered(live) {
		if slices.Contains(ours, name) && !slices.Contains(wanted, name) {
			removed = append(removed, name)
		}
	}
	return added, removed
}

func ordered(names []string) []string { return slices.Compact(slices.Sorted(slices.Values(names))) }

// changeMember adds a step that calls a function of a Set for one member.
func (u *update[T, C]) changeMember(
	function string, change func(ctx context.Context, cloud C, resource *Resource, member string) error,
	r *Resource, name string,
) {
	u.add(function, r.text()).send = func(ctx context.Context, _ []*member[C]) error {
		return change(ctx, u.cloud, r, name)
	}
}
