// Package apis stands in for a package of machine-controller-manager-provider-aws, a module that
// not every module proxy serves. It declares the names with which the extension for AWS v1.73.0
// compiles. Nothing reads the values: the extension fills a provider spec after it has named the
// pool. The step extensions of .ci/run compares the resulting names with names that were recorded
// with the original module.
package apis

// AWSProviderSpec is the provider spec of a MachineClass.
type AWSProviderSpec struct {
	AMI, Region, MachineType  string
	KeyName                   *string
	SrcAndDstChecksEnabled    *bool
	IAM                       AWSIAMProfileSpec
	Tags                      map[string]string
	BlockDevices              []AWSBlockDeviceMappingSpec
	NetworkInterfaces         []AWSNetworkInterfaceSpec
	InstanceMetadataOptions   *InstanceMetadataOptions
	CPUOptions                *CPUOptions
	CapacityReservationTarget *AWSCapacityReservationTargetSpec
	InstanceMarketOptions     *AWSInstanceMarketOptions
	Placement                 *AWSPlacementSpec
}

// AWSIAMProfileSpec names an instance profile.
type AWSIAMProfileSpec struct{ ARN, Name string }

// AWSBlockDeviceMappingSpec is a volume.
type AWSBlockDeviceMappingSpec struct {
	DeviceName string
	Ebs        AWSEbsBlockDeviceSpec
}

// AWSEbsBlockDeviceSpec describes a volume.
type AWSEbsBlockDeviceSpec struct {
	VolumeType          string
	VolumeSize, Iops    int32
	Throughput          *int32
	Encrypted           bool
	DeleteOnTermination *bool
	SnapshotID          *string
}

// AWSNetworkInterfaceSpec is a network interface.
type AWSNetworkInterfaceSpec struct {
	SubnetID                                      string
	SecurityGroupIDs                              []string
	Description, InterfaceType                    *string
	AssociatePublicIPAddress, DeleteOnTermination *bool
	DeviceIndex, NetworkCardIndex                 *int32
	Ipv6AddressCount, Ipv6PrefixCount             *int32
}

// InstanceMetadataOptions are the options of the metadata service.
type InstanceMetadataOptions struct {
	HTTPTokens, HTTPProtocolIPv6 string
	HTTPPutResponseHopLimit      *int32
}

// CPUOptions are the options of the processor.
type CPUOptions struct {
	CoreCount, ThreadsPerCore *int32
	AmdSevSnp                 *string
}

// AWSCapacityReservationTargetSpec is a reservation of capacity.
type AWSCapacityReservationTargetSpec struct {
	CapacityReservationPreference                              string
	CapacityReservationID, CapacityReservationResourceGroupArn *string
}

// AWSInstanceMarketOptions select the market on which machines are bought.
type AWSInstanceMarketOptions struct{ MarketType string }

// AWSPlacementSpec selects the hosts of machines.
type AWSPlacementSpec struct {
	GroupID, Tenancy, HostID, Affinity *string
	PartitionNumber                    *int32
}
