package alicloud

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

// Eras are the ways in which this extension hashes pools. The old one stays as it is for pools without a config, which are all; the
// canonical one begins with a Kubernetes minor that no pool has today.
//
// Nothing was ever hashed of pools that are updated in place.
func Eras(schema *hotupdate.Schema) extension.Eras[Pool] {
	return extension.Eras[Pool]{
		Rolling: []hash.Era[Pool]{
			{Name: "raw bytes", Data: rawBytes(schema)},
			{Name: "canonical", From: "1.37", Data: hash.Canonical(schema, volumes)},
		},
		InPlace: extension.InPlace[Pool](schema, "1.37"),
	}
}

// rawBytes differs from what other providers do in two ways, as no living pool is named by a config, be it one that is null or only
// TypeMeta: a config of which nothing immutable is left adds no string, so the first tag replaces no machine; and neither does a hot null.
func rawBytes(schema *hotupdate.Schema) func(raw []byte, pool Pool) ([]string, error) {
	return func(raw []byte, pool Pool) ([]string, error) {
		cut, err := schema.StripRaw(raw, hotupdate.StripNulls)
		if err != nil {
			return nil, err
		}
		data := volumes(pool)
		if !hash.OnlyTypeMeta(cut) {
			data = append(data, string(cut))
		}
		return data, nil
	}
}
