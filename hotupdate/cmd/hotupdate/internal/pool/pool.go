package pool

import (
	"slices"

	"github.com/hotupdate/providerconfig/hash"
)

// Pool is what decides about the machines of one worker pool. [Read] fills it; a program that has Gardener's types can fill it itself.
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
	// Unknown lists what of the above is not known. It is assumed to be the same in every pool that this one is compared with.
	Unknown []Assumption
	// Defaulted lists what a defaulter fills in that is not known here: if one pool leaves it out and the other does not, the outcome is
	// indeterminate.
	Defaulted []Default
}

// DataVolume is a volume beside the root volume. Type and Encrypted are nil if they are not set.
type DataVolume struct {
	Name, Size string
	Type       *string
	Encrypted  *bool
}

// Assumption is something that a comparison takes for granted. The zero value is none.
type Assumption uint8

// The assumptions. All but the last two say that something did not change.
const (
	NothingAssumed          Assumption = iota
	SameKubernetesVersion              // the pool's Kubernetes version is not known
	SameMachineImageVersion            // the version of the machine image is left to a default
	SameCRI                            // the container runtime is not known
	SameNodeLocalDNS                   // whether node-local DNS is enabled is not known
	SameCredentials                    // the rotations of credentials are not known
	SameProviderState                  // the state that the extension hashes is not known, such as networks and server groups
	SameRestOfPool                     // only the provider config is known
	ReservationsBySum                  // kubeReserved and systemReserved are added up
	StrategyIsRollingUpdate            // the update strategy is not known
)

var assumptionTexts = [...]string{
	NothingAssumed:          "nothing",
	SameKubernetesVersion:   "the Kubernetes version",
	SameMachineImageVersion: "the default version of the machine image",
	SameCRI:                 "the container runtime",
	SameNodeLocalDNS:        "node-local DNS",
	SameCredentials:         "credentials and their rotation",
	SameProviderState:       "the state of the provider's infrastructure",
	SameRestOfPool:          "the rest of the worker pool",
	ReservationsBySum:       "kubeReserved and systemReserved are taken to be added up, as Gardener's releases do that know both",
	StrategyIsRollingUpdate: "the update strategy is taken to be AutoRollingUpdate",
}

// String returns what is assumed: a thing that did not change, or a sentence; see [Assumption.IsSame].
func (a Assumption) String() string {
	if int(a) < len(assumptionTexts) {
		return assumptionTexts[a]
	}
	return "unknown"
}

// IsSame reports whether the assumption is that the thing named by String did not change.
func (a Assumption) IsSame() bool { return a >= SameKubernetesVersion && a <= SameRestOfPool }

// Default is a part of a pool that a defaulter fills in, in a way that is not known here.
type Default uint8

// The defaults.
const (
	NoDefault           Default = iota
	DefaultKubernetes           // the Kubernetes version
	DefaultMachineImage         // the machine image, or its version
	DefaultKubeReserved         // the reservations for Kubernetes
)

// String returns the name of the part.
func (d Default) String() string {
	switch d {
	case NoDefault:
		return "none"
	case DefaultKubernetes:
		return "Kubernetes version"
	case DefaultMachineImage:
		return "machine image"
	case DefaultKubeReserved:
		return "kubeReserved"
	}
	return "unknown"
}

// assumed returns what the comparison of two pools assumes, each once, in the order of the constants.
func assumed(old, updated Pool) []Assumption {
	all := slices.Concat(old.Unknown, updated.Unknown)
	if old.Worker.KubernetesVersion == "" && updated.Worker.KubernetesVersion == "" {
		all = append(all, SameKubernetesVersion)
	}
	if imageOf(old.Worker).Version == "" && imageOf(updated.Worker).Version == "" {
		all = append(all, SameMachineImageVersion)
	}
	if hasSystemReserved(old) || hasSystemReserved(updated) {
		all = append(all, ReservationsBySum)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func hasSystemReserved(p Pool) bool {
	k := p.Worker.Kubelet
	return k != nil && k.SystemReserved != nil && k.Rule == hash.SumOfReservations
}
