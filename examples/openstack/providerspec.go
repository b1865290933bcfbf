package openstack

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/examples/internal/driver"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// ProviderSpec is the driver's type in a MachineClass. The extension fills it from WorkerConfig,
// pool and infrastructure, so it has separate struct tags. It has all JSON names of
// machine-controller-manager-provider-openstack, extended by resourceTags.
type ProviderSpec struct {
	metav1.TypeMeta `json:",inline"`

	Spec MachineSpec `json:"spec"`
}

// MachineSpec is a server of OpenStack.
type MachineSpec struct {
	ImageID          string `json:"imageID"`
	ImageName        string `json:"imageName,omitempty"` // if there is no ImageID
	Region           string `json:"region"`
	AvailabilityZone string `json:"availabilityZone"`
	FlavorName       string `json:"flavorName"`
	KeyName          string `json:"keyName"`
	// SecurityGroups have no order. They are immutable here, because the released extension hashes
	// the groups of the config. The driver in examples/drivers makes them hot.
	SecurityGroups []string `json:"securityGroups" hotupdatable:"false,set"`
	NetworkID      string   `json:"networkID"`
	// Networks replace NetworkID. Servers get a port in each, in this order.
	Networks []Network `json:"networks,omitempty"`
	SubnetID *string   `json:"subnetID,omitempty"`
	// SubnetIDs are the subnets of the server's port, which has an address in each, in this order.
	SubnetIDs       []string `json:"subnetIDs,omitempty"`
	PodNetworkCIDR  string   `json:"podNetworkCidr"`
	PodNetworkCIDRs []string `json:"podNetworkCIDRs,omitempty" hotupdatable:"false,set"`
	// RootDiskSize is in GiB.
	RootDiskSize   int32   `json:"rootDiskSize,omitempty"`
	RootDiskType   *string `json:"rootDiskType,omitempty"`
	UseConfigDrive *bool   `json:"useConfigDrive,omitempty"`
	ServerGroupID  *string `json:"serverGroupID,omitempty"`

	// Tags is the flat map for the metadata of the server, and of the root volume if the driver
	// creates it (RootDiskType): pool labels, machine labels, and the keys by which
	// machine-controller-manager finds its machines. It is hot as a whole. That includes machine
	// labels that trigger a rolling update: their change gives the class another name, so the
	// driver may write a change within one class.
	Tags map[string]string `json:"tags,omitempty" hotupdatable:"true"`
	// ResourceTags are the infrastructure tags of the WorkerConfig, for each kind of resource.
	ResourceTags *tags.Tags `json:"resourceTags,omitempty" hotupdatable:"true"`
}

// Network is a network by its ID or by its name.
type Network struct {
	ID         string `json:"id,omitempty"`
	Name       string `json:"name,omitempty"`
	PodNetwork bool   `json:"podNetwork,omitempty"`
}

// ProviderSpecSchema returns the Schema of [ProviderSpec], with which the driver and
// machine-controller-manager find hot changes.
func ProviderSpecSchema() (*hotupdate.Schema, error) { return hotupdate.SchemaOf[ProviderSpec]() }

// TagsOf returns the metadata of the server or of its root volume. Both get the flat map. A volume
// that Nova creates has no metadata before the first update.
func (s *ProviderSpec) TagsOf(kind tags.Kind) (map[string]string, error) {
	return driver.Tags(tags.OpenStack, kind, s.Spec.Tags, s.Spec.ResourceTags)
}
