package machineupdate

import (
	"iter"
	"sync/atomic"
)

// Counters count decisions and outcomes since the process began. The zero value is ready for use, and safe for concurrent use.
type Counters struct {
	decisions [len(actionNames)][len(reasonNames)]atomic.Uint64
	outcomes  [len(outcomeNames)]atomic.Uint64
}

// Decided returns how often an action was decided for a reason.
func (c *Counters) Decided(action Action, reason Reason) uint64 {
	if int(action) >= len(c.decisions) || int(reason) >= len(reasonNames) {
		return 0
	}
	return c.decisions[action][reason].Load()
}

// Ended returns how often a reconcile had the outcome.
func (c *Counters) Ended(outcome Outcome) uint64 {
	if int(outcome) >= len(c.outcomes) {
		return 0
	}
	return c.outcomes[outcome].Load()
}

// Decisions yields every action with every reason that occurred, for a metric with the labels action and reason.
func (c *Counters) Decisions() iter.Seq2[[2]string, uint64] {
	return func(yield func([2]string, uint64) bool) {
		for action, reasons := range actionNames {
			for reason, name := range reasonNames {
				if n := c.decisions[action][reason].Load(); n > 0 && !yield([2]string{reasons, name}, n) {
					return
				}
			}
		}
	}
}

// Outcomes yields every outcome that occurred, for a metric with the label outcome.
func (c *Counters) Outcomes() iter.Seq2[string, uint64] {
	return func(yield func(string, uint64) bool) {
		for outcome, name := range outcomeNames {
			if n := c.outcomes[outcome].Load(); n > 0 && !yield(name, n) {
				return
			}
		}
	}
}

func (c *Counters) count(r *Result) {
	if c == nil {
		return
	}
	c.decisions[r.Decision.Action][r.Decision.Reason].Add(1)
	c.outcomes[r.Outcome].Add(1)
}
