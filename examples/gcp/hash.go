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
			{Name: "raw bytes", Data: extension.Today[Pool](today().RawBytes(schema))},
			{Name: "hand-written list", From: "1.35", Data: extension.Today[Pool](today().Listed)},
			{Name: "canonical", From: "1.37", Data: hash.CanonicalData(schema, volumes)},
		},
		InPlace: hash.InPlaceEras[Pool](nil, "1.37", schema),
	}
}
