package gcp

import (
	"github.com/hotupdate/providerconfig/examples/internal/extension"
	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
)

// GenerateWorkerPoolHash returns the hash that ends the names of the pool's MachineClasses. The hot part of the config does not enter it.
func GenerateWorkerPoolHash(worker *gardener.WorkerPool) (hash.Name, error) {
	pool, err := NewPool(worker)
	if err != nil {
		return hash.Name{}, err
	}
	return extension.WorkerPoolHash(worker, pool, Schema, Eras)
}

// Eras are the ways in which this extension hashes pools. The old ones stay as they are; the canonical one begins with a Kubernetes
// minor that no pool has today.
//
// Nothing was ever hashed of pools that are updated in place: admission rejects every change of their configs. With the canonical era it
// may admit those that are hot or in-place.
func Eras(schema *hotupdate.Schema) extension.Eras[Pool] {
	return extension.Eras[Pool]{
		Rolling: []hash.Era[Pool]{
			{Name: "raw bytes", Data: extension.RawBytes(schema, volumes)},
			{Name: "hand-written list", From: "1.35", Data: extension.Values(volumes, handWrittenList)},
			{Name: "canonical", From: "1.37", Data: hash.Canonical(schema, volumes)},
		},
		InPlace: extension.InPlace[Pool](schema, "1.37"),
	}
}

// handWrittenList is what this extension has hashed from Kubernetes 1.35 on. Its mistakes name living pools, so they stay: values have
// no names, the data volumes' storagePool is missing, and data volumes and scopes count in their order.
func handWrittenList(pool Pool) []string {
	c := pool.Config
	data := extension.Capacity(c.NodeTemplate)
	if g := c.GPU; g != nil {
		data = extension.Append(append(data, g.AcceleratorType), &g.Count)
	}
	if v := c.Volume; v != nil {
		data = append(data, orEmpty(v.LocalSSDInterface))
		if e := v.Encryption; e != nil {
			data = append(data, orEmpty(e.KMSKeyName), orEmpty(e.KMSKeyServiceAccount))
		}
	}
	if v := c.BootVolume; v != nil {
		data = append(extension.Append(data, v.ProvisionedIOPS, v.ProvisionedThroughput), orEmpty(v.StoragePool))
	}
	for _, v := range c.DataVolumes {
		data = extension.Append(append(data, v.Name), v.ProvisionedIOPS, v.ProvisionedThroughput)
		data = extension.Append(data, v.SourceImage)
	}
	data = extension.Append(data, c.MinCPUPlatform)
	if a := c.ServiceAccount; a != nil {
		data = append(append(data, a.Email), a.Scopes...)
	}
	return data
}

func orEmpty(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
