package gcp

import (
	"github.com/hotupdate/providerconfig/examples/internal/driver"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// ProviderSpec is the driver's type in a MachineClass. The extension fills it from WorkerConfig,
// pool and infrastructure, so it has separate struct tags. It has all JSON names of
// machine-controller-manager-provider-gcp, extended by resourceTags.
type ProviderSpec struct {
	// APIVersion is the version of the spec's format. It concerns no machine.
	APIVersion string `json:"apiVersion,omitempty" hotupdatable:"ignore"`

	Region            string                     `json:"region"`
	Zone              string                     `json:"zone"`
	MachineType       string                     `json:"machineType"`
	CanIPForward      bool                       `json:"canIpForward"`
	Disks             []Disk                     `json:"disks,omitempty"` // not keyed: two local SSDs may be equal
	GPU               *GPU                       `json:"gpu,omitempty"`
	MinCPUPlatform    *string                    `json:"minCpuPlatform,omitempty"`
	NetworkInterfaces []ProviderNetworkInterface `json:"networkInterfaces,omitempty"`

	DeletionProtection bool    `json:"deletionProtection"`
	Description        *string `json:"description,omitempty"`
	// Metadata has no order.
	Metadata []Metadata `json:"metadata,omitempty" hotupdatable:"false,key=key"`

	Scheduling                    Scheduling                     `json:"scheduling"`
	ShieldedInstanceConfiguration *ShieldedInstanceConfiguration `json:"shieldedInstanceConfiguration,omitempty"`
	AdvancedMachineFeatures       *AdvancedMachineFeatures       `json:"advancedMachineFeatures,omitempty"`

	// ServiceAccounts has one element (Compute Engine API, Instance). It can be changed on a
	// stopped VM only.
	ServiceAccounts []ServiceAccount `json:"serviceAccounts,omitempty" hotupdatable:"inplace,key=email"`
	// Labels is the flat map for VM and disks. It is hot as a whole (hot-update proposal, "What is
	// available today").
	Labels map[string]string `json:"labels,omitempty" hotupdatable:"true"`
	// Tags are the VM's network tags, with those by which machine-controller-manager finds its
	// machines.
	Tags []string `json:"tags,omitempty" hotupdatable:"true,set"`
	// ResourceTags are the infrastructure tags of the WorkerConfig, for each kind of resource.
	ResourceTags *tags.Tags `json:"resourceTags,omitempty" hotupdatable:"true"`
}

// Disk is a disk of the machine.
type Disk struct {
	DiskSettings `json:",inline"`

	AutoDelete *bool `json:"autoDelete,omitempty"`
	Boot       bool  `json:"boot"`
	// Labels are set when the disk is created. The extension writes the same labels into
	// [ProviderSpec.Labels], and the driver updates the disk with those. So this field is ignored.
	Labels map[string]string `json:"labels,omitempty" hotupdatable:"ignore"`
	// SizeGB is in GiB.
	SizeGB     int32           `json:"sizeGb"`
	Type       *string         `json:"type,omitempty"`
	Interface  *string         `json:"interface,omitempty"`
	Image      *string         `json:"image,omitempty"`
	Encryption *DiskEncryption `json:"encryption,omitempty"`
}

// ProviderNetworkInterface is a network interface of the machine.
type ProviderNetworkInterface struct {
	Subnetwork        string `json:"subnetwork,omitempty"`
	DisableExternalIP bool   `json:"disableExternalIP,omitempty"`

	Network             string `json:"network,omitempty"`
	StackType           string `json:"stackType,omitempty"`
	IPv6AccessType      string `json:"ipv6accessType,omitempty"`
	UseAliasIPs         bool   `json:"useAliasIPs,omitempty"`
	IPCIDRRange         string `json:"ipCidrRange,omitempty"`
	SubnetworkRangeName string `json:"subnetworkRangeName,omitempty"`
}

// Metadata is an item of the VM's metadata.
type Metadata struct {
	Key   string  `json:"key"`
	Value *string `json:"value"`
}

// Scheduling says what happens to the VM when its host is maintained.
type Scheduling struct {
	AutomaticRestart  bool   `json:"automaticRestart"`
	OnHostMaintenance string `json:"onHostMaintenance"`
	Preemptible       bool   `json:"preemptible"`
}

// ShieldedInstanceConfiguration selects what is verified when the VM boots.
type ShieldedInstanceConfiguration struct {
	IntegrityMonitoring *bool `json:"integrityMonitoring,omitempty"`
	SecureBoot          *bool `json:"secureBoot,omitempty"`
	VTPM                *bool `json:"vtpm,omitempty"`
}

// AdvancedMachineFeatures are features of the CPU.
type AdvancedMachineFeatures struct {
	EnableNestedVirtualization bool `json:"enableNestedVirtualization,omitempty"`
}

// ProviderSpecSchema returns the Schema of [ProviderSpec], with which the driver and
// machine-controller-manager find hot changes.
func ProviderSpecSchema() (*hotupdate.Schema, error) { return hotupdate.SchemaOf[ProviderSpec]() }

// TagsOf returns the labels of the VM or of its disks, or for [tags.Network] the network tags of
// the VM, as keys without a value.
func (s *ProviderSpec) TagsOf(kind tags.Kind) (map[string]string, error) {
	flat := s.Labels
	if kind == tags.Network {
		flat = withoutValues(s.Tags)
	}
	return driver.Tags(tags.GCP, kind, flat, s.ResourceTags)
}

// withoutValues returns network tags as keys with empty values, the form of package tags.
func withoutValues(keys []string) map[string]string {
	all := make(map[string]string, len(keys))
	for _, key := range keys {
		all[key] = ""
	}
	return all
}
