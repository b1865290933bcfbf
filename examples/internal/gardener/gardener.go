// Package gardener stands in for the parts of Gardener that the example extensions use, whose types
// they cannot edit. It knows no provider.
package gardener

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
)

// ResourceName names a resource; it stands in for corev1.ResourceName.
type ResourceName string

// NodeTemplate stands in for extensionsv1alpha1.NodeTemplate. An extension declares the class of
// its fields with [hotupdate.WithTag].
type NodeTemplate struct {
	// Capacity has the resources of a node.
	Capacity map[ResourceName]resource.Quantity `json:"capacity"`
	// VirtualCapacity has resources of a node beyond its hardware.
	VirtualCapacity map[ResourceName]resource.Quantity `json:"virtualCapacity,omitempty"`
}

// WorkerPool stands in for extensionsv1alpha1.WorkerPool, with the fields that the examples read.
// It leaves out the kubelet's configuration and the rotation of credentials, which only Gardener
// reads.
type WorkerPool struct {
	Name                string
	NodeAgentSecretName *string
	KubernetesVersion   *string
	UpdateStrategy      hotupdate.Strategy
	MachineType         string
	MachineImage        hash.Image
	Volume              *Volume
	DataVolumes         []DataVolume
	Labels              map[string]string
	// ProviderConfig is nil if there is none.
	ProviderConfig *runtime.RawExtension
}

// Volume stands in for extensionsv1alpha1.Volume.
type Volume struct {
	Size      string
	Type      *string
	Encrypted *bool
}

// DataVolume stands in for extensionsv1alpha1.DataVolume.
type DataVolume struct {
	Name      string  `json:"name,omitempty"`
	Size      string  `json:"size"`
	Type      *string `json:"type,omitempty"`
	Encrypted *bool   `json:"encrypted,omitempty"`
}

// RawConfig returns the raw provider config, nil if there is none.
func (p *WorkerPool) RawConfig() []byte { return hotupdate.RawConfig(p.ProviderConfig) }

// Worker returns the part of the pool that Gardener itself hashes.
func (p *WorkerPool) Worker() hash.Worker {
	worker := hash.Worker{
		Name: p.Name, UpdateStrategy: p.UpdateStrategy, MachineType: p.MachineType, Image: &p.MachineImage,
	}
	if p.KubernetesVersion != nil {
		worker.KubernetesVersion = *p.KubernetesVersion
	}
	if p.Volume != nil {
		worker.Volume = &hash.Volume{Size: p.Volume.Size, Type: p.Volume.Type}
	}
	return worker
}

// VolumesByName returns the data volumes in the order of their names.
func (p *WorkerPool) VolumesByName() []DataVolume {
	return slices.SortedFunc(slices.Values(p.DataVolumes),
		func(a, b DataVolume) int { return strings.Compare(a.Name, b.Name) })
}

// DiskSize stands in for worker.DiskSize: it returns the size of a volume in GiB.
func DiskSize(size string) (int32, error) {
	quantity, err := resource.ParseQuantity(size)
	if err != nil {
		return 0, fmt.Errorf("volume size %q: %w", size, err)
	}
	const gib = 1 << 30
	bytes := quantity.Value()
	if bytes <= 0 || bytes%gib != 0 || bytes/gib > math.MaxInt32 {
		return 0, fmt.Errorf("volume size %q: it has to be a whole number of Gi", size)
	}
	return int32(bytes / gib), nil
}

// WorkerPoolHash stands in for worker.WorkerPoolHash, which composes a pool's hash of Gardener's
// part and of the extension's data: additionalData for pools that roll, additionalDataInPlace for
// pools that are updated in place. Gardener's function returns only the text of the name.
func WorkerPoolHash(pool *WorkerPool, additionalData, additionalDataInPlace []string) (hash.Name, error) {
	if pool.UpdateStrategy == hotupdate.AutoRollingUpdate {
		return hash.WorkerPool(pool.NodeAgentSecretName, additionalData...)
	}
	return hash.WorkerPoolInPlace(pool.NodeAgentSecretName, pool.Worker(), additionalDataInPlace...)
}
