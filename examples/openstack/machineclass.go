package openstack

import (
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/hotupdate/providerconfig/examples/internal/extension"
	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/tags"
)

// Infrastructure has the facts about a shoot's infrastructure in one zone.
type Infrastructure struct {
	// Cluster is the shoot's technical ID.
	Cluster       string
	Region        string
	Zone          string
	ImageID       string
	KeyName       string
	SecurityGroup string
	NetworkID     string
	PodNetwork    string
}

// mandatory returns the keys by which machine-controller-manager finds the machines of the cluster.
func (i *Infrastructure) mandatory() map[string]string {
	return map[string]string{"kubernetes.io-cluster-" + i.Cluster: "1", "kubernetes.io-role-node": "1"}
}

// ValidateTags returns the problems of the infrastructure tags of a config, for admission: tags
// that OpenStack would refuse, metadata of network interfaces, which would be lost, and keys by
// which machine-controller-manager would assign the machine to another cluster and delete it.
func ValidateTags(config *WorkerConfig, infra *Infrastructure, path *field.Path) field.ErrorList {
	mandatory := &tags.Tags{VM: infra.mandatory(), Disk: infra.mandatory()}
	return tags.OpenStack.Validate(config.Tags, mandatory, path.Child("tags"))
}

// NewProviderSpec returns the provider spec of the pool's MachineClass in one zone.
func NewProviderSpec(pool Pool, infra *Infrastructure) (*ProviderSpec, error) {
	flat, err := extension.FlatTags(tags.OpenStack, pool.WorkerPool, labels(pool), infra.mandatory())
	if err != nil {
		return nil, err
	}
	spec := MachineSpec{
		ImageID:          infra.ImageID,
		Region:           infra.Region,
		AvailabilityZone: infra.Zone,
		FlavorName:       pool.MachineType,
		KeyName:          infra.KeyName,
		SecurityGroups:   append([]string{infra.SecurityGroup}, pool.Config.AdditionalSecurityGroups...),
		NetworkID:        infra.NetworkID,
		PodNetworkCIDR:   infra.PodNetwork,
		ServerGroupID:    pool.ServerGroupID,
		Tags:             flat,
		ResourceTags:     pool.Config.Tags,
	}
	if v := pool.Volume; v != nil {
		spec.RootDiskSize, err = gardener.DiskSize(v.Size)
		if err != nil {
			return nil, extension.InPool(pool.WorkerPool, err)
		}
	}
	typeMeta := metav1.TypeMeta{APIVersion: "openstack.machine.gardener.cloud/v1alpha1", Kind: "MachineProviderConfig"}
	return &ProviderSpec{TypeMeta: typeMeta, Spec: spec}, nil
}

// labels returns the pool's labels and the machine labels of the config, which win.
func labels(pool Pool) map[string]string {
	all := maps.Clone(pool.Labels)
	if all == nil {
		all = map[string]string{}
	}
	for _, l := range pool.Config.Labels {
		all[l.Name] = l.Value
	}
	return all
}
