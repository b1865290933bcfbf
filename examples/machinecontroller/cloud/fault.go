package cloud

import (
	"maps"
	"slices"
	"time"
)

// Fault is something that goes wrong with one request.
type Fault struct {
	Action   string        // of the request
	Resource string        // an ID that the request names; empty is any request
	Effect   Effect        // what goes wrong
	Code     string        // the error code of a request that is Refused
	Delay    time.Duration // how much later a LandsLate request takes effect, and how much older a Stale answer is
}

// Effect is what goes wrong with a request.
type Effect string

// The effects.
const (
	Refused    Effect = "Refused"    // it is refused with an error code
	AnswerLost Effect = "AnswerLost" // it takes effect, but the answer is lost
	LandsLate  Effect = "LandsLate"  // the client waits for the answer until it gives up; the request takes effect later
	NeverLands Effect = "NeverLands" // the client waits for the answer until it gives up; the request never takes effect
	Stale      Effect = "Stale"      // a read that shows an older state than others
	FailsLater Effect = "FailsLater" // ModifyVolume is accepted, and fails when it is due
)

// Inject lets each fault happen to the next request that it matches, once. Of several faults the first that was injected happens first.
func (c *Cloud) Inject(faults ...Fault) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.faults = append(c.faults, faults...)
}

// Pending returns how many faults have not happened yet.
func (c *Cloud) Pending() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.faults)
}

// Heal takes back every fault that has not happened yet. Requests that are under way still take effect.
func (c *Cloud) Heal() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.faults = nil
}

// takeFault returns the fault that happens to a request.
func (c *Cloud) takeFault(action string, p parameters) (Fault, bool) {
	at := slices.IndexFunc(c.faults, func(f Fault) bool {
		return f.Action == action && (f.Resource == "" || slices.Contains(slices.Collect(maps.Values(p)), f.Resource))
	})
	if at < 0 {
		return Fault{}, false
	}
	fault := c.faults[at]
	c.faults = slices.Delete(c.faults, at, at+1)
	return fault, true
}
