package aws

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
			{Name: "hand-written list", From: "1.34", Data: extension.Today[Pool](today().Listed)},
			{Name: "canonical", From: "1.37", Data: hash.CanonicalData(schema, volumes, fixedPerformance)},
		},
		InPlace: hash.InPlaceEras(rootVolume, "1.37", schema, rootVolume),
	}
}

// rawBytes hashes the config like the releases. It does not strip fields that became hot later.
func rawBytes(raw []byte, pool Pool) ([]string, error) {
	released, err := ReleasedSchema()
	if err != nil {
		return nil, err
	}
	return extension.Today[Pool](today().RawBytes(released))(raw, pool)
}
