package azure

import (
	"github.com/hotupdate/providerconfig/examples/internal/driver"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// ProviderSpec is the driver's type in a MachineClass. The extension fills it from WorkerConfig,
// pool and infrastructure, so it has separate struct tags. It has all JSON names of
// machine-controller-manager-provider-azure, extended by resourceTags.
type ProviderSpec struct {
	CloudConfiguration *CloudConfiguration `json:"cloudConfiguration,omitempty"`
	Location           string              `json:"location,omitempty"`
	Properties         Properties          `json:"properties"`
	ResourceGroup      string              `json:"resourceGroup,omitempty"`
	SubnetInfo         SubnetInfo          `json:"subnetInfo"`

	// Tags is the flat map for VM, interfaces and disks: the keys by which
	// machine-controller-manager finds its machines, and in classes of former releases also pool
	// labels. It is hot as a whole (hot-update proposal, "What is available today"). A disk that
	// Azure creates with the VM starts with the VM's tags, and the driver gives them to disks that
	// it creates from an image.
	Tags map[string]string `json:"tags,omitempty" hotupdatable:"true"`
	// ResourceTags are the infrastructure tags of the WorkerConfig for each kind of resource, and
	// pool labels for the VM only (hot-update proposal, "Shoot YAML changes").
	ResourceTags *tags.Tags `json:"resourceTags,omitempty" hotupdatable:"true"`
}

// CloudConfiguration names the instance of Azure.
type CloudConfiguration struct {
	Name string `json:"name"`
}

// Properties are the properties of a VM.
type Properties struct {
	HardwareProfile        HardwareProfile      `json:"hardwareProfile"`
	StorageProfile         StorageProfile       `json:"storageProfile"`
	OSProfile              OSProfile            `json:"osProfile"`
	NetworkProfile         NetworkProfile       `json:"networkProfile"`
	AvailabilitySet        *SubResource         `json:"availabilitySet,omitempty"`
	IdentityID             *string              `json:"identityID,omitempty"`
	Zone                   *int32               `json:"zone,omitempty"`
	VirtualMachineScaleSet *SubResource         `json:"virtualMachineScaleSet,omitempty"`
	DiagnosticsProfile     *DiagnosticsProfile  `json:"diagnosticsProfile,omitempty"`
	MachineSet             *MachineSet          `json:"machineSet,omitempty"`
	SecurityProfile        *SecurityProfile     `json:"securityProfile,omitempty"`
	CapacityReservation    *CapacityReservation `json:"capacityReservation,omitempty"`
}

// HardwareProfile is the size of a VM.
type HardwareProfile struct {
	VMSize string `json:"vmSize,omitempty"`
}

// StorageProfile are the disks of a VM.
type StorageProfile struct {
	ImageReference     ProviderImage `json:"imageReference"`
	DiskControllerType string        `json:"diskControllerType,omitempty"`
	OSDisk             OSDisk        `json:"osDisk"`
	DataDisks          []DataDisk    `json:"dataDisks,omitempty"`
}

// ProviderImage is an image, and whether it needs no agreement of Azure's marketplace.
type ProviderImage struct {
	Image `json:",inline"`

	// SkipMarketplaceAgreement is written skipMarketPlaceAgreement by the extension. The driver reads
	// names in any case, and so does the update flow.
	SkipMarketplaceAgreement bool `json:"skipMarketplaceAgreement,omitempty"`
}

// OSDisk is the root disk.
type OSDisk struct {
	Name        string      `json:"name,omitempty"`
	Caching     *string     `json:"caching,omitempty"`
	ManagedDisk ManagedDisk `json:"managedDisk"`
	// DiskSizeGB is in GiB.
	DiskSizeGB   int32  `json:"diskSizeGB,omitempty"`
	CreateOption string `json:"createOption,omitempty"`
}

// ManagedDisk is the kind of a disk.
type ManagedDisk struct {
	ID                 string               `json:"id,omitempty"`
	StorageAccountType *string              `json:"storageAccountType,omitempty"`
	SecurityProfile    *DiskSecurityProfile `json:"securityProfile,omitempty"`
}

// DiskSecurityProfile is the encryption of a confidential VM's disk.
type DiskSecurityProfile struct {
	SecurityEncryptionType *string `json:"securityEncryptionType,omitempty"`
}

// DataDisk is a further disk. It is found by its position, as its LUN is: the driver accepts disks
// without a name.
type DataDisk struct {
	Name string `json:"name,omitempty"`
	// LUN is the disk's number at the VM.
	LUN                int32   `json:"lun"`
	Caching            string  `json:"caching,omitempty"`
	StorageAccountType *string `json:"storageAccountType,omitempty"`
	// DiskSizeGB is in GiB.
	DiskSizeGB int32          `json:"diskSizeGB,omitempty"`
	ImageRef   *ProviderImage `json:"imageRef,omitempty"`
}

// OSProfile is the first user of a VM.
type OSProfile struct {
	ComputerName       string             `json:"computerName,omitempty"`
	AdminUsername      string             `json:"adminUsername,omitempty"`
	AdminPassword      string             `json:"adminPassword,omitempty" hotupdatable:"false,sensitive"`
	CustomData         string             `json:"customData,omitempty"    hotupdatable:"false,sensitive"`
	LinuxConfiguration LinuxConfiguration `json:"linuxConfiguration"`
}

// LinuxConfiguration is how the first user logs in.
type LinuxConfiguration struct {
	DisablePasswordAuthentication bool `json:"disablePasswordAuthentication,omitempty"`
	SSH                           SSH  `json:"ssh"`
}

// SSH has the key of the first user.
type SSH struct {
	PublicKeys PublicKeys `json:"publicKeys"`
}

// PublicKeys is one key, with the file that it is written to.
type PublicKeys struct {
	Path    string `json:"path,omitempty"`
	KeyData string `json:"keyData,omitempty"`
}

// NetworkProfile are the network interfaces of a VM.
type NetworkProfile struct {
	NetworkInterfaces     NetworkInterface `json:"networkInterfaces"`
	AcceleratedNetworking *bool            `json:"acceleratedNetworking,omitempty"`
}

// NetworkInterface is a network interface that exists.
type NetworkInterface struct {
	ID         string                      `json:"id,omitempty"`
	Properties *NetworkInterfaceProperties `json:"properties,omitempty"`
}

// NetworkInterfaceProperties say whether an interface is the primary one.
type NetworkInterfaceProperties struct {
	Primary bool `json:"primary,omitempty"`
}

// MachineSet is the set that VMs are in.
type MachineSet struct {
	ID string `json:"id"`
	// Kind is vmo or availabilityset.
	Kind string `json:"kind"`
}

// SecurityProfile makes a VM a confidential one.
type SecurityProfile struct {
	SecurityType *string       `json:"securityType,omitempty"`
	UEFISettings *UEFISettings `json:"uefiSettings,omitempty"`
}

// UEFISettings are the settings of the firmware.
type UEFISettings struct {
	VTPMEnabled       *bool `json:"vtpmEnabled,omitempty"`
	SecureBootEnabled *bool `json:"secureBootEnabled,omitempty"`
}

// SubResource is a resource of Azure.
type SubResource struct {
	ID string `json:"id,omitempty"`
}

// SubnetInfo names a subnet.
type SubnetInfo struct {
	VNetName          string  `json:"vnetName,omitempty"`
	VNetResourceGroup *string `json:"vnetResourceGroup,omitempty"`
	SubnetName        string  `json:"subnetName,omitempty"`
}

// ProviderSpecSchema returns the Schema of [ProviderSpec], with which the driver and
// machine-controller-manager find hot changes.
func ProviderSpecSchema() (*hotupdate.Schema, error) { return hotupdate.SchemaOf[ProviderSpec]() }

// TagsOf returns the infrastructure tags of the machine's resources of a kind. The flat map is for
// all kinds.
func (s *ProviderSpec) TagsOf(kind tags.Kind) (map[string]string, error) {
	return driver.Tags(tags.Azure, kind, s.Tags, s.ResourceTags)
}
