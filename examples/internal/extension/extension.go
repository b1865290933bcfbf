// Package extension is what the example extensions have in common: how they hash a pool, once they have said in which eras. It knows
// no provider.
package extension

import (
	"fmt"

	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
)

// Eras are the eras of one extension. Pools that roll and pools that are updated in place have eras of their own, since extensions
// have always hashed them differently.
type Eras[P any] struct {
	Rolling, InPlace []hash.Era[P]
}

// InPlace returns the eras of pools that are updated in place, for extensions that have hashed nothing of them so far: a change of their
// config is rejected by admission, or it goes unnoticed. From the canonical era on, which begins with the minor from, one that needs an
// in-place update gets it, and admission need not reject what is hot.
func InPlace[P any](schema *hotupdate.Schema, from string) []hash.Era[P] {
	return []hash.Era[P]{
		{Name: "nothing", Data: Values[P]()},
		{Name: "canonical", From: from, Data: hash.Canonical[P](schema)},
	}
}

// WorkerPoolHash returns the hash that ends the names of the pool's MachineClasses. Input is the pool as the functions of the eras take
// it, with the decoded config: decoding comes first, strictly, in every era.
func WorkerPoolHash[P any](
	worker *gardener.WorkerPool, input P, newSchema func() (*hotupdate.Schema, error), newEras func(*hotupdate.Schema) Eras[P],
) (hash.Name, error) {
	schema, err := newSchema()
	if err != nil {
		return hash.Name{}, err
	}
	eras := newEras(schema)
	rolling, err := additionalData(worker, input, eras.Rolling)
	if err != nil {
		return hash.Name{}, err
	}
	inPlace, err := additionalData(worker, input, eras.InPlace)
	if err != nil {
		return hash.Name{}, err
	}
	name, err := gardener.WorkerPoolHash(worker, rolling, inPlace)
	if err != nil {
		return hash.Name{}, InPool(worker, err)
	}
	return name, nil
}

func additionalData[P any](worker *gardener.WorkerPool, input P, list []hash.Era[P]) ([]string, error) {
	eras, err := hash.NewEras(list)
	if err != nil {
		return nil, err
	}
	data, err := eras.AdditionalData(worker.KubernetesVersion, worker.RawConfig(), input)
	if err != nil {
		return nil, InPool(worker, err)
	}
	return data, nil
}

// InPool says in which pool an error happened.
func InPool(pool *gardener.WorkerPool, err error) error {
	return fmt.Errorf("worker pool %s: %w", pool.Name, err)
}

// RawBytes returns the function of an era in which the bytes of the config are hashed behind what own returns, as extensions have done
// from their first day. What is hot is cut out, so that it replaces no machine here either.
//
// A pool without config adds no string, as ever. One that has only its TypeMeta left adds that, as ever, since pools that hold only
// virtual capacity are named by it.
func RawBytes[P any](schema *hotupdate.Schema, own func(P) []string) func(raw []byte, pool P) ([]string, error) {
	return func(raw []byte, pool P) ([]string, error) {
		if raw == nil {
			return own(pool), nil
		}
		cut, err := schema.StripRaw(raw, hotupdate.KeepNulls)
		if err != nil {
			return nil, err
		}
		return append(own(pool), string(cut)), nil
	}
}

// Values returns the function of an era that hashes what lists return, one after the other, and nothing else.
func Values[P any](lists ...func(P) []string) func(raw []byte, pool P) ([]string, error) {
	return func(_ []byte, pool P) ([]string, error) {
		var data []string
		for _, list := range lists {
			data = append(data, list(pool)...)
		}
		return data, nil
	}
}
