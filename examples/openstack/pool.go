package openstack

import (
	"github.com/hotupdate/providerconfig/examples/internal/extension"
	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/examples/openstack/internal/apis"
)

// Pool is a worker pool as this extension works with it.
type Pool struct {
	extension.Pool[apis.WorkerConfig]

	// ServerGroupID is the server group that the extension made for the pool; nil if there is none.
	ServerGroupID *string
}

// NewPool decodes the pool's provider config, strictly.
func NewPool(worker *gardener.WorkerPool, serverGroupID *string) (Pool, error) {
	pool, err := extension.NewPool(worker, Schema, ToInternal)
	return Pool{pool, serverGroupID}, err
}

// serverGroup is what replaces machines of OpenStack beside the WorkerConfig and beside what Gardener covers itself.
func serverGroup(pool Pool) []string { return extension.Append(nil, pool.ServerGroupID) }
