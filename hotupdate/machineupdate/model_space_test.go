package machineupdate_test

import (
	"math/bits"
	"testing"
)

// This file is the engine of the model checker: a breadth-first search over packed states, which remembers how each was reached.

// packed is a state in few bytes.
type packed [3]uint64

func (p packed) hash() uint64 {
	h := uint64(0x9E3779B97F4A7C15)
	for _, word := range p {
		hi, lo := bits.Mul64(h^word, 0xD6E8FEB86659FD93)
		h = hi ^ lo
	}
	return h ^ h>>29
}

// space is a set of packed states with the order in which they were found.
type space struct {
	states []packed
	parent []uint32
	table  []uint32 // indices into states, plus one; open addressing
}

func newSpace() *space { return &space{table: make([]uint32, 1<<12)} }

// add adds a state, if it is new.
func (s *space) add(p packed, parent uint32) {
	if len(s.states)*5 >= len(s.table)*3 {
		s.grow()
	}
	mask := uint64(len(s.table) - 1)
	at := p.hash() & mask
	for ; s.table[at] != 0; at = (at + 1) & mask {
		if s.states[s.table[at]-1] == p {
			return
		}
	}
	s.states = append(s.states, p)
	s.parent = append(s.parent, parent)
	s.table[at] = uint32(len(s.states))
}

func (s *space) grow() {
	s.table = make([]uint32, 2*len(s.table))
	mask := uint64(len(s.table) - 1)
	for i, p := range s.states {
		at := p.hash() & mask
		for s.table[at] != 0 {
			at = (at + 1) & mask
		}
		s.table[at] = uint32(i + 1)
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

// explored is what a search found.
type explored struct {
	states, depth int
	violation     string   // empty if there is none
	trace         []string // how it comes about
	whole         bool     // every state that can be reached was
}

// explore searches a model breadth-first until it finds a violation, has seen everything, or has seen limit states.
func explore(tb testing.TB, m *model, limit int) explored {
	tb.Helper()
	s := newSpace()
	for _, root := range m.roots() {
		s.add(m.canonical(&root), uint32(len(s.states)))
	}
	depth, levelEnd := 0, len(s.states)
	for i := 0; ; i++ {
		if i == len(s.states) {
			return explored{states: len(s.states), depth: depth, whole: true}
		}
		if i == levelEnd {
			depth, levelEnd = depth+1, len(s.states)
		}
		w := unpack(s.states[i])
		violation := m.judge(&w)
		if violation == "" {
			m.successors(&w, func(next *world, _ event) {
				s.add(m.canonical(next), uint32(i))
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

// trace says in words how a state is reached.
func (m *model) trace(s *space, to uint32, violation string) []string {
	path := s.path(to)
	before := unpack(s.states[path[0]])
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
