package ec2test

import (
	"maps"
	"slices"
	"time"
)

// Fault is a failure of one request.
type Fault struct {
	Action   string        // of the request
	Resource string        // an ID that the request names; empty matches all requests
	Effect   Effect        // the kind of failure
	Code     string        // the error code of a Refused request
	Delay    time.Duration // added to the time of a LandsLate request, or to the age of a Stale answer
}

// Effect is a kind of failure.
type Effect string

// The effects.
const (
	Refused    Effect = "Refused"    // the request is refused with an error code
	AnswerLost Effect = "AnswerLost" // the request takes effect, but the answer is lost
	LandsLate  Effect = "LandsLate"  // the client gives up waiting for the answer, and the request takes effect later
	NeverLands Effect = "NeverLands" // the client gives up waiting for the answer, and the request never takes effect
	Stale      Effect = "Stale"      // a read shows an older state than others
	FailsLater Effect = "FailsLater" // ModifyVolume is accepted, and fails when it is due
)

// Inject lets each fault happen once, to the next request that it matches. Faults that match the
// same request happen in the order of injection.
func (c *Cloud) Inject(faults ...Fault) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.faults = append(c.faults, faults...)
}

// Pending returns the number of faults that have not happened yet.
func (c *Cloud) Pending() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.faults)
}

// Heal removes every fault that has not happened yet. Requests that are under way still take
// effect.
func (c *Cloud) Heal() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.faults = nil
}

// takeFault removes and returns the fault for a request.
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
