package gcp

import (
	"github.com/hotupdate/providerconfig/examples/gcp/internal/apis"
	"github.com/hotupdate/providerconfig/examples/internal/extension"
	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/internal/extensions"
)

// Pool is a worker pool of this extension.
type Pool = extension.Pool[apis.WorkerConfig]

// NewPool decodes the pool's provider config, strictly.
func NewPool(worker *gardener.WorkerPool) (Pool, error) {
	return extension.NewPool(worker, Schema, ToInternal)
}

// today has the functions of the release that this example adopts for.
func today() *extensions.Extension { return extensions.GCP() }

// volumes returns the pool's own fields that replace machines of GCP, beside the WorkerConfig and
// the fields that Gardener hashes: name, size and type of the data volumes, by name. It leaves out
// encrypted: all disks of GCP are.
func volumes(pool Pool) []string { return today().Own(pool.Known()) }
