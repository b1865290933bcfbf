// Package apis has the internal type of the WorkerConfig for the extension's code. As everywhere in
// Gardener it has no JSON names. The JSON names of the versioned types are the contract, and only
// versioned types have classes.
package apis

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/tags"
)

// WorkerConfig is the provider config of a worker pool.
type WorkerConfig struct {
	metav1.TypeMeta

	NodeTemplate            *gardener.NodeTemplate
	Volume                  *Volume
	DataVolumes             []DataVolume
	IAMInstanceProfile      *IAMInstanceProfile
	InstanceMetadataOptions *InstanceMetadataOptions
	CPUOptions              *CPUOptions
	CapacityReservation     *CapacityReservation
	NetworkInterfaces       []NetworkInterface
	Placement               *Placement
	InstanceMarketOptions   *InstanceMarketOptions
	Tags                    *tags.Tags
}

// Volume is the performance of a volume: operations and MiB per second.
type Volume struct {
	IOPS       *int32
	Throughput *int32
}

// DataVolume configures the data volume of the pool with the same name.
type DataVolume struct {
	Volume

	Name       string
	SnapshotID *string
}

// IAMInstanceProfile names an instance profile, by name or by ARN.
type IAMInstanceProfile struct {
	Name *string
	ARN  *string
}

// InstanceMetadataOptions configure the instance metadata service.
type InstanceMetadataOptions struct {
	HTTPTokens              *string
	HTTPPutResponseHopLimit *int32
}

// CPUOptions configure cores and threads.
type CPUOptions struct {
	CoreCount      *int32
	ThreadsPerCore *int32
	AMDSEVSNP      *string
}

// CapacityReservation is the reservation that instances run in.
type CapacityReservation struct {
	CapacityReservationPreference       *string
	CapacityReservationID               *string
	CapacityReservationResourceGroupARN *string
}

// NetworkInterface is a network interface of every machine.
type NetworkInterface struct {
	NetworkCardIndex      *int64
	NetworkCardIndexRange *IndexRange
	DeviceIndex           int64
	Type                  *string
	Description           *string
	SubnetID              *string
}

// IndexRange is a range of indices, both ends included.
type IndexRange struct {
	From int64
	To   int64
}

// Placement says where instances run.
type Placement struct {
	GroupID         *string
	Tenancy         *string
	HostID          *string
	PartitionNumber *int64
	Affinity        *string
}

// InstanceMarketOptions say how instances are bought.
type InstanceMarketOptions struct {
	MarketType string
}
