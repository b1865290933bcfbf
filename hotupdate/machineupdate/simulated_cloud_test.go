package machineupdate_test

import (
	"maps"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/tags"
)

// This file is the cloud of the simulations. Reads may lag, requests may be lost, may land late or in part, and throttled ones are refused.

// simCloud holds the resources of one machine.
type simCloud struct {
	t         *rapid.T
	cloud     tags.Cloud
	calm      bool // nothing lags, fails or is late
	resources []*simResource
	late      []simCall
	allowance int // calls that are not throttled
}

// simResource is a resource of the launch, with its older versions for stale reads.
type simResource struct {
	id    string
	kind  tags.Kind
	rules tags.Rules
	live  map[string]string
	past  []map[string]string // since the last long pause; the last one is the newest
	at    int                 // its version

	excused map[string]bool // keys, by identity, that count as foreign because no record has them
	drifted map[string]bool // keys with foreign edits that were not repaired yet
}

// simCall is a request, with the record of its sender.
type simCall struct {
	batch   tags.Batch
	replace map[string]string // all keys, if the cloud writes all at once
	version int
	wanted  map[string]string
	owned   func(key, value string) bool
}

// simClouds are the clouds with their kinds of resources.
var simClouds = []tags.Cloud{tags.AWS, tags.Azure, tags.GCP, tags.OpenStack, tags.AliCloud}

func newSimCloud(t *rapid.T, cloud tags.Cloud) *simCloud {
	c := &simCloud{t: t, cloud: cloud, allowance: simAllowance}
	for _, r := range []struct {
		id   string
		kind tags.Kind
	}{{"vm-1", tags.VM}, {"nic-1", tags.Network}, {"disk-1", tags.Disk}, {"disk-2", tags.Disk}} {
		if rules, err := cloud.Rules(r.kind); err == nil {
			c.resources = append(c.resources, &simResource{id: r.id, kind: r.kind, rules: rules, excused: map[string]bool{}, drifted: map[string]bool{}})
		}
	}
	return c
}

// simAllowance is the number of calls that the cloud allows in a minute.
const simAllowance = 6

func (c *simCloud) draw(n int, label string) int { return rapid.IntRange(0, n-1).Draw(c.t, label) }

// keysOnly reports whether the infrastructure tags of a kind have no values.
func (c *simCloud) keysOnly(kind tags.Kind) bool { return c.cloud == tags.GCP && kind == tags.Network }

// identity returns the cloud's form of a key.
func (c *simCloud) identity(key string) string {
	if c.cloud == tags.Azure || c.cloud == tags.OpenStack {
		return strings.ToLower(key)
	}
	return key
}

// spelled returns one of the spellings of a key that are equal for the cloud.
func (c *simCloud) spelled(key string) string {
	if c.identity("A") == "a" && c.draw(3, "capitals") == 0 {
		return strings.ToUpper(key)
	}
	return key
}

// find returns the live spelling of a key.
func (c *simCloud) find(live map[string]string, key string) (spelling string, ok bool) {
	for spelling = range live {
		if c.identity(spelling) == c.identity(key) {
			return spelling, true
		}
	}
	return key, false
}

// read returns the present tags of the resource, or older ones since the last long pause, with their version.
func (c *simCloud) read(r *simResource) (live map[string]string, version int) {
	if !c.calm && len(r.past) > 0 && c.draw(4, "lag") == 0 {
		ago := 1 + c.draw(len(r.past), "how much")
		return r.past[len(r.past)-ago], r.at - ago
	}
	return r.live, r.at
}

// send lets a request land, be lost, or land later, with or without an answer.
func (c *simCloud) send(call simCall) error {
	if c.allowance == 0 {
		return errThrottled
	}
	c.allowance--
	fate := 9
	if !c.calm {
		fate = c.draw(12, "call")
	}
	switch fate {
	case 0:
		return errSimulated
	case 1:
		c.late = append(c.late, call)
		return errSimulated
	case 2:
		_ = c.land(call)
		return errSimulated
	}
	return c.land(call)
}

// land lets a request reach all of its resources, or none.
func (c *simCloud) land(call simCall) error {
	after := map[*simResource]map[string]string{}
	for _, r := range c.resources {
		if !slices.Contains(call.batch.Resources, r.id) {
			continue
		}
		if call.replace != nil && r.at != call.version {
			return errSimulated
		}
		after[r] = c.apply(r, call)
		if len(after[r]) > r.rules.MaxTags {
			return errSimulated
		}
	}
	for r, live := range after {
		c.checkSafety(r, live, call)
		c.change(r, live)
	}
	return nil
}

// apply returns the tags after a request.
func (c *simCloud) apply(r *simResource, call simCall) map[string]string {
	if call.replace != nil {
		return maps.Clone(call.replace)
	}
	live := maps.Clone(r.live)
	for _, tag := range call.batch.Remove {
		if key, ok := c.find(live, tag.Key); ok && (r.rules.Guard == tags.Unguarded || live[key] == tag.Value) {
			delete(live, key)
		}
	}
	for _, tag := range call.batch.Set {
		key, _ := c.find(live, tag.Key)
		live[key] = tag.Value
	}
	return live
}

// change is a change by any client. The changed keys are no longer excused.
func (c *simCloud) change(r *simResource, live map[string]string) {
	for key, value := range r.live {
		if now, ok := live[key]; !ok || now != value {
			delete(r.excused, c.identity(key))
		}
	}
	r.past = append(r.past, r.live)
	r.live, r.at = live, r.at+1
}

// checkSafety checks the safety property when a request lands: only wanted and mandatory keys are written. A key is removed only if it is neither,
// and its live value is recorded.
func (c *simCloud) checkSafety(r *simResource, after map[string]string, call simCall) {
	for key, value := range after {
		if before, ok := r.live[key]; ok && before == value {
			continue
		}
		spelling, ok := c.find(call.wanted, key)
		require.True(c.t, ok && call.wanted[spelling] == value, "%s is written on %s, but is not wanted", key, r.id)
	}
	for key, value := range r.live {
		if _, ok := after[key]; ok {
			continue
		}
		_, ok := c.find(call.wanted, key)
		require.False(c.t, ok, "%s is removed from %s, but is wanted", key, r.id)
		require.True(c.t, call.owned(key, value), "%s is removed from %s, but no record says that it is ours", key, r.id)
	}
}

// landLate lets one late request land, wholly or in part, or die.
func (c *simCloud) landLate() {
	if len(c.late) == 0 {
		return
	}
	i := c.draw(len(c.late), "late request")
	call := c.late[i]
	c.late = slices.Delete(c.late, i, i+1)
	if c.draw(4, "dies") > 0 {
		_ = c.land(call)
	}
}

// catchUp lets late requests land or die, and reads show the present.
func (c *simCloud) catchUp() {
	for len(c.late) > 0 {
		c.landLate()
	}
	for _, r := range c.resources {
		r.past = nil
	}
	c.allowance = simAllowance
}
