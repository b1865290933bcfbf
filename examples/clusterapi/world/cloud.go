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
	// Fault makes a call fail, by its name. Nil is none.
	Fault func(call string) error

	mutex     sync.Mutex
	resources []driver.Resource
}

// launch makes the instance as cluster-api-provider-aws does: with the cluster's tags, over them the machine's, and its own.
func (c *Cloud) launch(clusterTags, machineTags map[string]string) {
	all := map[string]string{"sigs.k8s.io/cluster-api-provider-aws/cluster/c": "owned"}
	maps.Copy(all, clusterTags)
	maps.Copy(all, machineTags)
	for id, kind := range map[string]tags.Kind{"i-1": tags.VM, "eni-1": tags.Network, "vol-1": tags.Disk} {
		c.resources = append(c.resources, driver.Resource{Kind: kind, ID: id, Tags: maps.Clone(all)})
	}
}

// Tags returns the tags of each resource, by its ID.
func (c *Cloud) Tags() map[string]map[string]string {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	all := map[string]map[string]string{}
	for _, r := range c.resources {
		all[r.ID] = maps.Clone(r.Tags)
	}
	return all
}

// Resources describes the instance, with its interface and its volume.
func (c *Cloud) Resources(_ context.Context, instanceID string) ([]driver.Resource, error) {
	var all []driver.Resource
	err := c.call("Resources", func() {
		if instanceID == "i-1" {
			all = slices.Clone(c.resources)
		}
		for i := range all {
			all[i].Tags = maps.Clone(all[i].Tags)
		}
	})
	return all, err
}

// CreateTags sets tags on all of the resources.
func (c *Cloud) CreateTags(_ context.Context, resources []string, set []tags.Tag) error {
	return c.change("CreateTags", resources, set, func(live map[string]string, t tags.Tag) { live[t.Key] = t.Value })
}

// DeleteTags removes the tags that have this value.
func (c *Cloud) DeleteTags(_ context.Context, resources []string, remove []tags.Tag) error {
	return c.change("DeleteTags", resources, remove, func(live map[string]string, t tags.Tag) {
		if live[t.Key] == t.Value {
			delete(live, t.Key)
		}
	})
}

func (c *Cloud) change(name string, resources []string, all []tags.Tag, do func(live map[string]string, t tags.Tag)) error {
	return c.call(name, func() {
		for _, r := range c.resources {
			for _, t := range all {
				if slices.Contains(resources, r.ID) {
					do(r.Tags, t)
				}
			}
		}
	})
}

// call makes a call, unless it fails.
func (c *Cloud) call(name string, do func()) error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.Fault != nil {
		if err := c.Fault(name); err != nil {
			return err
		}
	}
	do()
	return nil
}
