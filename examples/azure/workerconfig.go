package azure

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/examples/internal/extension"
	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// APIVersion and Kind identify the WorkerConfig in a manifest.
const (
	APIVersion = "azure.provider.extensions.gardener.cloud/v1alpha1"
	Kind       = "WorkerConfig"
)

// Schema returns the Schema of [WorkerConfig], in which virtual capacity is hot.
func Schema() (*hotupdate.Schema, error) { return extension.SchemaOf[WorkerConfig]() }

// WorkerConfig is the provider config of a worker pool. Fields without a struct tag are immutable:
// a change replaces the machines.
type WorkerConfig struct {
	metav1.TypeMeta `json:",inline"`

	// NodeTemplate describes a node of an empty pool for the autoscaler.
	NodeTemplate *gardener.NodeTemplate `json:"nodeTemplate,omitempty"`
	// DiagnosticsProfile configures boot diagnostics. Azure can switch them on a running VM, but
	// the driver does not, and the extension replaces machines instead
	// (gardener-extension-provider-azure, pull request 1122). So the profile is immutable.
	DiagnosticsProfile *DiagnosticsProfile `json:"diagnosticsProfile,omitempty"`
	// Volume configures the root volume.
	Volume *Volume `json:"volume,omitempty"`
	// DataVolumes configure the pool's data volumes. The extension looks them up by name, so their
	// order has no meaning.
	DataVolumes []DataVolume `json:"dataVolumes,omitempty" hotupdatable:"false,key=name"`
	// CapacityReservation is the reservation that VMs run in.
	CapacityReservation *CapacityReservation `json:"capacityReservation,omitempty"`
	// Tags are the infrastructure tags. They are hot: Microsoft.Resources/tags of running VMs,
	// interfaces and disks can be changed, and the driver does so in UpdateMachine (hot-update
	// proposal, "Shoot YAML changes" and "Driver interface changes").
	Tags *tags.Tags `json:"tags,omitempty" hotupdatable:"true"`
}

// DiagnosticsProfile configures boot diagnostics.
type DiagnosticsProfile struct {
	Enabled bool `json:"enabled"`
	// StorageURI is a storage account. The default is a managed account.
	StorageURI *string `json:"storageURI,omitempty"`
}

// Volume configures the root volume.
type Volume struct {
	// Caching is None, ReadOnly or ReadWrite.
	Caching *string `json:"caching,omitempty"`
}

// DataVolume configures the data volume of the pool with the same name.
type DataVolume struct {
	// Name is the name of the pool's data volume.
	Name string `json:"name"`
	// ImageRef is the image that the volume starts from.
	ImageRef *Image `json:"imageRef,omitempty"`
}

// Image names an image in one of four ways.
type Image struct {
	URN                     *string `json:"urn,omitempty"`
	ID                      *string `json:"id,omitempty"`
	CommunityGalleryImageID *string `json:"communityGalleryImageID,omitempty"`
	SharedGalleryImageID    *string `json:"sharedGalleryImageID,omitempty"`
}

// CapacityReservation is the reservation that VMs run in.
type CapacityReservation struct {
	CapacityReservationGroupID *string `json:"capacityReservationGroupID,omitempty"`
}
