package alicloud

import (
	"github.com/hotupdate/providerconfig/examples/internal/driver"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// ProviderSpec is the driver's type in a MachineClass. The extension fills it from WorkerConfig,
// pool and infrastructure, so it has separate struct tags. It has all JSON names of
// machine-controller-manager-provider-alicloud, extended by resourceTags.
type ProviderSpec struct {
	// APIVersion is the version of the spec's format. It concerns no machine.
	APIVersion string `json:"apiVersion,omitempty" hotupdatable:"ignore"`

	ImageID                 string      `json:"imageID"`
	InstanceType            string      `json:"instanceType"`
	Region                  string      `json:"region"`
	ZoneID                  string      `json:"zoneID,omitempty"`
	SecurityGroupID         string      `json:"securityGroupID,omitempty"`
	VSwitchID               string      `json:"vSwitchID"`
	PrivateIPAddress        string      `json:"privateIPAddress,omitempty"`
	IOOptimized             string      `json:"IoOptimized,omitempty"`
	SystemDisk              *SystemDisk `json:"systemDisk,omitempty"`
	DataDisks               []DataDisk  `json:"dataDisks,omitempty"` // in this order; a disk needs no name
	InstanceChargeType      string      `json:"instanceChargeType,omitempty"`
	InternetChargeType      string      `json:"internetChargeType,omitempty"`
	InternetMaxBandwidthIn  *int32      `json:"internetMaxBandwidthIn,omitempty"`
	InternetMaxBandwidthOut *int32      `json:"internetMaxBandwidthOut,omitempty"`
	SpotStrategy            string      `json:"spotStrategy,omitempty"`
	KeyPairName             string      `json:"keyPairName,omitempty"`

	// Tags is the flat map: pool labels, and the keys by which machine-controller-manager finds its
	// machines. The launch sets it on "the instance, disks, and primary ENI" (ECS API,
	// RunInstances, Tag.N). It is hot as a whole (hot-update proposal, "What is available today").
	Tags map[string]string `json:"tags,omitempty" hotupdatable:"true"`
	// ResourceTags are the infrastructure tags of the WorkerConfig, for each kind of resource.
	ResourceTags *tags.Tags `json:"resourceTags,omitempty" hotupdatable:"true"`
}

// SystemDisk is the root disk. Its size is in GiB.
type SystemDisk struct {
	Category *string `json:"category,omitempty"`
	Size     int32   `json:"size"`
}

// DataDisk is a further disk. Its size is in GiB.
type DataDisk struct {
	Name               string  `json:"name,omitempty"`
	Category           *string `json:"category,omitempty"`
	Description        string  `json:"description,omitempty"`
	Encrypted          *bool   `json:"encrypted,omitempty"`
	DeleteWithInstance *bool   `json:"deleteWithInstance,omitempty"`
	Size               int32   `json:"size"`
}

// ProviderSpecSchema returns the Schema of [ProviderSpec], with which the driver and
// machine-controller-manager find hot changes.
func ProviderSpecSchema() (*hotupdate.Schema, error) { return hotupdate.SchemaOf[ProviderSpec]() }

// TagsOf returns the infrastructure tags of the machine's resources of a kind. The flat map is for
// all kinds.
func (s *ProviderSpec) TagsOf(kind tags.Kind) (map[string]string, error) {
	return driver.Tags(tags.AliCloud, kind, s.Tags, s.ResourceTags)
}
