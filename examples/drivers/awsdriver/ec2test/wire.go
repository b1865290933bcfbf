package ec2test

import (
	"encoding/xml"
	"maps"
	"slices"
	"time"
)

// fields is an answer, or a part of one. It has the members that the clients here read, by their
// names in the API reference of Amazon EC2 (version 2016-11-15).
type fields map[string]any

// items is a list.
type items []fields

// MarshalXML writes the members in the order of their names.
func (f fields) MarshalXML(e *xml.Encoder, start xml.StartElement) error {
	if err := e.EncodeToken(start); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(f)) {
		if err := e.EncodeElement(f[name], element(name)); err != nil {
			return err
		}
	}
	return e.EncodeToken(start.End())
}

// MarshalXML writes each element as an item.
func (all items) MarshalXML(e *xml.Encoder, start xml.StartElement) error {
	if err := e.EncodeToken(start); err != nil {
		return err
	}
	for _, one := range all {
		if err := e.EncodeElement(one, element("item")); err != nil {
			return err
		}
	}
	return e.EncodeToken(start.End())
}

func element(name string) xml.StartElement { return xml.StartElement{Name: xml.Name{Local: name}} }

// listOf describes each resource, and leaves out empty descriptions.
func listOf(all []Resource, describe func(Resource) fields) items {
	var list items
	for _, r := range all {
		if described := describe(r); described != nil {
			list = append(list, described)
		}
	}
	return list
}

// reservation describes an instance with the resources that are, or were, attached to it.
func (c *Cloud) reservation(at time.Time, s state, vm Resource) fields {
	instance := fields{
		"instanceId": vm.ID, "imageId": vm.Image, "instanceState": fields{"name": c.stateName(at, vm)},
		"privateDnsName": vm.DNSName,
		"launchTime":     wireTime(vm.Launched), "rootDeviceName": RootDeviceName,
		"metadataOptions": metadataOptions(vm), "tagSet": tagSet(vm.Tags),
		"blockDeviceMapping": listOf(s.attached(vm.ID, Volume), func(r Resource) fields {
			return fields{
				"deviceName": r.Device, "ebs": fields{"volumeId": r.ID, "deleteOnTermination": r.DeleteOnTermination},
			}
		}),
	}
	cards := s.attached(vm.ID, NetworkInterface)
	instance["networkInterfaceSet"] = listOf(cards, networkInterface)
	if len(cards) == 1 {
		instance["sourceDestCheck"] = cards[0].SourceDestCheck // the attribute of the only network interface
	}
	return fields{"reservationId": "r-" + vm.ID, "instancesSet": items{instance}}
}

func metadataOptions(vm Resource) fields {
	return fields{"state": "applied", "httpTokens": vm.HTTPTokens}
}

func networkInterface(r Resource) fields {
	var prefixes items
	for _, prefix := range r.Ipv6Prefixes {
		prefixes = append(prefixes, fields{"ipv6Prefix": prefix})
	}
	return fields{
		"networkInterfaceId": r.ID, "interfaceType": r.InterfaceType, "sourceDestCheck": r.SourceDestCheck,
		"tagSet": tagSet(r.Tags), "ipv6PrefixSet": prefixes,
		"attachment": fields{
			"instanceId": r.Instance, "deviceIndex": r.DeviceIndex, "networkCardIndex": r.NetworkCardIndex,
			"deleteOnTermination": r.DeleteOnTermination,
		},
	}
}

func volume(r Resource) fields {
	described := fields{
		"volumeId": r.ID, "iops": r.Iops, "throughput": r.Throughput, "volumeType": "gp3", "tagSet": tagSet(r.Tags),
	}
	if r.Instance != "" {
		described["attachmentSet"] = items{
			{"instanceId": r.Instance, "device": r.Device, "deleteOnTermination": r.DeleteOnTermination},
		}
	}
	return described
}

// volumeModification describes the last modification of a volume, if there was one.
func volumeModification(r Resource, at time.Time) fields {
	if r.modified.from.IsZero() {
		return nil
	}
	return fields{
		"volumeId": r.ID, "modificationState": r.modified.state(at), "targetIops": r.modified.iops,
		"targetThroughput": r.modified.throughput,
		"startTime":        wireTime(r.modified.from),
	}
}

// tagSet lists infrastructure tags, sorted by key.
func tagSet(tags map[string]string) items {
	var all items
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		all = append(all, fields{"key": key, "value": tags[key]})
	}
	return all
}

func wireTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
