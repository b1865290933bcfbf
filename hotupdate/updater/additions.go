package updater

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// storeTimeout bounds how long a creation waits.
const storeTimeout = 5 * time.Second

// attemptTimeout bounds one attempt to store versions, so that a connection that hangs leaves time
// for another attempt.
const attemptTimeout = storeTimeout / 2

// attempts has the delays between attempts.
var attempts = wait.Backoff{Duration: 50 * time.Millisecond, Factor: 2, Jitter: 0.5, Steps: 10, Cap: time.Second}

// additions stores the versions of creations. Creations that begin while an attempt is under way
// share the next attempt, which is one read and at most one write: MCM may create hundreds of
// machines at once. A creation never shares a read that was sent before it began: such a read may
// lack the mark of a pruning whose list of machines does not have the new one.
type additions struct {
	objects typedcorev1.ConfigMapInterface // with a budget of queries for creations only

	mutex   sync.Mutex
	waiting []*addition
	isBusy  bool
}

var errBeingDeleted = errors.New("ConfigMap " + storeName + " is being deleted")

// addition is the version that a creation waits for.
type addition struct {
	ctx     context.Context //nolint:containedctx // of the creation that waits
	class   string
	version *machineupdate.PreparedClass

	wrote bool  // the ConfigMap was written for it
	err   error // of the last attempt; guarded by the mutex until done
	done  chan struct{}
}

// add stores the version of a class, unless it is stored. It reports whether it has written.
// After an error of the API server it tries again until the context ends. Errors of content.add are
// final.
func (s *additions) add(
	ctx context.Context, class string, version *machineupdate.PreparedClass,
) (wrote bool, err error) {
	own := &addition{ctx: ctx, class: class, version: version, done: make(chan struct{})}
	s.mutex.Lock()
	s.waiting = append(s.waiting, own)
	if !s.isBusy {
		s.isBusy = true
		go s.run()
	}
	s.mutex.Unlock()
	select {
	case <-own.done:
		return own.wrote, own.err
	case <-ctx.Done():
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if own.err != nil {
		return false, own.err // more specific than the error of the context
	}
	return false, ctx.Err()
}

// run makes attempts until no creation waits.
func (s *additions) run() {
	delay := attempts.DelayFunc()
	for {
		round := s.next()
		if len(round) == 0 {
			return
		}
		if err := s.attempt(round); err != nil {
			s.again(round, err)
			time.Sleep(delay())
		} else {
			delay = attempts.DelayFunc()
		}
	}
}

// next returns the creations that wait.
func (s *additions) next() []*addition {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	round := slices.DeleteFunc(s.waiting, func(a *addition) bool { return a.ctx.Err() != nil })
	s.waiting = nil
	s.isBusy = len(round) > 0
	return round
}

// again lets creations wait for another attempt. Creations that began during the failed attempt also
// get its error: their context may end before the next attempt.
func (s *additions) again(round []*addition, err error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.waiting = append(round, s.waiting...)
	for _, a := range s.waiting {
		a.err = err
	}
}

// attempt stores the versions of creations. After an error another attempt may succeed.
func (s *additions) attempt(round []*addition) error {
	ctx, cancel := context.WithTimeout(context.Background(), attemptTimeout)
	defer cancel()
	found, err := readStore(ctx, s.objects)
	if err != nil {
		return err
	}
	if found.object.DeletionTimestamp != nil { // a write would be lost once the finalizers are removed
		return errBeingDeleted
	}
	wrote := make([]bool, len(round))
	failed := make([]error, len(round))
	isChanged := false
	for i, a := range round {
		wrote[i], failed[i] = found.add(a.class, a.version)
		if wrote[i] {
			isChanged = true
		}
	}
	if isChanged {
		_, err = found.write(ctx, s.objects)
		if err != nil {
			return err
		}
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for i, a := range round {
		a.wrote = wrote[i]
		a.err = failed[i]
		close(a.done)
	}
	return nil
}
