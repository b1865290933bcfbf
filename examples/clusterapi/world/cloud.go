package world

import (
	"context"
	"maps"
	"strings"
	"sync"

	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/internal/fakecloud"
	"github.com/hotupdate/providerconfig/tags"
)

// Cloud stands in for Amazon EC2, in memory. Each instance i-NAME has an interface eni-NAME and a
// volume vol-NAME. Cloud implements extension.EC2.
type Cloud struct {
	// Fault returns the error of a call, by its name. It may be nil.
	Fault func(call string) error

	mutex sync.Mutex
	tags  map[string]map[string]string // by the ID of the resource
}

var kinds = map[string]tags.Kind{"i-": tags.VM, "eni-": tags.Network, "vol-": tags.Disk}

// Launch makes the instance i-NAME as cluster-api-provider-aws does: with the cluster's tags,
// overridden by the machine's tags, and with the provider's own tag.
func (c *Cloud) Launch(name string, clusterTags, machineTags map[string]string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.tags == nil {
		c.tags = map[string]map[string]string{}
	}
	for prefix := range kinds {
		all := map[string]string{"sigs.k8s.io/cluster-api-provider-aws/cluster/c": "owned"}
		maps.Copy(all, clusterTags)
		maps.Copy(all, machineTags)
		c.tags[prefix+name] = all
	}
}

// Terminate removes the instance i-NAME.
func (c *Cloud) Terminate(name string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for prefix := range kinds {
		delete(c.tags, prefix+name)
	}
}

// Tags returns the tags of each resource, by its ID.
func (c *Cloud) Tags() map[string]map[string]string {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	all := map[string]map[string]string{}
	for id, own := range c.tags {
		all[id] = maps.Clone(own)
	}
	return all
}

// Resources describes the instance, with its interface and its volume.
func (c *Cloud) Resources(_ context.Context, instanceID string) (resources []driver.Resource, err error) {
	if err := c.call("Resources", fakecloud.Call{}); err != nil {
		return nil, err
	}
	live := c.Tags()
	for prefix, kind := range kinds {
		id := prefix + strings.TrimPrefix(instanceID, "i-")
		if own, exists := live[id]; exists {
			resources = append(resources, driver.Resource{Kind: kind, ID: id, Tags: own})
		}
	}
	return resources, nil
}

// CreateTags sets tags on all of the resources.
func (c *Cloud) CreateTags(_ context.Context, resources []string, set []tags.Tag) error {
	return c.call("CreateTags", fakecloud.Call{Set: set}, resources...)
}

// DeleteTags removes the tags that have this value.
func (c *Cloud) DeleteTags(_ context.Context, resources []string, remove []tags.Tag) error {
	return c.call("DeleteTags", fakecloud.Call{Remove: remove}, resources...)
}

// call makes a call, unless it fails.
func (c *Cloud) call(name string, call fakecloud.Call, resources ...string) error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.Fault != nil {
		if err := c.Fault(name); err != nil {
			return err
		}
	}
	rules, err := tags.AWS.Rules(tags.VM)
	if err != nil || len(resources) == 0 {
		return err
	}
	return fakecloud.ChangeIn(c.tags, rules, call, resources...)
}
