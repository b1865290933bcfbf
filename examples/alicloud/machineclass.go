package alicloud

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/hotupdate/providerconfig/examples/internal/extension"
	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/tags"
)

// Infrastructure has the facts about a shoot's infrastructure in one zone.
type Infrastructure struct {
	// Cluster is the shoot's technical ID.
	Cluster         string
	Region          string
	Zone            string
	ImageID         string
	SecurityGroupID string
	VSwitchID       string
	KeyPairName     string
}

// mandatory returns the keys by which machine-controller-manager finds the machines of the cluster.
func (i *Infrastructure) mandatory() map[string]string {
	return map[string]string{"kubernetes.io/cluster/" + i.Cluster: "1", "kubernetes.io/role/worker/" + i.Cluster: "1"}
}

// ValidateTags returns the problems of the infrastructure tags of a config, for admission: tags
// that Alibaba Cloud would refuse, more than 20 tags, and keys by which machine-controller-manager
// would assign the machine to another cluster and delete it.
func ValidateTags(config *WorkerConfig, infra *Infrastructure, path *field.Path) field.ErrorList {
	mandatory := &tags.Tags{VM: infra.mandatory(), Network: infra.mandatory(), Disk: infra.mandatory()}
	return tags.AliCloud.Validate(config.Tags, mandatory, path.Child("tags"))
}

// NewProviderSpec returns the provider spec of the pool's MachineClass in one zone.
func NewProviderSpec(pool Pool, infra *Infrastructure) (*ProviderSpec, error) {
	flat, err := extension.FlatTags(tags.AliCloud, pool.WorkerPool, pool.Labels, infra.mandatory())
	if err != nil {
		return nil, err
	}
	spec := &ProviderSpec{
		APIVersion:              "mcm.gardener.cloud/v1alpha1",
		ImageID:                 infra.ImageID,
		InstanceType:            pool.MachineType,
		Region:                  infra.Region,
		ZoneID:                  infra.Zone,
		SecurityGroupID:         infra.SecurityGroupID,
		VSwitchID:               infra.VSwitchID,
		InstanceChargeType:      "PostPaid",
		InternetChargeType:      "PayByTraffic",
		InternetMaxBandwidthIn:  new(int32(5)),
		InternetMaxBandwidthOut: new(int32(5)),
		SpotStrategy:            "NoSpot",
		KeyPairName:             infra.KeyPairName,
		Tags:                    flat,
		ResourceTags:            pool.Config.Tags,
	}
	if err := spec.addDisks(pool, infra); err != nil {
		return nil, extension.InPool(pool.WorkerPool, err)
	}
	return spec, nil
}

func (s *ProviderSpec) addDisks(pool Pool, infra *Infrastructure) error {
	if v := pool.Volume; v != nil {
		size, err := gardener.DiskSize(v.Size)
		if err != nil {
			return err
		}
		s.SystemDisk = &SystemDisk{v.Type, size}
	}
	for _, v := range pool.DataVolumes {
		size, err := gardener.DiskSize(v.Size)
		if err != nil {
			return err
		}
		description := infra.Cluster + "-datavol-" + v.Name
		s.DataDisks = append(s.DataDisks, DataDisk{v.Name, v.Type, description, v.Encrypted, new(true), size})
	}
	return nil
}
