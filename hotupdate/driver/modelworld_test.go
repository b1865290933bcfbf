package driver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// modelWorld is all that there is at a moment. The moment is always modelNow: the times in the record are moved instead.
type modelWorld struct {
	class  int    // the index of the class; the first one wants nothing
	record string // the annotation
	cloud  modelCloud
	base   string // the value that stays if the class wants nothing
	ours   string // the members that a record had since base was the value
	isOurs bool   // a marker had a value of a since base was the value
	isSent bool   // and it was sent
	budget budget
}

var modelNow = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// modelNext is what an event leads to.
type modelNext struct {
	world   modelWorld
	by      string
	problem string
}

func newModel(t *testing.T, kind modelKind) *model {
	t.Helper()
	m := &model{modelKind: kind, t: t, seen: map[modelWorld]modelStep{}, quiescent: map[modelWorld]bool{}}
	schema, err := hotupdate.SchemaOf[modelSpec]()
	require.NoError(t, err)
	definition := kind.definition
	definition.Schema = schema
	definition.Connect = func(_ context.Context, r *machineupdate.UpdateMachineRequest, _ *modelSpec) (*modelRun, error) {
		return r.Object.(*modelMachine).run, nil
	}
	definition.Resources = func(_ context.Context, run *modelRun) ([]driver.Resource, error) { return run.read(), nil }
	m.kit, err = driver.New(definition)
	require.NoError(t, err)
	for _, spec := range kind.specs {
		prepared, err := new(machineupdate.Classes).Prepare(machineupdate.MachineClass{ProviderSpec: []byte(spec)}, m.kit.Driver())
		require.NoError(t, err)
		m.classes = append(m.classes, prepared)
	}
	return m
}

// roots are machines that nobody ever updated, with what people set by hand, under each class.
func (m *model) roots() []modelWorld {
	var all []modelWorld
	for class := range m.classes {
		all = append(all, modelWorld{class: class, base: m.base, cloud: modelCloud{modelShown: modelShown{value: m.base}}})
	}
	return all
}

// land lets the late request reach the cloud. Nobody hears of its result.
func (m *model) land(w *modelWorld) {
	late := w.cloud.late
	w.cloud.late = ""
	m.lands(&w.cloud, late)
}

// successors are the worlds that one event leads to.
func (m *model) successors(w modelWorld) []modelNext {
	all := m.reconciled(w)
	event := func(by string, change func(*modelWorld)) {
		next := w
		change(&next)
		all = append(all, modelNext{world: next, by: by})
	}
	for class := range m.classes {
		if class != w.class && w.budget.changes > 0 {
			event("the class wants "+m.specs[class], func(w *modelWorld) {
				w.class = class
				w.budget.changes--
			})
		}
	}
	if w.cloud.late != "" {
		event("the late request lands", m.land)
		event("the late request dies", func(w *modelWorld) { w.cloud.late = "" })
	}
	if w.cloud.target != "" {
		event("the change is done", func(w *modelWorld) { w.cloud.ends(true) })
		if w.budget.faults > 0 {
			event("the change fails", func(w *modelWorld) { w.cloud.ends(false); w.budget.faults-- })
		}
	}
	if w.cloud.older != (modelShown{}) {
		event("reads catch up", func(w *modelWorld) { w.cloud.older = modelShown{} })
	}
	return all
}

// reconciled are the worlds that a reconcile leads to, for each way in which its reads, calls and writes can go.
func (m *model) reconciled(w modelWorld) []modelNext {
	var all []modelNext
	for script := []int{}; script != nil; {
		run := m.run(w, script)
		if run.isIdle() {
			if next, ok := m.waited(w, run.delay); ok {
				all = append(all, next)
			}
		} else {
			next := run.world()
			all = append(all, modelNext{next, "reconcile: " + strings.Join(run.told, ", "), run.problem})
		}
		script = run.nextScript()
	}
	return all
}

// waited lets the time pass for which a reconcile waits. A wait as long as ConfirmAfter is long enough for late
// requests and for reads; a change may take longer.
func (m *model) waited(w modelWorld, d time.Duration) (modelNext, bool) {
	isLong := d >= confirmAfter
	isOpen := w.cloud.late != "" || w.cloud.older != (modelShown{})
	if d <= 0 || isLong && isOpen {
		return modelNext{}, false
	}
	w.record = moved(w.record, -d)
	w.cloud.refuses = max(0, w.cloud.refuses-d)
	return modelNext{world: w, by: fmt.Sprint("wait ", d.Round(time.Second))}, true
}

// calmly is what happens next if nothing disturbs, and whether nothing does.
func (m *model) calmly(w modelWorld) (next modelNext, atRest bool) {
	switch {
	case w.cloud.late != "":
		m.land(&w)
	case w.cloud.target != "":
		w.cloud.ends(true)
	case w.cloud.older != (modelShown{}):
		w.cloud.older = modelShown{}
	default:
		run := m.run(w, nil)
		if !run.isIdle() {
			next.world = run.world()
			next.problem = run.problem
			return next, false
		}
		next, ok := m.waited(w, run.delay)
		if !ok {
			return modelNext{problem: m.wrong(&w, m)}, true
		}
		return next, false
	}
	return modelNext{world: w}, false
}

// modelRun is one reconcile. Its choices follow the script, and then are the first ones.
type modelRun struct {
	m        *model
	start    modelWorld
	now      modelWorld
	script   []int
	arity    []int
	delay    time.Duration
	isBusy   bool // it read the cloud or wrote the record
	isMarked bool // it wrote the record
	told     []string
	problem  string
	request  *machineupdate.UpdateMachineRequest
}

// modelMachine is the Machine object, with the run that it is part of.
type modelMachine struct {
	metav1.PartialObjectMetadata
	run *modelRun
}

func (m *model) run(w modelWorld, script []int) *modelRun {
	run := &modelRun{m: m, start: w, now: w, script: script}
	executor := machineupdate.Executor[*modelMachine]{
		Patch: run.patch, UpdateMachine: run.update, Now: func() time.Time { return modelNow },
	}
	result := executor.Reconcile(context.Background(), run.machine(), machineupdate.Observation{
		ProviderID: "i-1", Phase: "Running", Class: m.classes[w.class],
	})
	run.delay = result.RequeueAfter
	return run
}

func (r *modelRun) isIdle() bool { return !r.isBusy }

// world is the world after the run. Retries only make waits longer: few of them stand for all.
func (r *modelRun) world() modelWorld {
	w := r.now
	w.record = moved(w.record, 0)
	if r.isMarked && !strings.Contains(w.record, `"state"`) { // settled by this run
		if r.problem == "" {
			r.problem = r.m.wrong(&w, r.m)
		}
		r.m.settled(&w)
	}
	return w
}

// machine is the Machine as it is now.
func (r *modelRun) machine() *modelMachine {
	object := &modelMachine{run: r}
	object.Name = "m"
	object.ResourceVersion = strconv.Itoa(len(r.told) + 1)
	if r.now.record != "" {
		object.Annotations = map[string]string{machineupdate.AnnotationRecord: r.now.record}
	}
	return object
}

// choose returns the next choice of the script. The first is that nothing is disturbed; the others cost a fault.
func (r *modelRun) choose(names ...string) int {
	if r.now.budget.faults == 0 {
		names = names[:1]
	}
	at := len(r.arity)
	choice := 0
	r.arity = append(r.arity, len(names))
	if at < len(r.script) {
		choice = r.script[at]
	}
	if choice > 0 {
		r.now.budget.faults--
	}
	r.told = append(r.told, names[choice])
	return choice
}

// nextScript is the next in the order of all, nil behind the last.
func (r *modelRun) nextScript() []int {
	choices := make([]int, len(r.arity))
	copy(choices, r.script)
	for at, choice := range slices.Backward(choices) {
		if choice+1 < r.arity[at] {
			return append(choices[:at:at], choice+1)
		}
	}
	return nil
}

// update is the driver.
func (r *modelRun) update(ctx context.Context, request *machineupdate.UpdateMachineRequest) error {
	r.isBusy = true
	r.request = request
	return r.m.kit.UpdateMachine(ctx, request)
}

// read shows the resource, maybe as it was.
func (r *modelRun) read() []driver.Resource {
	shown := r.now.cloud.modelShown
	if r.now.cloud.older != (modelShown{}) && r.choose("read", "read what was before") == 1 {
		shown = r.now.cloud.older
	}
	return []driver.Resource{r.m.resource(shown)}
}

// send sends a request to the cloud, which carries it out unless something is disturbed.
func (r *modelRun) send(call, late string, isRight bool, carryOut func() error) error {
	switch {
	case !isRight:
		r.problem = fmt.Sprintf("%s is sent, which nobody wants: the class wants %s", call, r.m.specs[r.start.class])
	case !r.request.NotBefore.IsZero() || r.request.ReadOnly:
		r.problem = "something is called while the driver is to read only"
	case !r.isMarked || !strings.Contains(r.now.record, `"state"`):
		r.problem = "something is called before the marker is written"
	}
	switch r.choose(call, call+" and no answer", call+" comes late", call+" is lost") {
	case 1:
		_ = carryOut()
		return errLost
	case 2:
		r.now.cloud.late = late
		return errLost
	case 3:
		return errLost
	}
	return carryOut()
}

// patch writes the record.
func (r *modelRun) patch(
	_ context.Context, _ string, _ types.PatchType, data []byte, _ metav1.PatchOptions, _ ...string,
) (*modelMachine, error) {
	r.isBusy = true
	var body struct {
		Metadata struct{ Annotations map[string]*string }
	}
	require.NoError(r.m.t, json.Unmarshal(data, &body))
	outcome := r.choose("write", "the write fails", "the answer to the write is lost")
	if outcome == 1 {
		return nil, errors.New("not written")
	}
	if written := body.Metadata.Annotations[machineupdate.AnnotationRecord]; written != nil {
		r.now.record = *written
		r.isMarked = true
		r.m.marked(&r.now, *written)
	} else {
		r.now.record = ""
	}
	if outcome == 2 {
		return nil, errors.New("no answer")
	}
	return r.machine(), nil
}

const confirmAfter = 15 * time.Minute

// moved moves the times in a record, and leaves out what does not matter: times long past, and how many retries there
// were beyond the first two.
func moved(record string, by time.Duration) string {
	for _, name := range []string{"since", "notBefore"} {
		before, rest, ok := strings.Cut(record, `"`+name+`":"`)
		if !ok {
			continue
		}
		text, after, _ := strings.Cut(rest, `"`)
		at, err := time.Parse(time.RFC3339, text)
		if err == nil {
			at = at.Add(by)
			if oldest := modelNow.Add(-2 * confirmAfter); at.Before(oldest) {
				at = oldest
			}
			record = before + `"` + name + `":"` + at.UTC().Format(time.RFC3339) + `"` + after
		}
	}
	before, rest, ok := strings.Cut(record, `"retries":`)
	if n, after, _ := strings.Cut(rest, ","); ok && n > "2" {
		record = before + `"retries":2,` + after
	}
	return record
}
