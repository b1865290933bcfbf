package cloud

import (
	"slices"
	"strconv"
	"time"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/cloudapi"
)

// Fault is something that goes wrong with one request.
type Fault struct {
	// Action is the action of the request.
	Action cloudapi.Action
	// AccessKey is who makes the request; empty is anybody.
	AccessKey string
	// Resource is an ID that the request names; empty is any request.
	Resource string
	// Effect is what goes wrong.
	Effect Effect
	// Code is the error code of a request that is Refused.
	Code cloudapi.Code
	// Delay is how much later a LandsLate request takes effect, and how much older a Stale answer is.
	Delay time.Duration
	// Then, if it is set, is called after the request took effect or did not, and the client gets no answer. It is where the client's
	// process ends.
	Then func()
}

// Effect is what goes wrong with a request. The zero value is Refused.
type Effect uint8

// The effects.
const (
	Refused    Effect = iota // it is refused with an error code
	AnswerLost               // it takes effect, but the answer is lost
	LandsLate                // the client waits for the answer until it gives up; the request takes effect later
	NeverLands               // the client waits for the answer until it gives up; the request never takes effect
	Stale                    // a read that shows an older state than others
)

// String returns the effect's name.
func (e Effect) String() string {
	switch e {
	case Refused:
		return "Refused"
	case AnswerLost:
		return "AnswerLost"
	case LandsLate:
		return "LandsLate"
	case NeverLands:
		return "NeverLands"
	case Stale:
		return "Stale"
	}
	return "Effect(" + strconv.Itoa(int(e)) + ")"
}

// Inject lets the fault happen to the next request that it matches, once. Of several faults the first that was injected happens first.
func (c *Cloud) Inject(faults ...Fault) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.faults = append(c.faults, faults...)
}

// Heal takes back every fault that has not happened yet. Requests that are under way still take effect.
func (c *Cloud) Heal() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.faults = nil
}

// takeFault returns the fault that happens to a request.
func (c *Cloud) takeFault(action cloudapi.Action, accessKey string, body any) (Fault, bool) {
	at := slices.IndexFunc(c.faults, func(f Fault) bool {
		return f.Action == action && (f.AccessKey == "" || f.AccessKey == accessKey) &&
			(f.Resource == "" || slices.Contains(resourcesOf(body), f.Resource))
	})
	if at < 0 {
		return Fault{}, false
	}
	fault := c.faults[at]
	c.faults = slices.Delete(c.faults, at, at+1)
	return fault, true
}

// resourcesOf returns the IDs that a request names.
func resourcesOf(body any) []string {
	switch r := body.(type) {
	case *cloudapi.TagsRequest:
		return r.Resources
	case *cloudapi.TerminateInstancesRequest:
		return r.InstanceIDs
	case *cloudapi.ModifyInstanceAttributeRequest:
		return []string{r.InstanceID}
	case *cloudapi.AttachVolumeRequest:
		return []string{r.VolumeID, r.InstanceID}
	case *cloudapi.AttachNetworkInterfaceRequest:
		return []string{r.NetworkInterfaceID, r.InstanceID}
	case *cloudapi.DescribeRequest:
		var ids []string
		for _, f := range r.Filters {
			ids = append(ids, f.Values...)
		}
		return ids
	}
	return nil
}
