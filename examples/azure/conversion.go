package azure

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/examples/azure/internal/apis"
	"github.com/hotupdate/providerconfig/examples/internal/conversion"
)

// ToInternal converts a config to the internal type. They share memory.
func ToInternal(in *WorkerConfig) *apis.WorkerConfig {
	return &apis.WorkerConfig{
		NodeTemplate:        in.NodeTemplate,
		DiagnosticsProfile:  (*apis.DiagnosticsProfile)(in.DiagnosticsProfile),
		Volume:              (*apis.Volume)(in.Volume),
		DataVolumes:         conversion.List(in.DataVolumes, dataVolumeToInternal),
		CapacityReservation: (*apis.CapacityReservation)(in.CapacityReservation),
		Tags:                in.Tags,
	}
}

// FromInternal converts a config from the internal type. They share memory.
func FromInternal(in *apis.WorkerConfig) *WorkerConfig {
	return &WorkerConfig{
		TypeMeta:            metav1.TypeMeta{APIVersion: APIVersion, Kind: Kind},
		NodeTemplate:        in.NodeTemplate,
		DiagnosticsProfile:  (*DiagnosticsProfile)(in.DiagnosticsProfile),
		Volume:              (*Volume)(in.Volume),
		DataVolumes:         conversion.List(in.DataVolumes, dataVolumeFromInternal),
		CapacityReservation: (*CapacityReservation)(in.CapacityReservation),
		Tags:                in.Tags,
	}
}

func dataVolumeToInternal(in DataVolume) apis.DataVolume {
	return apis.DataVolume{Name: in.Name, ImageRef: (*apis.Image)(in.ImageRef)}
}

func dataVolumeFromInternal(in apis.DataVolume) DataVolume {
	return DataVolume{Name: in.Name, ImageRef: (*Image)(in.ImageRef)}
}
