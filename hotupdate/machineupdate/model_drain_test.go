package machineupdate_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate/internal/record"
	"github.com/hotupdate/providerconfig/internal/effort"
)

// This file checks every reachable state of the in-place update of one machine: its account is changed in a drain,
// while users make the node schedulable, processes crash between any two steps, requests land late, classes change, and
// records are lost. The real Executor decides.

// drainWorld is a state.
type drainWorld struct {
	record  string // of the lane
	vm      uint8  // the account that the VM has
	late    uint8  // the account that a late request may still set, from 1 on; 0 is none
	wanted  uint8
	live    uint8 // the drain of the node, 0 if it is not drained
	cached  uint8 // the drain in the cache
	changes uint8 // remaining changes of the class
	faults  uint8 // remaining disturbances
}

// stateOf has the inputs of an InPlaceState.
type stateOf struct {
	record string
	wanted uint8
}

// drainModel searches the states. A naive flow replaces a part of what is checked.
type drainModel struct {
	t       *testing.T
	classes [3]*machineupdate.PreparedClass
	first   string // the record of the first lane, which is settled
	naive   string
	seen    map[drainWorld]string // the first path to each state
	settled map[drainWorld]bool   // states from which everything ends well
	states  map[stateOf]machineupdate.InPlaceState
	queue   []drainWorld
	broken  string
}

var accountNames = [3]string{"a", "b", "c"}

func newDrainModel(t *testing.T, naive string) *drainModel {
	t.Helper()
	m := &drainModel{
		t: t, naive: naive, seen: map[drainWorld]string{}, settled: map[drainWorld]bool{}, states: map[stateOf]machineupdate.InPlaceState{},
	}
	for i, name := range accountNames {
		m.classes[i] = laneClass(t, accounts, accountSpec(name))
	}
	r := machineupdate.Record{
		Header: record.Header{ProviderID: "i-1", Schema: m.classes[0].Schema(), Since: modelNow}, Applied: `{"tags":{"k":"1"}}`,
	}
	m.first = r.Annotation()
	return m
}

// script is a run of the code with choices: each choice except 0 is a disturbance.
type script struct {
	choices, arity []int
	next           int
}

func (s *script) choose(w *drainWorld, n int) int {
	if w.faults == 0 {
		n = 1
	}
	if s.next == len(s.choices) {
		s.choices = append(s.choices, 0)
	}
	s.arity = append(s.arity[:s.next], n)
	s.next++
	if s.choices[s.next-1] > 0 {
		w.faults--
	}
	return s.choices[s.next-1]
}

// another prepares the next run, or returns false if there is none.
func (s *script) another() bool {
	for i := s.next - 1; i >= 0; i-- {
		if s.choices[i]+1 < s.arity[i] {
			s.choices = append(s.choices[:i], s.choices[i]+1)
			s.next = 0
			return true
		}
	}
	return false
}

// drainRun is one run of the Executor.
type drainRun struct {
	m       *drainModel
	w       *drainWorld
	s       *script
	version int
	marked  uint8 // the drain of the marker
	looked  bool  // ApplyInPlace has read the node once
	asked   bool
	crashed bool // the process is gone: it no longer reads and writes
}

func (m *drainModel) object(w *drainWorld, version int) *object {
	annotations := map[string]string{machineupdate.AnnotationRecord: m.first}
	if w.record != "" {
		annotations[annotationOf(lane)] = w.record
	}
	return &object{ObjectMeta: metav1.ObjectMeta{Name: "m", ResourceVersion: strconv.Itoa(version), Annotations: annotations}}
}

func (r *drainRun) machine() *object { return r.m.object(r.w, r.version) }

func (r *drainRun) observation() machineupdate.Observation {
	return machineupdate.Observation{
		ProviderID: "i-1", Phase: "InPlaceUpdating", Class: r.m.classes[r.w.wanted], Former: r.m.classes[0],
		Settings: machineupdate.Settings{ConfirmAfter: modelConfirmAfter},
	}
}

func (r *drainRun) executor() *machineupdate.Executor[*object] {
	return &machineupdate.Executor[*object]{Patch: r.patch, UpdateMachine: r.update, Now: func() time.Time { return modelNow }}
}

// patch is the API server: there may be a foreign write before, or the answer is lost, or the process ends after the write.
func (r *drainRun) patch(
	_ context.Context, name string, _ types.PatchType, data []byte, _ metav1.PatchOptions, _ ...string,
) (*object, error) {
	patch, err := readPatch(name, data)
	require.NoError(r.m.t, err)
	if r.crashed {
		return nil, errModel
	}
	choice := r.s.choose(r.w, 3)
	if choice == 1 {
		return nil, errConflict
	}
	r.w.record = patch.Set()[annotationOf(lane)]
	r.version++
	if choice == 2 {
		r.crashed = true
		return nil, errModel
	}
	return r.m.object(r.w, r.version), nil
}

// node reads the node. The first read may be old. Meanwhile a user may have made the node schedulable, and it may have been drained again.
func (r *drainRun) node(context.Context) (machineupdate.DrainedNode, error) {
	if !r.looked {
		r.looked = true
		return nodeOf(r.w.cached), nil
	}
	switch r.s.choose(r.w, 3) {
	case 1:
		r.w.live = 0
	case 2:
		r.w.live = 3 - r.w.cached
	}
	if r.m.naive == "trusts the cache" {
		return nodeOf(r.w.cached), nil
	}
	return nodeOf(r.w.live), nil
}

func nodeOf(drain uint8) machineupdate.DrainedNode {
	return machineupdate.DrainedNode{UID: "u", Drained: modelNow.Add(time.Duration(drain) * time.Second), Unschedulable: drain > 0}
}

// update is the driver and the cloud: a call may fail before and after its effect, time out with a late effect, or only be accepted.
func (r *drainRun) update(ctx context.Context, request *machineupdate.UpdateMachineRequest) error {
	require.Equal(r.m.t, lane, request.Lane)
	desired := uint8(
		strings.Index("abc", strings.TrimSuffix(strings.TrimPrefix(string(request.Parts[0].Desired.JSON()), `{"account":"`), `"}`)),
	)
	r.asked = true
	switch {
	case r.w.vm == desired && (r.w.late == 0 || r.w.late == desired+1):
		return nil
	case r.w.vm == desired:
		return machineupdate.ErrPending // the target is another
	case request.ReadOnly:
		return machineupdate.ErrDiffers
	}
	if err := request.BeforeWrite(ctx); err != nil {
		return err
	}
	if r.w.live == 0 || r.w.live != r.w.cached {
		r.m.broken = "a write begins though the node is not drained as it was when the marker was written"
	}
	switch r.s.choose(r.w, 5) {
	case 1: // before the effect
		return errModel
	case 2: // after it
		r.w.vm = desired
		return errModel
	case 3: // it comes late
		r.w.late = desired + 1
		return errModel
	case 4: // accepted
		r.w.late = desired + 1
		if r.m.naive == "acceptance is success" {
			return nil
		}
		return machineupdate.ErrPending
	}
	r.w.vm = desired
	return nil
}

// state returns the state of the InPlace part.
func (m *drainModel) state(w *drainWorld) machineupdate.InPlaceState {
	key := stateOf{w.record, w.wanted}
	state, known := m.states[key]
	if !known {
		r := drainRun{m: m, w: w, version: 1}
		o := r.observation()
		state = o.InPlace(r.machine())
		m.states[key] = state
	}
	if state == machineupdate.InPlaceUnconfirmed && m.naive == "hands over without a confirmation" {
		return machineupdate.InPlaceApplied
	}
	return state
}

// gate runs ApplyInPlace, and reconcile the rest, with all disturbances.
func (m *drainModel) gate(w drainWorld, s *script) drainWorld {
	r := &drainRun{m: m, w: &w, s: s, version: 1}
	_, ready := r.executor().ApplyInPlace(context.Background(), r.machine(), r.observation(), r.node)
	if ready && r.asked && w.vm != w.wanted {
		m.broken = "the node is ready, and the account is not the wanted one"
	}
	return w
}

func (m *drainModel) reconcile(w drainWorld, s *script) drainWorld {
	r := &drainRun{m: m, w: &w, s: s, version: 1}
	r.executor().Reconcile(context.Background(), r.machine(), r.observation())
	return w
}

// age lets ConfirmAfter pass: requests land or die before.
func (m *drainModel) age(w drainWorld) drainWorld {
	if w.record != "" {
		r, err := record.Parse(w.record)
		require.NoError(m.t, err)
		r.Since = modelThen
		r.Retries = 0
		w.record = r.Annotation()
	}
	w.late = 0
	return w
}

// reach stores a state, and checks it.
func (m *drainModel) reach(from, to drainWorld, by string) {
	if _, known := m.seen[to]; known && m.broken == "" {
		return
	}
	m.seen[to] = fmt.Sprintf(
		"%s\n%s: account %s, late %d, wanted %s, drain %d, cached %d, record %s", m.seen[from], by, accountNames[to.vm], to.late,
		accountNames[to.wanted], to.live, to.cached, to.record,
	)
	m.queue = append(m.queue, to)
	isLost := to.vm != to.wanted || to.late > 0 && to.late != to.wanted+1
	if m.broken == "" && isLost && m.state(&to) == machineupdate.InPlaceApplied {
		m.broken = "the machine may be handed over, and does not keep the wanted account"
	}
	if m.broken == "" {
		m.broken = m.settle(to)
	}
	if m.broken != "" {
		m.broken += m.seen[to]
	}
}

// settle continues without disturbances: the node is drained if necessary, and the applied part is confirmed.
func (m *drainModel) settle(w drainWorld) string {
	w.faults = 0
	w.changes = 0
	var path []drainWorld
	for range 6 {
		w = m.age(w)
		if m.settled[w] {
			return ""
		}
		path = append(path, w)
		switch m.state(&w) {
		case machineupdate.InPlaceApplied:
			if w.vm != w.wanted {
				return "the machine is handed over with another account"
			}
			for _, passed := range path {
				m.settled[passed] = true
			}
			return ""
		case machineupdate.InPlaceUnconfirmed:
			w = m.reconcile(w, &script{})
		case machineupdate.InPlaceUnknown, machineupdate.InPlacePending, machineupdate.InPlaceUnable:
			w.live = 1
			w.cached = 1
			w = m.gate(w, &script{})
		}
	}
	return "the machine is never handed over"
}

func (m *drainModel) each(w drainWorld, by string, run func(w drainWorld, s *script) drainWorld) {
	for s := (&script{}); ; {
		m.reach(w, run(w, s), by)
		if m.broken != "" || !s.another() {
			return
		}
	}
}

// expand takes every step that is possible.
func (m *drainModel) expand(w drainWorld) {
	m.each(w, "reconcile", m.reconcile)
	if w.cached > 0 {
		m.each(w, "gate", m.gate)
	}
	step := func(by string, change func(n *drainWorld)) {
		if n := w; m.broken == "" {
			change(&n)
			m.reach(w, n, by)
		}
	}
	step("time passes", func(n *drainWorld) { *n = m.age(*n) })
	step("the cache catches up", func(n *drainWorld) { n.cached = n.live })
	if w.late > 0 {
		step("a late request lands", func(n *drainWorld) {
			n.vm = n.late - 1
			n.late = 0
		})
	}
	if state := m.state(&w); w.live == 0 && (state == machineupdate.InPlaceUnknown || state == machineupdate.InPlacePending) {
		step("the node is drained", func(n *drainWorld) {
			n.live = 1
			n.cached = 1
		})
	}
	if w.changes > 0 {
		for wanted := range uint8(len(accountNames)) {
			step("the class changes", func(n *drainWorld) {
				n.wanted = wanted
				n.changes--
			})
		}
	}
	if w.faults > 0 {
		step("a user makes the node schedulable", func(n *drainWorld) {
			n.live = 0
			n.faults--
		})
		step("the record is lost", func(n *drainWorld) {
			n.record = ""
			n.faults--
		})
	}
}

// drainFaults is the number of disturbances in a search.
func drainFaults() uint8 {
	switch {
	case *long:
		return 4
	case effort.All():
		return 2
	}
	return 1
}

// search visits every state, until a promise is broken.
func (m *drainModel) search() string {
	settled := machineupdate.Record{
		Header: record.Header{ProviderID: "i-1", Schema: m.classes[0].Schema(), Since: modelThen}, Applied: `{"account":"a"}`,
	}
	for _, known := range []string{settled.Annotation(), ""} {
		w := drainWorld{record: known, wanted: 1, changes: 2, faults: drainFaults()}
		m.reach(w, w, "begin")
	}
	for len(m.queue) > 0 && m.broken == "" {
		w := m.queue[0]
		m.queue = m.queue[1:]
		m.expand(w)
	}
	return m.broken
}

// TestDrainModel: in every state a write begins only in the drain of its marker. A machine becomes ready only with an
// account that stays, and becomes ready eventually.
func TestDrainModel(t *testing.T) {
	m := newDrainModel(t, "")
	require.Empty(t, m.search())
	t.Logf("%d states", len(m.seen))
	require.Greater(t, len(m.seen), 2000*int(drainFaults()))
}

// TestDrainModelFinds: naive flows break a promise.
func TestDrainModelFinds(t *testing.T) {
	for naive, want := range map[string]string{
		"trusts the cache":                  "a write begins though the node is not drained",
		"acceptance is success":             "the node is ready, and the account is not the wanted one",
		"hands over without a confirmation": "does not keep the wanted account",
	} {
		t.Run(naive, func(t *testing.T) {
			m := newDrainModel(t, naive)
			found := m.search()
			require.Contains(t, found, want)
			t.Log(found)
		})
	}
}
