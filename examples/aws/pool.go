package aws

import (
	"github.com/hotupdate/providerconfig/examples/aws/internal/apis"
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
func today() *extensions.Extension { return extensions.AWS() }

// volumes returns the pool's own fields that replace machines of AWS, beside the WorkerConfig and
// the fields that Gardener hashes.
func volumes(pool Pool) []string { return today().Own(pool.Known()) }

// rootVolume returns the part of [volumes] for pools that are updated in place.
func rootVolume(pool Pool) []string { return today().InPlace(pool.Known()) }

// fixedPerformance returns the performance of volumes of other types than gp3, which the driver
// does not change: a change replaces the machines.
func fixedPerformance(pool Pool) []string { return extensions.FixedPerformance(pool.Known()) }
