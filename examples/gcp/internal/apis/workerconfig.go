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

	GPU            *GPU
	Volume         *Volume
	BootVolume     *BootVolume
	DataVolumes    []DataVolume
	MinCPUPlatform *string
	ServiceAccount *ServiceAccount
	NodeTemplate   *gardener.NodeTemplate
	Tags           *tags.Tags
}

// GPU is an accelerator.
type GPU struct {
	AcceleratorType string
	Count           int32
}

// Volume configures all volumes.
type Volume struct {
	LocalSSDInterface *string
	Encryption        *DiskEncryption
}

// DiskEncryption is encryption with a key of the customer.
type DiskEncryption struct {
	KMSKeyName           *string
	KMSKeyServiceAccount *string
}

// DiskSettings are the performance of a disk, in operations and MiB per second, and its storage
// pool.
type DiskSettings struct {
	ProvisionedIOPS       *int64
	ProvisionedThroughput *int64
	StoragePool           *string
}

// BootVolume configures the boot volume.
type BootVolume struct {
	DiskSettings
}

// DataVolume configures the data volume of the pool with the same name.
type DataVolume struct {
	DiskSettings

	Name        string
	SourceImage *string
}

// ServiceAccount is the service account of a VM.
type ServiceAccount struct {
	Email  string
	Scopes []string
}
