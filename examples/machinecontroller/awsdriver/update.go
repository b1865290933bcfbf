package awsdriver

import (
	"context"
	"errors"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/cloudapi"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/driver"
	kit "github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// Updates says what UpdateMachine does. A driver that cannot be built cannot update machines.
func Updates() machineupdate.Driver {
	updates, err := (&Driver{}).updates()
	if err != nil {
		return machineupdate.Driver{}
	}
	return updates.Driver()
}

// UpdateMachine makes the VM, and the volumes and network interfaces that were launched with it, carry the infrastructure tags that are
// desired. What others attached to the VM is listed with it, and is never touched.
func (d *Driver) UpdateMachine(ctx context.Context, request *machineupdate.UpdateMachineRequest) error {
	updates, err := d.updates()
	if err == nil {
		err = updates.UpdateMachine(ctx, request)
	}
	if problem, ok := errors.AsType[*fault.Error](err); ok && problem.Kind != fault.Failed { // of the request, not of a call
		return &driver.Error{Code: driver.InvalidArgument, Cause: err}
	}
	return err
}

// updates is what hot updates need to know of the cloud and of the provider spec.
func (d *Driver) updates() (*kit.Kit[ProviderSpec, *instance], error) {
	schema, schemaErr := Schema()
	rules, rulesErr := tags.AWS.Rules(tags.VM) // one row for every kind of resource of this cloud
	if err := errors.Join(schemaErr, rulesErr); err != nil {
		return nil, err
	}
	return kit.New(kit.Definition[ProviderSpec, *instance]{
		Schema: schema, Connect: d.instance, Resources: resources, Wait: d.Wait,
		Takeover: func(resource machineupdate.Resource, key string) {
			if d.Takeover != nil {
				d.Takeover(resource.ID, key)
			}
		},
		Tags: []kit.Tagging[ProviderSpec, *instance]{{
			Kinds: tags.Kinds(), Rules: rules,
			Project:   func(spec *ProviderSpec, kind tags.Kind) map[string]string { return spec.effective(&rules, kind, nil) },
			Mandatory: func(class *ProviderSpec, machine string) map[string]string { return class.mandatory(&rules, machine) },
			Set: func(ctx context.Context, i *instance, resources []string, set []tags.Tag) error {
				return i.change(ctx, cloudapi.CreateTags, resources, set)
			},
			Remove: func(ctx context.Context, i *instance, resources []string, remove []tags.Tag) error {
				return i.change(ctx, cloudapi.DeleteTags, resources, remove)
			},
		}},
	})
}

// instance is the VM of one machine, behind the credentials of the request.
type instance struct {
	client *cloudapi.Client
	class  *ProviderSpec
	id     string
}

func (d *Driver) instance(_ context.Context, request *machineupdate.UpdateMachineRequest, class *ProviderSpec) (*instance, error) {
	id, err := instanceID(request.ProviderID)
	if err != nil {
		return nil, &driver.Error{Code: driver.InvalidArgument, Cause: err}
	}
	return &instance{d.client(request.Secret), class, id}, nil
}

// resources finds the machine's own resources and their infrastructure tags.
func resources(ctx context.Context, i *instance) ([]kit.Resource, error) {
	vm, err := describe(ctx, i.client, []cloudapi.Filter{{Name: "instance-id", Values: []string{i.id}}, existing()})
	if err != nil {
		return nil, err
	}
	own := []kit.Resource{{Kind: tags.VM, ID: vm.ID}}
	for _, card := range vm.NetworkInterfaces {
		if i.class.createsInterface(card.DeviceIndex) {
			own = append(own, kit.Resource{Kind: tags.Network, ID: card.NetworkInterfaceID})
		}
	}
	for _, device := range vm.BlockDevices {
		if i.class.createsVolume(device.DeviceName) {
			own = append(own, kit.Resource{Kind: tags.Disk, ID: device.VolumeID})
		}
	}
	ids, live := make([]string, len(own)), map[string]map[string]string{}
	for at := range own {
		ids[at], own[at].Tags = own[at].ID, map[string]string{}
		live[own[at].ID] = own[at].Tags
	}
	described, err := cloudapi.Call[cloudapi.TagsResponse](ctx, i.client, cloudapi.DescribeTags,
		cloudapi.DescribeRequest{Filters: []cloudapi.Filter{{Name: "resource-id", Values: ids}}})
	if err != nil {
		return nil, toError(err)
	}
	for _, tag := range described.Tags {
		if of, own := live[tag.ResourceID]; own {
			of[tag.Key] = tag.Value
		}
	}
	return own, nil
}

// change sets infrastructure tags, or removes them if they have the values given.
func (i *instance) change(ctx context.Context, action cloudapi.Action, resources []string, changed []tags.Tag) error {
	request := cloudapi.TagsRequest{Resources: resources}
	for _, tag := range changed {
		request.Tags = append(request.Tags, cloudapi.Tag{Key: tag.Key, Value: &tag.Value})
	}
	if _, err := cloudapi.Call[cloudapi.Empty](ctx, i.client, action, request); err != nil {
		return toError(err)
	}
	return nil
}
