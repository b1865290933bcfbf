package alicloud

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/examples/alicloud/internal/apis"
)

// ToInternal converts a config to the internal type. They share memory.
func ToInternal(in *WorkerConfig) *apis.WorkerConfig {
	return &apis.WorkerConfig{NodeTemplate: in.NodeTemplate, Tags: in.Tags}
}

// FromInternal converts a config from the internal type. They share memory.
func FromInternal(in *apis.WorkerConfig) *WorkerConfig {
	return &WorkerConfig{
		TypeMeta:     metav1.TypeMeta{APIVersion: APIVersion, Kind: Kind},
		NodeTemplate: in.NodeTemplate,
		Tags:         in.Tags,
	}
}
