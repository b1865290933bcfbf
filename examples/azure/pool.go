package azure

import (
	"github.com/hotupdate/providerconfig/examples/azure/internal/apis"
	"github.com/hotupdate/providerconfig/examples/internal/extension"
	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/internal/extensions"
)

// Pool is a worker pool of this extension in one zone.
type Pool struct {
	extension.Pool[apis.WorkerConfig]

	Zone Zone
}

// Zone has the facts about a zone's infrastructure that replace machines. Nil members are not used.
type Zone struct {
	// IdentityID is the managed identity of the VMs.
	IdentityID *string
	// AvailabilitySet is the name of the set that the VMs are in.
	AvailabilitySet *string
	// Subnet is the subnet of the zone, if zones have separate subnets.
	Subnet *string
}

// NewPool decodes the pool's provider config, strictly.
func NewPool(worker *gardener.WorkerPool, zone Zone) (Pool, error) {
	pool, err := extension.NewPool(worker, Schema, ToInternal)
	return Pool{pool, zone}, err
}

// today has the functions of the release that this example adopts for.
func today() *extensions.Extension { return extensions.Azure() }

// Known returns the pool for the functions of the release.
func (p Pool) Known() extensions.Pool {
	known := p.Pool.Known()
	known.State = extensions.State{
		IdentityID: p.Zone.IdentityID, AvailabilitySet: p.Zone.AvailabilitySet, Subnet: p.Zone.Subnet,
	}
	return known
}

// volumesAndZone returns the facts that replace machines of Azure, beside the WorkerConfig and the
// fields that Gardener hashes: size and type of the data volumes, in the order of the volumes'
// names, and the zone. The order of the names assigns a size to a disk, so it counts, although the
// names themselves are not hashed. It leaves out encrypted: all disks of Azure are.
func volumesAndZone(pool Pool) []string { return today().Own(pool.Known()) }
