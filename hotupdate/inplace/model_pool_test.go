package inplace_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/inplace"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/internal/effort"
)

// selector decides for a pool: [inplace.Select], or a naive one.
type selector func(p inplace.MachineDeployment) inplace.Selection

func oursSelect(p inplace.MachineDeployment) inplace.Selection {
	s, err := inplace.Select(p)
	if err != nil {
		panic(err)
	}
	return s
}

// poolModel is a pool with two controllers, of which one acts on an old view of the machines. What happens to a node under update is left
// to the model of nodes.
type poolModel struct {
	selector           selector
	strategy           hotupdate.Strategy
	replicas           int8
	unavailable, surge int8
	chosen             string // the machine with a low priority; none if it is empty
	chooses            bool   // the autoscaler gives and takes low priorities
	faults             int8
	decisions          map[decisionInput]decision // those of the selector so far
}

type decisionInput struct {
	seen     machineStates
	record   promises
	replicas int8
	chosen   set // with a low priority
	isPaused bool
}

type decision struct {
	record    promises
	isBlocked bool
	forUser   bool // a machine waits for its user
	noRoom    bool // it creates a machine that the model has no room for
}

// machineState is a machine in the model.
type machineState uint8

const (
	absent     machineState = iota
	unborn                  // has no node, owned by the target's MachineSet
	stillborn               // has no node, owned by another one
	idle                    // needs the update
	deselected              // needs the update, and its user has deselected it
	spared                  // needs the update, has failed, and is preserved
	down                    // needs the update, and is not available
	selected                // under update
	held                    // selected, has failed before it was cordoned, and is preserved
	failed                  // the update has failed
	fresh                   // updated, and not available
	updated                 // updated, and available
	terminating
)

const slots = 8

// machineNames are the machines that the pool begins with, from the front, and those that rollouts create, from the back.
var machineNames = [slots]string{"m-0", "m-1", "m-2", "m-3", "m-4", "t-2", "t-1", "t-0"}

type machineStates [slots]machineState

// promises are those of the record, by machine.
type promises struct{ selects, creates, deletes set }

// set is a set of machines.
type set uint8

func (s set) has(i int) bool { return s&(1<<i) != 0 }

type poolWorld struct {
	machines machineStates
	record   promises
	replicas int8
	faults   int8
	chosen   set  // the machines with a low priority
	view     view // of one controller, after the MachineDeployment had become what it is now
}

// view is what a controller has seen. The zero value has seen nothing.
type view struct {
	isTaken  bool
	machines machineStates
	chosen   set
	lost     int8 // how many machines have become unavailable since then, by themselves or by their user
}

// present is the view of a controller that looks now.
func (w poolWorld) present() view { return view{isTaken: true, machines: w.machines, chosen: w.chosen} }

// isUp reports whether a machine in a state is available.
func isUp(state machineState) bool { return state == idle || state == deselected || state == updated }

// become changes the state of a machine. The priority goes with the machine.
func become(w *poolWorld, i int, state machineState) {
	w.machines[i] = state
	if state == absent {
		w.chosen &^= 1 << i
	}
}

func (m poolModel) start() poolWorld {
	w := poolWorld{replicas: m.replicas, faults: m.faults}
	if i := slices.Index(machineNames[:], m.chosen); i >= 0 {
		w.chosen = 1 << i
	}
	for i := range m.replicas {
		w.machines[i] = idle
	}
	return w
}

func (w poolWorld) isAvailable(i int) bool {
	return isUp(w.machines[i]) && !w.record.selects.has(i) && !w.record.deletes.has(i)
}

func (w poolWorld) available() (n int8) {
	for i := range slots {
		if w.isAvailable(i) {
			n++
		}
	}
	return n
}

func (m poolModel) observe(w poolWorld, seen view, isPaused bool) inplace.MachineDeployment {
	p := inplace.MachineDeployment{
		Paused: isPaused,
		Target: "t", Revision: 2, Strategy: m.strategy, Replicas: int(w.replicas), Record: w.record.text(),
		MaxUnavailable: intstr.FromInt32(int32(m.unavailable)), MaxSurge: intstr.FromInt32(int32(m.surge)),
	}
	for i, state := range seen.machines {
		if state != absent {
			p.Machines = append(p.Machines, observed(machineNames[i], state))
			if seen.chosen.has(i) {
				p.Machines[len(p.Machines)-1].Annotations = map[string]string{machinePriority: "1"}
			}
		}
	}
	return p
}

// observed is a machine in a state.
func observed(name string, state machineState) inplace.Machine {
	m := inplace.Machine{
		Name: name, Owner: "former", Phase: "Running", InPlace: machineupdate.InPlacePending,
		Node: &inplace.Node{Reason: "CandidateForUpdate"},
	}
	labels := map[string]string{}
	switch state {
	case idle, down:
		labels[candidateLabel] = "true"
		m.Available = state == idle
	case spared:
		labels[candidateLabel] = "true"
		m.Phase = "Failed"
		m.Preserved = true
	case held:
		labels[candidateLabel] = "true"
		labels[inplace.SelectedLabel] = "true"
		m.Phase = "Failed"
		m.Preserved = true
		m.Node.Annotations = map[string]string{inplace.SelectionAnnotation: "2"}
	case deselected:
		labels[candidateLabel] = "true"
		m.Available = true
		m.Node.Annotations = map[string]string{inplace.SelectionAnnotation: "2"}
	case selected, failed:
		labels[inplace.SelectedLabel] = "true"
		m.Available = true // until it is drained
		m.Node.Annotations = map[string]string{inplace.RolloutAnnotation: `{"revision":2,"cordoned":true}`}
		if state == failed {
			labels[resultLabel] = "failed"
			m.Node.Reason = "UpdateFailed"
		}
	case fresh, updated:
		m.Owner = "t"
		m.Available = state == updated
		m.Node.Reason = ""
		m.InPlace = machineupdate.InPlaceApplied
	case unborn:
		m.Owner = "t"
		m.Node = nil
	case stillborn:
		m.Node = nil
	case terminating:
		m.Phase = "Terminating"
	case absent:
	}
	if m.Node == nil {
		return m
	}
	m.Node.Labels = labels
	if len(labels) > 0 {
		if m.Node.Annotations == nil {
			m.Node.Annotations = map[string]string{}
		}
		m.Node.Annotations[scaleDownDisabled] = "true"
		m.Node.Annotations[scaleDownDisabledByMCM] = "true"
	}
	return m
}

// text is the record as it is annotated.
func (r promises) text() string {
	names := func(promised set) (sorted []string) {
		for i, name := range machineNames {
			if promised.has(i) {
				sorted = append(sorted, name)
			}
		}
		return sorted
	}
	if r == (promises{}) {
		return ""
	}
	text, err := json.Marshal(map[string][]string{"select": names(r.selects), "create": names(r.creates), "delete": names(r.deletes)})
	if err != nil {
		panic(err)
	}
	return string(text)
}

// named is a record as it is annotated.
type named struct{ Select, Create, Delete []string }

func promisesNamed(text string) (lists named) {
	if text == "" {
		return lists
	}
	if err := json.Unmarshal([]byte(text), &lists); err != nil {
		panic(err)
	}
	return lists
}

func promisesOf(text string) promises {
	lists := promisesNamed(text)
	of := func(names []string) (s set) {
		for _, name := range names {
			if i := slices.Index(machineNames[:], name); i >= 0 { // the model has no room for more
				s |= 1 << i
			}
		}
		return s
	}
	return promises{of(lists.Select), of(lists.Create), of(lists.Delete)}
}

// decide lets a controller decide on what it has seen, and write the record if that differs.
func (m poolModel) decide(w poolWorld, seen view, isPaused bool) (poolWorld, decision, error) {
	input := decisionInput{seen.machines, w.record, w.replicas, seen.chosen, isPaused}
	d, known := m.decisions[input]
	if !known {
		s := m.selector(m.observe(w, seen, isPaused))
		d = decision{
			record:    promisesOf(s.Record),
			isBlocked: len(s.Progress[inplace.StateFailed])+len(s.Progress[inplace.StateUnavailable])+len(s.Create) > 0,
		}
		d.forUser = len(s.Progress[inplace.StateWaitingForUser]) > 0
		d.noRoom = len(s.Create) > 0 && d.record.creates == 0
		m.decisions[input] = d
	}
	was := w
	w.record = d.record
	if w.record != was.record {
		w.view = view{}
	}
	if isPaused && w.begins(was, seen) {
		return w, d, errors.New("a paused rollout goes on")
	}
	return w, d, m.check(was, w, seen)
}

// begins reports whether a decision selects a machine, or creates one that the pool does not lack.
func (w poolWorld) begins(was poolWorld, seen view) bool {
	creates := w.record.creates &^ was.record.creates
	return w.record.selects&^was.record.selects != 0 || creates != 0 && w.total(seen) > w.replicas
}

// total is how many machines there will be once a record is carried out.
func (w poolWorld) total(seen view) (n int8) {
	for i, state := range seen.machines {
		stays := w.machines[i] != absent && w.machines[i] != terminating && !w.record.deletes.has(i)
		if stays || w.record.creates.has(i) {
			n++
		}
		if state == terminating && w.machines[i] != terminating { // created a second time
			n--
		}
	}
	return n
}

// check holds a decision against what is promised. A machine that was seen down may have come up since.
func (m poolModel) check(was, w poolWorld, seen view) error {
	took := false
	creates := false
	for i, state := range seen.machines {
		selects := w.record.selects.has(i) && !was.record.selects.has(i)
		deletes := w.record.deletes.has(i) && !was.record.deletes.has(i)
		if selects || deletes {
			took = took || isUp(state) && was.isAvailable(i)
		}
		if state == deselected && w.record.selects.has(i) {
			return errors.New("a machine that its user has deselected is selected")
		}
		creates = creates || w.record.creates.has(i) && !was.record.creates.has(i)
		if selects && m.strategy == hotupdate.ManualInPlaceUpdate {
			return errors.New("a machine of a manual pool is selected")
		}
	}
	switch {
	case w.keepsChosen(was, seen):
		return errors.New("another machine goes instead of the chosen one")
	case took && w.available()+seen.lost < w.replicas-m.unavailable:
		return errors.New("an available machine is taken below the minimum")
	case creates && w.total(seen) > w.replicas+m.surge:
		return errors.New("more machines than replicas and surge are created")
	}
	return nil
}

// keepsChosen reports whether a decision keeps a machine with a low priority in a pool of its
// size, and deletes an available one without. At the end of a surge, an updated machine stays instead
// of one that needs the update.
func (w poolWorld) keepsChosen(was poolWorld, seen view) bool {
	kept := 0
	isKept := func(i int) bool {
		exists := seen.machines[i] != absent && seen.machines[i] != terminating
		return exists && !w.record.deletes.has(i)
	}
	deletes := map[machineState]bool{} // available machines that nobody has chosen
	for i, state := range seen.machines {
		if isKept(i) || w.record.creates.has(i) {
			kept++
		}
		if w.record.deletes.has(i) && !was.record.deletes.has(i) && !seen.chosen.has(i) {
			deletes[state] = true
		}
	}
	for i, state := range seen.machines {
		deletesOld := deletes[idle] || deletes[deselected]
		isWorse := deletes[updated] || deletesOld && state != updated
		isPreserved := state == spared || state == held
		isChosen := isKept(i) && seen.chosen.has(i) && !isPreserved
		if isWorse && isChosen && kept <= int(w.replicas) {
			return true
		}
	}
	return false
}

// executed are the worlds after one promise is kept, by whoever has read it.
func (m poolModel) executed(w poolWorld) (worlds []poolWorld) {
	for i := range slots {
		after := w
		needsUpdate := w.machines[i] == idle || w.machines[i] == down
		switch {
		case w.record.selects.has(i) && needsUpdate && m.strategy != hotupdate.ManualInPlaceUpdate:
			become(&after, i, selected)
		case w.record.creates.has(i) && w.machines[i] == absent:
			become(&after, i, unborn)
		case w.record.deletes.has(i) && w.machines[i] != absent:
			become(&after, i, terminating)
		}
		if after != w {
			worlds = append(worlds, after)
		}
	}
	return worlds
}

// progress is what becomes of machines without failures; no entry: nothing.
var progress = map[machineState]machineState{
	unborn: fresh, stillborn: down, down: idle, selected: fresh, failed: fresh, fresh: updated, terminating: absent, spared: terminating,
	held: terminating,
}

// mishaps are what else can become of machines.
var mishaps = map[machineState][]machineState{
	idle: {down, spared, terminating}, spared: {idle}, down: {terminating}, selected: {failed, idle, deselected, held, terminating},
	held: {selected}, deselected: {idle, selected, terminating}, failed: {selected, terminating},
	fresh: {terminating}, updated: {fresh, terminating}, unborn: {terminating}, stillborn: {terminating},
}

// events are all that can happen in a state, beside the decisions of controllers.
func (m poolModel) events(w poolWorld) []poolWorld {
	all := m.executed(w)
	for i, state := range w.machines {
		if next, ok := progress[state]; ok {
			after := w
			become(&after, i, next)
			all = append(all, after)
		}
		for _, next := range mishaps[state] {
			if w.faults > 0 {
				after := w
				become(&after, i, next)
				after.faults--
				if w.view.isTaken && isUp(state) && !isUp(next) {
					after.view.lost++
				}
				all = append(all, after)
			}
		}
		if m.strategy == hotupdate.ManualInPlaceUpdate && state == idle { // by the user
			after := w
			become(&after, i, selected)
			if w.view.isTaken {
				after.view.lost++
			}
			all = append(all, after)
		}
	}
	if !w.view.isTaken {
		after := w
		after.view = w.present()
		all = append(all, after)
	}
	if w.faults > 0 {
		all = append(all, w.scaled(1), w.scaled(-1), w.superseded())
		all = append(all, m.choices(w)...)
	}
	return all
}

// choices are the worlds after the autoscaler has chosen a machine, or no longer chooses it.
func (m poolModel) choices(w poolWorld) (worlds []poolWorld) {
	for i := range slots {
		if m.chooses && w.machines[i] != absent {
			after := w
			after.chosen ^= 1 << i
			after.faults--
			worlds = append(worlds, after)
		}
	}
	return worlds
}

// scaled is the world after the user has changed the replicas.
func (w poolWorld) scaled(by int8) poolWorld {
	w.replicas = max(0, min(3, w.replicas+by))
	w.faults--
	w.view = view{}
	return w
}

// superseded is the world after the user has changed the target. A node under update goes on for the new one.
func (w poolWorld) superseded() poolWorld {
	for i, state := range w.machines {
		w.machines[i] = map[machineState]machineState{
			unborn: stillborn, fresh: down, updated: idle, deselected: idle, failed: selected,
		}[state]
		if w.machines[i] == absent {
			w.machines[i] = state
		}
	}
	w.faults--
	w.view = view{}
	return w
}

// explore visits every state, and returns the first broken promise with the way there.
func (m poolModel) explore() (states int, err error) {
	m.decisions = map[decisionInput]decision{}
	from := map[poolWorld]poolWorld{m.start(): {}}
	good := [6]map[poolWorld]bool{{}, {}, {}, {}, {}, {}}
	for queue := []poolWorld{m.start()}; len(queue) > 0; {
		w := queue[0]
		queue = queue[1:]
		next := m.events(w)
		seen := []view{w.present()}
		if w.view.isTaken {
			seen = append(seen, w.view)
		}
		var err error
		for i := 0; err == nil && i < 2*len(seen); i++ {
			var after poolWorld
			after, _, err = m.decide(w, seen[i/2], i%2 == 1)
			next = append(next, after)
		}
		for i, env := range poolEnvironments {
			if err == nil {
				err = m.ends(w, env, good[i])
			}
		}
		if err != nil {
			return len(from), fmt.Errorf("%w%s", err, trail(from, w))
		}
		for _, after := range next {
			if _, seen := from[after]; !seen {
				from[after] = w
				queue = append(queue, after)
			}
		}
	}
	return len(from), nil
}

// poolEnvironment is what never gets better.
type poolEnvironment struct {
	name     string
	stuck    []machineState
	isPaused bool
}

var poolEnvironments = [6]poolEnvironment{
	{name: "all is well"},
	{name: "failed updates stay", stuck: []machineState{failed}},
	{name: "no machine joins", stuck: []machineState{unborn, stillborn}},
	{name: "machines stay down", stuck: []machineState{down, fresh}},
	{name: "failed machines stay preserved", stuck: []machineState{spared, held}},
	{name: "paused", isPaused: true},
}

// ends lets everybody do their work from a state on: the pool must end updated, or say what it waits for.
func (m poolModel) ends(w poolWorld, env poolEnvironment, good map[poolWorld]bool) error {
	w.faults = 0
	w.view = view{}
	var way []poolWorld
	for !good[w] {
		if len(way) > 100 {
			return fmt.Errorf("goes on for ever, %s: %+v", env.name, w)
		}
		way = append(way, w)
		after, d, err := m.decide(w, w.present(), env.isPaused)
		if err == nil {
			after = m.fair(after, env)
			if after == w {
				err = m.isEnd(w, d, env)
				good[w] = true
			}
		}
		if err != nil {
			return fmt.Errorf("%w, %s: %+v", err, env.name, w)
		}
		w = after
	}
	for _, w := range way {
		good[w] = true
	}
	return nil
}

// fair is one round in which everybody acts who can. A machine that exists already is not created again.
func (m poolModel) fair(w poolWorld, env poolEnvironment) poolWorld {
	promised := w.record.selects
	if env.isPaused {
		w.record.selects = 0
	}
	for {
		next := m.executed(w)
		if len(next) == 0 {
			break
		}
		w = next[0]
	}
	w.record.selects = promised
	for i, state := range w.machines {
		next, ok := progress[state]
		if ok && !slices.Contains(env.stuck, state) {
			become(&w, i, next)
		}
		isWaiting := state == idle || state == deselected
		if m.strategy == hotupdate.ManualInPlaceUpdate && isWaiting && !env.isPaused {
			w.machines[i] = selected
		}
	}
	return w
}

// isEnd reports what is wrong with a state in which nobody acts any more.
func (m poolModel) isEnd(w poolWorld, d decision, env poolEnvironment) error {
	left := int8(0)
	if d.noRoom {
		return nil
	}
	if env.isPaused {
		return w.isPausedEnd(d)
	}
	if m.couldSelect(w) {
		return errors.New("a machine waits that could be updated")
	}
	for _, state := range w.machines {
		switch {
		case state == updated:
			left++
		case state == absent:
		case state == deselected && d.forUser:
			return nil
		case len(env.stuck) == 0 || !d.isBlocked:
			return errors.New("waits in silence")
		default:
			return nil
		}
	}
	if left != w.replicas || d.record != (promises{}) {
		return fmt.Errorf("ends with %d machines", left)
	}
	return nil
}

// couldSelect reports whether a machine waits although the pool needs it and has room for its update. Only machines
// that run the target, or are about to, make its update unnecessary.
func (m poolModel) couldSelect(w poolWorld) bool {
	upToDate := int8(0)
	waits := false
	for i, state := range w.machines {
		if state == fresh || state == updated {
			upToDate++
		}
		waits = waits || state == idle && !w.record.selects.has(i)
	}
	isNeeded := waits && upToDate < w.replicas
	isAuto := m.strategy == hotupdate.AutoInPlaceUpdate
	return isNeeded && isAuto && w.available() > w.replicas-m.unavailable
}

// isPausedEnd reports what is wrong with a state in which nobody acts any more because of the pause.
func (w poolWorld) isPausedEnd(d decision) error {
	left := int8(0)
	for _, state := range w.machines {
		if isUp(state) {
			left++
		} else if state != absent {
			return fmt.Errorf("ends with a machine in state %d", state)
		}
	}
	isOpen := d.record.creates != 0 || d.record.deletes != 0
	if left < w.replicas || isOpen {
		return fmt.Errorf("ends with %d machines", left)
	}
	return nil
}

// poolModels are the models of the test, with the faults that the test takes every time, and with -long.
var poolModels = map[string]struct {
	poolModel

	long int8
}{
	"one after the other": {poolModel{replicas: 3, unavailable: 1, faults: 1, strategy: hotupdate.AutoInPlaceUpdate}, 2},
	"one of two":          {poolModel{replicas: 2, unavailable: 1, faults: 2, strategy: hotupdate.AutoInPlaceUpdate}, 3},
	"two at once":         {poolModel{replicas: 3, unavailable: 2, faults: 1, strategy: hotupdate.AutoInPlaceUpdate}, 2},
	"one is chosen": {
		poolModel{replicas: 3, unavailable: 1, chosen: "m-1", faults: 1, strategy: hotupdate.AutoInPlaceUpdate}, 2,
	},
	"one is chosen, surge": {poolModel{replicas: 2, surge: 1, chosen: "m-1", faults: 1, strategy: hotupdate.AutoInPlaceUpdate}, 2},
	"the autoscaler chooses": {
		poolModel{replicas: 3, unavailable: 1, faults: 2, chooses: true, strategy: hotupdate.AutoInPlaceUpdate}, 3,
	},
	"the autoscaler chooses, surge": {poolModel{replicas: 2, surge: 1, faults: 2, chooses: true, strategy: hotupdate.AutoInPlaceUpdate}, 3},
	"surge":                         {poolModel{replicas: 2, surge: 1, faults: 1, strategy: hotupdate.AutoInPlaceUpdate}, 2},
	"both": {
		poolModel{replicas: 2, unavailable: 1, surge: 2, faults: 1, strategy: hotupdate.AutoInPlaceUpdate}, 2,
	},
	"manual": {poolModel{replicas: 2, unavailable: 2, faults: 2, strategy: hotupdate.ManualInPlaceUpdate}, 3},
}

// TestModelPool: what the package promises of a pool holds in every state.
func TestModelPool(t *testing.T) {
	t.Parallel()
	for name, m := range poolModels {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m.selector = oursSelect
			if !effort.All() {
				m.faults = 1
			}
			if *long {
				m.faults = m.long
			}
			states, err := m.explore()
			require.NoError(t, err)
			t.Logf("%d states", states)
			require.Greater(t, states, 1_000)
		})
	}
}

// upstreamDeletes deletes as machine-controller-manager does: once the target's MachineSet has its replicas, the others are scaled to zero.
func upstreamDeletes(p inplace.MachineDeployment) inplace.Selection {
	s := oursSelect(p)
	var promised map[string][]string
	_ = json.Unmarshal([]byte(s.Record), &promised) // none if empty
	if promised == nil {
		promised = map[string][]string{}
	}
	targets := 0
	others := []string{}
	for _, m := range p.Machines {
		if m.Owner == p.Target {
			targets++
		} else {
			others = append(others, m.Name)
		}
	}
	if targets >= p.Replicas && len(others) > 0 {
		promised["delete"] = others
		text, _ := json.Marshal(promised) // lists of strings
		s.Record = string(text)
	}
	return s
}

// naiveSelectors are without one rule each, with the promise that the model finds broken.
var naiveSelectors = map[string]struct {
	model, want string
	selector    selector
}{
	"upstream deletes surplus by replicas": {"both", "taken below the minimum", upstreamDeletes},
	"upstream waits for a surge machine in silence": {"both", "waits in silence", func(p inplace.MachineDeployment) inplace.Selection {
		for _, m := range p.Machines {
			if m.Node == nil {
				return inplace.Selection{Record: p.Record}
			}
		}
		return oursSelect(p)
	}},
	"promises are forgotten": {"one after the other", "taken below the minimum", func(p inplace.MachineDeployment) inplace.Selection {
		p.Record = ""
		return oursSelect(p)
	}},
	"a selected machine counts as available until it is drained": {
		"one after the other", "taken below the minimum",
		func(p inplace.MachineDeployment) inplace.Selection {
			s := oursSelect(p)
			for i, m := range p.Machines {
				if m.Node != nil && m.Node.Reason != "UpdateFailed" {
					delete(p.Machines[i].Node.Annotations, inplace.RolloutAnnotation)
					delete(p.Machines[i].Node.Labels, inplace.SelectedLabel)
				}
			}
			p.Record = s.Record
			return oursSelect(p)
		},
	},
	"the priority is not known": {
		"one is chosen", "another machine goes instead of the chosen one",
		func(p inplace.MachineDeployment) inplace.Selection {
			for i := range p.Machines {
				p.Machines[i].Annotations = nil
			}
			return oursSelect(p)
		},
	},
	"every node without the label is yet to be selected": {
		"one of two", "that its user has deselected is selected",
		func(p inplace.MachineDeployment) inplace.Selection {
			for i := range p.Machines {
				if n := p.Machines[i].Node; n != nil {
					delete(n.Annotations, inplace.SelectionAnnotation)
				}
			}
			return oursSelect(p)
		},
	},
	"a promise that its user withdraws leaves room at once": {
		"one of two", "taken below the minimum",
		func(p inplace.MachineDeployment) inplace.Selection {
			kept := promisesOf(p.Record)
			for _, m := range p.Machines {
				if m.Node != nil && m.Node.Annotations[inplace.SelectionAnnotation] != "" && m.Node.Labels[inplace.SelectedLabel] == "" {
					kept.selects &^= 1 << slices.Index(machineNames[:], m.Name)
				}
			}
			p.Record = kept.text()
			return oursSelect(p)
		},
	},
	"a preserved machine that has failed is expected to be updated": {
		"both", "a machine waits that could be updated",
		func(p inplace.MachineDeployment) inplace.Selection {
			for i := range p.Machines {
				p.Machines[i].Phase = "Running"
			}
			return oursSelect(p)
		},
	},
	"a pause is not seen": {"both", "a paused rollout goes on", func(p inplace.MachineDeployment) inplace.Selection {
		p.Paused = false
		return oursSelect(p)
	}},
	"upstream scales no pool during a pause": {"one of two", "ends with 1 machines", func(p inplace.MachineDeployment) inplace.Selection {
		if p.Paused {
			return inplace.Selection{Record: p.Record}
		}
		return oursSelect(p)
	}},
	"a machine of a manual pool is selected": {
		"manual", "a machine of a manual pool is selected",
		func(p inplace.MachineDeployment) inplace.Selection {
			p.Strategy = hotupdate.AutoInPlaceUpdate
			return oursSelect(p)
		},
	},
}

// TestModelNaivePool: each rule is needed, for without it the model finds a broken promise.
func TestModelNaivePool(t *testing.T) {
	t.Parallel()
	for name, naive := range naiveSelectors {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := poolModels[naive.model].poolModel
			m.selector = naive.selector
			_, err := m.explore()
			require.ErrorContains(t, err, naive.want)
		})
	}
}

// TestFiveReplicasDoNotEndAtThree: with maxSurge 2 and maxUnavailable 1, the two surge machines never come up. Machine-controller-manager
// counts them as replicas, and deletes the last two machines.
func TestFiveReplicasDoNotEndAtThree(t *testing.T) {
	t.Parallel()
	end := func(selector selector) (available int8) {
		m := poolModel{
			selector: selector, replicas: 5, unavailable: 1, surge: 2, strategy: hotupdate.AutoInPlaceUpdate,
			decisions: map[decisionInput]decision{},
		}
		w := m.start()
		for range 100 {
			w, _, _ = m.decide(w, w.present(), false)
			w = m.fair(w, poolEnvironment{stuck: []machineState{unborn}})
		}
		return w.available()
	}
	require.EqualValues(t, 3, end(upstreamDeletes))
	require.EqualValues(t, 5, end(oursSelect))
}
