package ec2test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/hotupdate/providerconfig/internal/fakecloud"
	"github.com/hotupdate/providerconfig/tags"
)

// perform applies a request, or reads the state at a time.
func (c *Cloud) perform(asOf time.Time, action string, p parameters) (fields, error) {
	switch action {
	case "DescribeImages":
		return describeImages(p)
	case "DescribeInstances":
		return c.describe(asOf, Instance, "InstanceId", "reservationSet", p,
			func(r Resource) fields { return c.reservation(asOf, c.asOf(asOf), r) })
	case "DescribeVolumes":
		return c.describe(asOf, Volume, "VolumeId", "volumeSet", p, volume)
	case "DescribeVolumesModifications":
		return c.describe(asOf, Volume, "VolumeId", "volumeModificationSet", p,
			func(r Resource) fields { return volumeModification(r, asOf) })
	case "DescribeNetworkInterfaces":
		return c.describe(asOf, NetworkInterface, "NetworkInterfaceId", "networkInterfaceSet", p, networkInterface)
	case "RunInstances":
		return c.runInstances(p)
	case "TerminateInstances":
		return c.terminateInstances(p)
	case "CreateTags":
		return c.retag(setting(p), p)
	case "DeleteTags":
		return c.retag(removing(p), p)
	case "ModifyVolume":
		return c.modifyVolume(p)
	case "ModifyNetworkInterfaceAttribute":
		return c.modifyInterface(p)
	case "ModifyInstanceMetadataOptions":
		return c.modifyMetadataOptions(p)
	case "AssignIpv6Addresses":
		return c.assignPrefixes(p)
	}
	return nil, &Error{Code: "InvalidAction", Message: "no such action"}
}

// find returns a resource of a kind that is not terminated.
func (c *Cloud) find(id, kind string) (Resource, error) {
	r, ok := c.present()[id]
	if !ok || r.Kind != kind {
		return r, noSuch(id)
	}
	if r.Terminated {
		return r, &Error{Code: "IncorrectInstanceState", Message: id + " is terminated"}
	}
	return r, nil
}

// attached returns the resources that are attached to an instance, sorted by ID.
func (s state) attached(instance, kind string) []Resource {
	var all []Resource
	for _, id := range slices.Sorted(maps.Keys(s)) {
		if r := s[id]; r.Kind == kind && r.Instance == instance {
			all = append(all, r)
		}
	}
	return all
}

func (c *Cloud) runInstances(p parameters) (fields, error) {
	if id, ok := c.launch[p["ClientToken"]]; ok {
		if c.present()[id].Terminated {
			return nil, &Error{
				Code: "IdempotentInstanceTerminated", Message: "the instance of this client token is terminated",
			}
		}
		return c.launched(id), nil
	}
	specified := map[string]map[string]string{}
	for _, specification := range p.list("TagSpecification") {
		made := make([]Resource, 1)
		if err := change(setting(specification), made); err != nil {
			return nil, err
		}
		specified[specification["ResourceType"]] = made[0].Tags
	}
	id := c.newID(Instance)
	vm := Resource{
		ID: id, Kind: Instance, Tags: specified[Instance], Image: p["ImageId"], Launched: time.Now(),
		HTTPTokens: "optional",
	}
	vm.DNSName = "ip-" + strings.TrimPrefix(id, "i-") + ".ec2.internal"
	if tokens, ok := p["MetadataOptions.HttpTokens"]; ok {
		vm.HTTPTokens = tokens
	}
	volumes, err := c.volumesOf(id, p, specified[Volume])
	if err != nil {
		return nil, err
	}
	interfaces, err := c.interfacesOf(id, p, specified[NetworkInterface])
	if err != nil {
		return nil, err
	}
	c.write(slices.Concat([]Resource{vm}, volumes, interfaces)...)
	if token := p["ClientToken"]; token != "" {
		c.launch[token] = id
	}
	return c.launched(id), nil
}

// The defaults of a volume.
const (
	defaultIops       = 3000
	defaultThroughput = 125
)

func (c *Cloud) volumesOf(instance string, p parameters, own map[string]string) ([]Resource, error) {
	var all []Resource
	for _, device := range p.list("BlockDeviceMapping") {
		iops, err := device.number("Ebs.Iops", defaultIops)
		if err != nil {
			return nil, err
		}
		throughput, err := device.number("Ebs.Throughput", defaultThroughput)
		if err != nil {
			return nil, err
		}
		all = append(all, Resource{
			ID: c.newID(Volume), Kind: Volume, Tags: own, Instance: instance, Device: device["DeviceName"],
			DeleteOnTermination: device["Ebs.DeleteOnTermination"] != "false", Iops: iops, Throughput: throughput,
		})
	}
	return all, nil
}

func (c *Cloud) interfacesOf(instance string, p parameters, own map[string]string) ([]Resource, error) {
	var all []Resource
	for i, card := range p.list("NetworkInterface") {
		index, err := card.number("DeviceIndex", i)
		if err != nil {
			return nil, err
		}
		number, err := card.number("NetworkCardIndex", 0)
		if err != nil {
			return nil, err
		}
		all = append(all, Resource{
			ID: c.newID(NetworkInterface), Kind: NetworkInterface, Tags: own, Instance: instance, DeviceIndex: index,
			NetworkCardIndex:    number,
			DeleteOnTermination: card["DeleteOnTermination"] != "false", InterfaceType: card["InterfaceType"],
			SourceDestCheck: true,
		})
	}
	return all, nil
}

// terminateInstances ends instances, and deletes attached resources with deleteOnTermination. Other
// attached resources stay.
func (c *Cloud) terminateInstances(p parameters) (fields, error) {
	var changed []Resource
	for _, id := range p.texts("InstanceId") {
		vm, ok := c.present()[id]
		if !ok || vm.Kind != Instance {
			return nil, noSuch(id)
		}
		vm.Terminated = true
		changed = append(changed, vm)
		for _, r := range slices.Concat(c.present().attached(id, Volume), c.present().attached(id, NetworkInterface)) {
			r.Instance = ""
			r.Terminated = r.DeleteOnTermination
			changed = append(changed, r)
		}
	}
	c.write(changed...)
	return fields{}, nil
}

func (c *Cloud) modifyInterface(p parameters) (fields, error) {
	card, err := c.find(p["NetworkInterfaceId"], NetworkInterface)
	if err != nil {
		return nil, err
	}
	check, err := strconv.ParseBool(p["SourceDestCheck.Value"])
	if err != nil {
		return nil, invalid("only SourceDestCheck can be modified")
	}
	card.SourceDestCheck = check
	c.write(card)
	return fields{"return": true}, nil
}

func (c *Cloud) modifyMetadataOptions(p parameters) (fields, error) {
	vm, err := c.find(p["InstanceId"], Instance)
	if err != nil {
		return nil, err
	}
	if tokens, ok := p["HttpTokens"]; ok {
		vm.HTTPTokens = tokens
	}
	c.write(vm)
	return fields{"instanceId": vm.ID, "instanceMetadataOptions": metadataOptions(vm)}, nil
}

func (c *Cloud) assignPrefixes(p parameters) (fields, error) {
	card, err := c.find(p["NetworkInterfaceId"], NetworkInterface)
	if err != nil {
		return nil, err
	}
	count, err := p.number("Ipv6PrefixCount", 0)
	if err != nil || count > 100 {
		return nil, invalid("Ipv6PrefixCount")
	}
	card.Ipv6Prefixes = slices.Clone(card.Ipv6Prefixes)
	for range count {
		c.created["prefix"]++
		card.Ipv6Prefixes = append(card.Ipv6Prefixes, fmt.Sprintf("2001:db8:0:0:%x::/80", c.created["prefix"]))
	}
	c.write(card)
	return fields{"networkInterfaceId": card.ID}, nil
}

// modifyVolume accepts a modification that takes effect later.
func (c *Cloud) modifyVolume(p parameters) (fields, error) {
	volume, err := c.find(p["VolumeId"], Volume)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	switch before := volume.modified; {
	case now.Before(before.until):
		return nil, &Error{Code: "IncorrectModificationState", Message: "the volume is being modified"}
	case now.Before(before.from.Add(c.config.Cooldown)) && !before.from.IsZero():
		return nil, &Error{Code: "VolumeModificationRateExceeded", Message: "the volume was modified too recently"}
	}
	volume = volume.asOf(now)
	next := modification{from: now, until: now.Add(c.config.ModifyTime)}
	next.iops, err = p.number("Iops", volume.Iops)
	if err != nil {
		return nil, err
	}
	next.throughput, err = p.number("Throughput", volume.Throughput)
	if err != nil {
		return nil, err
	}
	volume.modified = next
	c.write(volume)
	return fields{"volumeModification": volumeModification(volume, now)}, nil
}

// retag changes the infrastructure tags of all resources or of none.
func (c *Cloud) retag(call fakecloud.Call, p parameters) (fields, error) {
	var all []Resource
	for _, id := range p.texts("ResourceId") {
		r, ok := c.present()[id]
		if !ok || r.Terminated {
			return nil, noSuch(id)
		}
		all = append(all, r)
	}
	if err := change(call, all); err != nil {
		return nil, err
	}
	c.write(all...)
	return fields{"return": true}, nil
}

// change carries out a call on all of the resources, or on none.
func change(call fakecloud.Call, all []Resource) error {
	rules, err := tags.AWS.Rules(tags.VM)
	if err != nil {
		return err
	}
	for _, tag := range call.Set {
		if strings.HasPrefix(strings.ToLower(tag.Key), "aws:") {
			return invalid("aws: is reserved")
		}
	}
	of := make([]*fakecloud.Resource, len(all))
	for i := range all {
		of[i] = &fakecloud.Resource{Rules: rules, Tags: all[i].Tags}
	}
	err = fakecloud.Change(call, of...)
	for i := range all {
		all[i].Tags = of[i].Tags
	}
	if problem, ok := errors.AsType[*field.Error](err); ok && problem.Type == field.ErrorTypeTooMany {
		return &Error{Code: "TagLimitExceeded", Message: err.Error()}
	}
	if err != nil {
		return invalid(err.Error())
	}
	return nil
}
