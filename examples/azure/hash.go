package azure

import (
	"github.com/hotupdate/providerconfig/examples/internal/extension"
	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
)

// GenerateWorkerPoolHash returns the hash that ends the name of the pool's MachineClass in a zone. The hot part of the config does not
// enter it.
func GenerateWorkerPoolHash(worker *gardener.WorkerPool, zone Zone) (hash.Name, error) {
	pool, err := NewPool(worker, zone)
	if err != nil {
		return hash.Name{}, err
	}
	return extension.WorkerPoolHash(worker, pool, Schema, Eras)
}

// Eras are the ways in which this extension hashes pools. The old ones stay as they are; the canonical one begins with a Kubernetes
// minor that no pool has today.
//
// Nothing was ever hashed of pools that are updated in place.
func Eras(schema *hotupdate.Schema) extension.Eras[Pool] {
	return extension.Eras[Pool]{
		Rolling: []hash.Era[Pool]{
			{Name: "raw bytes", Data: extension.RawBytes(schema, volumesAndZone)},
			{Name: "hand-written list", From: "1.35", Data: extension.Values(volumesAndZone, handWrittenList)},
			{Name: "canonical", From: "1.37", Data: hash.Canonical(schema, volumesAndZone)},
		},
		InPlace: extension.InPlace[Pool](schema, "1.37"),
	}
}

// handWrittenList is a list as this extension hashes it from Kubernetes 1.35 on. Its mistakes name living pools, so they stay: values
// have no names, and data volumes count in their order.
func handWrittenList(pool Pool) []string {
	c := pool.Config
	data := extension.Capacity(c.NodeTemplate)
	if p := c.DiagnosticsProfile; p != nil {
		data = extension.Append(extension.Append(data, &p.Enabled), p.StorageURI)
	}
	if v := c.Volume; v != nil {
		data = extension.Append(data, v.Caching)
	}
	for _, v := range c.DataVolumes {
		data = append(data, v.Name)
		if i := v.ImageRef; i != nil {
			data = extension.Append(data, i.URN, i.ID, i.CommunityGalleryImageID, i.SharedGalleryImageID)
		}
	}
	if r := c.CapacityReservation; r != nil {
		data = extension.Append(data, r.CapacityReservationGroupID)
	}
	return data
}
