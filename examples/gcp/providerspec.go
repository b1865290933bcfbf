package gcp

import (
	"github.com/hotupdate/providerconfig/examples/internal/driver"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// ProviderSpec is the driver's type in a MachineClass. The extension fills it from WorkerConfig, pool and infrastructure, so it has struct tags of
// its own. The JSON names are those of machine-controller-manager-provider-gcp, extended by resourceTags.
type ProviderSpec struct {
	Region            string                     `json:"region"`
	Zone              string                     `json:"zone"`
	MachineType       string                     `json:"machineType"`
	CanIPForward      bool                       `json:"canIpForward"`
	Disks             []Disk                     `json:"disks,omitempty"`
	GPU               *GPU                       `json:"gpu,omitempty"`
	MinCPUPlatform    *string                    `json:"minCpuPlatform,omitempty"`
	NetworkInterfaces []ProviderNetworkInterface `json:"networkInterfaces,omitempty"`

	// ServiceAccounts has one element (Compute Engine API, Instance). It can be changed on a stopped VM only.
	ServiceAccounts []ServiceAccount `json:"serviceAccounts,omitempty" hotupdatable:"inplace,key=email"`
	// Labels is the flat map for VM and disks. It is hot as a whole (hot-update proposal, "What is available today").
	Labels map[string]string `json:"labels,omitempty" hotupdatable:"true"`
	// Tags are the VM's network tags, with those by which machine-controller-manager finds its machines.
	Tags []string `json:"tags,omitempty" hotupdatable:"true,set"`
	// ResourceTags are the infrastructure tags of the WorkerConfig, for each kind of resource.
	ResourceTags *tags.Tags `json:"resourceTags,omitempty" hotupdatable:"true"`
}

// Disk is a disk of the machine.
type Disk struct {
	DiskSettings `json:",inline"`

	Boot bool `json:"boot"`
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
}

// ProviderSpecSchema returns the Schema of [ProviderSpec], with which the driver and machine-controller-manager find hot changes.
func ProviderSpecSchema() (*hotupdate.Schema, error) { return hotupdate.SchemaOf[ProviderSpec]() }

// TagsOf returns the labels of the VM or of its disks, or for [tags.Network] the network tags of the VM, as keys without a value: write
// them with [tags.Keys].
func (s *ProviderSpec) TagsOf(kind tags.Kind) (map[string]string, error) {
	flat := s.Labels
	if kind == tags.Network {
		flat = tags.FromKeys(s.Tags...)
	}
	return driver.Tags(tags.GCP, kind, flat, s.ResourceTags)
}
