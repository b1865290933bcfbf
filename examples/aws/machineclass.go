package aws

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/hotupdate/providerconfig/examples/aws/internal/apis"
	"github.com/hotupdate/providerconfig/examples/internal/extension"
	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/tags"
)

// Infrastructure has the facts about a shoot's infrastructure in one zone.
type Infrastructure struct {
	// Cluster is the shoot's technical ID.
	Cluster         string
	Region          string
	AMI             string
	SubnetID        string
	SecurityGroupID string
	InstanceProfile string
	KeyName         *string
}

// mandatory returns the keys by which machine-controller-manager finds the machines of the cluster.
func (i *Infrastructure) mandatory() map[string]string {
	return map[string]string{"kubernetes.io/cluster/" + i.Cluster: "1", "kubernetes.io/role/node": "1"}
}

// ValidateTags returns the problems of the infrastructure tags of a config, for admission: tags
// that AWS would refuse, and keys by which machine-controller-manager would assign the machine to
// another cluster and delete it.
func ValidateTags(config *WorkerConfig, infra *Infrastructure, path *field.Path) field.ErrorList {
	mandatory := &tags.Tags{VM: infra.mandatory(), Network: infra.mandatory(), Disk: infra.mandatory()}
	return tags.AWS.Validate(config.Tags, mandatory, path.Child("tags"))
}

// NewProviderSpec returns the provider spec of the pool's MachineClass in one zone.
func NewProviderSpec(pool Pool, infra *Infrastructure) (*ProviderSpec, error) {
	perKind, err := extension.VMTags(tags.AWS, pool.WorkerPool, pool.Config.Tags, infra.mandatory())
	if err != nil {
		return nil, err
	}
	devices, err := blockDevices(pool)
	if err != nil {
		return nil, extension.InPool(pool.WorkerPool, err)
	}
	interfaces, err := providerNetworkInterfaces(pool.Config, infra)
	if err != nil {
		return nil, extension.InPool(pool.WorkerPool, err)
	}
	c := pool.Config
	spec := &ProviderSpec{
		APIVersion:                "mcm.gardener.cloud/v1alpha1",
		AMI:                       infra.AMI,
		BlockDevices:              devices,
		CapacityReservationTarget: (*CapacityReservation)(c.CapacityReservation),
		IAM:                       &IAMInstanceProfile{Name: &infra.InstanceProfile},
		MachineType:               pool.MachineType,
		KeyName:                   infra.KeyName,
		NetworkInterfaces:         interfaces,
		Region:                    infra.Region,
		InstanceMetadataOptions:   metadataOptions(c),
		CPUOptions:                (*CPUOptions)(c.CPUOptions),
		Placement:                 (*Placement)(c.Placement),
		InstanceMarketOptions:     (*InstanceMarketOptions)(c.InstanceMarketOptions),
		SrcAndDstChecksEnabled:    new(false),
		Tags:                      infra.mandatory(),
		ResourceTags:              perKind,
	}
	if p := c.IAMInstanceProfile; p != nil {
		spec.IAM = (*IAMInstanceProfile)(p)
	}
	return spec, nil
}

// metadataOptions returns the options of the config, or the defaults of a pool without any: tokens
// are required (IMDSv2), and containers can get them. An empty object replaces the defaults, and
// enforces nothing.
func metadataOptions(config *apis.WorkerConfig) *ProviderMetadataOptions {
	options := MetadataOptions{HTTPTokens: new("required"), HTTPPutResponseHopLimit: new(int32(2))}
	if config.InstanceMetadataOptions != nil {
		options = MetadataOptions(*config.InstanceMetadataOptions)
	}
	return &ProviderMetadataOptions{MetadataOptions: options}
}

// blockDevices lists the root volume and the data volumes, whose device names follow from the order
// in the pool. Without data volumes the root volume has no device name.
func blockDevices(pool Pool) ([]BlockDevice, error) {
	var devices []BlockDevice
	if v := pool.Volume; v != nil {
		config := apis.DataVolume{}
		if pool.Config.Volume != nil {
			config.Volume = *pool.Config.Volume
		}
		name := ""
		if len(pool.DataVolumes) > 0 {
			name = "/root"
		}
		device, err := blockDevice(name, gardener.DataVolume{Size: v.Size, Type: v.Type, Encrypted: v.Encrypted},
			config)
		if err != nil {
			return nil, err
		}
		devices = append(devices, device)
	}
	const letters = "fghijklmnop" // EC2 User Guide, "Device names for volumes"
	if len(pool.DataVolumes) > len(letters) {
		return nil, fmt.Errorf("%d data volumes: at most %d have a device name", len(pool.DataVolumes), len(letters))
	}
	for i, v := range pool.DataVolumes {
		device, err := blockDevice("/dev/sd"+letters[i:i+1], v, dataVolume(pool.Config, v.Name))
		if err != nil {
			return nil, err
		}
		devices = append(devices, device)
	}
	return devices, nil
}

func blockDevice(name string, volume gardener.DataVolume, config apis.DataVolume) (BlockDevice, error) {
	size, err := gardener.DiskSize(volume.Size)
	return BlockDevice{DeviceName: name, EBS: EBS{
		DeleteOnTermination: new(true),
		VolumeSize:          size,
		VolumeType:          volume.Type,
		Encrypted:           volume.Encrypted,
		IOPS:                config.IOPS,
		Throughput:          config.Throughput,
		SnapshotID:          config.SnapshotID,
	}}, err
}

// dataVolume returns the config of a data volume.
func dataVolume(config *apis.WorkerConfig, name string) apis.DataVolume {
	return extension.Find(config.DataVolumes, func(v apis.DataVolume) string { return v.Name }, name)
}

// maxNetworkCards is more than any instance type has (EC2 User Guide, "Network cards").
const maxNetworkCards = 256

// providerNetworkInterfaces spells out ranges of network cards. Without any interface in the config
// there is one in the pool's subnet.
func providerNetworkInterfaces(config *apis.WorkerConfig, infra *Infrastructure) ([]ProviderNetworkInterface, error) {
	groups := []string{infra.SecurityGroupID}
	if len(config.NetworkInterfaces) == 0 {
		return []ProviderNetworkInterface{{SubnetID: infra.SubnetID, SecurityGroupIDs: groups}}, nil
	}
	var all []ProviderNetworkInterface
	for i, n := range config.NetworkInterfaces {
		from, to := networkCards(n)
		if from < 0 || to < from || to >= maxNetworkCards {
			return nil, fmt.Errorf("networkInterfaces[%d]: network cards from %d to %d: write a range within 0 to %d",
				i, from, to, maxNetworkCards-1)
		}
		subnet := infra.SubnetID
		if n.SubnetID != nil {
			subnet = *n.SubnetID
		}
		for card := from; card <= to; card++ {
			all = append(all, ProviderNetworkInterface{
				NetworkCardIndex: card, DeviceIndex: n.DeviceIndex, InterfaceType: n.Type, Description: n.Description,
				SubnetID: subnet, SecurityGroupIDs: groups,
			})
		}
	}
	return all, nil
}

// networkCards returns the first and the last network card of an interface.
func networkCards(n apis.NetworkInterface) (from, to int64) {
	switch {
	case n.NetworkCardIndexRange != nil:
		return n.NetworkCardIndexRange.From, n.NetworkCardIndexRange.To
	case n.NetworkCardIndex != nil:
		return *n.NetworkCardIndex, *n.NetworkCardIndex
	}
	return 0, 0
}
