package azure

import (
	"github.com/hotupdate/providerconfig/examples/internal/extension"
	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
)

// GenerateWorkerPoolHash returns the hash that ends the name of the pool's MachineClass in a zone.
// It does not depend on hot fields of the config.
func GenerateWorkerPoolHash(worker *gardener.WorkerPool, zone Zone) (hash.Name, error) {
	pool, err := NewPool(worker, zone)
	if err != nil {
		return hash.Name{}, err
	}
	return extension.WorkerPoolHash(worker, pool, Schema, Eras)
}

// Eras returns the eras of this extension. The old ones stay unchanged. The canonical one begins
// with a Kubernetes minor that no pool has today.
//
// For pools that are updated in place, this extension has hashed nothing so far.
func Eras(schema *hotupdate.Schema) extension.Eras[Pool] {
	return extension.Eras[Pool]{
		Rolling: []hash.Era[Pool]{
			{Name: "raw bytes", Data: extension.RawBytes(schema, volumesAndZone)},
			{Name: "hand-written list", From: "1.35", Data: extension.Values(volumesAndZone, handWrittenList)},
			{Name: "canonical", From: "1.37", Data: hash.CanonicalData(schema, volumesAndZone)},
		},
		InPlace: hash.InPlaceEras[Pool](nil, "1.37", schema),
	}
}

// handWrittenList returns the values that this extension hashes from Kubernetes 1.35 on. Existing
// pools are named by it, so its mistakes stay: values have no names, and the order of data volumes
// counts.
func handWrittenList(pool Pool) []string {
	c := pool.Config
	data := extension.Capacity(c.NodeTemplate)
	if v := c.Volume; v != nil {
		data = extension.Append(data, v.Caching)
	}
	for _, v := range c.DataVolumes {
		data = append(data, v.Name)
		if i := v.ImageRef; i != nil {
			data = extension.Append(data, i.URN, i.ID, i.CommunityGalleryImageID, i.SharedGalleryImageID)
		}
	}
	if p := c.DiagnosticsProfile; p != nil {
		data = extension.Append(extension.Append(data, &p.Enabled), p.StorageURI)
	}
	if r := c.CapacityReservation; r != nil {
		data = extension.Append(data, r.CapacityReservationGroupID)
	}
	return data
}
