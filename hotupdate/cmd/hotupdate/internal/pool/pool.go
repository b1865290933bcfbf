// Package pool tells what a change of a worker pool does to its machines: of its provider config, and of what GEP-31 lists as triggers
// beside it.
//
// [Read] makes a [Pool] of each worker pool of a Worker or Shoot manifest. [Compare] is a function of two pools; it lists what the pools do
// not tell and the rules that decide. [NewPlan] pairs the pools of two manifests and compares them. How a [Plan] is shown is not known here.
//
// The triggers are a type with this library's struct tags, [Triggers]. Package hash, which composes Gardener's names, decides what counts as
// a change: minors, sums of reservations, the rule for node-local DNS. So the changes of a pool that rolls contain an Immutable or InPlace one
// exactly if the parts of its node-agent secret name changed, or what the extension adds; and an InPlace one exactly if the parts of the
// in-place key changed. Gardener hashes those parts without separators: two pools with different parts can have one name, and then Gardener
// replaces nothing.
//
// A provider config is taken to be hashed by its Schema; an extension that still hashes raw bytes replaces machines for less.
//
// Source: GEP-31, "Goals", "Update Strategies" and "Worker pool hash calculations"; Gardener v1.150.
package pool

import (
	"slices"

	"github.com/hotupdate/providerconfig/hash"
)

// Pool is what decides about the machines of one worker pool.
type Pool struct {
	// Worker is what Gardener's names cover, the pool's name and update strategy among it.
	Worker hash.Worker
	// Provider is the type of the provider: aws, azure, gcp, openstack, alicloud, or one that is not known here.
	Provider string
	// Encrypted says that the root volume is encrypted; nil if that is not set.
	Encrypted *bool
	// DataVolumes are the volumes beside the root volume.
	DataVolumes []DataVolume
	// ProviderConfig is the raw JSON of the provider config. Nothing and null are none.
	ProviderConfig []byte
	// NodeAgentSecretName is the name that Gardener has composed, which a Worker manifest holds; nil if it is not known.
	NodeAgentSecretName *string
	// Unknown lists what the manifest does not tell.
	Unknown []Unknown
	// Defaulted lists the paths of the triggers that the manifest leaves out and Gardener fills in with a value that is not known here.
	Defaulted []string
}

// Bare returns the pool of which only the provider config is known. The paths and pointers of its changes begin in the provider config.
func Bare(config []byte) Pool {
	return Pool{ProviderConfig: config, Unknown: []Unknown{UnknownRestOfPool}}
}

func (p *Pool) isBare() bool { return slices.Contains(p.Unknown, UnknownRestOfPool) }

// DataVolume is a volume beside the root volume. Type and Encrypted are nil if they are not set.
type DataVolume struct {
	Name, Size string
	Type       *string
	Encrypted  *bool
}

// Unknown is something that decides about machines and that manifests do not tell. A comparison takes it to be the same in both pools.
type Unknown uint8

// What may be unknown.
const (
	UnknownKubernetesVersion   Unknown = iota // no Kubernetes version is set
	UnknownMachineImageVersion                // the version of the machine image is left to a default
	UnknownCRI                                // the container runtime
	UnknownNodeLocalDNS                       // whether node-local DNS is enabled
	UnknownCredentials                        // the rotations of credentials
	UnknownProviderState                      // the state that the extension hashes, such as networks and server groups
	UnknownRestOfPool                         // all but the provider config
)

// unknowns holds what each Unknown is called, and the trigger that is left out of the comparison for it.
var unknowns = [...]struct{ text, trigger string }{
	UnknownKubernetesVersion:   {"the Kubernetes version", versionPath},
	UnknownMachineImageVersion: {"the default version of the machine image", imageVersionPath},
	UnknownCRI:                 {"the container runtime", "cri"},
	UnknownNodeLocalDNS:        {"node-local DNS", nodeLocalDNSPath},
	UnknownCredentials:         {"credentials and their rotation", "credentials"},
	UnknownProviderState:       {text: "the state of the provider's infrastructure"},
	UnknownRestOfPool:          {text: "the rest of the worker pool"},
}

// String returns the name of the thing that is unknown.
func (u Unknown) String() string { return unknowns[u].text }

// unknownOf returns what a comparison of two pools does not know, each once, in the order of the constants.
func unknownOf(old, updated *Pool) []Unknown {
	if old.isBare() {
		return old.Unknown
	}
	all := slices.Concat(old.Unknown, updated.Unknown)
	if old.Worker.KubernetesVersion == "" && updated.Worker.KubernetesVersion == "" {
		all = append(all, UnknownKubernetesVersion)
	}
	if imageOf(old.Worker).Version == "" && imageOf(updated.Worker).Version == "" {
		all = append(all, UnknownMachineImageVersion)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Note is a rule that decides a comparison beside the classes of its changes.
type Note uint8

// The notes.
const (
	StrategyIsRollingUpdate Note = iota // the update strategy is not known
	ReservationsBySum                   // kubeReserved and systemReserved are added up
	StrategySwitched                    // a change between rolling and in-place updates
	StrategyRefined                     // a change between the two strategies that update in place
	ConfigAsWhole                       // a provider config without a Schema, compared as a whole
	ConfigKindChanged                   // provider configs of different kinds, compared as a whole
	QuantityRespelled                   // a size that is the same, in another spelling
	ProxyModeChanged                    // node-local DNS that begins or ceases to count with the mode of kube-proxy
	MinorSkipped                        // an in-place update that is not to the next Kubernetes minor
	ImageInPlace                        // an in-place update of the machine image
)

var noteTexts = [...]string{
	StrategyIsRollingUpdate: "the update strategy is taken to be AutoRollingUpdate",
	ReservationsBySum:       "kubeReserved and systemReserved are taken to be added up, as Gardener's releases do that know both",
	StrategySwitched:        "a pool cannot change between rolling and in-place updates (GEP-31)",
	StrategyRefined:         "changing who starts in-place updates touches no machine",
	MinorSkipped:            "an in-place update has to take the next Kubernetes minor, without skipping one or going back (GEP-31)",
	ConfigAsWhole:           "no Schema of the provider config is known: it is compared as a whole, and any change of it replaces machines",
	ConfigKindChanged:       "the provider configs have different kinds or versions: they are compared as a whole",
	QuantityRespelled:       "the same quantity in another spelling is a change here, because Gardener hashes the text of volume sizes and eviction thresholds",
	ImageInPlace:            "the CloudProfile has to let the machine image be updated in place to its new version (GEP-31)",
	ProxyModeChanged:        "kube-proxy's mode has changed, and decides whether node-local DNS replaces machines",
}

// String returns the rule as a sentence.
func (n Note) String() string { return noteTexts[n] }

// Forbids reports whether an update to which the rule applies is refused, whatever the classes of its changes are.
func (n Note) Forbids() bool { return n == StrategySwitched || n == MinorSkipped }
