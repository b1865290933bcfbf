// Package provider has what the command hotupdate has to know of a provider extension. Function
// main hands the extensions in, one [Provider] each; no other code of the command knows the name of
// a provider.
//
// To teach the command a further extension, write its file beside the others in internal/extensions,
// which has the list for main.
package provider

import (
	"encoding/json"
	"io"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/kubeminor"
)

// Provider is a provider extension.
type Provider struct {
	// Name is the type of the provider in a Shoot or Worker. APIVersion and Kind stand in its
	// provider configs.
	Name, APIVersion, Kind string
	// Recorded are the releases whose recorded answers are held against this package, the earliest first. The last
	// one is Release, which Released and the traits are of, such as v1.73.0; empty if it is not known.
	Recorded []string
	Release  string
	// At returns the provider with Released and the traits of a release, as far as they are known. Since is the minor
	// of the first release that names pools like Release, such as 1.67; empty if all recorded ones do. No earlier one
	// supports the Kubernetes minor SinceKubernetes.
	At                     func(release string) Provider
	Since, SinceKubernetes string
	// Schema returns the Schema of the provider configs. It was loaded, so that its messages name no Go types.
	Schema func() (*hotupdate.Schema, error)
	// Adopted names a pool like an extension that has adopted this library, Released like today's
	// release. The released extension refuses the fields in New. Both fail if the config of the
	// pool cannot be read.
	Adopted, Released func(*WorkerPool) (Additional, error)
	// Serve and ServeReleased are the programs of both for hotupdate audit, see [hash.ServeEras].
	// ServeReleased is nil if Ignores.
	Serve, ServeReleased func(in io.Reader, out io.Writer) error
	// Versions are Kubernetes versions, one in each era, the oldest first; empty for a pool without
	// one, which is in the first era.
	Versions []string
	// New are the names of the fields of the config that no release has.
	New []string
	// Ignores says that today's release ignores provider configs. ReadsFrom is then the first Kubernetes
	// minor for which an extension that has adopted the library reads fields that are not hot. Below it
	// the extension ignores them as today, and its admission refuses that they change.
	Ignores   bool
	ReadsFrom string

	Traits
}

// Reads reports whether an extension that has adopted the library reads the fields of configs that are not hot at a
// Kubernetes version, see ReadsFrom. It is not known if the version is not known.
func (p *Provider) Reads(version string) (reads, isKnown bool) {
	first, waits := kubeminor.Read(p.ReadsFrom)
	if !waits {
		return true, true
	}
	minor, isKnown := kubeminor.Read(version)
	return isKnown && minor.Compare(first) >= 0, isKnown
}

// Traits are the facts about today's release that names do not show.
type Traits struct {
	// HashesState says that names depend on the state of the infrastructure. A Worker has it, and no other
	// manifest. State returns it.
	HashesState bool
	State       func(*WorkerPool) []Part
	// HashedState are the fields of the provider config that a hashed state follows from, such as
	// the policy of a server group.
	HashedState []string
	// HashedStatus are the fields of infrastructureProviderStatus that State reads.
	HashedStatus []string
	// HashedInfrastructure are the fields of the infrastructure's config that a hashed state
	// follows from.
	HashedInfrastructure []string
	// FixedInfrastructure are the flags of the infrastructure's config that admission does not let change, and
	// that a hashed state follows from. A flag that is left out is false.
	FixedInfrastructure []string
	// FallsBack says that a pool without a node-agent secret name gets the first version of the
	// hash (Gardener up to 1.145).
	FallsBack bool
	// FallsBackBefore is the minor of the first release without FallsBack; empty if all recorded ones are alike.
	FallsBackBefore string
	// LacksInPlace says that the release may have no rules for pools that are updated in place.
	LacksInPlace bool
}

// Part is a part of the state of the infrastructure that names depend on.
type Part struct {
	// Name says for people what it is, and Path where a Worker has it.
	Name, Path string
	// Zone is the zone that alone has the part; empty if all have it.
	Zone string
	// Value is nil if the pool does not have the part. It is not known if the Worker does not tell.
	Value   *string
	IsKnown bool
}

// Additional is the data that an extension adds to the name of a pool.
type Additional struct {
	// Era is the name of the era in force.
	Era string
	// Data are the strings for Gardener's WorkerPoolHash. If Unknown, the function of the era is
	// not known, and Data is nil.
	Data    []string
	Unknown bool
}

// WorkerPool is a worker pool as an extension sees it, in the JSON form of a Worker.
type WorkerPool struct {
	Name              string             `json:"name"`
	UpdateStrategy    hotupdate.Strategy `json:"-"`
	KubernetesVersion *string            `json:"kubernetesVersion,omitempty"`
	MachineType       string             `json:"machineType"`
	MachineImage      hash.Image         `json:"machineImage,omitzero"`
	Volume            *DataVolume        `json:"volume,omitempty"` // the root volume, without a name
	DataVolumes       []DataVolume       `json:"dataVolumes"`
	ProviderConfig    json.RawMessage    `json:"providerConfig,omitempty"` // nil if there is none

	// Zones are those of the pool. Infrastructure is infrastructureProviderStatus, and Status the status of
	// the extension in a Worker; nil if they are not known.
	Zones                  []string        `json:"-"`
	Infrastructure, Status json.RawMessage `json:"-"`
}

// DataVolume is a volume of a pool's machines.
type DataVolume struct {
	Name      string  `json:"name,omitempty"`
	Size      string  `json:"size"`
	Type      *string `json:"type,omitempty"`
	Encrypted *bool   `json:"encrypted,omitempty"`
}
