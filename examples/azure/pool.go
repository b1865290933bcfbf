package azure

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/examples/azure/internal/apis"
	"github.com/hotupdate/providerconfig/examples/internal/extension"
	"github.com/hotupdate/providerconfig/examples/internal/gardener"
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

// volumesAndZone returns the facts that replace machines of Azure, beside the WorkerConfig and the
// fields that Gardener hashes: size and type of the data volumes, in a fixed order, and the
// zone. It leaves out encrypted: all disks of Azure are.
func volumesAndZone(pool Pool) []string {
	sorted := slices.SortedFunc(slices.Values(pool.DataVolumes), func(a, b gardener.DataVolume) int {
		return cmp.Or(strings.Compare(a.Size, b.Size),
			slices.Compare(extension.Append(nil, a.Type), extension.Append(nil, b.Type)))
	})
	var data []string
	for _, v := range sorted {
		data = extension.Append(append(data, v.Size), v.Type)
	}
	return extension.Append(data, pool.Zone.IdentityID, pool.Zone.AvailabilitySet, pool.Zone.Subnet)
}
