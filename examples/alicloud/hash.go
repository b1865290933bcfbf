package alicloud

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

// Eras returns the eras of this extension. The old one stays unchanged for pools without a config,
// and for those whose config has no immutable member. Today's release ignores configs, so nobody needs
// one. A pool that has an immutable member all the same gets another name at adoption, and a config that
// the Schema refuses is an error: hotupdate audit lists both before the release. The canonical era
// begins with a Kubernetes minor that no pool has today.
//
// The first era strips more than those of other providers, because no existing pool is named by a
// config, not even by null or by TypeMeta alone. A config without immutable fields adds no string, so
// the first tag replaces no machine. A hot null adds nothing.
//
// For pools that are updated in place, this extension has hashed nothing so far.
func Eras(schema *hotupdate.Schema) extension.Eras[Pool] {
	return extension.Eras[Pool]{
		Rolling: []hash.Era[Pool]{
			{Name: "raw bytes", Data: extension.Today[Pool](today().RawBytes(schema))},
			{Name: "canonical", From: "1.37", Data: hash.CanonicalData(schema, volumes)},
		},
		InPlace: hash.InPlaceEras[Pool](nil, "1.37", schema),
	}
}
