package machineupdate_test

import (
	"flag"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// By symmetry of keys and values these three classes stand for all.
var rootClasses = []tagset{0, tagset(0).with(0, 1), tagset(0).with(0, 1).with(1, 1)}

// roots are the states in which the model begins.
func (m *model) roots() []world {
	var all []world
	for _, class := range rootClasses {
		for _, w := range m.from(m) {
			if w.record != 0 && m.isOwn(w.record) && w.class != class {
				continue
			}
			w.class, w.classes, w.changes, w.faults = class, [2]tagset{class, class}, m.changes, m.faults
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
	r := m.parse(id)
	return r.ProviderID == "i-1" || r.Creating == "m"
}

// adoptable makes a VM as it was before hot updates were: with the tags of its class, and without a record.
func (w *world) adoptable() {
	w.vm, w.ready, w.known = true, true, true
	for r := range 1 + int(w.revision) {
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
		q := question{class: class, able: true, revision: 1}
		w.record = m.intern(machineupdate.Record{ProviderID: "i-1", Schema: m.class(q).Schema(), Applied: m.class(q).Hot()})
		all = append(all, w)
	}
	return all
}

func adopted(*model) []world { return []world{{phase: phaseRunning, ability: capable, revision: 1}} }

func created(*model) []world { return []world{{ability: capable, revision: 1}} }

// copied are machines with the record of another one, as templates copy annotations.
func copied(m *model) []world {
	var all []world
	q := question{class: rootClasses[1], able: true, revision: 1}
	for _, r := range []machineupdate.Record{
		{ProviderID: "i-0", State: machineupdate.Settled},
		{ProviderID: "i-0", State: machineupdate.Unconfirmed, Attempted: []machineupdate.Hot{m.hot(rootClasses[2])}},
		{ProviderID: "i-0", State: machineupdate.Calling, Attempted: []machineupdate.Hot{m.hot(rootClasses[2])}},
		{Creating: "n", State: machineupdate.Calling, Attempted: []machineupdate.Hot{m.hot(rootClasses[2])}},
	} {
		r.Schema, r.Applied = m.class(q).Schema(), m.class(q).Hot()
		if r.Creating != "" {
			r.Applied = ""
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

var long = flag.Bool("long", false, "check the model with larger budgets: tens of millions of states, minutes and gigabytes; raise -timeout")

// budget is how often the class changes, and how many disturbances there are: crashes, failures, late requests, stale reads, edits by
// others, conflicts, the loss of the lease, a migration.
type budget struct{ changes, faults uint8 }

// TestModel looks at every state that can be reached within the budgets, from machines that were there before hot updates were, from machines
// that are settled, from machines that are to be created, and from drivers that learn to update during the search.
func TestModel(t *testing.T) {
	total := 0
	for _, tc := range []struct {
		name   string
		from   func(*model) []world
		events events
		always budget
		long   budget
		race   budget
	}{
		{"settled", settled, 0, budget{2, 1}, budget{2, 2}, budget{1, 1}},
		{"adopted", adopted, 0, budget{2, 1}, budget{3, 1}, budget{1, 1}},
		{"created", created, 0, budget{2, 1}, budget{2, 2}, budget{1, 1}},
		{"disturbed", settled, 0, budget{1, 2}, budget{1, 3}, budget{0, 2}},
		{"learning", learning, 0, budget{1, 1}, budget{2, 1}, budget{1, 0}},
		{"lagging", settled, staleRecords, budget{2, 1}, budget{2, 2}, budget{1, 1}},
		{"withdrawn", settled, withdrawals, budget{1, 2}, budget{2, 2}, budget{1, 1}},
		{"doomed", settled, dooms, budget{1, 1}, budget{2, 1}, budget{1, 1}},
		{"wrong clocks", settled, wrongClocks, budget{2, 1}, budget{2, 2}, budget{1, 1}},
		{"restored", settled, backups, budget{2, 1}, budget{2, 2}, budget{1, 1}},
		{"copied", copied, 0, budget{1, 1}, budget{2, 1}, budget{1, 0}},
		{"paused", settled, pauses, budget{1, 2}, budget{2, 2}, budget{1, 1}},
		{"unreadable class", unread, classStates, budget{1, 1}, budget{2, 1}, budget{1, 0}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := tc.always
			if raceEnabled {
				b = tc.race
			}
			if *long {
				b = tc.long
			}
			m := newModel(t, flow{}, tc.from)
			m.events, m.changes, m.faults = tc.events, b.changes, b.faults
			begin := time.Now()
			found := explore(t, m, maxStates)
			t.Logf("%d class changes, %d disturbances: %d states, depth %d, %d records, %d questions, %d nodes, %d plans, %d closures in %v", b.changes, b.faults,
				found.states, found.depth, len(m.records.values), len(m.questions), len(m.nodes.values), len(m.plans), len(m.settled), time.Since(begin))
			assert.Empty(t, found.violation, strings.Join(found.trace, "\n"))
			assert.True(t, found.whole, "every state")
			total += found.states
		})
	}
	t.Logf("%d states", total)
	assert.True(t, !*long || total >= 10_000_000, "a long run sees ten million states")
}

// maxStates bounds the memory: 40 bytes for a state.
const maxStates = 50_000_000
