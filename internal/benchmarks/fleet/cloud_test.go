package fleet_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/internal/fakecloud"
	"github.com/hotupdate/providerconfig/tags"
)

// Latency has the times of single calls.
type Latency struct{ Describe, Tag, Run, Write time.Duration }

// bucket holds tokens. Each call takes one.
type bucket struct {
	size, refill float64 // tokens, and tokens a second
	spent        float64
	at           time.Time
}

func (b *bucket) take(now time.Time) bool {
	b.spent = max(b.spent-now.Sub(b.at).Seconds()*b.refill, 0)
	b.at = now
	if b.spent+1 > b.size {
		return false
	}
	b.spent++
	return true
}

// The actions of EC2.
const (
	describeInstances  = "DescribeInstances"
	describeInterfaces = "DescribeNetworkInterfaces"
	describeVolumes    = "DescribeVolumes"
	createTags         = "CreateTags"
	deleteTags         = "DeleteTags"
	runInstances       = "RunInstances"
)

// maxValues is EC2's limit of the values of a filter.
const maxValues = 200

// cloud is one account of EC2 in one region.
type cloud struct {
	latency Latency

	mutex   sync.Mutex
	buckets map[string]*bucket
	live    map[string]map[string]string // tags by ID
	rules   tags.Rules
	cost    Cost // of the updates
}

// newCloud has Amazon's quotas. The buckets of Describe calls hold what is refilled in five
// seconds.
func newCloud(latency Latency, describeRefill float64) *cloud {
	c := &cloud{
		latency: latency, live: map[string]map[string]string{},
		buckets: map[string]*bucket{runInstances: {size: 5, refill: 2}},
	}
	for _, action := range []string{describeInstances, describeInterfaces, describeVolumes} {
		c.buckets[action] = &bucket{size: 5 * describeRefill, refill: describeRefill}
	}
	for _, action := range []string{createTags, deleteTags} {
		c.buckets[action] = &bucket{size: 100, refill: 10}
	}
	return c
}

// call makes a call, which a cloud without a token for it refuses.
func (c *cloud) call(ctx context.Context, cost *Cost, action string, takes time.Duration) error {
	c.mutex.Lock()
	cost.Calls++
	isAllowed := c.buckets[action].take(time.Now())
	if !isAllowed {
		cost.Refused++
	}
	c.mutex.Unlock()
	if err := sleep(ctx, takes); err != nil {
		return err
	}
	if !isAllowed {
		return fmt.Errorf("RequestLimitExceeded: %w", machineupdate.ErrThrottled)
	}
	return nil
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// resourcesOf names the resources of a machine: a VM, an interface and two volumes.
func resourcesOf(machine string) []driver.Resource {
	return []driver.Resource{
		{Kind: tags.VM, ID: "i-" + machine},
		{Kind: tags.Network, ID: "eni-" + machine},
		{Kind: tags.Disk, ID: "vol-a-" + machine},
		{Kind: tags.Disk, ID: "vol-b-" + machine},
	}
}

// session is the access of one machine.
type session struct {
	*cloud
	machine string
}

// read reads machines as the driver for AWS does, by three calls at once.
func read(
	ctx context.Context, sessions []*session, answer func(providerID string, live []driver.Resource),
) error {
	c := sessions[0].cloud
	if len(sessions) > maxValues {
		return fmt.Errorf("FilterLimitExceeded: %d", len(sessions))
	}
	actions := []string{describeInstances, describeInterfaces, describeVolumes}
	errs := make([]error, len(actions))
	var all sync.WaitGroup
	for i, action := range actions {
		all.Go(func() { errs[i] = c.call(ctx, &c.cost, action, c.latency.Describe) })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	for _, s := range sessions {
		answer(providerID(s.machine), c.read(s.machine))
	}
	return nil
}

func readOne(ctx context.Context, s *session) (live []driver.Resource, err error) {
	err = read(ctx, []*session{s}, func(_ string, own []driver.Resource) { live = own })
	return live, err
}

func providerID(machine string) string { return "aws:///eu-west-1/i-" + machine }

// read returns the resources of a machine. Maps of tags are replaced and never changed.
func (c *cloud) read(machine string) []driver.Resource {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	own := resourcesOf(machine)
	for i := range own {
		own[i].Tags = c.live[own[i].ID]
	}
	return own
}

func set(ctx context.Context, s *session, ids []string, changed []tags.Tag) error {
	return s.change(ctx, createTags, ids, fakecloud.Call{Set: changed})
}

func remove(ctx context.Context, s *session, ids []string, removed []tags.Tag) error {
	return s.change(ctx, deleteTags, ids, fakecloud.Call{Remove: removed})
}

func (c *cloud) change(ctx context.Context, action string, ids []string, call fakecloud.Call) error {
	if err := c.call(ctx, &c.cost, action, c.latency.Tag); err != nil {
		return err
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return fakecloud.ChangeIn(c.live, c.rules, call, ids...)
}
