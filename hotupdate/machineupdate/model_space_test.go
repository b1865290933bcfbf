package machineupdate_test

import (
	"hash/maphash"
	"testing"
)

// This file is the engine of the model checker: a breadth-first search that stores a path to each state.

// space is a set of states in the order of their discovery.
type space struct {
	seed   maphash.Seed
	states []world
	parent []uint32
	table  []uint32 // indices into states, plus one; open addressing
}

func newSpace(seed maphash.Seed) *space { return &space{seed: seed, table: make([]uint32, 1<<12)} }

// add adds a state, if it is new.
func (s *space) add(w *world, parent uint32) {
	if len(s.states)*5 >= len(s.table)*3 {
		s.grow()
	}
	at := s.find(w)
	if s.table[at] != 0 {
		return
	}
	s.states = append(s.states, *w)
	s.parent = append(s.parent, parent)
	s.table[at] = uint32(len(s.states))
}

// find returns the place of the state in the table.
func (s *space) find(w *world) uint64 {
	mask := uint64(len(s.table) - 1)
	at := maphash.Comparable(s.seed, *w) & mask
	for s.table[at] != 0 && s.states[s.table[at]-1] != *w {
		at = (at + 1) & mask
	}
	return at
}

func (s *space) grow() {
	s.table = make([]uint32, 2*len(s.table))
	for i := range s.states {
		s.table[s.find(&s.states[i])] = uint32(i + 1)
	}
}

// path returns the indices from a root to a state.
func (s *space) path(to uint32) []uint32 {
	var path []uint32
	for {
		path = append([]uint32{to}, path...)
		if s.parent[to] == to {
			return path
		}
		to = s.parent[to]
	}
}

// explored is the result of a search.
type explored struct {
	states, depth int
	violation     string   // empty if there is none
	trace         []string // events that lead to it
	whole         bool     // every reachable state was visited
}

// explore searches a model breadth-first until it finds a violation, has visited all states, or has visited limit states.
func explore(tb testing.TB, m *model, limit int) explored {
	tb.Helper()
	s := newSpace(m.seed)
	for _, root := range m.roots() {
		canonical := m.canonical(&root)
		s.add(&canonical, uint32(len(s.states)))
	}
	depth, levelEnd := 0, len(s.states)
	for i := 0; ; i++ {
		if i == len(s.states) {
			return explored{states: len(s.states), depth: depth, whole: true}
		}
		if i == levelEnd {
			depth, levelEnd = depth+1, len(s.states)
		}
		w := s.states[i]
		violation := m.judge(&w)
		if violation == "" {
			m.successors(&w, func(next *world, _ event) {
				canonical := m.canonical(next)
				s.add(&canonical, uint32(i))
			})
			violation = m.takeViolation()
		}
		if violation != "" {
			return explored{states: len(s.states), depth: depth, violation: violation, trace: m.trace(s, uint32(i), violation)}
		}
		if len(s.states) > limit {
			return explored{states: len(s.states), depth: depth}
		}
	}
}

// trace describes the path to a state.
func (m *model) trace(s *space, to uint32, violation string) []string {
	path := s.path(to)
	before := s.states[path[0]]
	lines := []string{"start: " + m.describe(&before)}
	for _, index := range path[1:] {
		var after world
		line := ""
		m.successors(&before, func(next *world, e event) {
			if line == "" && m.canonical(next) == s.states[index] {
				line, after = m.say(e), *next
			}
		})
		m.takeViolation()
		before = after
		lines = append(lines, line+": "+m.describe(&before))
	}
	m.watch = func(w *world) { lines = append(lines, "undisturbed: "+m.describe(w)) }
	if again := m.judge(&before); again != "" {
		violation = again // in the names of this trace
	}
	m.watch = nil
	return append(lines, violation)
}
