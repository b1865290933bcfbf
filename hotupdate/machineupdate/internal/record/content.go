package record

import (
	"maps"
	"strings"
)

// content is the recorded state of the resources of one kind. It is immutable.
type content struct {
	applied string // the hot part of the last success in canonical JSON; empty if unknown
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

// step is the effect of a pass on a content.
type step struct {
	marker, after content // before the first write to the cloud, and after the success
	part          Part
	whole         bool // the whole wanted part is desired
}

// begin plans a pass to the wanted part, or to as much of it as the record has room for.
func (c content) begin(t *Target, bound int) step {
	base, frozen := leavesOf(c.applied).frozen(t.isHot)
	hot, cold := c.entries.frozen(t.isHot)
	s := slice{known: c.applied != "", bound: bound, base: base, entries: hot, during: hot.cost(), after: hot.cost()}
	desired, whole := s.desired(t.leaves)

	during := maps.Clone(hot)
	after := entries{}
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
		part.Desired = desired.hotPart()
	}
	next := part.Desired
	if len(frozen) > 0 {
		documents := layOut[string](append(desired.sorted(), frozen.sorted()...))
		next = documents[0]
		for _, left := range documents[1:] { // where a desired leaf is a value, a frozen one needs an object
			after.rebase(leavesOf(left), leaves{})
		}
	}
	maps.Copy(during, cold)
	maps.Copy(after, cold)
	return step{newContent(c.applied, during), newContent(next, after), part, whole}
}

// confirm plans a pass to the applied part. Its success drops the entries. The step is whole if the
// applied part is the wanted one.
func (c content) confirm(t *Target) step {
	base, frozen := leavesOf(c.applied).frozen(t.isHot)
	hot, cold := c.entries.frozen(t.isHot)
	s := step{
		marker: c, after: newContent(c.applied, cold), part: c.part(base, frozen, hot),
		whole: c.applied != "" && maps.Equal(base, t.leaves),
	}
	s.part.Desired = s.part.Applied
	if s.whole {
		s.part.Desired = t.hot
	}
	return s
}

// part returns the part of a content for the driver: its Hot leaves, without the desired ones.
func (c content) part(base, frozen leaves, hot entries) Part {
	part := Part{Applied: c.applied}
	if len(frozen) > 0 {
		part.Applied = base.hotPart()
	}
	sent, removed := hot.hotParts()
	if len(removed) > 0 {
		part.Attempted = []string{nothing}
	}
	part.Attempted = append(part.Attempted, sent...)
	return part
}

// create returns the content for a VM that is created with a hot part, which replaces the base of
// every leaf.
func (c content) create(hot string) content {
	beside := entries{}
	maps.Copy(beside, c.entries)
	beside.rebase(leavesOf(c.applied), leavesOf(hot))
	return newContent(hot, beside)
}

// slice chooses the value of each leaf that a pass desires: the wanted value if it fits, else the
// base.
type slice struct {
	known         bool // there is a base to record
	bound         int
	base          leaves
	entries       entries
	during, after int // the cost of the entries from the marker on, and after the success
}

// desired returns the leaves that the pass desires, and whether they are all wanted leaves.
func (s *slice) desired(wanted leaves) (desired leaves, whole bool) {
	desired = maps.Clone(s.base)
	whole = true
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

// fits reports whether there is room for the entries needed to change a leaf, and reserves it. A
// leaf that keeps its base needs no entries.
func (s *slice) fits(l leaf) bool {
	base := leaf{l.place, s.base[l.place]}
	if l == base {
		return true
	}
	during := s.during
	after := s.after
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
	s.during = during
	s.after = after
	return true
}
