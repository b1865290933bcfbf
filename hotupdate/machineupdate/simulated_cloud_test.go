package machineupdate_test

import (
	"slices"
	"strings"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/internal/fakecloud"
	"github.com/hotupdate/providerconfig/tags"
)

// This file is the way to the cloud of the simulations. Reads may lag, requests may be lost or land late, and throttled ones are refused.

// simCloud holds the resources of one machine.
type simCloud struct {
	t         *rapid.T
	cloud     tags.Cloud
	calm      bool // nothing lags, fails or is late
	tight     bool // limits bind, and calls are cut
	resources []*simResource
	late      []simCall
	allowance int // calls that are not throttled
}

// simResource is a resource of the launch.
type simResource struct {
	fakecloud.Resource

	excused map[string]bool // keys, by identity, that count as foreign because no record has them
	drifted map[string]bool // keys with foreign edits that were not repaired yet
}

// simCall is a request, with the record of its sender.
type simCall struct {
	fakecloud.Call

	on      []*simResource
	replace map[string]string // all keys, if the cloud writes all at once
	version int
	wanted  map[string]string
	owned   func(key, value string) bool
}

// simClouds are the clouds with their kinds of resources.
var simClouds = []tags.Cloud{tags.AWS, tags.Azure, tags.GCP, tags.OpenStack, tags.AliCloud}

func newSimCloud(t *rapid.T, cloud tags.Cloud) *simCloud {
	c := &simCloud{t: t, cloud: cloud, tight: rapid.Bool().Draw(t, "tight"), allowance: simAllowance}
	for _, r := range []struct {
		id   string
		kind tags.Kind
	}{{"vm-1", tags.VM}, {"nic-1", tags.Network}, {"disk-1", tags.Disk}, {"disk-2", tags.Disk}} {
		if rules, err := cloud.Rules(r.kind); err == nil {
			if c.tight {
				rules.MaxTags, rules.ResourcesPerCall, rules.TagsPerCall = 6, min(rules.ResourcesPerCall, 2), 2
			}
			c.resources = append(c.resources, &simResource{
				Resource: fakecloud.Resource{ID: r.id, Kind: r.kind, Rules: rules}, excused: map[string]bool{}, drifted: map[string]bool{},
			})
		}
	}
	return c
}

// simAllowance is the number of calls that the cloud allows in a minute.
const simAllowance = 6

func (c *simCloud) draw(n int, label string) int { return rapid.IntRange(0, n-1).Draw(c.t, label) }

// identity returns the cloud's form of a key.
func (c *simCloud) identity(key string) string { return fakecloud.Identity(&c.resources[0].Rules, key) }

// spelled returns one of the spellings of a key that are equal for the cloud.
func (c *simCloud) spelled(key string) string {
	if c.identity("A") == "a" && c.draw(3, "capitals") == 0 {
		return strings.ToUpper(key)
	}
	return key
}

// find returns the live spelling of a key.
func (c *simCloud) find(live map[string]string, key string) (spelling string, ok bool) {
	return fakecloud.Find(&c.resources[0].Rules, live, key)
}

// read returns the present tags of the resource, or older ones since the last long pause, with their version.
func (c *simCloud) read(r *simResource) (live map[string]string, version int) {
	if !c.calm && len(r.Past) > 0 && c.draw(4, "lag") == 0 {
		return r.Read(1 + c.draw(len(r.Past), "how much"))
	}
	return r.Read(0)
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

// land lets a request reach all of its resources or none, and checks them. Keys that anybody changes are no longer excused.
func (c *simCloud) land(call simCall) error {
	of := make([]*fakecloud.Resource, len(call.on))
	for i, r := range call.on {
		of[i] = &r.Resource
	}
	var err error
	if call.replace != nil {
		err = of[0].Replace(call.version, call.replace)
	} else {
		err = fakecloud.Change(call.Call, of...)
	}
	if err != nil {
		return err
	}
	for _, r := range call.on {
		c.checkSafety(r, call)
		c.changed(r)
	}
	return nil
}

// of returns the resources of a kind.
func (c *simCloud) of(kind string) (all []*simResource) {
	for _, r := range c.resources {
		if string(r.Kind) == kind {
			all = append(all, r)
		}
	}
	return all
}

// clusterKey returns a key by which MCM would find the resource.
func (c *simCloud) clusterKey(r *simResource) string {
	for _, pattern := range r.Rules.ClusterKeys {
		return strings.Trim(pattern, "*") + "shoot"
	}
	return "mandatory"
}

// calls returns the requests that carry out plans for resources of one kind.
func (c *simCloud) calls(of []*simResource, plans []tags.ResourcePlan, live map[string]map[string]string, versions map[string]int) (all []simCall) {
	named := func(ids ...string) (on []*simResource) {
		for _, id := range ids {
			at := slices.IndexFunc(of, func(r *simResource) bool { return r.ID == id })
			require.GreaterOrEqual(c.t, at, 0, "%s is somebody else's", id)
			on = append(on, of[at])
		}
		return on
	}
	if of[0].Rules.Guard != tags.GuardVersion {
		for _, batch := range of[0].Rules.Batches(plans) {
			all = append(all, simCall{on: named(batch.Resources...), Call: fakecloud.Call{Set: batch.Set, Remove: batch.Remove}})
		}
		return all
	}
	for _, plan := range plans {
		if len(plan.Set)+len(plan.Remove) > 0 {
			id := plan.Resource
			all = append(all, simCall{on: named(id), replace: plan.Apply(live[id]), version: versions[id]})
		}
	}
	return all
}

func (c *simCloud) changed(r *simResource) {
	before, _ := r.Read(1)
	for key, value := range before {
		if now, ok := r.Tags[key]; !ok || now != value {
			delete(r.excused, c.identity(key))
		}
	}
}

// checkSafety checks the safety property when a request has landed: only wanted and mandatory keys are written. A key is removed only if it is neither,
// and its live value is recorded.
func (c *simCloud) checkSafety(r *simResource, call simCall) {
	before, _ := r.Read(1)
	for key, value := range r.Tags {
		if old, ok := before[key]; ok && old == value {
			continue
		}
		spelling, ok := c.find(call.wanted, key)
		require.True(c.t, ok && call.wanted[spelling] == value, "%s is written on %s, but is not wanted", key, r.ID)
	}
	for key, value := range before {
		if _, ok := r.Tags[key]; ok {
			continue
		}
		_, ok := c.find(call.wanted, key)
		require.False(c.t, ok, "%s is removed from %s, but is wanted", key, r.ID)
		require.True(c.t, call.owned(key, value), "%s is removed from %s, but no record says that it is ours", key, r.ID)
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
		r.Past = nil
	}
	c.allowance = simAllowance
}
