package record

import "maps"

// content is what is remembered of the resources of one kind. It is never changed.
type content struct {
	applied string // the hot part of the last success in canonical JSON; empty if it is not known
	entries entries
}

// step is what a pass does to a content.
type step struct {
	marker, after content // from before the first write to the cloud, and after the success
	part          Part
	whole         bool // everything that is wanted is desired
}

// begin plans a pass to what is wanted, or to as much of it as fits.
func (c content) begin(t *Target, bound int) step {
	applied, frozen := leavesOf(c.applied).frozen(t.isHot)
	hot, _ := c.entries.frozen(t.isHot)
	s := slice{known: c.applied != "", bound: bound, base: applied, entries: hot, during: hot.cost(), after: hot.cost()}
	desired, whole := s.desired(t.leaves)

	marker, after := content{c.applied, entries{}}, content{entries: entries{}}
	maps.Copy(marker.entries, c.entries)
	marker.entries.send(applied, desired)
	maps.Copy(after.entries, marker.entries)
	after.entries.rebase(applied, desired)
	if s.known {
		after.entries.lack(applied, desired) // as they were
	}
	part := marker.part(t)
	switch {
	case whole:
		part.Desired = t.hot
	case s.known && maps.Equal(desired, applied):
		part.Desired = part.Applied
	default:
		part.Desired, _ = desired.hotPart(nil)
	}
	if after.applied = part.Desired; len(frozen) > 0 {
		var left leaves
		after.applied, left = desired.hotPart(frozen)
		after.entries.rebase(left, leaves{})
	}
	return step{marker, after, part, whole}
}

// confirm plans the pass to what was applied, whose success drops the entries. It is whole if that is what is wanted.
func (c content) confirm(t *Target) step {
	applied, _ := leavesOf(c.applied).frozen(t.isHot)
	_, frozen := c.entries.frozen(t.isHot)
	s := step{marker: c, after: content{c.applied, frozen}, part: c.part(t), whole: maps.Equal(applied, t.leaves)}
	if s.part.Desired = s.part.Applied; s.whole {
		s.part.Desired = t.hot
	}
	return s
}

// part is what a driver has to know of the content, which is nothing that is frozen, without what is desired.
func (c content) part(t *Target) Part {
	part := Part{Applied: c.applied}
	if applied, frozen := leavesOf(c.applied).frozen(t.isHot); len(frozen) > 0 {
		part.Applied, _ = applied.hotPart(nil)
	}
	hot, _ := c.entries.frozen(t.isHot)
	sent, removed := hot.hotParts()
	if len(removed) > 0 {
		part.Attempted = []string{nothing}
	}
	part.Attempted = append(part.Attempted, sent...)
	return part
}

// create notes that a VM is being made with a hot part, which replaces the base of every leaf.
func (c content) create(hot string) content {
	created := content{hot, entries{}}
	maps.Copy(created.entries, c.entries)
	created.entries.rebase(leavesOf(c.applied), leavesOf(hot))
	return created
}
