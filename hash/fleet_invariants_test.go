package hash_test

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hash"
)

// The invariants of pools.
var (
	errByRelease  = errors.New("nobody touched the pool, and its machines are replaced")
	errForNothing = errors.New("machines are replaced although nothing changed that needs it")
	errAbsorbed   = errors.New("a change that needs new machines has been absorbed")
	errNaming     = errors.New("a pool can be named exactly if its config is known")
)

// simulation is the adopter with its fleet.
type simulation struct {
	latest, previous *simRelease
	active           []*simRelease // those that run: one, or both, the older one first
	pools            []simPool
	deployed         map[int]simDeployed // by pool: what its machines are named by
	created          int                 // pools ever
	released         int                 // releases ever
	checked          int
	seen             map[string]int // counts of events: the run must not be idle
}

// simDeployed is the digest behind the name of a MachineClass, with its inputs.
type simDeployed struct {
	pool   simPool
	era    simEra
	digest hash.Digest
}

// newSimulation starts the adopter with its first release.
func newSimulation(t require.TestingT, first *simRelease) *simulation {
	first.start(t)
	return &simulation{
		latest: first, previous: first, active: []*simRelease{first},
		deployed: map[int]simDeployed{}, seen: map[string]int{},
	}
}

// check reconciles every pool with every release that runs, in turns the older and the newer one first.
func (s *simulation) check() error {
	var errs []error
	s.checked++
	for _, p := range s.pools {
		for i := range s.active {
			r := s.active[(i+s.checked)%len(s.active)]
			if err := s.reconcile(p, r); err != nil {
				errs = append(errs, fmt.Errorf("%w: was %+v, is %+v under %v", err, s.deployed[p.id], p, r.eras))
			}
		}
	}
	return errors.Join(errs...)
}

// reconcile names a pool, judges the name and deploys it. A pool that cannot be named keeps its class.
func (s *simulation) reconcile(p simPool, r *simRelease) error {
	name, err := r.name(p)
	if r.knows(p) != (err == nil) {
		return fmt.Errorf("%w: %w", errNaming, err)
	}
	if err != nil {
		s.seen["refused"]++
		return nil
	}
	next := simDeployed{p, r.eras[r.index(p)], name.Digest}
	if was, old := s.deployed[p.id]; old {
		if err := s.judge(was, next); err != nil {
			return err
		}
	}
	s.deployed[p.id] = next
	return nil
}

// judge compares two digests of a pool, and their inputs in the model, both in the era that is now in force.
func (s *simulation) judge(was, next simDeployed) error {
	era := next.era
	if was.era.name == era.name { // after a rollback the era may lack fields for a while
		era.shape.generation = max(era.shape.generation, was.era.shape.generation)
	}
	same := era.identity(was.pool) == era.identity(next.pool)
	touched := !reflect.DeepEqual(was.pool, next.pool)
	switch {
	case !touched:
		s.seen["untouched"]++
	case same:
		s.see(next, "same name")
	default:
		s.see(next, "other name")
	}
	switch {
	case was.digest != next.digest && !touched:
		return errByRelease
	case was.digest != next.digest && same:
		return errForNothing
	case was.digest == next.digest && !same:
		return errAbsorbed
	}
	return nil
}

// see counts the kinds of edits in the run.
func (s *simulation) see(next simDeployed, outcome string) {
	s.seen[fmt.Sprintf("edit, era of kind %d, %s", next.era.kind, outcome)]++
	s.seen[fmt.Sprintf("edit, strategy %s, %s", next.pool.strategy, outcome)]++
	s.seen[fmt.Sprintf("edit, JSON Schema %t, %s", next.era.exported != "", outcome)]++
	s.seen[fmt.Sprintf("edit, no version %t, %s", next.pool.unversioned, outcome)]++
	s.seen[fmt.Sprintf("edit, %d releases run, rolled back %t, %s", len(s.active), s.inForce() != s.latest, outcome)]++
}

// release puts the latest release with a change in force. It can be rolled back.
func (s *simulation) release(t require.TestingT, change func(next *simRelease)) {
	next := s.latest.next()
	change(next)
	next.build(t)
	s.previous = s.inForce()
	s.latest = next
	s.active = []*simRelease{next}
	s.released++
}

// inForce returns the newest running release.
func (s *simulation) inForce() *simRelease { return s.active[len(s.active)-1] }

func (s *simulation) rollBack()  { s.active = []*simRelease{s.previous} }
func (s *simulation) rollOut()   { s.active = []*simRelease{s.latest} }
func (s *simulation) alternate() { s.active = []*simRelease{s.previous, s.latest} }

// restart loses the memory of the processes, as a migration of the control plane does.
func (s *simulation) restart(t require.TestingT) {
	for _, r := range s.active {
		r.start(t)
	}
}

// add creates a pool.
func (s *simulation) add(p simPool) {
	p.id = s.created
	s.created++
	s.pools = append(s.pools, p)
}
