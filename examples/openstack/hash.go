package openstack

import (
	"github.com/hotupdate/providerconfig/examples/internal/extension"
	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
)

// GenerateWorkerPoolHash returns the hash that ends the names of the pool's MachineClasses. It does
// not depend on hot fields of the config.
func GenerateWorkerPoolHash(worker *gardener.WorkerPool, serverGroupID *string) (hash.Name, error) {
	pool, err := NewPool(worker, serverGroupID)
	if err != nil {
		return hash.Name{}, err
	}
	return extension.WorkerPoolHash(worker, pool, Schema, Eras)
}

// Eras returns the eras of this extension. The old one stays unchanged. The canonical one begins
// with a Kubernetes minor that no pool has today. Neither hashes the raw bytes of the config, so a
// new hot field renames no pool in any era.
//
// For pools that are updated in place, this extension has hashed nothing so far.
func Eras(schema *hotupdate.Schema) extension.Eras[Pool] {
	return extension.Eras[Pool]{
		Rolling: []hash.Era[Pool]{
			{Name: "allow-list", Data: extension.Today[Pool](today().Listed)},
			{Name: "canonical", From: "1.37", Data: hash.CanonicalData(schema, serverGroup)},
		},
		InPlace: hash.InPlaceEras[Pool](nil, "1.37", schema),
	}
}
