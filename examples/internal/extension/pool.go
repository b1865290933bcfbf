package extension

import (
	"fmt"

	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/hotupdate"
)

// Pool is a worker pool as an extension works with it. C is the internal type of the provider config.
type Pool[C any] struct {
	*gardener.WorkerPool

	// Config is the pool's provider config, decoded and converted; the empty one if the pool has none.
	Config *C
}

// NewPool decodes the pool's provider config into its versioned type V, as strictly as the Schema does, and converts it.
func NewPool[V, C any](worker *gardener.WorkerPool, newSchema func() (*hotupdate.Schema, error), toInternal func(*V) *C) (Pool[C], error) {
	schema, err := newSchema()
	if err != nil {
		return Pool[C]{}, err
	}
	decoded, err := schema.Decode(worker.RawConfig())
	if err != nil {
		return Pool[C]{}, InPool(worker, err)
	}
	config, ok := decoded.(*V)
	if !ok {
		return Pool[C]{}, InPool(worker, fmt.Errorf("the Schema decodes into a %T", decoded))
	}
	return Pool[C]{worker, toInternal(config)}, nil
}

// Find returns the element that has the name, or the zero one: configs of data volumes are looked up by the name of the pool's.
func Find[E any](list []E, nameOf func(E) string, name string) E {
	for _, element := range list {
		if nameOf(element) == name {
			return element
		}
	}
	var none E
	return none
}
