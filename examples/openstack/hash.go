package openstack

import (
	"slices"

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
			{Name: "allow-list", Data: extension.Values(serverGroup, allowList)},
			{Name: "canonical", From: "1.37", Data: hash.CanonicalData(schema, serverGroup)},
		},
		InPlace: hash.InPlaceEras[Pool](nil, "1.37", schema),
	}
}

// allowList returns the values of the config that this extension hashes today: labels that trigger
// a rolling update, and security groups. It does not distinguish them, and does not separate a
// label's name from its value. Existing pools are named by it, so it stays.
func allowList(pool Pool) []string {
	var labels []string
	for _, l := range pool.Config.Labels {
		if l.TriggerRollingOnUpdate {
			labels = append(labels, l.Name+"="+l.Value)
		}
	}
	slices.Sort(labels)
	return append(labels, slices.Sorted(slices.Values(pool.Config.AdditionalSecurityGroups))...)
}
