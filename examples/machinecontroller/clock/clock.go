// Package clock is simulated time: it stands still until somebody lets it pass. What runs on it gives the same result on every machine
// and takes no time.
//
// It knows nothing of what happens in that time.
package clock

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Clock is a simulated clock. It is safe for concurrent use.
type Clock struct {
	mu        sync.Mutex
	now       time.Time
	deadlines []*deadline
}

// deadline is a context that ends at a moment.
type deadline struct {
	at     time.Time
	cancel context.CancelCauseFunc
}

// New returns a clock that shows start.
func New(start time.Time) *Clock { return &Clock{now: start} }

// Now returns the time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// AdvanceTo lets time pass until t, and ends the contexts whose deadlines it reaches, in their order. It does nothing if t is not in the
// future.
func (c *Clock) AdvanceTo(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.deadlines) > 0 && !c.deadlines[0].at.After(t) {
		c.expire()
	}
	if t.After(c.now) {
		c.now = t
	}
}

// Wait lets a while pass, and returns why the context is done, if it is.
func (c *Clock) Wait(ctx context.Context, d time.Duration) error {
	c.AdvanceTo(c.Now().Add(d))
	return context.Cause(ctx)
}

// expire ends the context with the earliest deadline.
func (c *Clock) expire() {
	first := c.deadlines[0]
	c.deadlines = c.deadlines[1:]
	if first.at.After(c.now) {
		c.now = first.at
	}
	first.cancel(context.DeadlineExceeded)
}

// WithTimeout returns a context that ends, with the cause [context.DeadlineExceeded], when d has passed on the clock. The caller calls
// the function that it returns when the work is done.
func (c *Clock) WithTimeout(parent context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	c.mu.Lock()
	defer c.mu.Unlock()
	mine := &deadline{at: c.now.Add(d), cancel: cancel}
	c.deadlines = append(c.deadlines, mine)
	slices.SortStableFunc(c.deadlines, func(a, b *deadline) int { return a.at.Compare(b.at) })
	return ctx, func() { c.done(mine) }
}

func (c *Clock) done(mine *deadline) {
	mine.cancel(context.Canceled)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadlines = slices.DeleteFunc(c.deadlines, func(d *deadline) bool { return d == mine })
}
