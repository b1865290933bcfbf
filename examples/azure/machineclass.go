package azure

import (
	"math"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/hotupdate/providerconfig/examples/azure/internal/apis"
	"github.com/hotupdate/providerconfig/examples/internal/extension"
	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/tags"
)

// Infrastructure has the facts about a shoot's infrastructure, beside its zones.
type Infrastructure struct {
	// Cluster is the shoot's technical ID.
	Cluster       string
	Location      string
	ResourceGroup string
	VNet          string
	Subnet        string
	ImageURN      string
}

// mandatory returns the keys by which machine-controller-manager finds the machines of the cluster,
// and one that the extension adds.
func (i *Infrastructure) mandatory() map[string]string {
	return map[string]string{
		"Name": i.Cluster, "kubernetes.io-cluster-" + i.Cluster: "1", "kubernetes.io-role-node": "1",
	}
}

// ValidateTags returns the problems of the infrastructure tags of a config, for admission: tags
// that Azure would refuse, and keys by which machine-controller-manager would assign the machine to
// another cluster and delete it.
func ValidateTags(config *WorkerConfig, infra *Infrastructure, path *field.Path) field.ErrorList {
	mandatory := &tags.Tags{VM: infra.mandatory(), Network: infra.mandatory(), Disk: infra.mandatory()}
	return tags.Azure.Validate(config.Tags, mandatory, path.Child("tags"))
}

// NewProviderSpec returns the provider spec of the pool's MachineClass in its zone.
func NewProviderSpec(pool Pool, infra *Infrastructure) (*ProviderSpec, error) {
	perKind, err := extension.VMTags(tags.Azure, pool.WorkerPool, pool.Config.Tags, infra.mandatory())
	if err != nil {
		return nil, err
	}
	storage, err := storageProfile(pool, infra)
	if err != nil {
		return nil, extension.InPool(pool.WorkerPool, err)
	}
	spec := &ProviderSpec{
		Location: infra.Location,
		Properties: Properties{
			HardwareProfile:     HardwareProfile{pool.MachineType},
			StorageProfile:      storage,
			IdentityID:          pool.Zone.IdentityID,
			DiagnosticsProfile:  (*DiagnosticsProfile)(pool.Config.DiagnosticsProfile),
			CapacityReservation: (*CapacityReservation)(pool.Config.CapacityReservation),
		},
		ResourceGroup: infra.ResourceGroup,
		SubnetInfo:    SubnetInfo{VNetName: infra.VNet, SubnetName: infra.Subnet},
		Tags:          infra.mandatory(),
		ResourceTags:  perKind,
	}
	if pool.Zone.Subnet != nil {
		spec.SubnetInfo.SubnetName = *pool.Zone.Subnet
	}
	if pool.Zone.AvailabilitySet != nil {
		spec.Properties.AvailabilitySet = &SubResource{*pool.Zone.AvailabilitySet}
	}
	return spec, nil
}

// storageProfile numbers the data disks in the order of their names.
func storageProfile(pool Pool, infra *Infrastructure) (StorageProfile, error) {
	storage := StorageProfile{ImageReference: ProviderImage{Image: Image{URN: &infra.ImageURN}}}
	if v := pool.Volume; v != nil {
		size, err := gardener.DiskSize(v.Size)
		if err != nil {
			return StorageProfile{}, err
		}
		storage.OSDisk = OSDisk{
			ManagedDisk: ManagedDisk{StorageAccountType: v.Type}, DiskSizeGB: size, CreateOption: "FromImage",
		}
	}
	if v := pool.Config.Volume; v != nil {
		storage.OSDisk.Caching = v.Caching
	}
	for i, v := range pool.VolumesByName() {
		size, err := gardener.DiskSize(v.Size)
		if err != nil {
			return StorageProfile{}, err
		}
		config := extension.Find(pool.Config.DataVolumes, func(v apis.DataVolume) string { return v.Name }, v.Name)
		disk := DataDisk{
			Name: v.Name, LUN: int32(min(i, math.MaxInt32)), Caching: "None",
			StorageAccountType: v.Type, DiskSizeGB: size,
		}
		if config.ImageRef != nil {
			disk.ImageRef = &ProviderImage{Image: Image(*config.ImageRef)}
		}
		storage.DataDisks = append(storage.DataDisks, disk)
	}
	return storage, nil
}
