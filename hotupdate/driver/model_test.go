package driver_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/internal/effort"
)

// The model looks at every state that a machine and its resource can reach: the real Executor and the real kit change a
// group of two attributes in a cloud that changes them asynchronously and then refuses further changes for six hours,
// or a set in a cloud that changes it at once. This file searches; modelcloud_test.go is the cloud, modelworld_test.go
// what happens in it, modelgroup_test.go and modelset_test.go what the driver and its promises are.

// TestModel: in every state within the budgets nothing is written that nobody wants, nothing is called while a refusal
// lasts, and what settles is as desired; and from every state the machine comes to rest if nothing more happens.
func TestModel(t *testing.T) {
	isShort := raceEnabled || !effort.All()
	t.Run("group", func(t *testing.T) {
		budgets := []budget{{changes: 2, faults: 1}, {changes: 1, faults: 2}}
		if isShort {
			budgets = []budget{{changes: 1, faults: 1}}
		}
		searchAll(t, groupModel(), budgets...)
	})
	t.Run("set", func(t *testing.T) {
		budgets := []budget{{changes: 3, faults: 1}, {changes: 2, faults: 2}}
		if isShort {
			budgets = []budget{{changes: 2, faults: 1}}
		}
		searchAll(t, setModel(), budgets...)
	})
}

func searchAll(t *testing.T, kind modelKind, budgets ...budget) {
	t.Helper()
	for _, b := range budgets {
		m := newModel(t, kind)
		assert.Empty(t, m.search(b))
		t.Logf("%+v: %d states, %d transitions, %d quiescent", b, len(m.seen), m.transitions, len(m.quiescent))
		assert.Greater(t, len(m.seen), 1_000, "the model is meant to look at many states")
	}
}

// modelKind is what the driver of a model changes, and what that promises.
type modelKind struct {
	definition driver.Definition[modelSpec, *modelRun] // without Schema and connection
	specs      []string                                // the provider specs of the classes
	base       string                                  // the value that people have set by hand
	resource   func(shown modelShown) driver.Resource
	lands      func(c *modelCloud, late string)     // lets a late request reach the cloud
	marked     func(w *modelWorld, record string)   // a record is written
	wrong      func(w *modelWorld, m *model) string // says what is wrong with a machine at rest
	settled    func(w *modelWorld)                  // a record without state is written
}

// budget is how often the class changes, and how many disturbances there are: lost answers, failing changes and writes, lagging reads.
type budget struct{ changes, faults int8 }

// model searches. Worlds are values: an event makes another one.
type model struct {
	modelKind

	t           *testing.T
	kit         *driver.Kit[modelSpec, *modelRun]
	classes     []*machineupdate.PreparedClass
	seen        map[modelWorld]modelStep
	quiescent   map[modelWorld]bool
	transitions int
}

// modelStep is how a world was reached.
type modelStep struct {
	from modelWorld
	by   string
}

// search returns what is wrong with the first world that breaks a promise, and how it was reached.
func (m *model) search(b budget) string {
	var open []modelWorld
	visit := func(w modelWorld, step modelStep) {
		if _, ok := m.seen[w]; !ok {
			m.seen[w] = step
			open = append(open, w)
		}
	}
	for _, w := range m.roots() {
		w.budget = b
		visit(w, modelStep{})
	}
	for len(open) > 0 {
		w := open[0]
		open = open[1:]
		if problem := m.comesToRest(w); problem != "" {
			return problem + m.trace(w)
		}
		for _, next := range m.successors(w) {
			m.transitions++
			if next.problem != "" {
				return next.problem + m.trace(w) + "\n" + next.by
			}
			visit(next.world, modelStep{w, next.by})
		}
	}
	return ""
}

// trace says how a world was reached.
func (m *model) trace(w modelWorld) string {
	var lines []string
	for step := m.seen[w]; step.by != ""; step = m.seen[step.from] {
		lines = append(lines, step.by)
	}
	slices.Reverse(lines)
	return "\n" + strings.Join(lines, "\n")
}

// maxSteps is more than any world needs to come to rest.
const maxSteps = 200

// comesToRest lets time pass without disturbances, and returns what is wrong if the machine does not come to rest, or not as desired.
func (m *model) comesToRest(w modelWorld) string {
	w.budget = budget{}
	var path []modelWorld
	for range maxSteps {
		if m.quiescent[w] {
			break
		}
		path = append(path, w)
		next, atRest := m.calmly(w)
		if next.problem != "" {
			return next.problem
		}
		if atRest {
			break
		}
		w = next.world
	}
	if len(path) == maxSteps {
		return fmt.Sprintf("never comes to rest: %+v", w)
	}
	for _, passed := range path {
		m.quiescent[passed] = true
	}
	return ""
}

// modelSpec is the provider spec of the models. Attribute b always has its default if a is set.
type modelSpec struct {
	A int      `json:"a,omitempty" hotupdatable:"true"`
	M []string `json:"m,omitempty" hotupdatable:"true,set"`
}
