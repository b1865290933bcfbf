package machineupdate_test

import (
	"context"
	"math/bits"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// This file has the model of updates beside an unmodified MCM. A creation writes no record. Instead
// it stores the version of the class before CreateMachine or InitializeMachine. The first pass of
// the machine reads the stored versions. They are forgotten when the machine has a record.
//
// MCM is one process. When it loses its lease, it ends: only requests that it has sent may still
// land. What is not promised: a creation whose version could not be stored, and an MCM that sleeps
// for longer than ConfirmAfter in the middle of a creation.

// versions is a set of tagsets.
type versions uint16

func (v versions) with(version tagset) versions { return v | 1<<version }

func (v versions) list() (sets []tagset) {
	for ; v != 0; v &= v - 1 {
		sets = append(sets, tagset(bits.TrailingZeros16(uint16(v))))
	}
	return sets
}

// image is the set under a symmetry.
func (v versions) image(names *[16]tagset) (image versions) {
	for _, version := range v.list() {
		image = image.with(names[version])
	}
	return image
}

// holder is the process that has the lease.
func (w *world) holder() int {
	if w.two {
		return 1
	}
	return 0
}

// stored returns what an adoption by this record reads.
func (m *model) stored(w *world, record recordID) versions {
	if record != 0 && m.isOwn(record) {
		return 0 // nothing is read
	}
	return w.stored
}

// versions is the function of the observation.
func (r *replay) versions(context.Context) (hots []machineupdate.HotSpec, err error) {
	stored := r.q.stored
	if r.m.flow.recall != nil {
		stored = r.m.flow.recall(stored)
	}
	for _, version := range stored.list() {
		hots = append(hots, machineupdate.HotSpec(hotPart(version)))
	}
	return hots, nil
}

// createBeside is MCM's creation flow, with a driver that stores the version first. A store that
// fails does not stop it.
func (r *replay) createBeside() node {
	unknown := r.q.classState == unreadable || r.q.cold // there is no version to store
	if !unknown {
		unknown = r.answer(node{does: stores, spec: r.q.class}) != ok
	}
	for _, does := range []doing{creates, initializes} {
		if does >= r.q.does && (r.now != modelNow || r.answer(node{does: does, spec: r.q.class, unread: unknown}) != ok) {
			return node{}
		}
	}
	r.answer(node{does: reports})
	return node{}
}

// store is the write of the version, which may fail with or without effect.
func (s *run) store(i int, at *node) {
	e := event{what: storesVersion, a: uint8(i), c: uint32(at.spec)}
	n := *s.w
	n.process[i].at = at.next[failed]
	s.next(n, 1, event{what: fails, a: uint8(i)})
	if n.stored = n.stored.with(at.spec); s.m.flow.store != nil {
		n.stored = s.m.flow.store(s.w.stored, at.spec)
	}
	s.next(n, 1, event{what: losesAnswer, a: uint8(i)})
	n.process[i].at = at.next[ok]
	s.next(n, 0, e)
	s.sleep(i, n, at.next[okLate], e)
}

// forgetVersions forgets the versions when the machine has a record.
func (s *run) forgetVersions() {
	recorded := s.w.record != 0 && s.m.isOwn(s.w.record)
	if n := *s.w; n.stored != 0 && (recorded || s.m.flow.forgetsSoon) {
		n.stored = 0
		s.next(n, 0, event{what: forgetsVersions})
	}
}

// endCreation ends an MCM that creates and has lost its lease.
func (s *run) endCreation(n *world) {
	//exhaustive:ignore
	switch s.m.node(n.process[0].at).does {
	case stores, creates, initializes, reports:
		if s.m.beside {
			n.process[0] = process{}
		}
	}
}
