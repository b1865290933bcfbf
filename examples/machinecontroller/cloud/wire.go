package cloud

import (
	"encoding/xml"
	"maps"
	"slices"
	"time"
)

// requestID is that of every request.
const requestID = "00000000-0000-0000-0000-000000000000"

// The answers, as the API reference of Amazon EC2 (version 2016-11-15) has them, as far as the example reads them.

type errorResponse struct {
	XMLName   xml.Name `xml:"Response"`
	Errors    []Error  `xml:"Errors>Error"`
	RequestID string   `xml:"RequestID"`
}

// success is the answer of actions that only succeed.
type success struct {
	XMLName   xml.Name
	RequestID string `xml:"requestId"`
	Return    bool   `xml:"return"`
}

func succeeded(action string) *success {
	return &success{XMLName: xml.Name{Local: action + "Response"}, RequestID: requestID, Return: true}
}

type describeInstancesResponse struct {
	XMLName      xml.Name          `xml:"DescribeInstancesResponse"`
	RequestID    string            `xml:"requestId"`
	Reservations []wireReservation `xml:"reservationSet>item"`
	NextToken    string            `xml:"nextToken,omitempty"`
}

type wireReservation struct {
	ID        string         `xml:"reservationId"`
	Instances []wireInstance `xml:"instancesSet>item"`
}

type runInstancesResponse struct {
	XMLName   xml.Name       `xml:"RunInstancesResponse"`
	RequestID string         `xml:"requestId"`
	ID        string         `xml:"reservationId"`
	Instances []wireInstance `xml:"instancesSet>item"`
}

type wireInstance struct {
	ID              string            `xml:"instanceId"`
	ImageID         string            `xml:"imageId"`
	State           string            `xml:"instanceState>name"`
	PrivateDNSName  string            `xml:"privateDnsName"`
	LaunchTime      string            `xml:"launchTime"`
	RootDeviceName  string            `xml:"rootDeviceName"`
	BlockDevices    []wireBlockDevice `xml:"blockDeviceMapping>item"`
	Interfaces      []wireInterface   `xml:"networkInterfaceSet>item"`
	SourceDestCheck *bool             `xml:"sourceDestCheck"` // of the only network interface, if it is the only one
	MetadataOptions metadataOptions   `xml:"metadataOptions"`
	Tags            []wireTag         `xml:"tagSet>item"`
}

type metadataOptions struct {
	State      string `xml:"state"`
	HTTPTokens string `xml:"httpTokens"`
}

type wireTag struct {
	Key   string `xml:"key"`
	Value string `xml:"value"`
}

type wireBlockDevice struct {
	DeviceName          string `xml:"deviceName"`
	VolumeID            string `xml:"ebs>volumeId"`
	DeleteOnTermination bool   `xml:"ebs>deleteOnTermination"`
}

type wireInterface struct {
	ID              string         `xml:"networkInterfaceId"`
	InterfaceType   string         `xml:"interfaceType"`
	SourceDestCheck bool           `xml:"sourceDestCheck"`
	Attachment      wireAttachment `xml:"attachment"`
	Prefixes        []wirePrefix   `xml:"ipv6PrefixSet>item"`
	Tags            []wireTag      `xml:"tagSet>item"`
}

type wirePrefix struct {
	Prefix string `xml:"ipv6Prefix"`
}

// wireAttachment is that of a volume or of a network interface.
type wireAttachment struct {
	Instance            string `xml:"instanceId"`
	Device              string `xml:"device,omitempty"`
	DeviceIndex         int    `xml:"deviceIndex"`
	NetworkCardIndex    int    `xml:"networkCardIndex"`
	DeleteOnTermination bool   `xml:"deleteOnTermination"`
}

type describeInterfacesResponse struct {
	XMLName    xml.Name        `xml:"DescribeNetworkInterfacesResponse"`
	RequestID  string          `xml:"requestId"`
	Interfaces []wireInterface `xml:"networkInterfaceSet>item"`
	NextToken  string          `xml:"nextToken,omitempty"`
}

type describeVolumesResponse struct {
	XMLName   xml.Name     `xml:"DescribeVolumesResponse"`
	RequestID string       `xml:"requestId"`
	Volumes   []wireVolume `xml:"volumeSet>item"`
	NextToken string       `xml:"nextToken,omitempty"`
}

type wireVolume struct {
	ID          string           `xml:"volumeId"`
	Iops        int              `xml:"iops"`
	Throughput  int              `xml:"throughput"`
	VolumeType  string           `xml:"volumeType"`
	Attachments []wireAttachment `xml:"attachmentSet>item"`
	Tags        []wireTag        `xml:"tagSet>item"`
}

type describeModificationsResponse struct {
	XMLName       xml.Name                 `xml:"DescribeVolumesModificationsResponse"`
	RequestID     string                   `xml:"requestId"`
	Modifications []wireVolumeModification `xml:"volumeModificationSet>item"`
	NextToken     string                   `xml:"nextToken,omitempty"`
}

type modifyVolumeResponse struct {
	XMLName      xml.Name               `xml:"ModifyVolumeResponse"`
	RequestID    string                 `xml:"requestId"`
	Modification wireVolumeModification `xml:"volumeModification"`
}

type wireVolumeModification struct {
	VolumeID         string `xml:"volumeId"`
	State            string `xml:"modificationState"`
	TargetIops       int    `xml:"targetIops"`
	TargetThroughput int    `xml:"targetThroughput"`
	StartTime        string `xml:"startTime"`
}

type describeImagesResponse struct {
	XMLName   xml.Name    `xml:"DescribeImagesResponse"`
	RequestID string      `xml:"requestId"`
	Images    []wireImage `xml:"imagesSet>item"`
}

type wireImage struct {
	ID             string `xml:"imageId"`
	RootDeviceName string `xml:"rootDeviceName"`
}

type terminateInstancesResponse struct {
	XMLName   xml.Name `xml:"TerminateInstancesResponse"`
	RequestID string   `xml:"requestId"`
}

type modifyMetadataOptionsResponse struct {
	XMLName    xml.Name        `xml:"ModifyInstanceMetadataOptionsResponse"`
	RequestID  string          `xml:"requestId"`
	InstanceID string          `xml:"instanceId"`
	Options    metadataOptions `xml:"instanceMetadataOptions"`
}

type assignPrefixesResponse struct {
	XMLName            xml.Name `xml:"AssignIpv6AddressesResponse"`
	RequestID          string   `xml:"requestId"`
	NetworkInterfaceID string   `xml:"networkInterfaceId"`
	Prefixes           []string `xml:"assignedIpv6PrefixSet>item"`
}

// wireInstance describes an instance with what is, or was, attached to it.
func (c *Cloud) wireInstance(at time.Time, s state, vm Resource) wireInstance {
	w := wireInstance{
		ID: vm.ID, ImageID: vm.Image, State: c.stateName(at, vm), PrivateDNSName: vm.DNSName, LaunchTime: wireTime(vm.Launched),
		RootDeviceName: RootDeviceName, MetadataOptions: metadataOptions{State: "applied", HTTPTokens: vm.HTTPTokens}, Tags: wireTags(vm.Tags),
	}
	for _, r := range s.attached(vm.ID, Volume) {
		w.BlockDevices = append(w.BlockDevices, wireBlockDevice{DeviceName: r.Device, VolumeID: r.ID, DeleteOnTermination: r.DeleteOnTermination})
	}
	cards := s.attached(vm.ID, NetworkInterface)
	for _, r := range cards {
		w.Interfaces = append(w.Interfaces, wireInterfaceOf(r))
	}
	if len(cards) == 1 {
		w.SourceDestCheck = &cards[0].SourceDestCheck
	}
	return w
}

func wireInterfaceOf(r Resource) wireInterface {
	w := wireInterface{
		ID: r.ID, InterfaceType: r.InterfaceType, SourceDestCheck: r.SourceDestCheck, Tags: wireTags(r.Tags),
		Attachment: wireAttachment{
			Instance: r.Instance, DeviceIndex: r.DeviceIndex, NetworkCardIndex: r.NetworkCardIndex, DeleteOnTermination: r.DeleteOnTermination,
		},
	}
	for _, prefix := range r.Ipv6Prefixes {
		w.Prefixes = append(w.Prefixes, wirePrefix{prefix})
	}
	return w
}

func wireAttachments(r Resource) []wireAttachment {
	if r.Instance == "" {
		return nil
	}
	return []wireAttachment{{Instance: r.Instance, Device: r.Device, DeleteOnTermination: r.DeleteOnTermination}}
}

func wireModification(r Resource, at time.Time) wireVolumeModification {
	return wireVolumeModification{
		VolumeID: r.ID, State: r.modified.state(at), TargetIops: r.modified.iops, TargetThroughput: r.modified.throughput, StartTime: wireTime(r.modified.from),
	}
}

// wireTags returns infrastructure tags sorted by key.
func wireTags(tags map[string]string) []wireTag {
	var all []wireTag
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		all = append(all, wireTag{Key: key, Value: tags[key]})
	}
	return all
}

func wireTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
