package machineupdate_test

import (
	"hash/maphash"
	"slices"
	"testing"
)

// This file is the engine of the model checker: a breadth-first search that stores a path to each state.

// space is a set of states in the order of their discovery. It takes up to 2³² of them.
type space struct {
	seed   maphash.Seed
	chunks [][]world // of chunkLength states each: a set that grows copies no state
	length int
	table  []entry // open addressing
	hashes []uint64
	warm   uint64
}

// entry is half of the hash of a state, and its index plus one. Zero is free. The hash also gives the place in the
// table: most states that differ are told apart without a look at them, and a table that grows looks at none.
type entry uint64

const chunkLength = 1 << 14

func (e entry) hash() uint64  { return uint64(e >> 32) }
func (e entry) index() uint32 { return uint32(e) - 1 }

func newSpace(seed maphash.Seed) *space { return &space{seed: seed, table: make([]entry, 1<<12)} }

// state returns the state with an index.
func (s *space) state(index uint32) *world { return &s.chunks[index/chunkLength][index%chunkLength] }

// addAll adds states, and calls added for each that is new. A large set is in no cache of the processor: it reads the
// entries of all states, and then their states, before it needs the first one.
func (s *space) addAll(all []world, added func()) {
	s.hashes = s.hashes[:0]
	mask := uint64(len(s.table) - 1)
	for i := range all {
		hash := s.hash(&all[i])
		s.hashes = append(s.hashes, hash)
		s.warm += uint64(s.table[hash&mask])
	}
	for _, hash := range s.hashes {
		if e := s.table[hash&mask]; e != 0 && e.hash() == hash {
			s.warm += uint64(s.state(e.index()).record)
		}
	}
	for i, hash := range s.hashes {
		if _, isNew := s.add(&all[i], hash); isNew {
			added()
		}
	}
}

// add returns the index of a state with a hash. If it is new, it is the last one.
func (s *space) add(w *world, hash uint64) (index uint32, isNew bool) {
	if s.length*5 >= len(s.table)*3 {
		s.grow()
	}
	at, found := s.find(w, hash)
	if e := s.table[at]; found {
		return e.index(), false
	}
	if s.length%chunkLength == 0 {
		s.chunks = append(s.chunks, make([]world, chunkLength))
	}
	*s.state(uint32(s.length)) = *w
	s.length++
	s.table[at] = entry(hash<<32 | uint64(s.length))
	return uint32(s.length - 1), true
}

func (s *space) hash(w *world) uint64 { return maphash.Comparable(s.seed, *w) >> 32 }

// find returns the place of the state in the table.
func (s *space) find(w *world, hash uint64) (at uint64, found bool) {
	mask := uint64(len(s.table) - 1)
	for at = hash & mask; s.table[at] != 0; at = (at + 1) & mask {
		if e := s.table[at]; e.hash() == hash && *s.state(e.index()) == *w {
			return at, true
		}
	}
	return at, false
}

func (s *space) grow() {
	old := s.table
	s.table = make([]entry, 2*len(old))
	mask := uint64(len(s.table) - 1)
	for _, e := range old {
		if e == 0 {
			continue
		}
		at := e.hash() & mask
		for s.table[at] != 0 {
			at = (at + 1) & mask
		}
		s.table[at] = e
	}
}

// paths has the index of a state before each state, and of a root its own.
type paths []uint32

// path returns the indices from a root to a state.
func (p paths) path(to uint32) []uint32 {
	path := []uint32{to}
	for ; p[to] != to; to = p[to] {
		path = append(path, p[to])
	}
	slices.Reverse(path)
	return path
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
	before := paths{}
	for _, root := range m.roots() {
		canonical := m.canonical(&root)
		s.addAll([]world{canonical}, func() { before = append(before, uint32(len(before))) })
	}
	var next []world
	depth := 0
	levelEnd := s.length
	for i := 0; ; i++ {
		if i == s.length {
			return explored{states: s.length, depth: depth, whole: true}
		}
		if i == levelEnd {
			depth++
			levelEnd = s.length
		}
		w := s.state(uint32(i))
		violation := m.judge(w)
		if violation == "" {
			next = next[:0]
			m.successors(w, func(after *world, _ event) { next = append(next, m.canonical(after)) })
			s.addAll(next, func() { before = append(before, uint32(i)) })
			violation = m.takeViolation()
		}
		if violation != "" {
			return explored{states: s.length, depth: depth, violation: violation, trace: m.trace(s, before.path(uint32(i)), violation)}
		}
		if s.length > limit {
			return explored{states: s.length, depth: depth}
		}
	}
}

// trace describes a path.
func (m *model) trace(s *space, path []uint32, violation string) []string {
	before := *s.state(path[0])
	lines := []string{"start: " + m.describe(&before)}
	for _, index := range path[1:] {
		var after world
		line := ""
		m.successors(&before, func(next *world, e event) {
			if line == "" && m.canonical(next) == *s.state(index) {
				line = m.say(e)
				after = *next
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
