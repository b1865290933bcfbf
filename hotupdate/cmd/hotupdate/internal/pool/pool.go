// Package pool tells what a change of a worker pool does to its machines, or that Gardener or an extension refuses it.
//
// [Read] makes a [Pool] of each worker pool of a Worker or Shoot manifest. [Compare] is a function of two pools. [NewPlan] pairs the pools of
// two manifests, compares them, and judges what stands above them. How a [Plan] is shown is not known here.
//
//   - What Gardener hashes is a type with this library's struct tags, [Triggers]; package hash composes the names.
//   - What an extension hashes is asked from the examples, in the era of the pool's minor, or from a [Naming]. The machines of a rolling pool
//     are replaced exactly if its name changes, or if an operation or the state of the infrastructure replaces them.
//   - What is refused, and what machines do besides, is a [Rule] with its source.
//   - What is not known makes the verdict indeterminate where it decides, and is listed as assumed where it does not. A field that nobody
//     has judged, see fields.json, is listed as not judged.
//
// Source: GEP-31, "Goals", "Update Strategies" and "Worker pool hash calculations"; Gardener v1.150 and the extensions of its time.
package pool

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hotupdate/providerconfig/examples/providers"
	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
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
	// Machines is how many machines the pool may have, and Zones where.
	Machines Machines
	Zones    []string
	// Architecture is that of the machines, nil if it is not set.
	Architecture *string
	// MaxSurge and MaxUnavailable are nil if they are not set.
	MaxSurge, MaxUnavailable *intstr.IntOrString
	// Cluster is what the Shoot says above its pools.
	Cluster Cluster

	all        any // the pool as it stands in the manifest, see [Manifest.decode]
	ownKubelet bool
	declared   hotupdate.Strategy // its update strategy in the manifest
}

// Bare returns the pool of which only the provider config is known. The paths and pointers of its changes begin in the provider config.
func Bare(config []byte) Pool {
	return Pool{ProviderConfig: config, Unknown: []Unknown{UnknownRestOfPool}}
}

func (p *Pool) isDefaulted(path string) bool { return slices.Contains(p.Defaulted, path) }

func (p *Pool) isBare() bool { return slices.Contains(p.Unknown, UnknownRestOfPool) }

// DataVolume is a volume beside the root volume.
type DataVolume = providers.DataVolume

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
