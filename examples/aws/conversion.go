package aws

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/examples/aws/internal/apis"
	"github.com/hotupdate/providerconfig/examples/internal/conversion"
)

// ToInternal converts a config to the internal type. They share memory.
func ToInternal(in *WorkerConfig) *apis.WorkerConfig {
	return &apis.WorkerConfig{
		NodeTemplate:            in.NodeTemplate,
		Volume:                  (*apis.Volume)(in.Volume),
		DataVolumes:             conversion.List(in.DataVolumes, dataVolumeToInternal),
		IAMInstanceProfile:      (*apis.IAMInstanceProfile)(in.IAMInstanceProfile),
		InstanceMetadataOptions: (*apis.InstanceMetadataOptions)(in.InstanceMetadataOptions),
		CPUOptions:              (*apis.CPUOptions)(in.CPUOptions),
		CapacityReservation:     (*apis.CapacityReservation)(in.CapacityReservation),
		NetworkInterfaces:       conversion.List(in.NetworkInterfaces, networkInterfaceToInternal),
		Placement:               (*apis.Placement)(in.Placement),
		InstanceMarketOptions:   (*apis.InstanceMarketOptions)(in.InstanceMarketOptions),
		Tags:                    in.Tags,
	}
}

// FromInternal converts a config from the internal type. They share memory.
func FromInternal(in *apis.WorkerConfig) *WorkerConfig {
	return &WorkerConfig{
		TypeMeta:                metav1.TypeMeta{APIVersion: APIVersion, Kind: Kind},
		NodeTemplate:            in.NodeTemplate,
		Volume:                  (*Volume)(in.Volume),
		DataVolumes:             conversion.List(in.DataVolumes, dataVolumeFromInternal),
		IAMInstanceProfile:      (*IAMInstanceProfile)(in.IAMInstanceProfile),
		InstanceMetadataOptions: (*MetadataOptions)(in.InstanceMetadataOptions),
		CPUOptions:              (*CPUOptions)(in.CPUOptions),
		CapacityReservation:     (*CapacityReservation)(in.CapacityReservation),
		NetworkInterfaces:       conversion.List(in.NetworkInterfaces, networkInterfaceFromInternal),
		Placement:               (*Placement)(in.Placement),
		InstanceMarketOptions:   (*InstanceMarketOptions)(in.InstanceMarketOptions),
		Tags:                    in.Tags,
	}
}

func dataVolumeToInternal(in DataVolume) apis.DataVolume {
	return apis.DataVolume{Volume: apis.Volume(in.Volume), Name: in.Name, SnapshotID: in.SnapshotID}
}

func dataVolumeFromInternal(in apis.DataVolume) DataVolume {
	return DataVolume{Volume: Volume(in.Volume), Name: in.Name, SnapshotID: in.SnapshotID}
}

func networkInterfaceToInternal(in NetworkInterface) apis.NetworkInterface {
	return apis.NetworkInterface{
		NetworkCardIndex:      in.NetworkCardIndex,
		NetworkCardIndexRange: (*apis.IndexRange)(in.NetworkCardIndexRange),
		DeviceIndex:           in.DeviceIndex,
		Type:                  in.Type,
		Description:           in.Description,
		SubnetID:              in.SubnetID,
	}
}

func networkInterfaceFromInternal(in apis.NetworkInterface) NetworkInterface {
	return NetworkInterface{
		NetworkCardIndex:      in.NetworkCardIndex,
		NetworkCardIndexRange: (*IndexRange)(in.NetworkCardIndexRange),
		DeviceIndex:           in.DeviceIndex,
		Type:                  in.Type,
		Description:           in.Description,
		SubnetID:              in.SubnetID,
	}
}
