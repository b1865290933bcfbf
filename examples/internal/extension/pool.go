package extension

import (
	"fmt"

	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/extensions"
	"github.com/hotupdate/providerconfig/internal/provider"
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

// Known returns the pool for the functions of the released extension, see the interface [Known].
func (p Pool[C]) Known() extensions.Pool {
	known := &provider.WorkerPool{
		Name: p.Name, UpdateStrategy: p.UpdateStrategy, KubernetesVersion: p.KubernetesVersion,
		MachineType: p.MachineType, MachineImage: p.MachineImage, ProviderConfig: p.RawConfig(),
	}
	if v := p.Volume; v != nil {
		known.Volume = &provider.DataVolume{Size: v.Size, Type: v.Type, Encrypted: v.Encrypted}
	}
	for _, v := range p.DataVolumes {
		known.DataVolumes = append(known.DataVolumes, provider.DataVolume(v))
	}
	return extensions.Pool{WorkerPool: known}
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
