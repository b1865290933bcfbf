package aws

import (
	"github.com/hotupdate/providerconfig/examples/internal/driver"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// ProviderSpec is the driver's type in a MachineClass. The extension fills it from WorkerConfig,
// pool and infrastructure, so it has separate struct tags. It has all JSON names of
// machine-controller-manager-provider-aws, extended by resourceTags.
type ProviderSpec struct {
	// APIVersion is the version of the spec's format. It concerns no machine.
	APIVersion string `json:"apiVersion,omitempty" hotupdatable:"ignore"`

	AMI string `json:"ami,omitempty"`
	// BlockDevices are found by device name. A single one needs no name: it is the root volume.
	BlockDevices []BlockDevice `json:"blockDevices,omitempty" hotupdatable:"false,key=deviceName"`

	CapacityReservationTarget *CapacityReservation       `json:"capacityReservation,omitempty"`
	EBSOptimized              bool                       `json:"ebsOptimized,omitempty"`
	IAM                       *IAMInstanceProfile        `json:"iam,omitempty"`
	MachineType               string                     `json:"machineType,omitempty"`
	KeyName                   *string                    `json:"keyName,omitempty"`
	Monitoring                bool                       `json:"monitoring,omitempty"`
	NetworkInterfaces         []ProviderNetworkInterface `json:"networkInterfaces,omitempty"`
	Region                    string                     `json:"region,omitempty"`
	SpotPrice                 *string                    `json:"spotPrice,omitempty"`
	InstanceMetadataOptions   *ProviderMetadataOptions   `json:"instanceMetadataOptions,omitempty" hotupdatable:"true"`
	CPUOptions                *CPUOptions                `json:"cpuOptions,omitempty"`
	Placement                 *Placement                 `json:"placement,omitempty"`
	InstanceMarketOptions     *InstanceMarketOptions     `json:"instanceMarketOptions,omitempty"`

	// SrcAndDstChecksEnabled is hot, as are InstanceMetadataOptions and the performance of volumes,
	// see [Groups]: ModifyNetworkInterfaceAttribute works on interfaces in use (hot-update
	// proposal, "Motivation").
	SrcAndDstChecksEnabled *bool `json:"srcAndDstChecksEnabled,omitempty" hotupdatable:"true"`
	// Tags is the flat map for instances, volumes and interfaces alike: the keys by which
	// machine-controller-manager finds its machines, and in classes of former releases also pool
	// labels. It is hot as a whole (hot-update proposal, "What is available today").
	Tags map[string]string `json:"tags,omitempty" hotupdatable:"true"`
	// ResourceTags are the infrastructure tags of the WorkerConfig for each kind of resource, and
	// pool labels for the VM only (hot-update proposal, "Shoot YAML changes").
	ResourceTags *tags.Tags `json:"resourceTags,omitempty" hotupdatable:"true"`
}

// BlockDevice is a volume of the machine.
type BlockDevice struct {
	DeviceName  string `json:"deviceName,omitempty"`
	EBS         EBS    `json:"ebs"`
	NoDevice    string `json:"noDevice,omitempty"`
	VirtualName string `json:"virtualName,omitempty"`
}

// EBS is a volume of Elastic Block Store.
type EBS struct {
	DeleteOnTermination *bool `json:"deleteOnTermination,omitempty"`
	// VolumeSize is in GiB.
	VolumeSize int32   `json:"volumeSize"`
	VolumeType *string `json:"volumeType,omitempty"`
	Encrypted  *bool   `json:"encrypted,omitempty"`
	IOPS       *int32  `json:"iops,omitempty"       hotupdatable:"true"`
	// Throughput is in MiB/s.
	Throughput *int32  `json:"throughput,omitempty" hotupdatable:"true"`
	KMSKeyID   *string `json:"kmsKeyID,omitempty"`
	SnapshotID *string `json:"snapshotID,omitempty"`
}

// ProviderNetworkInterface is one network interface of the driver: the extension expands a range of
// network cards.
type ProviderNetworkInterface struct {
	NetworkCardIndex int64    `json:"networkCardIndex"`
	DeviceIndex      int64    `json:"deviceIndex"`
	InterfaceType    *string  `json:"interfaceType,omitempty"    hotupdatable:"false,default=interface"`
	Description      *string  `json:"description,omitempty"`
	SubnetID         string   `json:"subnetID"`
	SecurityGroupIDs []string `json:"securityGroupIDs,omitempty" hotupdatable:"false,set"`

	AssociatePublicIPAddress *bool  `json:"associatePublicIPAddress,omitempty"`
	DeleteOnTermination      *bool  `json:"deleteOnTermination,omitempty"`
	IPv6AddressCount         *int32 `json:"ipv6AddressCount,omitempty"`
	IPv6PrefixCount          *int32 `json:"ipv6PrefixCount,omitempty"`
	PrimaryIPv6              *bool  `json:"primaryIpv6,omitempty"`
}

// ProviderMetadataOptions are all options of the driver. On running instances it changes only the
// options of the WorkerConfig, see [Groups].
type ProviderMetadataOptions struct {
	MetadataOptions `json:",inline"`

	HTTPEndpoint     string `json:"httpEndpoint,omitempty"     hotupdatable:"false"`
	HTTPProtocolIPv6 string `json:"httpProtocolIpv6,omitempty" hotupdatable:"false"`
}

// ProviderSpecSchema returns the Schema of [ProviderSpec], with which the driver and
// machine-controller-manager find hot changes.
func ProviderSpecSchema() (*hotupdate.Schema, error) { return hotupdate.SchemaOf[ProviderSpec]() }

// TagsOf returns the infrastructure tags of the machine's resources of a kind. The driver sets the
// flat map on all of them, and adds Name, the machine's name.
func (s *ProviderSpec) TagsOf(kind tags.Kind) (map[string]string, error) {
	return driver.Tags(tags.AWS, kind, s.Tags, s.ResourceTags)
}
