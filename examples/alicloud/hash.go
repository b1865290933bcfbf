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

// canonical is the name of the era in which the config names a pool.
const canonical = "canonical"

// Eras returns the eras of this extension. Today's release ignores configs, and its admission takes any.
// So the first era ignores them too: at its Kubernetes minor no pool gets another name by adoption, and
// no config is an error, whatever a pool has had without effect. The first tag replaces no machine.
// The canonical era begins with a minor that no pool has today.
//
// A hash that ignores a field does not see that it changes. Therefore [NewPool] and [ValidateConfig] agree
// with the first era: fields that are not hot have no effect in it, and may not change.
//
// For pools that are updated in place, this extension has hashed nothing so far.
func Eras(schema *hotupdate.Schema) extension.Eras[Pool] {
	return extension.Eras[Pool]{
		Rolling: []hash.Era[Pool]{
			{Name: "pool only", Data: func(_ []byte, pool Pool) ([]string, error) { return volumes(pool), nil }},
			{Name: canonical, From: "1.37", Data: hash.CanonicalData(schema, volumes)},
		},
		InPlace: hash.InPlaceEras[Pool](nil, "1.37", schema),
	}
}
