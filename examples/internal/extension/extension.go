// Package extension has common functions of the example extensions. It hashes a pool by the eras of
// an extension, and knows no provider.
package extension

import (
	"fmt"

	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
)

// Eras are the eras of one extension. Pools that roll and pools that are updated in place have
// different eras, because extensions have always hashed them differently.
type Eras[P any] struct {
	Rolling, InPlace []hash.Era[P]
}

// WorkerPoolHash returns the hash that ends the names of the pool's MachineClasses. Input is the
// pool that the eras read; [NewPool] has decoded its config.
func WorkerPoolHash[P any](
	worker *gardener.WorkerPool, input P, newSchema func() (*hotupdate.Schema, error),
	newEras func(*hotupdate.Schema) Eras[P],
) (hash.Name, error) {
	schema, err := newSchema()
	if err != nil {
		return hash.Name{}, err
	}
	own := newEras(schema)
	eras, err := hash.NewEras(own.Rolling, own.InPlace)
	if err != nil {
		return hash.Name{}, err
	}
	lists, err := eras.AdditionalData(worker.UpdateStrategy, worker.KubernetesVersion, worker.RawConfig(), input)
	if err != nil {
		return hash.Name{}, InPool(worker, err)
	}
	name, err := gardener.WorkerPoolHash(worker, lists.Rolling, lists.InPlace)
	if err != nil {
		return hash.Name{}, InPool(worker, err)
	}
	return name, nil
}

// InPool adds the pool to an error.
func InPool(pool *gardener.WorkerPool, err error) error {
	return fmt.Errorf("worker pool %s: %w", pool.Name, err)
}
