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
		case !s.fits(p, value):
			whole = false
		case value == absent:
			delete(desired, p)
		default:
			desired[p] = value
		}
	}
	for _, p := range s.base.sorted() {
		if _, stays := wanted[p]; !stays {
			choose(p)
		}
	}
	gone := whole
	for _, p := range wanted.sorted() {
		if _, had := s.base[p]; had || gone {
			choose(p)
		} else {
			whole = false
		}
	}
	return desired, whole
}

// fits reports whether there is room for all that must be remembered to change a leaf, and takes it. A leaf that keeps its base needs none.
func (s *slice) fits(p place, value string) bool {
	base := s.base[p]
	if value == base {
		return true
	}
	during, after := s.during, s.after
	if s.entries.has(p, value) {
		after -= cost(p, value)
	} else {
		during += cost(p, value)
	}
	if s.known || base != absent {
		after += cost(p, base)
	}
	if during > s.bound || after > s.bound {
		return false
	}
	s.during, s.after = during, after
	return true
}
