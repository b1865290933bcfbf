// Package pool says what a change of a worker pool does to its machines, or that Gardener or an
// extension refuses the change.
//
// [Read] reads the worker pools of a Worker or Shoot manifest. [Compare] compares two pools.
// [NewPlan] pairs the pools of two manifests, compares them, and judges the fields above them. The
// package must not know how a [Plan] is shown.
//
//   - A manifest is a tree. [Read] checks its types by package members, and takes all values from it.
//   - Each field has a row in fields.txt. Package hash composes the names of the fields that
//     Gardener hashes.
//   - The examples, or a [Naming], return the data that an extension hashes in the era of the
//     pool's minor. The machines of a rolling pool are replaced exactly if its name changes, or if
//     an operation or the state of the infrastructure replaces them.
//   - Every other verdict, and every refusal, has a [Rule] with its source.
//   - An unknown fact makes the verdict indeterminate if it decides, and is else listed as assumed.
//     A field without a row in fields.txt is listed as not judged.
//
// Source: GEP-31, "Goals", "Update Strategies" and "Worker pool hash calculations"; Gardener v1.150
// and the extensions of its time.
package pool

import (
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/provider"
)

// Pool has the facts that decide about the machines of one worker pool.
type Pool struct {
	// Worker has the fields that Gardener's names cover, with the pool's name and update strategy.
	Worker hash.Worker
	// Provider is the type of the provider.
	Provider string
	// Encrypted says whether the root volume is encrypted; nil if that is not set.
	Encrypted *bool
	// DataVolumes are the volumes beside the root volume.
	DataVolumes []DataVolume
	// ProviderConfig is the raw JSON of the provider config; empty or null if there is none.
	ProviderConfig []byte
	// NodeAgentSecretName is the name in a Worker manifest, composed by Gardener; nil if it is not
	// known.
	NodeAgentSecretName *string
	// Unknown lists facts that the manifest does not have.
	Unknown []Unknown
	// Defaulted lists the paths of triggers that the manifest leaves out and Gardener fills in with
	// unknown values.
	Defaulted []string
	// Machines is the number of machines of the pool. Zones are their zones.
	Machines Machines
	Zones    []string
	// Architecture is the architecture of the machines; nil if it is not set.
	Architecture *string
	// MaxSurge and MaxUnavailable are nil if they are not set.
	MaxSurge, MaxUnavailable *intstr.IntOrString
	// Cluster has the facts of the Shoot.
	Cluster Cluster

	all        any  // the pool in the manifest, see [Manifest.decode]
	ofWorker   bool // the names of its fields are those of a Worker
	ownKubelet bool
	inherited  []string           // paths of fields that the pool has from the Shoot
	declared   hotupdate.Strategy // the update strategy in the manifest
}

// Bare returns a pool with only a provider config. The paths and pointers of its changes begin in
// the provider config.
func Bare(config []byte) Pool {
	return Pool{ProviderConfig: config, Unknown: []Unknown{UnknownRestOfPool}}
}

func (p *Pool) isDefaulted(path string) bool { return slices.Contains(p.Defaulted, path) }

func (p *Pool) isBare() bool { return slices.Contains(p.Unknown, UnknownRestOfPool) }

// DataVolume is a volume beside the root volume.
type DataVolume = provider.DataVolume

// Unknown is a fact that decides about machines, but is not in a manifest. A comparison assumes
// that it is the same in both pools.
type Unknown string

// The unknown facts.
const (
	UnknownKubernetesVersion   Unknown = "the Kubernetes version"
	UnknownMachineImageVersion Unknown = "the default version of the machine image"
	UnknownCRI                 Unknown = "the container runtime"
	UnknownNodeLocalDNS        Unknown = "node-local DNS"
	UnknownCredentials         Unknown = "credentials and their rotation"
	UnknownProviderState       Unknown = "the state of the provider's infrastructure" // which the extension hashes
	UnknownRestOfPool          Unknown = "the rest of the worker pool"
)

// triggers are the triggers that are not compared because of an unknown fact.
var triggers = map[Unknown]string{
	UnknownKubernetesVersion: versionPath, UnknownMachineImageVersion: imageVersionPath, UnknownCRI: "cri",
	UnknownNodeLocalDNS: nodeLocalDNSPath, UnknownCredentials: "credentials",
}

// unknownOf returns the facts that are unknown in a comparison of two pools, each once, sorted.
func unknownOf(old, updated *Pool, hashesState bool) []Unknown { //nolint:revive // of the extension
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
	if hashesState {
		all = append(all, UnknownProviderState)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// located adds a pool and a path to problems, or only a path in the manifest if the pool is empty.
func located(pool, path string, err error) error {
	all := fault.All(err)
	if err != nil && len(all) == 0 {
		all.Add(&fault.Error{Kind: fault.Failed, Code: "config-failed", What: "cannot be hashed", Cause: err})
	}
	for i := range all {
		problem := *all[i]
		if problem.Field == "Worker.KubernetesVersion" {
			problem.Field, problem.Path = "", versionPath
		}
		problem.Path = joinPaths(path, problem.Path)
		switch {
		case pool != "":
			problem.Where = "pool " + strconv.Quote(pool)
		case problem.Path == "":
			problem.Where = "manifest"
		}
		all[i] = &problem
	}
	return all.Err()
}

// joinPaths joins a path and a path below it.
func joinPaths(path, below string) string {
	if path == "" || below == "" || below[0] == '[' {
		return path + below
	}
	return path + "." + below
}
