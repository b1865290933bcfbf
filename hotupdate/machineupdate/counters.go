package machineupdate

import (
	"iter"
	"sync/atomic"
)

// Counters count what was decided about each lane and how it ended, since the process began. The zero value is ready for use, and safe for
// concurrent use.
type Counters struct {
	decisions [len(actionNames)][len(reasonNames)]atomic.Uint64
	endings   [len(endingNames)]atomic.Uint64
}

// Decisions yields every action with every reason that occurred, for a metric with the labels action and reason. The actions are None, Wait,
// Unsupported, Update and Confirm.
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

// Endings yields every way in which a reconcile ended, for a metric with the label ending: NotCalled, Denied, Conflicted, WriteFailed,
// Canceled, Pending, Refused, Undrained, Differing, CallFailed, Throttled, Unable, Gone, Updated and Confirmed.
func (c *Counters) Endings() iter.Seq2[string, uint64] {
	return func(yield func(string, uint64) bool) {
		for ending, name := range endingNames {
			if n := c.endings[ending].Load(); n > 0 && !yield(name, n) {
				return
			}
		}
	}
}

func (c *Counters) count(d *decision, how ending) {
	if c == nil {
		return
	}
	c.decisions[d.action][d.reason].Add(1)
	c.endings[how].Add(1)
}
