package cloud

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/cloudapi"
)

func (c *Cloud) runInstances(at time.Time, r *cloudapi.RunInstancesRequest) (any, error) {
	if id, ok := c.tokens[r.ClientToken]; ok && r.ClientToken != "" {
		if c.present()[id].terminated {
			return nil, &cloudapi.Error{Code: cloudapi.IdempotentTerminated, Message: "the instance of this client token is terminated"}
		}
		return &cloudapi.InstancesResponse{Instances: []cloudapi.InstanceDescription{c.instance(at, id, c.present()[id])}}, nil
	}
	tags := map[cloudapi.ResourceType]map[string]string{}
	for _, spec := range r.TagSpecifications {
		tags[spec.ResourceType] = map[string]string{}
		if err := set(tags[spec.ResourceType], spec.Tags); err != nil {
			return nil, err
		}
	}
	id := c.newID(cloudapi.Instance)
	vm := resource{kind: cloudapi.Instance, tags: tags[cloudapi.Instance], launched: at, sourceDestCheck: true}
	c.write(at, func(s state) {
		for _, name := range r.BlockDevices {
			volume := c.newID(cloudapi.Volume)
			s[volume] = resource{kind: cloudapi.Volume, tags: maps.Clone(tags[cloudapi.Volume])}
			device := cloudapi.BlockDevice{DeviceName: name, VolumeID: volume}
			vm.blockDevices = append(vm.blockDevices, blockDevice{BlockDevice: device, ofLaunch: true})
		}
		for _, index := range r.NetworkInterfaces {
			card := c.newID(cloudapi.NetworkInterface)
			s[card] = resource{kind: cloudapi.NetworkInterface, tags: maps.Clone(tags[cloudapi.NetworkInterface])}
			attached := cloudapi.Interface{DeviceIndex: index, NetworkInterfaceID: card}
			vm.interfaces = append(vm.interfaces, networkInterface{Interface: attached, ofLaunch: true})
		}
		s[id] = vm
	})
	if r.ClientToken != "" {
		c.tokens[r.ClientToken] = id
	}
	return &cloudapi.InstancesResponse{Instances: []cloudapi.InstanceDescription{c.instance(at, id, vm)}}, nil
}

func (c *Cloud) terminateInstances(at time.Time, r *cloudapi.TerminateInstancesRequest) (any, error) {
	for _, id := range r.InstanceIDs {
		if _, err := c.find(id, cloudapi.Instance); err != nil {
			return nil, err
		}
	}
	c.write(at, func(s state) {
		for _, id := range r.InstanceIDs {
			vm := s[id]
			for _, device := range vm.blockDevices {
				if device.ofLaunch {
					delete(s, device.VolumeID)
				}
			}
			for _, card := range vm.interfaces {
				if card.ofLaunch {
					delete(s, card.NetworkInterfaceID)
				}
			}
			vm.terminated, vm.blockDevices, vm.interfaces = true, nil, nil
			s[id] = vm
		}
	})
	return &cloudapi.Empty{}, nil
}

func (c *Cloud) modifyInstanceAttribute(at time.Time, r *cloudapi.ModifyInstanceAttributeRequest) (any, error) {
	vm, err := c.find(r.InstanceID, cloudapi.Instance)
	if err != nil {
		return nil, err
	}
	if vm.terminated {
		return nil, &cloudapi.Error{Code: cloudapi.IncorrectInstanceState, Message: r.InstanceID + " is terminated"}
	}
	vm.sourceDestCheck = r.SourceDestCheck
	c.write(at, func(s state) { s[r.InstanceID] = vm })
	return &cloudapi.Empty{}, nil
}

func (c *Cloud) createResource(at time.Time, action cloudapi.Action, r *cloudapi.CreateResourceRequest) (any, error) {
	created := resource{kind: cloudapi.Volume, tags: map[string]string{}}
	if action == cloudapi.CreateNetworkInterface {
		created.kind = cloudapi.NetworkInterface
	}
	if err := set(created.tags, r.Tags); err != nil {
		return nil, err
	}
	id := c.newID(created.kind)
	c.write(at, func(s state) { s[id] = created })
	return &cloudapi.CreateResourceResponse{ID: id}, nil
}

func (c *Cloud) attachVolume(at time.Time, r *cloudapi.AttachVolumeRequest) (any, error) {
	if _, err := c.find(r.VolumeID, cloudapi.Volume); err != nil {
		return nil, err
	}
	vm, err := c.find(r.InstanceID, cloudapi.Instance)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(vm.blockDevices, func(b blockDevice) bool { return b.DeviceName == r.Device }) {
		return nil, &cloudapi.Error{Code: cloudapi.InvalidParameterValue, Message: r.Device + " is in use"}
	}
	device := cloudapi.BlockDevice{DeviceName: r.Device, VolumeID: r.VolumeID}
	vm.blockDevices = append(slices.Clip(vm.blockDevices), blockDevice{BlockDevice: device})
	c.write(at, func(s state) { s[r.InstanceID] = vm })
	return &cloudapi.Empty{}, nil
}

func (c *Cloud) attachNetworkInterface(at time.Time, r *cloudapi.AttachNetworkInterfaceRequest) (any, error) {
	if _, err := c.find(r.NetworkInterfaceID, cloudapi.NetworkInterface); err != nil {
		return nil, err
	}
	vm, err := c.find(r.InstanceID, cloudapi.Instance)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(vm.interfaces, func(n networkInterface) bool { return n.DeviceIndex == r.DeviceIndex }) {
		return nil, &cloudapi.Error{Code: cloudapi.InvalidParameterValue, Message: "the device index is in use"}
	}
	attached := cloudapi.Interface{DeviceIndex: r.DeviceIndex, NetworkInterfaceID: r.NetworkInterfaceID}
	vm.interfaces = append(slices.Clip(vm.interfaces), networkInterface{Interface: attached})
	c.write(at, func(s state) { s[r.InstanceID] = vm })
	return &cloudapi.Empty{}, nil
}

// find returns a resource of a type.
func (c *Cloud) find(id string, kind cloudapi.ResourceType) (resource, error) {
	r, ok := c.present()[id]
	if ok && r.kind == kind {
		return r, nil
	}
	code := cloudapi.InvalidID
	if kind == cloudapi.Instance {
		code = cloudapi.InvalidInstanceNotFound
	}
	return resource{}, &cloudapi.Error{Code: code, Message: "there is no " + string(kind) + " " + id}
}

// describe answers a read with the state as of a time in the past.
func (c *Cloud) describe(asOf time.Time, action cloudapi.Action, body any) (any, error) {
	request, ok := body.(*cloudapi.DescribeRequest)
	if !ok {
		return nil, &cloudapi.Error{Code: cloudapi.InvalidParameterValue, Message: "only reads can be stale"}
	}
	past := c.asOf(asOf)
	if action == cloudapi.DescribeTags {
		return describeTags(past, request.Filters)
	}
	response := &cloudapi.InstancesResponse{}
	for _, id := range slices.Sorted(maps.Keys(past)) {
		if past[id].kind != cloudapi.Instance {
			continue
		}
		vm := c.instance(asOf, id, past[id])
		switch ok, err := matchesAll(request.Filters, &vm); {
		case err != nil:
			return nil, err
		case ok:
			response.Instances = append(response.Instances, vm)
		}
	}
	return response, nil
}

// instance describes an instance as it is, or was, at a time.
func (c *Cloud) instance(at time.Time, id string, r resource) cloudapi.InstanceDescription {
	d := cloudapi.InstanceDescription{
		ID: id, State: cloudapi.Running, LaunchTime: r.launched, SourceDestCheck: r.sourceDestCheck, Tags: list(r.tags),
	}
	switch {
	case r.terminated:
		d.State = cloudapi.Terminated
	case at.Before(r.launched.Add(c.config.BootTime)):
		d.State = cloudapi.Pending
	}
	for _, device := range r.blockDevices {
		d.BlockDevices = append(d.BlockDevices, device.BlockDevice)
	}
	for _, card := range r.interfaces {
		d.NetworkInterfaces = append(d.NetworkInterfaces, card.Interface)
	}
	return d
}

// matchesAll reports whether an instance matches all filters.
func matchesAll(filters []cloudapi.Filter, vm *cloudapi.InstanceDescription) (bool, error) {
	for _, f := range filters {
		key, isTag := strings.CutPrefix(f.Name, "tag:")
		matches := false
		switch {
		case isTag:
			matches = slices.ContainsFunc(vm.Tags, func(t cloudapi.Tag) bool { return t.Key == key && slices.Contains(f.Values, *t.Value) })
		case f.Name == "instance-id":
			matches = slices.Contains(f.Values, vm.ID)
		case f.Name == "instance-state-name":
			matches = slices.Contains(f.Values, string(vm.State))
		default:
			return false, &cloudapi.Error{Code: cloudapi.InvalidParameterValue, Message: "no such filter"}
		}
		if !matches {
			return false, nil
		}
	}
	return true, nil
}
