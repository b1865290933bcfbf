package gcp

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/examples/internal/extension"
	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// APIVersion and Kind identify the WorkerConfig in a manifest.
const (
	APIVersion = "gcp.provider.extensions.gardener.cloud/v1alpha1"
	Kind       = "WorkerConfig"
)

// Schema returns the Schema of [WorkerConfig], in which virtual capacity is hot.
func Schema() (*hotupdate.Schema, error) { return extension.SchemaOf[WorkerConfig]() }

// WorkerConfig is the provider config of a worker pool. Fields without a struct tag are immutable:
// a change replaces the machines.
type WorkerConfig struct {
	metav1.TypeMeta `json:",inline"`

	// GPU is attached to every machine.
	GPU *GPU `json:"gpu,omitempty"`
	// Volume configures all volumes.
	Volume *Volume `json:"volume,omitempty"`
	// BootVolume configures the boot volume.
	BootVolume *BootVolume `json:"bootVolume,omitempty"`
	// DataVolumes configure the pool's data volumes. The extension looks them up by name, so their
	// order has no meaning.
	DataVolumes []DataVolume `json:"dataVolumes,omitempty" hotupdatable:"false,key=name"`
	// MinCPUPlatform is the oldest CPU platform that is allowed.
	MinCPUPlatform *string `json:"minCpuPlatform,omitempty"`
	// ServiceAccount is the service account of the VM. It can be changed only on a stopped VM
	// (Google Cloud, "Change the attached service account"). So it needs a drained node, although
	// the motivation of the hot-update proposal suggests a hot update. Pools that roll replace the
	// machines. An empty object differs from the default account of pools without one.
	ServiceAccount *ServiceAccount `json:"serviceAccount,omitempty" hotupdatable:"inplace,presence"`
	// NodeTemplate describes a node of an empty pool for the autoscaler.
	NodeTemplate *gardener.NodeTemplate `json:"nodeTemplate,omitempty"`
	// Tags are the infrastructure tags. They are hot: instances.setLabels, disks.setLabels and
	// instances.setTags work on running VMs, and the driver calls them in UpdateMachine (hot-update
	// proposal, "Shoot YAML changes" and "Driver interface changes"). VM and Disk are labels.
	// Network has network tags: keys with empty values.
	Tags *tags.Tags `json:"tags,omitempty" hotupdatable:"true"`
}

// GPU is an accelerator.
type GPU struct {
	AcceleratorType string `json:"acceleratorType"`
	Count           int32  `json:"count"`
}

// Volume configures all volumes.
type Volume struct {
	// LocalSSDInterface is NVME or SCSI.
	LocalSSDInterface *string `json:"interface,omitempty"`
	// Encryption is with a key of the customer.
	Encryption *DiskEncryption `json:"encryption,omitempty"`
}

// DiskEncryption is encryption with a key of the customer.
type DiskEncryption struct {
	KMSKeyName *string `json:"kmsKeyName,omitempty"`
	// KMSKeyServiceAccount has access to the key.
	KMSKeyServiceAccount *string `json:"kmsKeyServiceAccount,omitempty"`
}

// DiskSettings are the performance of a disk, and its storage pool.
type DiskSettings struct {
	// ProvisionedIOPS is the number of I/O operations per second.
	ProvisionedIOPS *int64 `json:"provisionedIops,omitempty"`
	// ProvisionedThroughput is in MiB/s.
	ProvisionedThroughput *int64 `json:"provisionedThroughput,omitempty"`
	// StoragePool is the pool that the disk is created in.
	StoragePool *string `json:"storagePool,omitempty"`
}

// BootVolume configures the boot volume.
type BootVolume struct {
	DiskSettings `json:",inline"`
}

// DataVolume configures the data volume of the pool with the same name.
type DataVolume struct {
	DiskSettings `json:",inline"`

	// Name is the name of the pool's data volume.
	Name string `json:"name"`
	// SourceImage is the image that the volume starts from.
	SourceImage *string `json:"sourceImage,omitempty"`
}

// ServiceAccount is the service account of a VM.
type ServiceAccount struct {
	Email string `json:"email"`
	// Scopes limit the use of the account. They have no order (Compute Engine API, ServiceAccount).
	Scopes []string `json:"scopes" hotupdatable:"inplace,set"`
}
