package aws

import (
	"github.com/hotupdate/providerconfig/examples/aws/internal/apis"
	"github.com/hotupdate/providerconfig/examples/internal/extension"
	"github.com/hotupdate/providerconfig/examples/internal/gardener"
)

// Pool is a worker pool as this extension works with it.
type Pool struct {
	*gardener.WorkerPool

	// Config is the pool's provider config, decoded; the empty one if the pool has none.
	Config *apis.WorkerConfig
}

// NewPool decodes the pool's provider config, strictly.
func NewPool(pool *gardener.WorkerPool) (Pool, error) {
	schema, err := Schema()
	if err != nil {
		return Pool{}, err
	}
	config, err := extension.Decode[WorkerConfig](schema, pool)
	if err != nil {
		return Pool{}, err
	}
	return Pool{pool, ToInternal(config)}, nil
}

// volumes are the pool's own fields that replace machines of AWS, beside the WorkerConfig and beside what Gardener covers itself.
func volumes(pool Pool) []string {
	return append(extension.RootEncryption(pool.WorkerPool), extension.Volumes(pool.WorkerPool)...)
}

// rootVolume is the part of them that is hashed for pools that are updated in place.
func rootVolume(pool Pool) []string { return extension.RootEncryption(pool.WorkerPool) }
