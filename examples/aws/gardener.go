package aws

import (
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
)

// ResourceName names a resource; it stands for corev1.ResourceName.
type ResourceName string

// NodeTemplate stands for Gardener's extensionsv1alpha1.NodeTemplate, which an extension cannot edit. The class of its fields is
// declared in [Schema].
type NodeTemplate struct {
	// Capacity is what a node has.
	Capacity map[ResourceName]resource.Quantity `json:"capacity"`
	// VirtualCapacity is what a node offers beyond its hardware.
	VirtualCapacity map[ResourceName]resource.Quantity `json:"virtualCapacity,omitempty"`
}

// WorkerPool stands for Gardener's extensionsv1alpha1.WorkerPool, with the fields that this extension hashes.
type WorkerPool struct {
	Name           string
	ProviderConfig *runtime.RawExtension
	Volume         *PoolVolume
	DataVolumes    []PoolVolume
}

// PoolVolume stands for extensionsv1alpha1.Volume and DataVolume.
type PoolVolume struct {
	Name      string
	Size      string
	Type      *string
	Encrypted *bool
}

// WorkerPoolHash stands for Gardener's worker.WorkerPoolHash. It hashes what every pool has together with what the extension adds, of
// which the in-place data is for pools that are updated in place.
type WorkerPoolHash func(pool WorkerPool, additionalData, additionalDataInPlace []string) (string, error)
