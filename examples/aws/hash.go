package aws

import (
	"github.com/hotupdate/providerconfig/examples/aws/internal/apis"
	"github.com/hotupdate/providerconfig/examples/internal/extension"
	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
)

// GenerateWorkerPoolHash returns the hash that ends the names of the pool's MachineClasses. It does
// not depend on hot fields of the config.
func GenerateWorkerPoolHash(worker *gardener.WorkerPool) (hash.Name, error) {
	pool, err := NewPool(worker)
	if err != nil {
		return hash.Name{}, err
	}
	return extension.WorkerPoolHash(worker, pool, Schema, Eras)
}

// Eras returns the eras of this extension. The old ones stay unchanged, also for fields that became
// hot later. The canonical one, with the Schema, begins with a Kubernetes minor that no pool has
// today.
//
// The configs of pools that are updated in place were never hashed: admission rejects every change
// of them. In the canonical era it may admit hot changes.
func Eras(schema *hotupdate.Schema) extension.Eras[Pool] {
	return extension.Eras[Pool]{
		Rolling: []hash.Era[Pool]{
			{Name: "raw bytes", Data: rawBytes},
			{Name: "hand-written list", From: "1.34", Data: extension.Values(volumes, handWrittenList)},
			{Name: "canonical", From: "1.37", Data: hash.CanonicalData(schema, volumes, fixedPerformance)},
		},
		InPlace: hash.InPlaceEras(rootVolume, "1.37", schema, rootVolume),
	}
}

// fixedPerformance returns the performance of volumes of other types than gp3, which the driver
// does not change: a change replaces the machines.
func fixedPerformance(pool Pool) (data []string) {
	add := func(name string, volumeType *string, v apis.Volume) {
		if values := v.IOPS != nil || v.Throughput != nil; values && !isGP3(volumeType) {
			data = append(extension.Append(append(data, name, "iops"), v.IOPS),
				extension.Append([]string{"throughput"}, v.Throughput)...)
		}
	}
	if root := pool.Volume; root != nil && pool.Config.Volume != nil {
		add("", root.Type, *pool.Config.Volume)
	}
	for _, v := range pool.VolumesByName() {
		add(v.Name, v.Type, extension.Find(pool.Config.DataVolumes,
			func(c apis.DataVolume) string { return c.Name }, v.Name).Volume)
	}
	return data
}

// rawBytes hashes the config like the releases. It does not strip fields that became hot later.
func rawBytes(raw []byte, pool Pool) ([]string, error) {
	released, err := releasedSchema()
	if err != nil {
		return nil, err
	}
	return extension.RawBytes(released, volumes)(raw, pool)
}

// handWrittenList returns the values that this extension hashes from Kubernetes 1.34 on. Existing
// pools are named by it, so its mistakes stay: values have no names, amdSevSnp and the interfaces'
// description are missing, and the order of data volumes counts.
func handWrittenList(pool Pool) []string {
	c := pool.Config
	data := extension.Capacity(c.NodeTemplate)
	if v := c.Volume; v != nil {
		data = extension.Append(data, v.IOPS, v.Throughput)
	}
	for _, v := range c.DataVolumes {
		data = extension.Append(append(data, v.Name), v.IOPS, v.Throughput)
		data = extension.Append(data, v.SnapshotID)
	}
	if p := c.IAMInstanceProfile; p != nil {
		data = extension.Append(data, p.Name, p.ARN)
	}
	if o := c.InstanceMetadataOptions; o != nil {
		data = extension.Append(extension.Append(data, o.HTTPTokens), o.HTTPPutResponseHopLimit)
	}
	if o := c.CPUOptions; o != nil {
		data = extension.Append(data, o.CoreCount, o.ThreadsPerCore)
	}
	if r := c.CapacityReservation; r != nil {
		data = extension.Append(data, r.CapacityReservationPreference, r.CapacityReservationID,
			r.CapacityReservationResourceGroupARN)
	}
	if o := c.InstanceMarketOptions; o != nil {
		data = append(data, o.MarketType)
	}
	data = append(data, networkInterfaces(pool)...)
	if p := c.Placement; p != nil {
		data = extension.Append(data, p.GroupID, p.Tenancy, p.HostID)
		data = extension.Append(extension.Append(data, p.PartitionNumber), p.Affinity)
	}
	return data
}

func networkInterfaces(pool Pool) []string {
	var data []string
	for _, n := range pool.Config.NetworkInterfaces {
		kind := n.Type
		if kind == nil || *kind == "" {
			kind = new("interface")
		}
		data = extension.Append(extension.Append(data, kind), &n.DeviceIndex, n.NetworkCardIndex)
		if r := n.NetworkCardIndexRange; r != nil {
			data = extension.Append(data, &r.From, &r.To)
		}
		data = extension.Append(data, n.SubnetID)
	}
	return data
}
