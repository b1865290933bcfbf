package machineupdate_test

import (
	"fmt"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate/internal/record"
)

// This file has the transitions of the model.

// events are disturbances of some searches only, to keep each search small.
type events uint16

const (
	staleRecords events = 1 << iota // caches of machines lag, by up to two versions, apart from those of classes
	withdrawals                     // a driver can no longer update
	recedes                         // a driver no longer covers the second kind, or a Schema has no Hot field
	dooms                           // machines fail or are deleted
	wrongClocks                     // a clock is far ahead when a process writes
	backups                         // the machine is restored to one or two versions before
	pauses                          // the operator pauses updates of the machine
	classStates                     // the class cannot be read for a while, or is replaced by another object
	deafCalls                       // a call goes on after the end of its term, and the same process has the next one
)

// event is an event in a trace.
type event struct {
	what eventKind
	a, b uint8
	c    uint32
}

type eventKind uint8

const (
	reconciles eventKind = iota
	missesVM
	writesRecord
	sleeps
	losesAnswer
	crashes
	finds
	lands
	landsAndFails
	fails
	isLate
	answersUnimplemented
	asksForMarker
	conflicts
	createsVM
	initializesVM
	reportsVM
	classChanges
	timePasses
	lateLands
	lateDies
	somebodyEdits
	somebodyWrites
	leaseIsLost
	callHangs
	migrates
	driverLearns
	driverLearnsDisks
	driverForgets
	driverForgetsDisks
	schemaChanges
	clockIsAhead
	backupIsRestored
	machineIsDoomed
	classIsAnother
	operatorPauses
	operatorResumes
	storesVersion
	forgetsVersions
)

// run emits the successors of a state.
type run struct {
	m    *model
	w    *world
	emit func(next *world, e event)
}

func (m *model) successors(w *world, emit func(next *world, e event)) {
	s := run{m, w, emit}
	s.step(0)
	isKept := w.deaf && !m.flow.joins // the call keeps its machine from the next term
	if w.two && !isKept {
		s.step(1)
	}
	s.classChange()
	s.timePasses()
	s.lateRequests()
	s.releases()
	s.operators()
	s.forgetVersions()
	if w.faults > 0 {
		s.somebodyElse()
	}
}

// next emits a state, if the budget of faults covers its cost.
func (s *run) next(n world, cost uint8, e event) {
	if n.faults < cost {
		return
	}
	n.faults -= cost
	s.m.normalize(&n)
	s.emit(&n, e)
}

// normalize clears parts of the state without further effect.
func (m *model) normalize(w *world) {
	for i := range w.process {
		p := &w.process[i]
		if at := m.node(p.at); at.does == writes && !p.current && !m.flow.blind {
			p.at = at.next[conflict] // whenever it writes
		}
		if does := m.node(p.at).does; does == quiescent || does == waits {
			*p = process{}
		}
	}
	if w.deaf && m.node(w.process[0].at).does != calls {
		w.process[0] = process{} // the call has returned: its worker ends, and writes nothing
		w.deaf = false
	}
	if w.faults == 0 || m.events&(staleRecords|backups) == 0 {
		w.records = [2]recordID{w.record, w.record}
	}
	if w.faults > 0 {
		return
	}
	w.classes = [2]tagset{w.class, w.class}
	for r := range resources {
		w.old[r] = [2]tagset{w.live[r], w.live[r]}
	}
}

// step emits the next steps of a process.
func (s *run) step(i int) {
	p := s.w.process[i]
	n := s.m.node(p.at)
	//exhaustive:enforce
	switch n.does {
	case quiescent, waits:
		s.reconcile(i)
		return
	case writes:
		s.write(i, n)
	case calls:
		s.call(i, n)
	case creates:
		s.create(i, n)
	case initializes:
		s.initialize(i, n)
	case reports:
		s.report(i)
	case stores:
		s.store(i, n)
	}
	crashed := *s.w
	crashed.process[i] = process{}
	if s.w.deaf { // both terms are of one process
		crashed.process = [2]process{}
	}
	s.next(crashed, 1, event{what: crashes, a: uint8(i)})
}

// reconcile lets a process read the machine and its class, each in the present or an older version.
func (s *run) reconcile(i int) {
	for age, record := range append([]recordID{s.w.record}, s.w.records[:]...) {
		for classAge, class := range append([]tagset{s.w.class}, s.w.classes[:]...) {
			e := event{what: reconciles, a: uint8(i), b: uint8(age), c: uint32(classAge)}
			isSameRecord := age > 0 && record == s.w.record
			isSameClass := classAge > 0 && class == s.w.class
			if isSameRecord || isSameClass {
				continue // as if it did not lag
			}
			q := s.m.question(s.w, record, class)
			if classAge > 0 {
				q.classState = readable
			}
			s.reconcileWith(i, q, age == 0, e, min(1, uint8(age+classAge)))
		}
	}
}

func (m *model) question(w *world, record recordID, class tagset) question {
	return question{
		stored: m.stored(w, record),
		record: record, class: class, classState: w.classState, does: calls, doomed: w.phase == phaseDoomed, able: w.ability != incapable,
		revision: w.revision, epoch: w.epoch, cold: w.cold, known: w.known, paused: w.paused, processing: w.processing,
	}
}

func (s *run) reconcileWith(i int, q question, current bool, e event, cost uint8) {
	if s.w.phase == phaseNew {
		if s.m.beside && i != s.w.holder() {
			return // only an updater
		}
		if s.w.vm {
			q.does = initializes
			if s.w.ready {
				q.does = reports
			}
			s.decide(i, s.m.ask(q), current, e, cost)
			e.what = missesVM
			cost++
		}
		q.does = creates
	}
	at := s.m.ask(q)
	mustRest := q.doomed || q.paused && q.does == calls
	if does := s.m.node(at).does; mustRest && does != quiescent && does != waits {
		s.m.violation = "safety: a machine that is doomed or paused is updated"
	}
	s.decide(i, at, current, e, cost)
}

func (s *run) decide(i int, at nodeID, current bool, e event, cost uint8) {
	n := *s.w
	n.process[i] = process{at: at, current: current}
	if s.m.normalize(&n); n.process[i].at != 0 {
		s.next(n, cost, e)
	}
}

// write is a conditional write of the record.
func (s *run) write(i int, at *node) {
	e := event{what: writesRecord, a: uint8(i), c: uint32(at.record)}
	written := s.written(i, at.record)
	written.process[i].at = at.next[ok]
	written.known = written.known || s.m.node(at.next[ok]).does == reports // MCM has written the provider ID before
	s.next(written, 0, e)
	s.sleep(i, written, at.next[okLate], event{what: sleeps, a: uint8(i), c: uint32(at.record)})
	if s.m.isBusy(at.next[failed]) {
		written.process[i].at = at.next[failed]
		written.process[i].current = false
		s.next(written, 1, event{what: losesAnswer, a: uint8(i), c: uint32(at.record)})
	}
	if s.m.events&wrongClocks != 0 {
		ahead := s.written(i, s.m.ahead(at.record))
		ahead.process[i].at = at.next[ok]
		s.next(ahead, 1, event{what: clockIsAhead, a: uint8(i), c: uint32(at.record)})
	}
}

// sleep lets ConfirmAfter pass before a process gets its successful answer.
func (s *run) sleep(i int, n world, then nodeID, e event) {
	if !s.m.isBusy(then) || n.late != [2]request{} {
		return
	}
	slept, _ := s.m.later(&n)
	slept.process[i] = n.process[i]
	slept.process[i].at = then
	s.next(slept, 1, e)
}

func (m *model) isBusy(at nodeID) bool {
	does := m.node(at).does
	return does != quiescent && does != waits
}

// written returns the state after a process has written a record. Other processes have not read it.
func (s *run) written(i int, id recordID) world {
	n := *s.w
	n.processing = s.m.flow.lastOperation && s.m.memories[id].State != record.Settled
	n.records[1] = n.records[0]
	n.records[0] = n.record
	n.record = id
	n.process[i].current = true
	n.process[1-i].current = false
	for r := range resources {
		for key := range keys {
			// A driver that only claims to be able has sent nothing, and its marker is removed.
			value := n.live[r].get(key)
			isOld := value != 0 && n.ancient[r]&(1<<key) != 0
			if isOld && n.ability != claiming && s.m.owns(id, r, key, value) {
				n.ancient[r] &^= 1 << key
			}
		}
	}
	return n
}

// call is a call of the driver, which updates one resource after the other.
func (s *run) call(i int, at *node) {
	if s.w.ability == claiming {
		n := *s.w
		n.process[i].at = at.next[unimplemented]
		s.next(n, 0, event{what: answersUnimplemented, a: uint8(i)})
		return
	}
	isFirstTerm := i == 0 && !s.w.two
	mayHang := isFirstTerm && at.marked && s.m.events&deafCalls != 0
	if mayHang {
		n := *s.w
		n.deaf = true
		n.two = true
		s.next(n, 1, event{what: callHangs})
	}
	p := &s.w.process[i]
	if p.pending != 0 {
		s.send(i, at, *s.w, p.pending, 0, event{a: uint8(i), b: p.resource, c: uint32(p.pending)})
		return
	}
	live := s.w.live[p.resource]
	old := s.w.old[p.resource]
	s.callWith(i, at, live, 0)
	if old[0] != live {
		s.callWith(i, at, old[0], 1)
	}
	if old[1] != live && old[1] != old[0] {
		s.callWith(i, at, old[1], 2)
	}
}

// callWith is a call after a read of the present state, or of the age-th state before.
func (s *run) callWith(i int, at *node, view tagset, age uint8) {
	n := *s.w
	cost := uint8(0)
	p := &n.process[i]
	q := s.m.plan(at.asked, int(p.resource), view)
	if age > 0 {
		cost = 1
	} else if p.current && at.marked {
		n.drifted[p.resource] = 0 // a pass with its marker that reads the present state must repair it
	}
	if q != 0 && !at.marked {
		p.at = at.next[asks]
		p.pending = q
		s.next(n, cost, event{what: asksForMarker, a: uint8(i), b: p.resource | age<<4, c: uint32(q)})
		return
	}
	s.send(i, at, n, q, cost, event{a: uint8(i), b: p.resource | age<<4, c: uint32(q)})
}

// send emits the possible results of a request.
func (s *run) send(i int, at *node, before world, q request, cost uint8, e event) {
	p := &before.process[i]
	r := int(p.resource)
	s.m.checkSafety(at, r, q)
	failure := before
	failure.process[i] = process{at: at.next[failed], current: p.current}
	p.pending = 0
	if p.resource++; p.resource == s.m.requests.values[at.asked].kinds {
		*p = process{at: at.next[ok], current: p.current}
	}
	before.land(r, q)
	e.what = lands
	s.next(before, cost, e)

	e.what = fails
	s.next(failure, cost+1, e)
	if q == 0 {
		return
	}
	late := failure
	if late.delay(q | requestValid | request(r)<<13) {
		e.what = isLate
		s.next(late, cost+1, e)
	}
	failure.land(r, q)
	e.what = landsAndFails
	s.next(failure, cost+1, e)
}

// checkSafety checks the safety property when a request is sent. Only wanted keys are written, or applied ones if the
// record is full. A key is removed only if it is not wanted, and only on condition of a recorded value. Frozen keys are
// not changed. The plan is the driver's, and the record is the written one.
func (m *model) checkSafety(at *node, r int, q request) {
	a := &m.requests.values[at.asked]
	if q != 0 && a.cold {
		m.violation = "safety: something is sent though nothing is hot"
	}
	for key := range keys {
		wanted := a.class.get(key)
		isFull := m.bound > 0
		set := q.set(key)
		isUndone := isFull && set == a.applied[r].get(key)
		if set != 0 && set != wanted && !isUndone {
			m.violation = fmt.Sprintf("safety: %s is written, but is not wanted", keyNames[key])
		}
		for value := uint8(1); value <= alien; value++ {
			if q.removes(key)&(1<<(value-1)) == 0 {
				continue
			}
			if wanted != 0 && !isFull {
				m.violation = fmt.Sprintf("safety: %s is removed, but is wanted", keyNames[key])
			}
			if !m.owns(at.record, r, key, value) {
				m.violation = fmt.Sprintf("safety: %s=%s is removed, but is not recorded", keyNames[key], valueNames[value])
			}
		}
	}
}

func (m *model) takeViolation() string {
	violation := m.violation
	m.violation = ""
	return violation
}

// land lets a request reach a resource.
func (w *world) land(r int, q request) {
	if w.vm {
		w.change(r, q.apply(w.live[r]))
	}
}

func (w *world) change(r int, live tagset) {
	if live == w.live[r] {
		return
	}
	for key := range keys {
		if live.get(key) != w.live[r].get(key) {
			w.ancient[r] &^= 1 << key
		}
	}
	w.old[r] = [2]tagset{w.live[r], w.old[r][0]}
	w.live[r] = live
}

// delay keeps a request for later, if there is room.
func (w *world) delay(q request) bool {
	for i := range w.late {
		if w.late[i] == 0 {
			w.late[i] = q
			return true
		}
	}
	return false
}

// create is CreateMachine. A VM that exists is an error.
func (s *run) create(i int, at *node) {
	q := requestValid | requestCreate | request(at.spec)
	if at.unread {
		q |= requestUnread
	}
	n := *s.w
	if n.vm {
		n.process[i].at = at.next[failed]
		s.next(n, 0, event{what: fails, a: uint8(i)})
		return
	}
	s.m.launch(&n, q)
	s.created(i, at, n, q, createsVM)
}

// created emits the results of a creation's request: an answer, no answer while it may land late, or an answer before a long sleep.
func (s *run) created(i int, at *node, n world, q request, what eventKind) {
	late := *s.w
	late.process[i].at = at.next[failed]
	if late.delay(q) {
		s.next(late, 1, event{what: isLate, a: uint8(i), b: 1, c: uint32(q)})
	}
	n.process[i].at = at.next[ok]
	s.next(n, 0, event{what: what, a: uint8(i), c: uint32(q)})
	s.sleep(i, n, at.next[okLate], event{what: what, a: uint8(i), b: 1, c: uint32(q)})
}

// launch makes a VM whose first resource has the tags of a spec.
func (m *model) launch(w *world, q request) {
	w.vm = true
	w.ready = false
	w.live = [resources]tagset{tagset(q & 15)}
	w.drifted = [resources]uint8{}
	w.ancient = [resources]uint8{}
	for r := range resources {
		w.old[r] = [2]tagset{w.live[r], w.live[r]}
	}
	m.excuseUnread(w, q)
}

// excuseUnread makes the keys of an unreadable class foreign.
func (m *model) excuseUnread(w *world, q request) {
	if q&requestUnread != 0 {
		w.excuse(m, w.record)
	}
}

// excuse makes every live key foreign that is not in the machine's own record.
func (w *world) excuse(m *model, record recordID) {
	for r := range resources {
		for key := range keys {
			if value := w.live[r].get(key); value != 0 && (!m.isOwn(record) || !m.owns(record, r, key, value)) {
				w.ancient[r] |= 1 << key
			}
		}
	}
}

// initialize is InitializeMachine, which sets the tags of the second resource, even if updates do not cover it.
func (s *run) initialize(i int, at *node) {
	q := requestValid | requestSecond
	if at.unread {
		q |= requestUnread
	}
	for key := range keys {
		if value := at.spec.get(key); value != 0 {
			q = q.withSet(key, value)
		}
	}
	n := *s.w
	n.ready = true
	n.land(1, q)
	s.m.excuseUnread(&n, q)
	s.created(i, at, n, q, initializesVM)
}

// report writes the provider ID and the status.
func (s *run) report(i int) {
	n := *s.w
	e := event{what: conflicts, a: uint8(i)}
	if n.process[i].current || s.m.flow.blind {
		n.known = true
		n.phase = phaseRunning
		e.what = reportsVM
		n.process[1-i].current = false
	}
	n.process[i] = process{}
	s.next(n, 0, e)
}

func (s *run) classChange() {
	if s.w.changes == 0 {
		return
	}
	for _, spec := range specs {
		if spec == s.w.class {
			continue
		}
		n := *s.w
		n.classes[1] = n.classes[0]
		n.classes[0] = n.class
		n.class = spec
		n.changes--
		s.next(n, 0, event{what: classChanges, c: uint32(spec)})
	}
}

// timePasses lets ConfirmAfter pass. After that every request has landed or died, calls have timed out, and reads have caught up.
func (s *run) timePasses() {
	if s.w.late != [2]request{} {
		return
	}
	n, changed := s.m.later(s.w)
	if changed {
		s.next(n, 0, event{what: timePasses})
	}
	for i := range n.process {
		n.process[i].at = s.m.ageNode(n.process[i].at)
	}
	s.next(n, 0, event{what: timePasses, a: 1})
}

// later returns the world after ConfirmAfter. Pending writes were decided at its end.
func (m *model) later(w *world) (n world, changed bool) {
	n = *w
	n.record = m.age(n.record)
	for i := range n.records {
		n.records[i] = m.age(n.records[i])
	}
	for i := range n.process {
		// A process no longer sends its pending request, see okLate.
		p := &n.process[i]
		at := m.node(p.at)
		isDeaf := i == 0 && n.deaf
		if at.does == reports || isDeaf {
			continue
		}
		next := at.next[ok]
		if at.does != writes || m.isBusy(next) && m.node(next).does != reports {
			*p = process{}
		}
	}
	for r := range resources {
		n.old[r] = [2]tagset{n.live[r], n.live[r]}
	}
	return n, n != *w
}

func (s *run) lateRequests() {
	for i, q := range s.w.late {
		if q == 0 {
			continue
		}
		n := *s.w
		n.late[i] = 0
		s.next(n, 0, event{what: lateDies, c: uint32(q)})
		if q&requestCreate != 0 {
			if !n.vm {
				s.m.launch(&n, q)
				s.next(n, 0, event{what: lateLands, c: uint32(q)})
			}
			continue
		}
		for _, part := range []request{q, q.onlySets(), q.onlyRemoves()} {
			landed := n
			landed.land(q.resource(), part)
			s.m.excuseUnread(&landed, q)
			s.next(landed, 0, event{what: lateLands, c: uint32(part)})
		}
	}
}

// releases bring another version of driver and MCM, which restarts the processes.
func (s *run) releases() {
	release := func(what eventKind, a ability, revision, cost uint8) {
		if n := *s.w; n.ability != a || n.revision != revision {
			n.ability = a
			n.revision = revision
			n.process = [2]process{}
			s.next(n, cost, event{what: what})
		}
	}
	release(driverLearns, capable, s.w.revision, 0)
	release(driverLearnsDisks, s.w.ability, 1, 0)
	if s.m.events&withdrawals != 0 {
		release(driverForgets, incapable, s.w.revision, 1)
		release(driverForgets, claiming, s.w.revision, 1)
	}
	if s.m.events&recedes != 0 {
		release(driverForgetsDisks, s.w.ability, 0, 1)
		n := *s.w
		n.cold = !n.cold
		n.process = [2]process{}
		if n.cold {
			s.next(n, 1, event{what: schemaChanges})
		} else {
			s.next(n, 0, event{what: schemaChanges})
		}
	}
}

// operators pause updates, restore backups, and write classes that this release cannot read.
func (s *run) operators() {
	n := *s.w
	if s.m.events&pauses != 0 {
		n.paused = !n.paused
		n.process[0].current = false
		n.process[1].current = false
		if n.paused {
			s.next(n, 1, event{what: operatorPauses})
		} else {
			s.next(n, 0, event{what: operatorResumes})
		}
	}
	if s.m.events&classStates != 0 {
		for _, state := range []classState{readable, unreadable, replaced} {
			if n = *s.w; n.classState != state {
				n.classState = state
				s.next(n, uint8(min(1, state)), event{what: classIsAnother, c: uint32(state)})
			}
		}
	}
	isQuiet := s.w.phase == phaseRunning && s.w.late == [2]request{}
	if s.m.events&backups != 0 && s.w.epoch == 0 && isQuiet {
		for age, record := range s.w.records {
			n = *s.w
			n.restore(s.m, record)
			s.next(n, 1, event{what: backupIsRestored, b: uint8(age)})
		}
	}
}

// restore restores an old record in a new control plane. Keys that became ours later are lost.
func (w *world) restore(m *model, record recordID) {
	w.record = record
	w.process = [2]process{}
	w.epoch = 1
	w.excuse(m, record)
	*w, _ = m.later(w)
}

func (s *run) somebodyElse() {
	s.edit()
	n := *s.w
	n.process[0].current = false
	n.process[1].current = false
	n.processing = false
	if n != *s.w {
		s.next(n, 1, event{what: somebodyWrites})
	}
	if !s.w.two {
		n = *s.w
		n.two = true
		s.endCreation(&n)
		s.next(n, 1, event{what: leaseIsLost})
	}
	if s.w.phase == phaseRunning {
		n = *s.w
		n.phase = phaseNew
		n.processing = false
		n.process = [2]process{}
		s.next(n, 1, event{what: migrates})
	}
	if s.w.phase == phaseRunning && s.m.events&dooms != 0 {
		n = *s.w
		n.phase = phaseDoomed
		s.next(n, 1, event{what: machineIsDoomed})
	}
}

// edit changes or removes a key in the cloud on behalf of another client.
func (s *run) edit() {
	if !s.w.vm {
		return
	}
	for r := range resources {
		for key := range keys {
			for _, value := range []uint8{0, alien} {
				if s.w.live[r].get(key) == value {
					continue
				}
				n := *s.w
				n.change(r, n.live[r].with(key, value))
				n.drifted[r] |= 1 << key
				s.next(n, 1, event{what: somebodyEdits, a: uint8(r), b: uint8(key), c: uint32(value)})
			}
		}
	}
}
