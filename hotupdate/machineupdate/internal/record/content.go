package record

import (
	"maps"
	"strings"
)

// content is what is remembered of the resources of one kind. It is never changed.
type content struct {
	applied string // the hot part of the last success in canonical JSON; empty if it is not known
	entries entries
	body    string // its members in the annotation; contents with one body are equal
}

func newContent(applied string, beside entries) content {
	var members []string
	if applied != "" {
		members = append(members, `"applied":`+applied)
	}
	sent, removed := beside.hotParts()
	if len(sent) > 0 {
		members = append(members, `"attempted":`+list(sent))
	}
	if len(removed) > 0 {
		members = append(members, `"removed":`+list(removed))
	}
	return content{applied, beside, strings.Join(members, ",")}
}

// step is what a pass does to a content.
type step struct {
	marker, after content // from before the first write to the cloud, and after the success
	part          Part
	whole         bool // everything that is wanted is desired
}

// begin plans a pass to what is wanted, or to as much of it as fits.
func (c content) begin(t *Target, bound int) step {
	base, frozen := leavesOf(c.applied).frozen(t.isHot)
	hot, cold := c.entries.frozen(t.isHot)
	s := slice{known: c.applied != "", bound: bound, base: base, entries: hot, during: hot.cost(), after: hot.cost()}
	desired, whole := s.desired(t.leaves)

	during, after := maps.Clone(hot), entries{}
	during.send(base, desired)
	maps.Copy(after, during)
	after.rebase(base, desired)
	if s.known {
		after.lack(base, desired) // as they were
	}
	part := c.part(base, frozen, during)
	switch {
	case whole:
		part.Desired = t.hot
	case s.known && maps.Equal(desired, base):
		part.Desired = part.Applied
	default:
		part.Desired, _ = desired.hotPart(nil)
	}
	next := part.Desired
	if len(frozen) > 0 {
		var left leaves
		next, left = desired.hotPart(frozen)
		after.rebase(left, leaves{})
	}
	maps.Copy(during, cold)
	maps.Copy(after, cold)
	return step{newContent(c.applied, during), newContent(next, after), part, whole}
}

// confirm plans the pass to what was applied, whose success drops the entries. It is whole if that is what is wanted.
func (c content) confirm(t *Target) step {
	base, frozen := leavesOf(c.applied).frozen(t.isHot)
	hot, cold := c.entries.frozen(t.isHot)
	s := step{marker: c, after: newContent(c.applied, cold), part: c.part(base, frozen, hot), whole: maps.Equal(base, t.leaves)}
	if s.part.Desired = s.part.Applied; s.whole {
		s.part.Desired = t.hot
	}
	return s
}

// part is what a driver has to know of a content: what is Hot of it, without what is desired.
func (c content) part(base, frozen leaves, hot entries) Part {
	part := Part{Applied: c.applied}
	if len(frozen) > 0 {
		part.Applied, _ = base.hotPart(nil)
	}
	sent, removed := hot.hotParts()
	if len(removed) > 0 {
		part.Attempted = []string{nothing}
	}
	part.Attempted = append(part.Attempted, sent...)
	return part
}

// create notes that a VM is being made with a hot part, which replaces the base of every leaf.
func (c content) create(hot string) content {
	beside := entries{}
	maps.Copy(beside, c.entries)
	beside.rebase(leavesOf(c.applied), leavesOf(hot))
	return newContent(hot, beside)
}

// slice chooses what a pass desires of each leaf: what is wanted if it fits, else the base.
type slice struct {
	known         bool // there is a base to remember
	bound         int
	base          leaves
	entries       entries
	during, after int // what the entries cost from the marker on, and after the success
}

// desired returns the leaves that the pass desires, and whether they are all that is wanted.
func (s *slice) desired(wanted leaves) (desired leaves, whole bool) {
	desired, whole = maps.Clone(s.base), true
	choose := func(p place) {
		switch value := wanted[p]; {
		case !s.fits(leaf{p, value}):
			whole = false
		case value == absent:
			delete(desired, p)
		default:
			desired[p] = value
		}
	}
	for _, l := range s.base.sorted() {
		if _, stays := wanted[l.place]; !stays {
			choose(l.place)
		}
	}
	gone := whole
	for _, l := range wanted.sorted() {
		if _, had := s.base[l.place]; had || gone {
			choose(l.place)
		} else {
			whole = false
		}
	}
	return desired, whole
}

// fits reports whether there is room for all that must be remembered to change a leaf, and takes it. A leaf that keeps its base needs none.
func (s *slice) fits(l leaf) bool {
	base := leaf{l.place, s.base[l.place]}
	if l == base {
		return true
	}
	during, after := s.during, s.after
	if s.entries[l] {
		after -= l.cost()
	} else {
		during += l.cost()
	}
	if s.known || base.value != absent {
		after += base.cost()
	}
	if during > s.bound || after > s.bound {
		return false
	}
	s.during, s.after = during, after
	return true
}
