// Package cloudapi is the API of the simulated cloud: requests, responses, error codes and a client. Names and meaning are those of
// Amazon EC2; the encoding is JSON, one POST for each action.
//
// It knows nothing of machines, and nothing of how the cloud is simulated.
package cloudapi

import "time"

// Action is an operation of the API.
type Action string

// The actions. The first group reads, the others write.
const (
	DescribeInstances Action = "DescribeInstances"
	DescribeTags      Action = "DescribeTags"

	RunInstances            Action = "RunInstances"
	TerminateInstances      Action = "TerminateInstances"
	ModifyInstanceAttribute Action = "ModifyInstanceAttribute"
	CreateTags              Action = "CreateTags"
	DeleteTags              Action = "DeleteTags"
	CreateVolume            Action = "CreateVolume"
	AttachVolume            Action = "AttachVolume"
	CreateNetworkInterface  Action = "CreateNetworkInterface"
	AttachNetworkInterface  Action = "AttachNetworkInterface"
)

// Reads reports whether the action changes nothing.
func (a Action) Reads() bool { return a == DescribeInstances || a == DescribeTags }

// ResourceType is what an ID stands for.
type ResourceType string

// The types of resources that carry infrastructure tags.
const (
	Instance         ResourceType = "instance"
	Volume           ResourceType = "volume"
	NetworkInterface ResourceType = "network-interface"
)

// InstanceState is where an instance is in its life.
type InstanceState string

// The states of an instance.
const (
	Pending    InstanceState = "pending"
	Running    InstanceState = "running"
	Terminated InstanceState = "terminated"
)

// Tag is an infrastructure tag. In DeleteTags a nil value removes the key whatever its value is, and any other, also the empty one,
// only if it is the value.
type Tag struct {
	Key   string  `json:"key"`
	Value *string `json:"value,omitempty"`
}

// TagSpecification are the infrastructure tags of the resources of one type that a launch creates.
type TagSpecification struct {
	ResourceType ResourceType `json:"resourceType"`
	Tags         []Tag        `json:"tags"`
}

// RunInstancesRequest launches one instance with its volumes and network interfaces. A launch with a client token that was used before
// returns the instance of then.
type RunInstancesRequest struct {
	ClientToken       string             `json:"clientToken,omitempty"`
	ImageID           string             `json:"imageId"`
	InstanceType      string             `json:"instanceType"`
	BlockDevices      []string           `json:"blockDevices"`      // device names
	NetworkInterfaces []int              `json:"networkInterfaces"` // device indices
	TagSpecifications []TagSpecification `json:"tagSpecifications,omitempty"`
}

// InstancesResponse is the answer of RunInstances and DescribeInstances.
type InstancesResponse struct {
	Instances []InstanceDescription `json:"instances"`
}

// InstanceDescription is what the cloud tells about an instance: also of volumes and network interfaces that others attached.
type InstanceDescription struct {
	ID                string        `json:"instanceId"`
	State             InstanceState `json:"state"`
	LaunchTime        time.Time     `json:"launchTime"`
	SourceDestCheck   bool          `json:"sourceDestCheck"`
	BlockDevices      []BlockDevice `json:"blockDevices"`
	NetworkInterfaces []Interface   `json:"networkInterfaces"`
	Tags              []Tag         `json:"tags"`
}

// BlockDevice is an attached volume.
type BlockDevice struct {
	DeviceName string `json:"deviceName"`
	VolumeID   string `json:"volumeId"`
}

// Interface is an attached network interface.
type Interface struct {
	DeviceIndex        int    `json:"deviceIndex"`
	NetworkInterfaceID string `json:"networkInterfaceId"`
}

// Filter selects what has one of the values. The names are instance-id, instance-state-name and tag:KEY for instances, and resource-id
// for infrastructure tags.
type Filter struct {
	Name   string   `json:"name"`
	Values []string `json:"values"`
}

// DescribeRequest is the request of DescribeInstances and DescribeTags. All filters must match. Answers lag behind.
type DescribeRequest struct {
	Filters []Filter `json:"filters,omitempty"`
}

// TagsResponse is the answer of DescribeTags.
type TagsResponse struct {
	Tags []TagDescription `json:"tags"`
}

// TagDescription is an infrastructure tag of a resource.
type TagDescription struct {
	ResourceID   string       `json:"resourceId"`
	ResourceType ResourceType `json:"resourceType"`
	Key          string       `json:"key"`
	Value        string       `json:"value"`
}

// TagsRequest is the request of CreateTags and DeleteTags. It takes effect on all resources or on none.
type TagsRequest struct {
	Resources []string `json:"resources"`
	Tags      []Tag    `json:"tags"`
}

// TerminateInstancesRequest ends instances; volumes and network interfaces of the launch go with them.
type TerminateInstancesRequest struct {
	InstanceIDs []string `json:"instanceIds"`
}

// ModifyInstanceAttributeRequest changes whether the instance may only send and receive its own traffic.
type ModifyInstanceAttributeRequest struct {
	InstanceID      string `json:"instanceId"`
	SourceDestCheck bool   `json:"sourceDestCheck"`
}

// CreateResourceRequest is the request of CreateVolume and CreateNetworkInterface.
type CreateResourceRequest struct {
	Tags []Tag `json:"tags,omitempty"`
}

// CreateResourceResponse is the answer of CreateVolume and CreateNetworkInterface.
type CreateResourceResponse struct {
	ID string `json:"id"`
}

// AttachVolumeRequest attaches a volume to an instance.
type AttachVolumeRequest struct {
	VolumeID   string `json:"volumeId"`
	InstanceID string `json:"instanceId"`
	Device     string `json:"device"`
}

// AttachNetworkInterfaceRequest attaches a network interface to an instance.
type AttachNetworkInterfaceRequest struct {
	NetworkInterfaceID string `json:"networkInterfaceId"`
	InstanceID         string `json:"instanceId"`
	DeviceIndex        int    `json:"deviceIndex"`
}

// Empty is the answer of actions that only succeed.
type Empty struct{}
