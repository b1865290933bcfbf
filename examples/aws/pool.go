package aws

import (
	"github.com/hotupdate/providerconfig/examples/aws/internal/apis"
	"github.com/hotupdate/providerconfig/examples/internal/extension"
	"github.com/hotupdate/providerconfig/examples/internal/gardener"
)

// Pool is a worker pool as this extension works with it.
type Pool = extension.Pool[apis.WorkerConfig]

// NewPool decodes the pool's provider config, strictly.
func NewPool(worker *gardener.WorkerPool) (Pool, error) {
	return extension.NewPool(worker, Schema, ToInternal)
}

// volumes are the pool's own fields that replace machines of AWS, beside the WorkerConfig and beside what Gardener covers itself.
func volumes(pool Pool) []string { return extension.EncryptedVolumes(pool.WorkerPool) }

// rootVolume is the part of them that is hashed for pools that are updated in place.
func rootVolume(pool Pool) []string { return extension.RootEncryption(pool.WorkerPool) }
