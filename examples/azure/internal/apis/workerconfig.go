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

	NodeTemplate        *gardener.NodeTemplate
	DiagnosticsProfile  *DiagnosticsProfile
	Volume              *Volume
	DataVolumes         []DataVolume
	CapacityReservation *CapacityReservation
	Tags                *tags.Tags
}

// DiagnosticsProfile configures boot diagnostics.
type DiagnosticsProfile struct {
	Enabled    bool
	StorageURI *string
}

// Volume configures the root volume.
type Volume struct {
	Caching *string
}

// DataVolume configures the data volume of the pool with the same name.
type DataVolume struct {
	Name     string
	ImageRef *Image
}

// Image names an image in one of four ways.
type Image struct {
	URN                     *string
	ID                      *string
	CommunityGalleryImageID *string
	SharedGalleryImageID    *string
}

// CapacityReservation is the reservation that VMs run in.
type CapacityReservation struct {
	CapacityReservationGroupID *string
}
