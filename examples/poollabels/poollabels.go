// Package poollabels is a provider extension for a cloud that places machines by the labels of
// their pool. Labels with the prefix billing/ are for accounting, and hot, except billing/plan.
//
// Gardener's own names cover neither the labels nor the annotations of a pool, see
// [hash.NodeAgentSecretName], so a change of them replaces no machine. An extension whose machines
// depend on labels hashes them itself, as additional data. If it hashed the map as a whole, a
// renamed cost centre would replace every machine of the pool. Adding this hash renames existing
// pools, so introduce it with an era, see [hash.Eras].
package poollabels

import (
	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
)

// Placement is what the extension hashes of a pool beside its provider config.
type Placement struct {
	Labels map[string]string `json:"labels" hotupdatable:"false,keyclass=true:billing/*,keyclass=false:billing/plan"`
}

// Schema returns the Schema of [Placement]. Labels with the prefix billing/ are hot, except
// billing/plan, which selects the hosts.
func Schema() (*hotupdate.Schema, error) { return hotupdate.SchemaOf[Placement]() }

// PoolHash returns the hash that ends the name of the pool's MachineClass. It covers the labels that
// are not hot.
func PoolHash(pool *gardener.WorkerPool) (hash.Name, error) {
	schema, err := Schema()
	if err != nil {
		return hash.Name{}, err
	}
	labels, err := schema.Hash(Placement{pool.Labels})
	if err != nil {
		return hash.Name{}, err
	}
	return hash.WorkerPool(pool.NodeAgentSecretName, labels.AdditionalData()...)
}

// HotLabels returns the labels that the driver sets on running machines.
func HotLabels(pool *gardener.WorkerPool) (map[string]string, error) {
	schema, err := Schema()
	if err != nil {
		return nil, err
	}
	_, hot, err := hotupdate.Split(schema, &Placement{pool.Labels})
	if err != nil {
		return nil, err
	}
	return hot.Labels, nil
}

// Causes lists the changed labels. An immutable one replaces the pool's machines, and a hot one is
// applied to them.
func Causes(old, updated *gardener.WorkerPool) (hotupdate.Changes, error) {
	schema, err := Schema()
	if err != nil {
		return nil, err
	}
	return schema.Diff(Placement{old.Labels}, Placement{updated.Labels})
}
