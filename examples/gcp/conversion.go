package gcp

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/examples/gcp/internal/apis"
	"github.com/hotupdate/providerconfig/examples/internal/conversion"
)

// ToInternal converts a config to the internal type. They share memory.
func ToInternal(in *WorkerConfig) *apis.WorkerConfig {
	return &apis.WorkerConfig{
		GPU:            (*apis.GPU)(in.GPU),
		Volume:         conversion.Optional(in.Volume, volumeToInternal),
		BootVolume:     conversion.Optional(in.BootVolume, bootVolumeToInternal),
		DataVolumes:    conversion.List(in.DataVolumes, dataVolumeToInternal),
		MinCPUPlatform: in.MinCPUPlatform,
		ServiceAccount: (*apis.ServiceAccount)(in.ServiceAccount),
		NodeTemplate:   in.NodeTemplate,
		Tags:           in.Tags,
	}
}

// FromInternal converts a config from the internal type. They share memory.
func FromInternal(in *apis.WorkerConfig) *WorkerConfig {
	return &WorkerConfig{
		TypeMeta:       metav1.TypeMeta{APIVersion: APIVersion, Kind: Kind},
		GPU:            (*GPU)(in.GPU),
		Volume:         conversion.Optional(in.Volume, volumeFromInternal),
		BootVolume:     conversion.Optional(in.BootVolume, bootVolumeFromInternal),
		DataVolumes:    conversion.List(in.DataVolumes, dataVolumeFromInternal),
		MinCPUPlatform: in.MinCPUPlatform,
		ServiceAccount: (*ServiceAccount)(in.ServiceAccount),
		NodeTemplate:   in.NodeTemplate,
		Tags:           in.Tags,
	}
}

func volumeToInternal(in Volume) apis.Volume {
	return apis.Volume{LocalSSDInterface: in.LocalSSDInterface, Encryption: (*apis.DiskEncryption)(in.Encryption)}
}

func volumeFromInternal(in apis.Volume) Volume {
	return Volume{LocalSSDInterface: in.LocalSSDInterface, Encryption: (*DiskEncryption)(in.Encryption)}
}

func bootVolumeToInternal(in BootVolume) apis.BootVolume {
	return apis.BootVolume{DiskSettings: apis.DiskSettings(in.DiskSettings)}
}

func bootVolumeFromInternal(in apis.BootVolume) BootVolume {
	return BootVolume{DiskSettings: DiskSettings(in.DiskSettings)}
}

func dataVolumeToInternal(in DataVolume) apis.DataVolume {
	return apis.DataVolume{DiskSettings: apis.DiskSettings(in.DiskSettings), Name: in.Name, SourceImage: in.SourceImage}
}

func dataVolumeFromInternal(in apis.DataVolume) DataVolume {
	return DataVolume{DiskSettings: DiskSettings(in.DiskSettings), Name: in.Name, SourceImage: in.SourceImage}
}
