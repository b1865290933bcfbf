package extension

import (
	"fmt"

	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/hotupdate"
)

// Pool is a worker pool of an extension. C is the internal type of the provider config.
type Pool[C any] struct {
	*gardener.WorkerPool

	// Config is the pool's provider config, decoded and converted; empty if the pool has none.
	Config *C
}

// NewPool decodes the pool's provider config into its versioned type V, as strictly as the Schema,
// and converts it.
func NewPool[V, C any](
	worker *gardener.WorkerPool, newSchema func() (*hotupdate.Schema, error), toInternal func(*V) *C,
) (Pool[C], error) {
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

// Find returns the element with the name, or a zero one. It finds the config of a pool's data
// volume.
func Find[E any](list []E, nameOf func(E) string, name string) E {
	for _, element := range list {
		if nameOf(element) == name {
			return element
		}
	}
	var none E
	return none
}
