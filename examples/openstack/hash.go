package openstack

import (
	"slices"

	"github.com/hotupdate/providerconfig/examples/internal/extension"
	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
)

// GenerateWorkerPoolHash returns the hash that ends the names of the pool's MachineClasses. The hot part of the config does not enter it.
func GenerateWorkerPoolHash(worker *gardener.WorkerPool, serverGroupID *string) (hash.Name, error) {
	pool, err := NewPool(worker, serverGroupID)
	if err != nil {
		return hash.Name{}, err
	}
	return extension.WorkerPoolHash(worker, pool, Schema, Eras)
}

// Eras are the ways in which this extension hashes pools. The old one stays as it is; the canonical one begins with a Kubernetes minor
// that no pool has today. The raw bytes of the config were never part of either, so a new hot field costs nothing in any era.
//
// Nothing was ever hashed of pools that are updated in place.
func Eras(schema *hotupdate.Schema) extension.Eras[Pool] {
	return extension.Eras[Pool]{
		Rolling: []hash.Era[Pool]{
			{Name: "allow-list", Data: extension.Values(serverGroup, allowList)},
			{Name: "canonical", From: "1.37", Data: hash.Canonical(schema, serverGroup)},
		},
		InPlace: extension.InPlace[Pool](schema, "1.37"),
	}
}

// allowList is what this extension hashes of the config today: labels that trigger a rolling update, and security groups. It does not say
// which is which, nor where a label's name ends; but it names living pools, so it stays.
func allowList(pool Pool) []string {
	var labels []string
	for _, l := range pool.Config.MachineLabels {
		if l.TriggerRollingOnUpdate {
			labels = append(labels, l.Name+"="+l.Value)
		}
	}
	slices.Sort(labels)
	return append(labels, slices.Sorted(slices.Values(pool.Config.AdditionalSecurityGroups))...)
}
