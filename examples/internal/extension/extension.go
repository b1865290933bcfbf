// Package extension has common functions of the example extensions: it hashes a pool by the eras of
// an extension. It knows no provider.
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
// pool for the functions of the eras, with the config. In every era the config is decoded first,
// strictly.
func WorkerPoolHash[P any](
	worker *gardener.WorkerPool, input P, newSchema func() (*hotupdate.Schema, error),
	newEras func(*hotupdate.Schema) Eras[P],
) (hash.Name, error) {
	schema, err := newSchema()
	if err != nil {
		return hash.Name{}, err
	}
	own := newEras(schema)
	eras, err := hash.NewPoolEras(own.Rolling, own.InPlace)
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

// RawBytes returns the function of an era that hashes the strings of own, and then the bytes of the
// config, like the first releases of extensions. It strips hot members, so that they replace no
// machine in this era either.
//
// A pool without config adds no string. A stripped config with only TypeMeta adds that, because
// pools with only virtual capacity are named by it. Both are as in the releases.
func RawBytes[P any](schema *hotupdate.Schema, own func(P) []string) func(raw []byte, pool P) ([]string, error) {
	return func(raw []byte, pool P) ([]string, error) {
		if raw == nil {
			return own(pool), nil
		}
		cut, err := schema.StripRawKeepNulls(raw)
		if err != nil {
			return nil, err
		}
		return append(own(pool), string(cut)), nil
	}
}

// Values returns the function of an era that hashes only the strings of the lists, in their order.
func Values[P any](lists ...func(P) []string) func(raw []byte, pool P) ([]string, error) {
	return func(_ []byte, pool P) ([]string, error) {
		var data []string
		for _, list := range lists {
			data = append(data, list(pool)...)
		}
		return data, nil
	}
}
