package machineupdate

import (
	"maps"
	"sync"
)

// Counters count what was decided about each lane and how it ended, since the process began. The zero value is ready for use, and safe for
// concurrent use.
type Counters struct {
	mutex     sync.Mutex
	decisions map[[2]string]uint64
	endings   map[string]uint64
}

// Decisions returns how often each action was decided for each reason, for a metric with the labels action and reason. The actions are None,
// Wait, Unsupported, Update and Confirm.
func (c *Counters) Decisions() map[[2]string]uint64 {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return maps.Clone(c.decisions)
}

// Endings returns how often a reconcile ended in each way, for a metric with the label ending: NotCalled, Denied, Conflicted, WriteFailed,
// Canceled, Pending, Refused, Undrained, Differing, CallFailed, Throttled, Unable, Gone, Updated and Confirmed.
func (c *Counters) Endings() map[string]uint64 {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return maps.Clone(c.endings)
}

func (c *Counters) count(d *decision, how ending) {
	if c == nil {
		return
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.decisions == nil {
		c.decisions, c.endings = map[[2]string]uint64{}, map[string]uint64{}
	}
	c.decisions[[2]string{string(d.action), d.reason.String()}]++
	c.endings[string(how)]++
}
