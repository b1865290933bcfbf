package machineupdate_test

import (
	"flag"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hotupdate/providerconfig/internal/effort"
)

// By symmetry of keys and values these three classes represent all.
var rootClasses = []tagset{0, tagset(0).with(0, 1), tagset(0).with(0, 1).with(1, 1)}

// roots returns the first states of the model.
func (m *model) roots() []world {
	var all []world
	for _, class := range rootClasses {
		for _, w := range m.from(m) {
			if w.record != 0 && m.isOwn(w.record) && w.class != class {
				continue
			}
			w.class = class
			w.classes = [2]tagset{class, class}
			w.changes = m.changes
			w.faults = m.faults
			w.records = [2]recordID{w.record, w.record}
			if w.phase == phaseRunning && (w.record == 0 || !m.isOwn(w.record)) {
				w.adoptable()
			}
			m.normalize(&w)
			all = append(all, w)
		}
	}
	return all
}

// isOwn reports whether a record is about the machine of the model.
func (m *model) isOwn(id recordID) bool {
	r := &m.memories[id]
	return r.ProviderID == "i-1" || r.Creating == "m"
}

// adoptable makes a VM from before hot updates: with the tags of its class, and without a record.
func (w *world) adoptable() {
	w.vm = true
	w.ready = true
	w.known = true
	for r := range resources {
		w.live[r] = w.class
		for key := range keys {
			if w.class.get(key) != 0 {
				w.ancient[r] |= 1 << key
			}
		}
	}
	for r := range resources {
		w.old[r] = [2]tagset{w.live[r], w.live[r]}
	}
}

// settled are machines that were updated long ago.
func settled(m *model) []world {
	var all []world
	for _, class := range rootClasses {
		w := adopted(m)[0]
		w.class = class
		w.adoptable()
		w.ancient = [resources]uint8{}
		w.record = m.settledRecord(class)
		all = append(all, w)
	}
	return all
}

// settledRecord is the record of a machine without updates.
func (m *model) settledRecord(class tagset) recordID {
	if m.flow.name != "" {
		ours := newModel(m.tb, flow{}, nil)
		return m.intern(ours.memories[ours.settledRecord(class)])
	}
	record := recordID(0)
	for {
		at := m.ask(question{record: record, class: class, does: calls, able: true, revision: 1, known: true})
		if m.node(at).does == quiescent {
			return record
		}
		for ; m.isBusy(at); at = m.node(at).next[ok] {
			if n := m.node(at); n.does == writes {
				record = n.record
			}
		}
		record = m.age(record)
	}
}

func adopted(*model) []world { return []world{{phase: phaseRunning, ability: capable, revision: 1}} }

func created(*model) []world { return []world{{ability: capable, revision: 1}} }

// copied are machines with the record of another one, because templates copy annotations.
func copied(m *model) []world {
	var all []world
	q := question{class: rootClasses[2], does: calls, able: true, revision: 1, known: true, record: m.settledRecord(rootClasses[1])}
	marker := m.node(m.ask(q))
	success := m.node(m.node(marker.next[ok]).next[ok])
	q.does = creates
	q.record = 0
	for _, id := range []recordID{m.settledRecord(rootClasses[1]), marker.record, success.record, m.node(m.ask(q)).record} {
		r := m.memories[id]
		if r.ProviderID = "i-0"; r.Creating != "" {
			r.ProviderID = ""
			r.Creating = "n"
		}
		for _, w := range append(created(m), adopted(m)...) {
			w.record = m.intern(r)
			all = append(all, w)
		}
	}
	return all
}

func unread(m *model) []world { return append(created(m), adopted(m)...) }

func learning(*model) []world {
	return []world{
		{phase: phaseRunning, ability: capable},
		{phase: phaseRunning, ability: claiming, revision: 1},
		{phase: phaseRunning, ability: incapable, revision: 1},
		{ability: capable},
		{ability: incapable, revision: 1},
	}
}

var long = flag.Bool(
	"long", false, "check the model with larger budgets: tens of millions of states, minutes and gigabytes; raise -timeout",
)

// budget bounds the changes of the class, and the disturbances: crashes, failures, late requests, stale reads, foreign
// edits, conflicts, the loss of the lease, a migration.
type budget struct{ changes, faults uint8 }

// code configures the checked code: whether the driver reads first, and the bound of the record's entries.
type code struct {
	beside    bool
	reads     bool
	bound     int
	maxPasses uint8 // how many successful passes a machine may need to come to rest
}

var (
	writing = code{maxPasses: maxPasses}
	reading = code{reads: true, maxPasses: maxPasses}
	beside  = code{beside: true, reads: true, maxPasses: maxPasses}
	full1   = code{reads: true, bound: 1, maxPasses: 6}
	full2   = code{bound: 2, maxPasses: 6}
)

// search is the part of the world that one search visits.
type search struct {
	name   string
	from   func(*model) []world
	events events
	always budget
	long   budget
}

// line has searches of one model, each of which profits from what the code has answered before. Lines run side by side.
type line struct {
	code     code
	searches []search
}

var lines = []line{
	{beside, []search{
		{"beside, several versions", created, 0, budget{2, 0}, budget{3, 1}},
	}},
	{writing, []search{
		{"settled", settled, 0, budget{2, 1}, budget{2, 2}},
		{"disturbed", settled, 0, budget{1, 2}, budget{1, 3}},
		{"lagging", settled, staleRecords, budget{2, 1}, budget{2, 2}},
		{"receding", settled, recedes, budget{1, 1}, budget{1, 2}},
		{"withdrawn", settled, withdrawals, budget{1, 2}, budget{2, 2}},
		{"doomed", settled, dooms, budget{1, 1}, budget{2, 2}},
		{"paused", settled, pauses, budget{1, 1}, budget{2, 2}},
		{"deaf", settled, deafCalls, budget{2, 1}, budget{2, 2}},
		{"wrong clocks", settled, wrongClocks, budget{1, 1}, budget{2, 1}},
		{"restored", settled, backups, budget{1, 1}, budget{2, 1}},
		{"adopted", adopted, 0, budget{1, 1}, budget{2, 1}},
		{"created", created, 0, budget{1, 1}, budget{2, 1}},
		{"copied", copied, 0, budget{1, 0}, budget{1, 1}},
		{"unreadable class", unread, classStates, budget{1, 1}, budget{2, 1}},
		{"learning", learning, recedes, budget{1, 0}, budget{1, 1}},
	}},
	{full1, []search{
		{"one entry", settled, 0, budget{1, 1}, budget{2, 1}},
		{"one entry, receding", settled, recedes, budget{1, 0}, budget{1, 2}},
		{"one entry, learning", learning, 0, budget{1, 0}, budget{1, 1}},
	}},
	{beside, []search{
		{"beside, outlives its class", created, classStates, budget{1, 1}, budget{2, 1}},
		{"beside, copied", copied, 0, budget{1, 0}, budget{1, 1}},
		{"beside, learning", learning, recedes, budget{1, 0}, budget{1, 1}},
	}},
	{reading, []search{
		{"reading", settled, staleRecords, budget{1, 1}, budget{2, 1}},
		{"reading disturbed", settled, recedes | withdrawals, budget{1, 1}, budget{1, 2}},
		{"reading adopted", adopted, 0, budget{1, 1}, budget{2, 1}},
		{"reading learning", learning, recedes, budget{1, 0}, budget{1, 1}},
	}},
	{full2, []search{
		{"two entries", settled, 0, budget{1, 1}, budget{2, 1}},
		{"two entries, disturbed", settled, 0, budget{0, 2}, budget{1, 2}},
	}},
}

// newModel returns the model of a line.
func (l *line) newModel(tb testing.TB) *model {
	tb.Helper()
	m := newModel(tb, flow{}, nil)
	m.reads = l.code.reads
	m.bound = l.code.bound
	m.maxPasses = l.code.maxPasses
	m.beside = l.code.beside
	return m
}

// explore visits the states of a search within a budget.
func (s *search) explore(tb testing.TB, m *model, b budget) explored {
	tb.Helper()
	m.tb = tb
	m.from = s.from
	m.events = s.events
	m.changes = b.changes
	m.faults = b.faults
	return explore(tb, m, maxStates)
}

// TestModel visits every state that is reachable within the budgets, from settled machines, from machines older than
// hot updates, from machines that are to be created, and from drivers that learn to update during the search.
func TestModel(t *testing.T) {
	var total atomic.Int64
	eachLine(t, func(l *line, m *model) {
		for _, tc := range l.searches {
			t.Run(tc.name, func(t *testing.T) {
				b := tc.budget()
				begin := time.Now()
				found := tc.explore(t, m, b)
				t.Logf("%d class changes, %d disturbances: %d states, depth %d, %d records, %d questions, %d nodes, %d plans, %d closures in %v", b.changes, b.faults,
					found.states, found.depth, len(
						m.records.values,
					), len(m.questions), len(m.nodes.values), len(m.plans), m.settled.space.length, time.Since(begin))
				assert.Empty(t, found.violation, strings.Join(found.trace, "\n"))
				assert.True(t, found.whole, "every state")
				total.Add(int64(found.states))
			})
		}
	})
	t.Logf("%d states", total.Load())
	assert.True(t, !*long || total.Load() >= 10_000_000, "a long run sees ten million states")
}

// budget is for a tenth of the states or fewer unless the environment asks for all of them, and fewer with the race detector.
func (s *search) budget() budget {
	switch {
	case *long:
		return s.long
	case raceEnabled:
		return budget{0, 1}
	case effort.All():
		return s.always
	case s.always.faults == 0:
		return budget{s.always.changes - 1, 0} // without disturbances to leave out, a class change is left out
	}
	return budget{min(s.always.changes, 1), 0}
}

// eachLine checks two lines at a time: each has one goroutine, and its own model.
func eachLine(t *testing.T, check func(*line, *model)) {
	t.Helper()
	waiting := make(chan *line)
	var running sync.WaitGroup
	for range 2 {
		running.Go(func() {
			for l := range waiting {
				check(l, l.newModel(t))
			}
		})
	}
	for i := range lines {
		waiting <- &lines[i]
	}
	close(waiting)
	running.Wait()
}

// TestModelIsSymmetric: the code answers to the image of a question with the image of its answer. So a search visits
// one of several symmetric states, and asks one of several symmetric questions.
func TestModelIsSymmetric(t *testing.T) {
	eachLine(t, func(l *line, m *model) {
		if l.code.bound > 0 {
			return // a full record takes keys in their order
		}
		if *long {
			for _, tc := range l.searches {
				tc.explore(t, m, budget{1, 0})
			}
		} else {
			l.searches[0].explore(t, m, budget{0, 1})
		}
		asked := maps.Clone(m.questions)
		for q, answer := range asked {
			for g := range symmetries {
				if m.expand(m.questionImage(q, g), nil) != m.nodeImage(answer, g) {
					t.Errorf("symmetry %d does not hold for %+v", g, q)
				}
			}
		}
		t.Logf("%d questions", len(asked))
	})
}

// maxStates bounds the memory: 80 bytes for a state.
const maxStates = 50_000_000
