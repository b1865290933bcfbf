package aws

import (
	"github.com/hotupdate/providerconfig/examples/aws/internal/apis"
	"github.com/hotupdate/providerconfig/examples/internal/extension"
	"github.com/hotupdate/providerconfig/examples/internal/gardener"
)

// Pool is a worker pool of this extension.
type Pool = extension.Pool[apis.WorkerConfig]

// NewPool decodes the pool's provider config, strictly.
func NewPool(worker *gardener.WorkerPool) (Pool, error) {
	return extension.NewPool(worker, Schema, ToInternal)
}

// volumes returns the pool's own fields that replace machines of AWS, beside the WorkerConfig and
// the fields that Gardener hashes.
func volumes(pool Pool) []string { return extension.EncryptedVolumes(pool.WorkerPool) }

// rootVolume returns the part of [volumes] for pools that are updated in place.
func rootVolume(pool Pool) []string { return extension.RootEncryption(pool.WorkerPool) }
