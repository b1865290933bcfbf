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
			if w.record != 0 && w.class != class {
				continue
			}
			w.class, w.formerClass, w.changes, w.faults = class, class, m.changes, m.faults
			w.formerRecord = w.record
			if w.running && w.record == 0 {
				w.adoptable()
			}
			w.normalize(&m.flow)
			all = append(all, w)
		}
	}
	return all
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
		w.record = m.intern(machineupdate.Record{ProviderID: "i-1", Schema: m.classes[1][0].Schema(), Applied: m.classes[1][class].Hot()})
		all = append(all, w)
	}
	return all
}

func adopted(*model) []world { return []world{{running: true, ability: capable, revision: 1}} }

func created(*model) []world { return []world{{ability: capable, revision: 1}} }

func learning(*model) []world {
	return []world{
		{running: true, ability: capable},
		{running: true, ability: claiming, revision: 1},
		{running: true, ability: incapable, revision: 1},
		{ability: capable},
		{ability: incapable, revision: 1},
	}
}

var long = flag.Bool("long", false, "check the model with larger budgets: 31 million states, minutes and gigabytes; raise -timeout")

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
		always budget
		long   budget
		race   budget
	}{
		{"settled", settled, budget{3, 1}, budget{2, 2}, budget{1, 1}},
		{"adopted", adopted, budget{2, 1}, budget{3, 1}, budget{1, 1}},
		{"created", created, budget{2, 1}, budget{2, 2}, budget{1, 1}},
		{"disturbed", settled, budget{1, 2}, budget{1, 3}, budget{0, 2}},
		{"learning", learning, budget{1, 1}, budget{2, 1}, budget{1, 0}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := tc.always
			if raceEnabled {
				b = tc.race
			}
			if *long {
				b = tc.long
			}
			m := newModel(t, flow{}, b.changes, b.faults)
			m.from = tc.from
			begin := time.Now()
			found := explore(t, m, maxStates)
			t.Logf("%d class changes, %d disturbances: %d states, depth %d, %d records, %d decisions, %d plans, %d closures in %v", b.changes, b.faults,
				found.states, found.depth, len(m.records.texts), len(m.decisions), len(m.plans), len(m.settled), time.Since(begin))
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
