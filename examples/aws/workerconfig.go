package aws

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/examples/internal/extension"
	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// APIVersion and Kind identify the WorkerConfig in a manifest.
const (
	APIVersion = "aws.provider.extensions.gardener.cloud/v1alpha1"
	Kind       = "WorkerConfig"
)

// Schema returns the Schema of [WorkerConfig], in which virtual capacity is hot by an override.
func Schema() (*hotupdate.Schema, error) { return extension.SchemaOf[WorkerConfig]() }

// ReleasedSchema returns the Schema of [WorkerConfig] before the fields of [Groups] became hot.
// Existing pools are named by it. With [Schema], pools that set one of these fields would be
// renamed.
func ReleasedSchema() (*hotupdate.Schema, error) {
	return extension.SchemaOf[WorkerConfig](
		hotupdate.WithTag("volume.iops", "false"), hotupdate.WithTag("volume.throughput", "false"),
		hotupdate.WithTag("dataVolumes[].iops", "false"), hotupdate.WithTag("dataVolumes[].throughput", "false"),
		hotupdate.WithTag("instanceMetadataOptions", "false,presence"),
	)
}

// WorkerConfig is the provider config of a worker pool. Fields without a struct tag are immutable:
// a change replaces the machines.
//
// Infrastructure tags and the fields of [Groups] are hot: the performance of volumes and the
// metadata options. The fields of Groups became hot after the first release. In older eras they are
// still hashed, so a change of them replaces the machines, see [Eras].
type WorkerConfig struct {
	metav1.TypeMeta `json:",inline"`

	// NodeTemplate describes a node of an empty pool for the autoscaler.
	NodeTemplate *gardener.NodeTemplate `json:"nodeTemplate,omitempty"`
	// Volume configures the root volume. ModifyVolume works on volumes in use (EC2 API,
	// ModifyVolume). The driver calls it only for type gp3. With another type a change replaces the
	// machines, see [Eras], or [ValidateVolume] refuses it if the pool is updated in place.
	Volume *Volume `json:"volume,omitempty"`
	// DataVolumes configure the pool's data volumes. The extension looks them up by name, so their
	// order has no meaning.
	DataVolumes []DataVolume `json:"dataVolumes,omitempty" hotupdatable:"false,key=name"`
	// IAMInstanceProfile is the profile of the instances, by name or by ARN. An empty object
	// differs from the default profile of pools without one.
	IAMInstanceProfile *IAMInstanceProfile `json:"iamInstanceProfile,omitempty" hotupdatable:"false,presence"`
	// InstanceMetadataOptions configure the instance metadata service.
	// ModifyInstanceMetadataOptions works on running instances. An empty object drops the defaults,
	// which enforce IMDSv2, but only for new machines: the driver does not change an option that is
	// not set.
	InstanceMetadataOptions *MetadataOptions `json:"instanceMetadataOptions,omitempty" hotupdatable:"true,presence"`
	// CPUOptions configure cores and threads.
	CPUOptions *CPUOptions `json:"cpuOptions,omitempty"`
	// CapacityReservation is the reservation that instances run in.
	CapacityReservation *CapacityReservation `json:"capacityReservation,omitempty"`
	// NetworkInterfaces are attached in this order.
	NetworkInterfaces []NetworkInterface `json:"networkInterfaces,omitempty"`
	// Placement says where instances run.
	Placement *Placement `json:"placement,omitempty"`
	// InstanceMarketOptions say how instances are bought.
	InstanceMarketOptions *InstanceMarketOptions `json:"instanceMarketOptions,omitempty"`
	// Tags are the infrastructure tags. They are hot: CreateTags and DeleteTags work on running
	// instances, and the driver calls them in UpdateMachine (hot-update proposal, "Shoot YAML
	// changes" and "Driver interface changes").
	Tags *tags.Tags `json:"tags,omitempty" hotupdatable:"true"`
}

// Volume is the performance of a volume.
type Volume struct {
	// IOPS is the number of I/O operations per second.
	IOPS *int32 `json:"iops,omitempty" hotupdatable:"true"`
	// Throughput is in MiB/s.
	Throughput *int32 `json:"throughput,omitempty" hotupdatable:"true"`
}

// DataVolume configures the data volume of the pool with the same name.
type DataVolume struct {
	Volume `json:",inline"`

	// Name is the name of the pool's data volume.
	Name string `json:"name"`
	// SnapshotID is the snapshot that the volume starts from.
	SnapshotID *string `json:"snapshotID,omitempty"`
}

// IAMInstanceProfile names an instance profile, by name or by ARN.
type IAMInstanceProfile struct {
	Name *string `json:"name,omitempty"`
	ARN  *string `json:"arn,omitempty"`
}

// MetadataOptions configure the instance metadata service.
type MetadataOptions struct {
	// HTTPTokens is optional or required.
	HTTPTokens *string `json:"httpTokens,omitempty"`
	// HTTPPutResponseHopLimit is the number of network hops that a token may travel.
	HTTPPutResponseHopLimit *int32 `json:"httpPutResponseHopLimit,omitempty"`
}

// CPUOptions configure cores and threads.
type CPUOptions struct {
	CoreCount      *int32 `json:"coreCount,omitempty"`
	ThreadsPerCore *int32 `json:"threadsPerCore,omitempty"`
	// AMDSEVSNP is enabled or disabled.
	AMDSEVSNP *string `json:"amdSevSnp,omitempty"`
}

// CapacityReservation is the reservation that instances run in.
type CapacityReservation struct {
	// CapacityReservationPreference is open, none or capacity-reservations-only.
	CapacityReservationPreference *string `json:"capacityReservationPreference,omitempty"`
	CapacityReservationID         *string `json:"capacityReservationId,omitempty"`
	// CapacityReservationResourceGroupARN is the group of reservations to choose from.
	CapacityReservationResourceGroupARN *string `json:"capacityReservationResourceGroupArn,omitempty"`
}

// NetworkInterface is a network interface of every machine.
type NetworkInterface struct {
	// NetworkCardIndex is the network card, or NetworkCardIndexRange a range of them.
	NetworkCardIndex *int64 `json:"networkCardIndex,omitempty"`
	// NetworkCardIndexRange from 0 to 0 also takes precedence over NetworkCardIndex.
	NetworkCardIndexRange *IndexRange `json:"networkCardIndexRange,omitempty" hotupdatable:"false,presence"`
	DeviceIndex           int64       `json:"deviceIndex"`
	// Type is interface if it is not set (EC2 API, RunInstances). The default is declared, so
	// setting it changes nothing.
	Type        *string `json:"type,omitempty"        hotupdatable:"false,default=interface"`
	Description *string `json:"description,omitempty"`
	// SubnetID replaces the pool's subnet.
	SubnetID *string `json:"subnetID,omitempty"`
}

// IndexRange is a range of indices, both ends included.
type IndexRange struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// Placement says where instances run.
type Placement struct {
	GroupID *string `json:"groupId,omitempty"`
	// Tenancy is default, dedicated or host.
	Tenancy         *string `json:"tenancy,omitempty"`
	HostID          *string `json:"hostId,omitempty"`
	PartitionNumber *int64  `json:"partitionNumber,omitempty"`
	// Affinity is default or host.
	Affinity *string `json:"affinity,omitempty"`
}

// InstanceMarketOptions say how instances are bought.
type InstanceMarketOptions struct {
	// MarketType is spot or capacity-block.
	MarketType string `json:"marketType"`
}
