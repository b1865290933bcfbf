package extensions

import "github.com/hotupdate/providerconfig/internal/provider"

// AWS is gardener-extension-provider-aws. From Kubernetes 1.34 on, it hashes a list. The list has
// values without their names, and neither amdSevSnp nor the description of network interfaces. The
// order of data volumes counts. For pools that are updated in place it hashes whether the root
// volume is encrypted.
func AWS() *Extension {
	return &Extension{
		Name: "aws", Release: "v1.73.0", Earlier: "v1.63.0", Own: encryptedVolumes, InPlace: rootEncryption,
		List: awsList, ListFrom: "1.34", ListSince: "1.67",
		canonical: FixedPerformance, hotLater: true, traits: provider.Traits{FallsBack: true},
	}
}

type (
	awsConfig struct {
		NodeTemplate       *nodeTemplate   `json:"nodeTemplate"`
		Volume             *awsVolume      `json:"volume"`
		DataVolumes        []awsDataVolume `json:"dataVolumes"`
		IAMInstanceProfile *struct {
			Name *string `json:"name"`
			ARN  *string `json:"arn"`
		} `json:"iamInstanceProfile"`
		InstanceMetadataOptions *struct {
			HTTPTokens              *string `json:"httpTokens"`
			HTTPPutResponseHopLimit *int32  `json:"httpPutResponseHopLimit"`
		} `json:"instanceMetadataOptions"`
		CPUOptions *struct {
			CoreCount      *int32 `json:"coreCount"`
			ThreadsPerCore *int32 `json:"threadsPerCore"`
		} `json:"cpuOptions"`
		CapacityReservation *struct {
			Preference       *string `json:"capacityReservationPreference"`
			ID               *string `json:"capacityReservationId"`
			ResourceGroupARN *string `json:"capacityReservationResourceGroupArn"`
		} `json:"capacityReservation"`
		InstanceMarketOptions *struct {
			MarketType string `json:"marketType"`
		} `json:"instanceMarketOptions"`
		NetworkInterfaces []awsInterface `json:"networkInterfaces"`
		Placement         *struct {
			GroupID         *string `json:"groupId"`
			Tenancy         *string `json:"tenancy"`
			HostID          *string `json:"hostId"`
			PartitionNumber *int64  `json:"partitionNumber"`
			Affinity        *string `json:"affinity"`
		} `json:"placement"`
	}
	awsVolume struct {
		IOPS       *int32 `json:"iops"`
		Throughput *int32 `json:"throughput"`
	}
	awsDataVolume struct {
		awsVolume

		Name       string  `json:"name"`
		SnapshotID *string `json:"snapshotID"`
	}
	awsInterface struct {
		NetworkCardIndex      *int64 `json:"networkCardIndex"`
		NetworkCardIndexRange *struct {
			From int64 `json:"from"`
			To   int64 `json:"to"`
		} `json:"networkCardIndexRange"`
		DeviceIndex int64   `json:"deviceIndex"`
		Type        *string `json:"type"`
		SubnetID    *string `json:"subnetID"`
	}
)

func awsList(pool Pool) ([]string, error) {
	c, err := decode[awsConfig](pool)
	if err != nil {
		return nil, err
	}
	data := c.NodeTemplate.capacity()
	if v := c.Volume; v != nil {
		data = appendSet(data, v.IOPS, v.Throughput)
	}
	for _, v := range c.DataVolumes {
		data = appendSet(append(data, v.Name), v.IOPS, v.Throughput)
		data = appendSet(data, v.SnapshotID)
	}
	if p := c.IAMInstanceProfile; p != nil {
		data = appendSet(data, p.Name, p.ARN)
	}
	if o := c.InstanceMetadataOptions; o != nil {
		data = appendSet(appendSet(data, o.HTTPTokens), o.HTTPPutResponseHopLimit)
	}
	if o := c.CPUOptions; o != nil {
		data = appendSet(data, o.CoreCount, o.ThreadsPerCore)
	}
	if r := c.CapacityReservation; r != nil {
		data = appendSet(data, r.Preference, r.ID, r.ResourceGroupARN)
	}
	if o := c.InstanceMarketOptions; o != nil {
		data = append(data, o.MarketType)
	}
	for _, n := range c.NetworkInterfaces {
		data = append(data, n.data()...)
	}
	if p := c.Placement; p != nil {
		data = appendSet(data, p.GroupID, p.Tenancy, p.HostID)
		data = appendSet(appendSet(data, p.PartitionNumber), p.Affinity)
	}
	return data, nil
}

func (n awsInterface) data() []string {
	kind := n.Type
	if kind == nil || *kind == "" {
		kind = new("interface")
	}
	data := appendSet(appendSet(appendSet(nil, kind), &n.DeviceIndex), n.NetworkCardIndex)
	if r := n.NetworkCardIndexRange; r != nil {
		data = appendSet(data, &r.From, &r.To)
	}
	return appendSet(data, n.SubnetID)
}

// FixedPerformance returns the performance of volumes whose type is not gp3. The driver for AWS
// does not change their performance, so a change replaces the machines after adoption.
func FixedPerformance(pool Pool) (data []string) {
	c, err := decode[awsConfig](pool)
	if err != nil {
		return nil // the config has already been read strictly
	}
	add := func(name string, volumeType *string, v awsVolume) {
		isSet := v.IOPS != nil || v.Throughput != nil
		isGP3 := volumeType == nil || *volumeType == "gp3" // landscapes default to gp3
		if isSet && !isGP3 {
			data = appendSet(append(data, name, "iops"), v.IOPS)
			data = appendSet(append(data, "throughput"), v.Throughput)
		}
	}
	if root := pool.Volume; root != nil && c.Volume != nil {
		add("", root.Type, *c.Volume)
	}
	for _, v := range pool.byName() {
		for _, configured := range c.DataVolumes {
			if configured.Name == v.Name {
				add(v.Name, v.Type, configured.awsVolume)
				break
			}
		}
	}
	return data
}
