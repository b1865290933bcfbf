package azure

import (
	"github.com/hotupdate/providerconfig/examples/internal/driver"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// ProviderSpec is the driver's type in a MachineClass. The extension fills it from WorkerConfig, pool and infrastructure, so it has struct tags of
// its own. The JSON names are those of machine-controller-manager-provider-azure, extended by resourceTags.
type ProviderSpec struct {
	Location      string     `json:"location,omitempty"`
	Properties    Properties `json:"properties"`
	ResourceGroup string     `json:"resourceGroup,omitempty"`
	SubnetInfo    SubnetInfo `json:"subnetInfo"`

	// Tags is the flat map for VM and interfaces: pool labels, and the keys by which machine-controller-manager finds its machines. It is
	// hot as a whole (hot-update proposal, "What is available today").
	Tags map[string]string `json:"tags,omitempty" hotupdatable:"true"`
	// ResourceTags are the infrastructure tags of the WorkerConfig, for each kind of resource.
	ResourceTags *tags.Tags `json:"resourceTags,omitempty" hotupdatable:"true"`
}

// Properties are the properties of a VM.
type Properties struct {
	HardwareProfile            HardwareProfile     `json:"hardwareProfile"`
	StorageProfile             StorageProfile      `json:"storageProfile"`
	AvailabilitySet            *SubResource        `json:"availabilitySet,omitempty"`
	IdentityID                 *string             `json:"identityID,omitempty"`
	Zone                       *int32              `json:"zone,omitempty"`
	DiagnosticsProfile         *DiagnosticsProfile `json:"diagnosticsProfile,omitempty"`
	CapacityReservationGroupID *string             `json:"capacityReservationGroupID,omitempty"`
}

// HardwareProfile is the size of a VM.
type HardwareProfile struct {
	VMSize string `json:"vmSize,omitempty"`
}

// StorageProfile are the disks of a VM.
type StorageProfile struct {
	ImageReference Image      `json:"imageReference"`
	OSDisk         OSDisk     `json:"osDisk"`
	DataDisks      []DataDisk `json:"dataDisks,omitempty"`
}

// OSDisk is the root disk.
type OSDisk struct {
	Caching            *string `json:"caching,omitempty"`
	StorageAccountType *string `json:"storageAccountType,omitempty"`
	// DiskSizeGB is in GiB.
	DiskSizeGB int32 `json:"diskSizeGB,omitempty"`
}

// DataDisk is a further disk.
type DataDisk struct {
	Name string `json:"name"`
	// LUN is the disk's number at the VM.
	LUN                int32   `json:"lun"`
	StorageAccountType *string `json:"storageAccountType,omitempty"`
	// DiskSizeGB is in GiB.
	DiskSizeGB int32  `json:"diskSizeGB,omitempty"`
	ImageRef   *Image `json:"imageRef,omitempty"`
}

// SubResource is a resource of Azure.
type SubResource struct {
	ID string `json:"id,omitempty"`
}

// SubnetInfo names a subnet.
type SubnetInfo struct {
	VNetName   string `json:"vnetName,omitempty"`
	SubnetName string `json:"subnetName,omitempty"`
}

// ProviderSpecSchema returns the Schema of [ProviderSpec], with which the driver and machine-controller-manager find hot changes.
func ProviderSpecSchema() (*hotupdate.Schema, error) { return hotupdate.SchemaOf[ProviderSpec]() }

// TagsOf returns the infrastructure tags of the machine's resources of a kind. The flat map is for VM and interfaces only.
func (s *ProviderSpec) TagsOf(kind tags.Kind) (map[string]string, error) {
	if kind == tags.Disk {
		return driver.Tags(tags.Azure, kind, nil, s.ResourceTags)
	}
	return driver.Tags(tags.Azure, kind, s.Tags, s.ResourceTags)
}
