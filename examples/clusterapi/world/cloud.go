package world

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/tags"
)

// Cloud is Amazon EC2 with one instance, its interface and its volume. It implements extension.EC2.
type Cloud struct {
	// Fault returns the error of a call, by its name. It may be nil.
	Fault func(call string) error

	mutex sync.Mutex
	tags  map[string]map[string]string // by the ID of the resource
}

var kinds = map[string]tags.Kind{"i-1": tags.VM, "eni-1": tags.Network, "vol-1": tags.Disk}

// launch makes the instance like cluster-api-provider-aws: with the cluster's tags, overridden by the machine's, overridden by the provider's own.
func (c *Cloud) launch(clusterTags, machineTags map[string]string) {
	c.tags = map[string]map[string]string{}
	for id := range kinds {
		c.tags[id] = map[string]string{"sigs.k8s.io/cluster-api-provider-aws/cluster/c": "owned"}
		maps.Copy(c.tags[id], clusterTags)
		maps.Copy(c.tags[id], machineTags)
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
func (c *Cloud) Resources(_ context.Context, instanceID string) (all []driver.Resource, err error) {
	if err := c.change("Resources", nil, nil); err != nil || instanceID != "i-1" {
		return nil, err
	}
	for id, own := range c.Tags() {
		all = append(all, driver.Resource{Kind: kinds[id], ID: id, Tags: own})
	}
	return all, nil
}

// CreateTags sets tags on all of the resources.
func (c *Cloud) CreateTags(_ context.Context, resources []string, set []tags.Tag) error {
	return c.change("CreateTags", resources, func(live map[string]string) {
		for _, t := range set {
			live[t.Key] = t.Value
		}
	})
}

// DeleteTags removes the tags that have this value.
func (c *Cloud) DeleteTags(_ context.Context, resources []string, remove []tags.Tag) error {
	return c.change("DeleteTags", resources, func(live map[string]string) {
		maps.DeleteFunc(live, func(key, value string) bool { return slices.Contains(remove, tags.Tag{Key: key, Value: value}) })
	})
}

// change is a call that changes the tags of resources, unless it fails.
func (c *Cloud) change(call string, resources []string, do func(live map[string]string)) error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.Fault != nil {
		if err := c.Fault(call); err != nil {
			return err
		}
	}
	for _, id := range resources {
		do(c.tags[id])
	}
	return nil
}
