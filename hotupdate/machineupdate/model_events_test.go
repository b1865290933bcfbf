package machineupdate_test

import "fmt"

// This file has the transitions of the model.

// event is what happened, for traces.
type event struct {
	what happening
	a, b uint8
	c    uint16
}

type happening uint8

const (
	reconciles happening = iota
	reconcilesLate
	reconcilesStale
	missesVM
	writesMarker
	crashes
	finds
	lands
	landsAndFails
	fails
	isLate
	answersUnimplemented
	writesSuccess
	conflicts
	restores
	creates
	initializes
	reports
	classChanges
	timePasses
	lateLands
	lateDies
	somebodyEdits
	somebodyWrites
	leaseIsLost
	migrates
	driverLearns
	driverLearnsDisks
)

// run emits what follows a state.
type run struct {
	m    *model
	w    *world
	emit func(next *world, e event)
}

func (m *model) successors(w *world, emit func(next *world, e event)) {
	s := run{m, w, emit}
	s.step(0)
	if w.two {
		s.step(1)
	}
	s.classChange()
	s.timePasses()
	s.lateRequests()
	s.releases()
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
	n.normalize(&s.m.flow)
	s.emit(&n, e)
}

// normalize clears parts of the state that cannot make a difference any more.
func (w *world) normalize(f *flow) {
	for i := range w.process {
		if p := &w.process[i]; p.stage == idle {
			*p = process{}
		}
	}
	if !f.blind || w.faults == 0 {
		w.formerRecord = w.record
	}
	if w.faults > 0 {
		return
	}
	w.formerClass = w.class
	for r := range resources {
		w.old[r] = [2]tagset{w.live[r], w.live[r]}
	}
}

// step is what a process can do next.
func (s *run) step(i int) {
	p := s.w.process[i]
	//exhaustive:enforce
	switch p.stage {
	case idle:
		s.reconcile(i)
	case decided:
		s.writeMarker(i)
	case calling:
		s.call(i, 0)
	case calling2:
		s.call(i, 1)
	case succeeded:
		s.write(i, writesSuccess, idle, s.pass(i).success)
	case unable:
		s.write(i, restores, idle, s.pass(i).restore)
	case creating:
		s.create(i)
	case initializing:
		s.initialize(i, initialized)
	case repairing:
		s.initialize(i, reporting)
	case initialized:
		s.write(i, writesSuccess, reporting, s.pass(i).success)
	case reporting:
		s.report(i)
	}
	if p.stage != idle {
		n := *s.w
		n.process[i] = process{}
		cost := uint8(1)
		if p.stage == decided {
			cost = 0 // as if it had not decided
		}
		s.next(n, cost, event{what: crashes, a: uint8(i)})
	}
}

func (s *run) pass(i int) *pass { return &s.m.passes[s.w.process[i].pass] }

func (s *run) reconcile(i int) {
	s.reconcileWith(i, s.w.record, s.w.class, true, event{what: reconciles, a: uint8(i)}, 0)
	if s.w.formerClass != s.w.class {
		s.reconcileWith(i, s.w.record, s.w.formerClass, true, event{what: reconcilesLate, a: uint8(i)}, 1)
	}
	if s.w.formerRecord != s.w.record {
		s.reconcileWith(i, s.w.formerRecord, s.w.class, false, event{what: reconcilesStale, a: uint8(i)}, 1)
	}
}

func (s *run) reconcileWith(i int, record recordID, class tagset, current bool, e event, cost uint8) {
	q := s.m.question(s.w, record, class)
	if s.w.running {
		if a := s.m.ask(q); a.pass != 0 {
			s.decide(i, a.pass, current, e, cost)
		}
		return
	}
	if s.w.vm {
		q.kind = repair
		if s.w.ready {
			s.find(i, q, current, e, cost)
		} else {
			s.decide(i, s.m.ask(q).pass, current, e, cost)
		}
		e, cost = event{what: missesVM, a: uint8(i)}, cost+1
	}
	q.kind = creation
	s.decide(i, s.m.ask(q).pass, current, e, cost)
}

func (m *model) question(w *world, record recordID, class tagset) question {
	return question{record: record, class: class, able: w.ability != incapable, revision: w.revision, known: w.known, processing: w.processing}
}

func (s *run) decide(i int, id passID, current bool, e event, cost uint8) {
	n := *s.w
	n.process[i] = process{stage: decided, current: current, pass: id}
	s.next(n, cost, e)
}

// find is a reconcile that finds a VM which needs nothing.
func (s *run) find(i int, q question, current bool, e event, cost uint8) {
	n := *s.w
	n.process[i] = process{stage: reporting, current: current}
	if s.m.flow.recordFound {
		q.record, q.kind = 0, creation
		n.process[i] = process{stage: initialized, current: current, pass: s.m.ask(q).pass}
	}
	e.what = finds
	s.next(n, cost, e)
}

// write is a conditional write of the record, after which the process is at a stage.
func (s *run) write(i int, what happening, then stage, record recordID) {
	n := *s.w
	if !n.process[i].current && !s.m.flow.blind {
		n.process[i] = process{}
		s.next(n, 0, event{what: conflicts, a: uint8(i)})
		return
	}
	n.process[i].stage = then
	n.writeRecord(s.m, i, record)
	if then == reporting {
		n.known = true
	}
	n.processing = s.m.flow.lastOperation && then == idle && what == writesSuccess && !s.pass(i).confirm
	s.next(n, 0, event{what: what, a: uint8(i)})
}

// writeRecord writes to the machine. Other processes have not seen the write.
func (w *world) writeRecord(m *model, i int, record recordID) {
	w.formerRecord, w.record = w.record, record
	w.process[i].current = true
	m.overtake(w, 1-i)
	for r := range resources {
		for key := range keys {
			// A driver that only claims to be able has sent nothing, and its marker is taken back.
			if value := w.live[r].get(key); w.ability != claiming && value != 0 && w.ancient[r]&(1<<key) != 0 && m.owns(record, key, value) {
				w.ancient[r] &^= 1 << key
			}
		}
	}
}

// overtake notes that another process has written to the machine. A process that was about to write the marker gets a conflict and decides anew.
func (m *model) overtake(w *world, i int) {
	p := &w.process[i]
	p.current = false
	if p.stage == decided && !m.flow.blind && !m.passes[p.pass].silent {
		*p = process{}
	}
}

func (s *run) writeMarker(i int) {
	p := s.pass(i)
	then := map[kind]stage{update: calling, creation: creating, repair: repairing}[p.kind]
	if p.silent {
		n := *s.w
		n.process[i].stage = then
		s.next(n, 0, event{what: writesMarker, a: uint8(i), b: 1})
		return
	}
	s.writeBefore(i, then, p.marker)
}

func (s *run) writeBefore(i int, then stage, record recordID) {
	n := *s.w
	n.process[i].stage = then
	n.writeRecord(s.m, i, record)
	n.processing = s.m.flow.lastOperation
	s.next(n, 0, event{what: writesMarker, a: uint8(i)})
}

// call is what the driver does about one resource.
func (s *run) call(i, r int) {
	if s.w.ability == claiming {
		n := *s.w
		n.process[i].stage = unable
		s.next(n, 0, event{what: answersUnimplemented, a: uint8(i)})
		return
	}
	live, old := s.w.live[r], s.w.old[r]
	s.callWith(i, r, live, 0)
	if old[0] != live {
		s.callWith(i, r, old[0], 1)
	}
	if old[1] != live && old[1] != old[0] {
		s.callWith(i, r, old[1], 2)
	}
}

// callWith is a call that is made by what a read shows: the present, or the age-th state before.
func (s *run) callWith(i, r int, view tagset, age uint8) {
	q := s.m.plan(s.pass(i), view)
	s.m.checkSafety(s.w, i, q)
	before, cost := *s.w, uint8(0)
	if age > 0 {
		cost = 1
	} else if before.process[i].current {
		before.drifted[r] = 0 // a pass that reads the present state has to repair it
	}
	e := event{a: uint8(i), b: uint8(r) | age<<4, c: uint16(q)}

	done := before
	done.process[i].stage = succeeded
	if r == 0 && s.w.revision > 0 {
		done.process[i].stage = calling2
	}
	done.land(r, q)
	e.what = lands
	s.next(done, cost, e)

	failed := before
	s.m.giveUp(&failed, i)
	e.what = fails
	s.next(failed, cost+1, e)
	if q == 0 {
		return
	}
	late := failed
	if late.delay(q | requestValid | request(r)<<13) {
		e.what = isLate
		s.next(late, cost+1, e)
	}
	failed.land(r, q)
	e.what = landsAndFails
	s.next(failed, cost+1, e)
}

// giveUp ends a pass whose driver returned an error.
func (m *model) giveUp(w *world, i int) {
	if m.flow.clearOnFailure && w.process[i].current {
		w.writeRecord(m, i, m.passes[w.process[i].pass].restore)
	}
	w.process[i] = process{}
}

// checkSafety is the safety sentence, at the moment of sending: only wanted keys are written, and a key is removed only if it is not
// wanted, and only on condition of a value that is recorded. The plan is the driver's, the record the one that was really written.
func (m *model) checkSafety(w *world, i int, q request) {
	p := &m.passes[w.process[i].pass]
	record := p.marker
	if p.silent {
		record = w.record
	}
	for key := range keys {
		if set := q.set(key); set != 0 && set != p.desired.get(key) {
			m.violation = fmt.Sprintf("safety: %s is written, but is not wanted", keyNames[key])
		}
		for value := uint8(1); value <= alien; value++ {
			if q.removes(key)&(1<<(value-1)) == 0 {
				continue
			}
			if p.desired.get(key) != 0 {
				m.violation = fmt.Sprintf("safety: %s is removed, but is wanted", keyNames[key])
			}
			if !m.owns(record, key, value) {
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
func (s *run) create(i int) {
	n, p := *s.w, s.pass(i)
	e := event{what: creates, a: uint8(i), c: uint16(p.desired)}
	if late := n; late.delay(requestValid | requestCreate | request(p.desired)) {
		late.process[i] = process{}
		e.what = isLate
		s.next(late, 1, e)
	}
	e.what = creates
	if n.vm {
		n.process[i] = process{}
		s.next(n, 0, event{what: fails, a: uint8(i)})
		return
	}
	n.launch(p.desired)
	n.process[i].stage = initializing
	s.next(n, 0, e)
}

// launch makes a VM whose first resource has the tags of a spec.
func (w *world) launch(desired tagset) {
	w.vm, w.ready = true, false
	w.live = [resources]tagset{desired}
	w.drifted, w.ancient = [resources]uint8{}, [resources]uint8{}
	for r := range resources {
		w.old[r] = [2]tagset{w.live[r], w.live[r]}
	}
}

// initialize is InitializeMachine, which sets the tags of the second resource, if the driver knows it.
func (s *run) initialize(i int, then stage) {
	q := request(0)
	for key := range keys {
		if value := s.pass(i).desired.get(key); value != 0 && s.w.revision > 0 {
			q = q.withSet(key, value)
		}
	}
	n := *s.w
	if late := n; q != 0 && late.delay(q|requestValid|requestSecond) {
		late.process[i] = process{}
		s.next(late, 1, event{what: isLate, a: uint8(i), b: 1, c: uint16(q)})
	}
	n.ready = true
	n.land(1, q)
	n.process[i].stage = then
	s.next(n, 0, event{what: initializes, a: uint8(i), c: uint16(q)})
}

// report writes the provider ID and the status.
func (s *run) report(i int) {
	n := *s.w
	if !n.process[i].current && !s.m.flow.blind {
		n.process[i] = process{}
		s.next(n, 0, event{what: conflicts, a: uint8(i)})
		return
	}
	n.known, n.running = true, true
	n.process[i] = process{}
	s.m.overtake(&n, 1-i)
	s.next(n, 0, event{what: reports, a: uint8(i)})
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
		n.formerClass, n.class = n.class, spec
		n.changes--
		s.next(n, 0, event{what: classChanges, c: uint16(spec)})
	}
}

// timePasses lets ConfirmAfter pass. By then every request has landed or died, calls have timed out, reads have caught up.
func (s *run) timePasses() {
	if n, ok := s.m.later(s.w); ok && n.late == [2]request{} {
		s.next(n, 0, event{what: timePasses})
	}
}

func (m *model) later(w *world) (n world, changed bool) {
	n = *w
	n.record, n.formerRecord = m.age(n.record), m.age(n.formerRecord)
	for i := range n.process {
		//exhaustive:enforce
		switch p := &n.process[i]; p.stage {
		case decided, calling, calling2, creating, initializing, repairing:
			*p = process{}
		case unable:
			aged := m.passes[p.pass]
			aged.restore = m.age(aged.restore)
			p.pass = m.pass(aged)
		case idle, succeeded, initialized, reporting:
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
		s.next(n, 0, event{what: lateDies, c: uint16(q)})
		if q&requestCreate != 0 {
			if !n.vm {
				n.launch(tagset(q & requestTags))
				s.next(n, 0, event{what: lateLands, c: uint16(q)})
			}
			continue
		}
		for _, part := range []request{q, q.onlySets(), q.onlyRemoves()} {
			landed := n
			landed.land(q.resource(), part)
			s.next(landed, 0, event{what: lateLands, c: uint16(part)})
		}
	}
}

// releases brings a new version of driver and MCM, which restarts the processes.
func (s *run) releases() {
	if s.w.ability != capable {
		n := *s.w
		n.ability, n.process = capable, [2]process{}
		s.next(n, 0, event{what: driverLearns})
	}
	if s.w.revision == 0 {
		n := *s.w
		n.revision, n.process = 1, [2]process{}
		s.next(n, 0, event{what: driverLearnsDisks})
	}
}

func (s *run) somebodyElse() {
	s.edit()
	n := *s.w
	s.m.overtake(&n, 0)
	s.m.overtake(&n, 1)
	n.processing = false
	if n != *s.w {
		s.next(n, 1, event{what: somebodyWrites})
	}
	if !s.w.two {
		n = *s.w
		n.two = true
		s.next(n, 1, event{what: leaseIsLost})
	}
	if s.w.running {
		n = *s.w
		n.running, n.processing, n.process = false, false, [2]process{}
		s.next(n, 1, event{what: migrates})
	}
}

// edit changes or removes a key in the cloud, as others may.
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
				s.next(n, 1, event{what: somebodyEdits, a: uint8(r), b: uint8(key), c: uint16(value)})
			}
		}
	}
}
