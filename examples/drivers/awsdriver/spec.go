package awsdriver

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// ProviderSpec is the driver's own type in a MachineClass, with the names of Gardener's driver for
// AWS. The extension fills it from WorkerConfig, pool and infrastructure. UpdateMachine applies the
// hot fields to running machines.
type ProviderSpec struct {
	APIVersion string `json:"apiVersion,omitempty" hotupdatable:"ignore"`

	AMI         string `json:"ami"`
	MachineType string `json:"machineType"`
	Region      string `json:"region"`

	// BlockDevices are found by device name.
	BlockDevices []BlockDevice `json:"blockDevices,omitempty" hotupdatable:"false,key=deviceName"`

	NetworkInterfaces       []NetworkInterface       `json:"networkInterfaces,omitempty"`
	SrcAndDstChecksEnabled  *bool                    `json:"srcAndDstChecksEnabled,omitempty"  hotupdatable:"true"`
	InstanceMetadataOptions *InstanceMetadataOptions `json:"instanceMetadataOptions,omitempty" hotupdatable:"inplace"`

	// Tags are the infrastructure tags of VM, volumes and network interfaces, with the keys by
	// which the driver finds the machine.
	Tags map[string]string `json:"tags,omitempty" hotupdatable:"true"`
	// ResourceTags override Tags for single kinds of resources: the tags of the WorkerConfig, and
	// for the VM the pool's labels.
	ResourceTags *tags.Tags `json:"resourceTags,omitempty" hotupdatable:"true"`
}

// BlockDevice is a volume that the launch creates.
type BlockDevice struct {
	DeviceName string `json:"deviceName"`
	Ebs        Ebs    `json:"ebs,omitempty"`
}

// Ebs has the properties of a volume.
type Ebs struct {
	VolumeSize          int32  `json:"volumeSize,omitempty"`
	VolumeType          string `json:"volumeType,omitempty"`
	DeleteOnTermination *bool  `json:"deleteOnTermination,omitempty"`
	Iops                *int32 `json:"iops,omitempty"                hotupdatable:"true"`
	Throughput          *int32 `json:"throughput,omitempty"          hotupdatable:"true"`
}

// NetworkInterface is a network interface that the launch creates. Without a device index the first
// has 0, the next 1, and so on.
type NetworkInterface struct {
	SubnetID            string   `json:"subnetID,omitempty"`
	SecurityGroupIDs    []string `json:"securityGroupIDs,omitempty"`
	DeviceIndex         *int32   `json:"deviceIndex,omitempty"`
	NetworkCardIndex    *int32   `json:"networkCardIndex,omitempty"`
	InterfaceType       *string  `json:"interfaceType,omitempty"`
	DeleteOnTermination *bool    `json:"deleteOnTermination,omitempty"`
	Ipv6PrefixCount     *int32   `json:"ipv6PrefixCount,omitempty"`
}

// InstanceMetadataOptions configure the VM's metadata service. Requiring a token breaks pods that
// read without one, so the node must be drained before.
type InstanceMetadataOptions struct {
	HTTPTokens string `json:"httpTokens,omitempty"`
}

// Schema returns the Schema of [ProviderSpec].
func Schema() (*hotupdate.Schema, error) { return hotupdate.SchemaOf[ProviderSpec]() }

// rootDevice in a spec means the name of the image's root device. A single volume is always the
// root device.
const rootDevice = "/root"

// deviceName returns the name of a block device on a VM whose image gives its root device the name
// root.
func (s *ProviderSpec) deviceName(i int, root string) string {
	if name := s.BlockDevices[i].DeviceName; name != rootDevice && len(s.BlockDevices) > 1 {
		return name
	}
	return root
}

// volumes returns the device names in the spec of the VM's own volumes, by ID. A volume of a CSI
// driver has another device name, or the name of a detached volume; then it is not deleted with the VM.
func (s *ProviderSpec) volumes(vm *types.Instance) map[string]string {
	own := map[string]string{}
	for _, live := range vm.BlockDeviceMappings {
		for i, device := range s.BlockDevices {
			if live.Ebs != nil && s.deviceName(i, aws.ToString(vm.RootDeviceName)) == aws.ToString(live.DeviceName) &&
				isTrue(device.Ebs.DeleteOnTermination) == aws.ToBool(live.Ebs.DeleteOnTermination) {
				own[aws.ToString(live.Ebs.VolumeId)] = device.DeviceName
			}
		}
	}
	return own
}

// card returns the network card and the device index of a network interface.
func (s *ProviderSpec) card(i int) (card, index int32) {
	spec := s.NetworkInterfaces[i]
	index = int32(i) //nolint:gosec // a VM has a handful of interfaces
	if spec.DeviceIndex != nil {
		index = *spec.DeviceIndex
	}
	if spec.NetworkCardIndex != nil {
		card = *spec.NetworkCardIndex
	}
	return card, index
}

// Interfaces returns the network interfaces of a VM's launch, each with its part of the spec. A
// network interface of a CNI plugin has another device index.
func (s *ProviderSpec) Interfaces(vm *types.Instance) (own []types.InstanceNetworkInterface, specs []NetworkInterface) {
	for _, live := range vm.NetworkInterfaces {
		for i, spec := range s.NetworkInterfaces {
			if s.isLaunchedAs(i, live.Attachment) {
				own = append(own, live)
				specs = append(specs, spec)
			}
		}
	}
	return own, specs
}

// isLaunchedAs reports whether an attachment is the attachment of the spec's network interface i.
func (s *ProviderSpec) isLaunchedAs(i int, at *types.InstanceNetworkInterfaceAttachment) bool {
	if at == nil {
		return false
	}
	card, index := s.card(i)
	isSamePlace := aws.ToInt32(at.NetworkCardIndex) == card && aws.ToInt32(at.DeviceIndex) == index
	endsWithVM := isTrue(s.NetworkInterfaces[i].DeleteOnTermination)
	return isSamePlace && endsWithVM == aws.ToBool(at.DeleteOnTermination)
}

// isTrue reads a field that is true if it is not set.
func isTrue(field *bool) bool { return field == nil || *field }

// nameKey is the infrastructure tag with the machine's name.
const nameKey = "Name"

// Mandatory returns the infrastructure tags by which the driver finds the machine.
func (s *ProviderSpec) Mandatory(rules *tags.Rules, machine string) map[string]string {
	found := rules.MandatoryIn(s.Tags)
	if found == nil {
		found = map[string]string{}
	}
	found[nameKey] = machine
	return found
}
