package record

import "maps"

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
