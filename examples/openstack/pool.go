package openstack

import (
	"github.com/hotupdate/providerconfig/examples/internal/extension"
	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/examples/openstack/internal/apis"
	"github.com/hotupdate/providerconfig/internal/extensions"
)

// Pool is a worker pool of this extension.
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

// today has the functions of the release that this example adopts for.
func today() *extensions.Extension { return extensions.OpenStack() }

// Known returns the pool for the functions of the release.
func (p Pool) Known() extensions.Pool {
	known := p.Pool.Known()
	known.State.ServerGroupID = p.ServerGroupID
	return known
}

// serverGroup returns the fact that replaces machines of OpenStack, beside the WorkerConfig and the
// fields that Gardener hashes.
func serverGroup(pool Pool) []string { return today().Own(pool.Known()) }
