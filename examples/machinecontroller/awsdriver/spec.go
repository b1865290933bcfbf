package awsdriver

import (
	"errors"
	"fmt"
	"slices"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/cloudapi"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// ProviderSpec is the driver's own type, which a MachineClass holds. The extension mixes it from WorkerConfig, pool and infrastructure. Its
// struct tags say what UpdateMachine applies to a running machine.
type ProviderSpec struct {
	APIVersion string `json:"apiVersion,omitempty" hotupdatable:"ignore"`

	AMI                    string             `json:"ami"`
	MachineType            string             `json:"machineType"`
	Region                 string             `json:"region"`
	KeyName                string             `json:"keyName,omitempty"`
	BlockDevices           []BlockDevice      `json:"blockDevices,omitempty"`
	NetworkInterfaces      []NetworkInterface `json:"networkInterfaces,omitempty"`
	SrcAndDstChecksEnabled *bool              `json:"srcAndDstChecksEnabled,omitempty"`

	// Tags are the infrastructure tags of VM, volumes and network interfaces alike: pool labels, and the keys by which the driver finds
	// the machine.
	Tags map[string]string `json:"tags,omitempty" hotupdatable:"true"`
	// ResourceTags are those of the WorkerConfig, for each kind of resource. They lie above Tags.
	ResourceTags *tags.Tags `json:"resourceTags,omitempty" hotupdatable:"true"`
}

// BlockDevice is a volume that the launch creates.
type BlockDevice struct {
	DeviceName string `json:"deviceName"`
	VolumeSize int64  `json:"volumeSize,omitempty"`
}

// NetworkInterface is a network interface that the launch creates. The first has the device index 0, the next 1, and so on.
type NetworkInterface struct {
	SubnetID         string   `json:"subnetID,omitempty"`
	SecurityGroupIDs []string `json:"securityGroupIDs,omitempty"`
}

// Schema returns the Schema of [ProviderSpec].
func Schema() (*hotupdate.Schema, error) { return hotupdate.SchemaOf[ProviderSpec]() }

// specOf reads the spec of a class.
func specOf(class *api.MachineClass) (*ProviderSpec, error) {
	return parseSpec(class.ProviderSpec.Raw)
}

// parseSpec reads a spec, or the hot part of one.
func parseSpec(raw []byte) (*ProviderSpec, error) {
	schema, err := Schema()
	if err != nil {
		return nil, err
	}
	decoded, err := schema.Decode(raw)
	if err != nil {
		return nil, fmt.Errorf("provider spec: %w", err)
	}
	spec, ok := decoded.(*ProviderSpec)
	if !ok {
		return nil, errors.New("provider spec: not of the driver's type")
	}
	return spec, nil
}

// createsVolume reports whether the launch created the volume at a device name. What a CSI driver attaches has a name that no block device
// of the spec has.
func (s *ProviderSpec) createsVolume(deviceName string) bool {
	return slices.ContainsFunc(s.BlockDevices, func(b BlockDevice) bool { return b.DeviceName == deviceName })
}

// createsInterface reports whether the launch created the network interface at a device index. What a CNI plugin attaches has an index
// behind those of the spec.
func (s *ProviderSpec) createsInterface(deviceIndex int) bool {
	return deviceIndex < len(s.NetworkInterfaces)
}

// checksSourceAndDestination reports whether the cloud is to check that the VM sends and receives its own traffic only, which is the cloud's
// default.
func (s *ProviderSpec) checksSourceAndDestination() bool {
	return s.SrcAndDstChecksEnabled == nil || *s.SrcAndDstChecksEnabled
}

// mandatory returns the infrastructure tags by which the driver finds the machine.
func (s *ProviderSpec) mandatory(rules *tags.Rules, machine string) map[string]string {
	found := rules.MandatoryIn(s.Tags)
	if found == nil {
		found = map[string]string{}
	}
	found[nameKey] = machine
	return found
}

// effective lays together what the spec says about one kind of resource.
func (s *ProviderSpec) effective(rules *tags.Rules, kind tags.Kind, mandatory map[string]string) map[string]string {
	return rules.Effective(s.Tags, s.ResourceTags.Of(kind), mandatory)
}

// typeOf returns what the cloud calls a kind of resource.
func typeOf(kind tags.Kind) cloudapi.ResourceType {
	switch kind {
	case tags.Network:
		return cloudapi.NetworkInterface
	case tags.Disk:
		return cloudapi.Volume
	case tags.VM, tags.UnknownKind:
	}
	return cloudapi.Instance
}

// listOf returns infrastructure tags as the API takes them, sorted by key.
func listOf(all map[string]string) []cloudapi.Tag {
	listed := make([]cloudapi.Tag, 0, len(all))
	for _, key := range tags.Keys(all) {
		listed = append(listed, cloudapi.Tag{Key: key, Value: new(all[key])})
	}
	return listed
}
