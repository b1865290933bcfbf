package gcp

import (
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

// Eras returns the eras of this extension. The old ones stay unchanged. The canonical one begins
// with a Kubernetes minor that no pool has today.
//
// For pools that are updated in place, this extension has hashed nothing so far: admission rejects
// every change of their configs. In the canonical era it may admit hot and in-place changes.
func Eras(schema *hotupdate.Schema) extension.Eras[Pool] {
	return extension.Eras[Pool]{
		Rolling: []hash.Era[Pool]{
			{Name: "raw bytes", Data: extension.RawBytes(schema, volumes)},
			{Name: "hand-written list", From: "1.35", Data: extension.Values(volumes, handWrittenList)},
			{Name: "canonical", From: "1.37", Data: hash.CanonicalData(schema, volumes)},
		},
		InPlace: hash.InPlaceEras[Pool](nil, "1.37", schema),
	}
}

// handWrittenList returns the values that this extension hashes from Kubernetes 1.35 on. Existing
// pools are named by it, so its mistakes stay: values have no names, the data volumes' storagePool
// is missing, and the order of data volumes and scopes counts.
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
