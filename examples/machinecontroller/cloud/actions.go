package cloud

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
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
	case "CreateTags", "DeleteTags":
		return c.retag(action, p)
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
	tags := map[string]map[string]string{}
	for _, specification := range p.list("TagSpecification") {
		added, err := withTags(nil, specification)
		if err != nil {
			return nil, err
		}
		tags[specification["ResourceType"]] = added
	}
	id := c.newID(Instance)
	vm := Resource{
		ID: id, Kind: Instance, Tags: tags[Instance], Image: p["ImageId"], Launched: time.Now(), HTTPTokens: "optional",
	}
	vm.DNSName = "ip-" + strings.TrimPrefix(id, "i-") + ".ec2.internal"
	if tokens, ok := p["MetadataOptions.HttpTokens"]; ok {
		vm.HTTPTokens = tokens
	}
	volumes, err := c.volumesOf(id, p, tags[Volume])
	if err != nil {
		return nil, err
	}
	interfaces, err := c.interfacesOf(id, p, tags[NetworkInterface])
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

func (c *Cloud) volumesOf(instance string, p parameters, tags map[string]string) ([]Resource, error) {
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
			ID: c.newID(Volume), Kind: Volume, Tags: tags, Instance: instance, Device: device["DeviceName"],
			DeleteOnTermination: device["Ebs.DeleteOnTermination"] != "false", Iops: iops, Throughput: throughput,
		})
	}
	return all, nil
}

func (c *Cloud) interfacesOf(instance string, p parameters, tags map[string]string) ([]Resource, error) {
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
			ID: c.newID(NetworkInterface), Kind: NetworkInterface, Tags: tags, Instance: instance, DeviceIndex: index,
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
			r.Instance, r.Terminated = "", r.DeleteOnTermination
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
	if next.iops, err = p.number("Iops", volume.Iops); err != nil {
		return nil, err
	}
	if next.throughput, err = p.number("Throughput", volume.Throughput); err != nil {
		return nil, err
	}
	volume.modified = next
	c.write(volume)
	return fields{"volumeModification": volumeModification(volume, now)}, nil
}

// The limits of infrastructure tags (Amazon EC2: tag restrictions; API reference of CreateTags and
// DeleteTags).
const (
	maxTags      = 50
	maxKey       = 128
	maxValue     = 256
	maxResources = 1000
	cloudsOwn    = "aws:"
)

// retag changes the infrastructure tags of all resources or of none.
func (c *Cloud) retag(action string, p parameters) (fields, error) {
	ids := p.texts("ResourceId")
	if len(ids) == 0 || len(ids) > maxResources {
		return nil, invalid("a call names 1 to 1000 resources")
	}
	change := withTags
	if action == "DeleteTags" {
		change = withoutTags
	}
	var changed []Resource
	for _, id := range ids {
		r, ok := c.present()[id]
		if !ok || r.Terminated {
			return nil, noSuch(id)
		}
		tags, err := change(r.Tags, p)
		if err != nil {
			return nil, err
		}
		r.Tags = tags
		changed = append(changed, r)
	}
	c.write(changed...)
	return fields{"return": true}, nil
}

// withoutTags removes keys. If the request has a value for a key, it must be the present value.
func withoutTags(present map[string]string, p parameters) (map[string]string, error) {
	keys, values, err := tagsOf(p)
	left := maps.Clone(present)
	for _, key := range keys {
		if value, conditional := values[key]; !conditional || value == present[key] {
			delete(left, key)
		}
	}
	return left, err
}

// withTags sets infrastructure tags within the limits.
func withTags(present map[string]string, p parameters) (map[string]string, error) {
	keys, values, err := tagsOf(p)
	if err != nil {
		return nil, err
	}
	tags := map[string]string{}
	maps.Copy(tags, present)
	for _, key := range keys {
		if err := checkTag(key, values[key]); err != nil {
			return nil, err
		}
		tags[key] = values[key]
	}
	counted := 0
	for key := range tags {
		if !isCloudsOwn(key) {
			counted++
		}
	}
	if counted > maxTags {
		return nil, &Error{Code: "TagLimitExceeded", Message: "a resource has at most 50 tags"}
	}
	return tags, nil
}

func checkTag(key, value string) error {
	switch {
	case key == "" || utf8.RuneCountInString(key) > maxKey:
		return invalid("a key has 1 to 128 characters")
	case utf8.RuneCountInString(value) > maxValue:
		return invalid("a value has at most 256 characters")
	case isCloudsOwn(key) || isCloudsOwn(value):
		return invalid("aws: is reserved")
	}
	return nil
}

func isCloudsOwn(text string) bool {
	return len(text) >= len(cloudsOwn) && strings.EqualFold(text[:len(cloudsOwn)], cloudsOwn)
}
