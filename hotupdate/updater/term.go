package updater

import (
	"context"
	"sync"
	"time"
)

// deafAfter is how long after the end of a term a call of the driver may go on before the next term
// begins without it.
const deafAfter = 5 * time.Second

// term is a term of the lease: the goroutines that work in it.
type term struct {
	mutex   sync.Mutex
	running int // goroutines that have not ended
	calling int // those of them that are inside a call of the driver
	changed chan struct{}
}

func newTerm() *term { return &term{changed: make(chan struct{}, 1)} }

// termKey is the key of a term in the context of its goroutines.
type termKey struct{}

// termOf returns the term in which a call is made; nil for a call of the gate, which MCM makes.
func termOf(ctx context.Context) *term {
	found, _ := ctx.Value(termKey{}).(*term)
	return found
}

// run runs a goroutine of the term.
func (t *term) run(do func()) {
	t.count(1, 0)
	go func() {
		defer t.count(-1, 0)
		do()
	}()
}

// call runs a call of the driver in a goroutine of the term.
func (t *term) call(do func() error) error {
	if t == nil {
		return do()
	}
	t.count(0, 1)
	defer t.count(0, -1)
	return do()
}

func (t *term) count(running, calling int) {
	t.mutex.Lock()
	t.running += running
	t.calling += calling
	t.mutex.Unlock()
	select {
	case t.changed <- struct{}{}:
	default: // it has room for one, which is enough
	}
}

// left returns how many goroutines have not ended, and how many of them are not inside a call of the
// driver.
func (t *term) left() (all, outside int) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.running, t.running - t.calling
}

// end waits until all goroutines of the term have ended. After deafAfter it no longer waits for
// goroutines in a call of the driver that ignores the end of its context: each keeps its machine,
// see claims.
func (t *term) end() {
	patience := time.NewTimer(deafAfter)
	defer patience.Stop()
	isPatient := true
	for {
		all, outside := t.left()
		isEnded := all == 0 || !isPatient && outside == 0
		if isEnded {
			return
		}
		select {
		case <-t.changed:
		case <-patience.C:
			isPatient = false
		}
	}
}

// claims are the machines that workers of all terms are handling. So a call of the driver that does
// not return blocks its own machine in all later terms of this process, and no other machine.
type claims struct {
	mutex sync.Mutex
	held  map[string]*claim
}

// claim is a machine that a worker is handling.
type claim struct {
	term     context.Context //nolint:containedctx // of the worker
	isWanted bool            // by a worker of a later term
}

// take claims a machine for a worker. If another worker has it, take notes that the machine is
// wanted after its release.
func (c *claims) take(ctx context.Context, machine string) (ok bool) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if other, isHeld := c.held[machine]; isHeld {
		other.isWanted = true
		return false
	}
	if c.held == nil {
		c.held = map[string]*claim{}
	}
	c.held[machine] = &claim{term: ctx}
	return true
}

// release ends a claim, and reports whether another worker wanted the machine meanwhile.
func (c *claims) release(machine string) (isWanted bool) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	isWanted = c.held[machine].isWanted
	delete(c.held, machine)
	return isWanted
}

// outlasts reports whether a worker has a machine whose term is over.
func (c *claims) outlasts(machine string) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	held, isHeld := c.held[machine]
	return isHeld && held.term.Err() != nil
}
