package gcp

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/hotupdate/providerconfig/examples/gcp/internal/apis"
	"github.com/hotupdate/providerconfig/examples/internal/extension"
	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/tags"
)

// Infrastructure has the facts about a shoot's infrastructure in one zone.
type Infrastructure struct {
	// Cluster is the shoot's technical ID.
	Cluster    string
	Region     string
	Zone       string
	Image      string
	Subnetwork string
	// ServiceAccount is the default for pools without one.
	ServiceAccount string
}

// networkTags returns the network tags that every machine of the cluster has. By two of them
// machine-controller-manager finds the machine.
func (i *Infrastructure) networkTags() []string {
	return []string{i.Cluster, "kubernetes-io-cluster-" + i.Cluster, "kubernetes-io-role-node"}
}

// ValidateTags returns the problems of the infrastructure tags of a config, for admission: tags
// that GCP would refuse, values of network tags, and network tags by which
// machine-controller-manager would assign the machine to another cluster and delete it.
func ValidateTags(config *WorkerConfig, infra *Infrastructure, path *field.Path) field.ErrorList {
	mandatory := &tags.Tags{Network: withoutValues(infra.networkTags())}
	return tags.GCP.Validate(config.Tags, mandatory, path.Child("tags"))
}

// NewProviderSpec returns the provider spec of the pool's MachineClass in one zone.
func NewProviderSpec(pool Pool, infra *Infrastructure) (*ProviderSpec, error) {
	labels, err := extension.FlatTags(tags.GCP, pool.WorkerPool, pool.Labels,
		map[string]string{"k8s-cluster-name": infra.Cluster})
	if err != nil {
		return nil, err
	}
	all, err := disks(pool, infra)
	if err != nil {
		return nil, extension.InPool(pool.WorkerPool, err)
	}
	c := pool.Config
	spec := &ProviderSpec{
		Region:            infra.Region,
		Zone:              infra.Zone,
		MachineType:       pool.MachineType,
		CanIPForward:      true,
		Disks:             all,
		GPU:               (*GPU)(c.GPU),
		MinCPUPlatform:    c.MinCPUPlatform,
		NetworkInterfaces: []ProviderNetworkInterface{{Subnetwork: infra.Subnetwork, DisableExternalIP: true}},
		ServiceAccounts: []ServiceAccount{
			{infra.ServiceAccount, []string{"https://www.googleapis.com/auth/compute"}},
		},
		Labels:       labels,
		Tags:         infra.networkTags(),
		ResourceTags: c.Tags,
	}
	if a := c.ServiceAccount; a != nil {
		spec.ServiceAccounts = []ServiceAccount{ServiceAccount(*a)}
	}
	return spec, nil
}

// disks lists the boot disk and the data disks.
func disks(pool Pool, infra *Infrastructure) ([]Disk, error) {
	var all []Disk
	if v := pool.Volume; v != nil {
		config := apis.DataVolume{SourceImage: &infra.Image}
		if pool.Config.BootVolume != nil {
			config.DiskSettings = pool.Config.BootVolume.DiskSettings
		}
		boot, err := disk(v.Size, v.Type, config, pool.Config.Volume)
		if err != nil {
			return nil, err
		}
		boot.Boot = true
		all = append(all, boot)
	}
	for _, v := range pool.DataVolumes {
		data, err := disk(v.Size, v.Type, dataVolume(pool.Config, v.Name), pool.Config.Volume)
		if err != nil {
			return nil, err
		}
		all = append(all, data)
	}
	return all, nil
}

func disk(size string, kind *string, config apis.DataVolume, all *apis.Volume) (Disk, error) {
	gib, err := gardener.DiskSize(size)
	d := Disk{DiskSettings: DiskSettings(config.DiskSettings), SizeGB: gib, Type: kind, Image: config.SourceImage}
	if all != nil {
		d.Interface = all.LocalSSDInterface
		d.Encryption = (*DiskEncryption)(all.Encryption)
	}
	return d, err
}

// dataVolume returns the config of a data volume.
func dataVolume(config *apis.WorkerConfig, name string) apis.DataVolume {
	return extension.Find(config.DataVolumes, func(v apis.DataVolume) string { return v.Name }, name)
}
