package hash

import (
	"errors"
	"slices"
	"strconv"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// How many digits of a digest stand in Gardener's names.
const (
	poolDigits = 5
	keyDigits  = 16
)

// Name is a name that Gardener derives by hashing, with all that went into it.
type Name struct {
	// Text is the name as it stands in the cluster, such as 159ea.
	Text string
	// Digest is the full digest that Text was cut from; zero if nothing was hashed. Five digits can be equal by chance, see [Guard].
	Digest Digest
	// Parts went into Digest, in this order. They hold additional data as it is, which may be confidential.
	Parts []Part
}

// Part is one string that went into a digest.
type Part struct {
	// Name says what it is: one of the Part constants, or additional data and its position from 0. Names are no part of the digest.
	Name string
	// Value is the string.
	Value string
}

// The names of parts.
const (
	PartNodeAgentSecretName       = "node-agent secret name"
	PartInPlaceKey                = "in-place key"
	PartAdditionalData            = "additional data " // and its position
	PartKubernetesVersion         = "Kubernetes version"
	PartMachineType               = "machine type"
	PartMachineImage              = "machine image"
	PartMachineImageVersion       = "machine image version"
	PartVolumeSize                = "volume size"
	PartVolumeType                = "volume type"
	PartCRI                       = "container runtime"
	PartCARotation                = "certificate authorities rotation"
	PartServiceAccountKeyRotation = "service-account key rotation"
	PartNodeLocalDNS              = "node-local DNS"
	PartReservations              = "kubelet reservations"
	PartEvictionHard              = "kubelet hard eviction"
	PartCPUManagerPolicy          = "kubelet CPU manager policy"
)

// String returns the text alone, so that no additional data gets into logs by mistake.
func (n Name) String() string { return n.Text }

// Changed lists the names of the parts that differ from those of another Name of the same kind: added, removed or changed, in the order
// of n and then of old. It is empty if and only if the parts are the same.
func (n Name) Changed(old Name) []string {
	var changed []string
	for _, p := range n.Parts {
		if !slices.Contains(old.Parts, p) {
			changed = append(changed, p.Name)
		}
	}
	for _, p := range old.Parts {
		if !slices.Contains(n.Parts, p) && !slices.Contains(changed, p.Name) {
			changed = append(changed, p.Name)
		}
	}
	return changed
}

// WorkerPool returns the worker pool hash of a pool that rolls: the five characters that end the name of its MachineClass.
//
// They cover the node-agent secret name, which covers what Gardener knows of the pool, and the additional data, which is all that an
// extension has a say in. See [Eras] for where to get it from. Order counts, and an absent string is not an empty one.
//
// A secret name that is nil or empty is a [*fault.Error] with "no-secret-name". Source: Gardener v1.150, which the result equals byte by
// byte; extensions built against releases up to 1.144 hand the same additional data to both versions of the function.
func WorkerPool(nodeAgentSecretName *string, additionalData ...string) (Name, error) {
	if err := checkSecretName(nodeAgentSecretName); err != nil {
		return Name{}, err
	}
	parts := []Part{{PartNodeAgentSecretName, *nodeAgentSecretName}}
	return named("", poolDigits, append(parts, additional(additionalData)...)), nil
}

// WorkerPoolInPlace returns the worker pool hash of a pool that is updated in place.
//
// Its secret name never changes, so that its machines stay. What [InPlaceKey] covers is part of the hash instead, so that the
// MachineClass does change.
//
// All errors of the secret name and of the key are returned, joined. Source: GEP-31, "Worker pool hash calculations".
func WorkerPoolInPlace(nodeAgentSecretName *string, worker Worker, additionalData ...string) (Name, error) {
	key, err := InPlaceKey(worker)
	if err := errors.Join(checkSecretName(nodeAgentSecretName), err); err != nil {
		return Name{}, err
	}
	parts := []Part{{PartNodeAgentSecretName, *nodeAgentSecretName}, {PartInPlaceKey, key.Text}}
	return named("", poolDigits, append(parts, additional(additionalData)...)), nil
}

// MachineClassName joins the name of a machine deployment and the worker pool hash.
func MachineClassName(machineDeployment, workerPoolHash string) string {
	return machineDeployment + "-" + workerPoolHash
}

func checkSecretName(name *string) error {
	if name != nil && *name != "" {
		return nil
	}
	return &fault.Error{
		Kind: fault.Missing, Code: "no-secret-name", Field: "NodeAgentSecretName", What: "is empty",
		Hint: "wait until gardenlet has set nodeAgentSecretName in the Worker's pool",
	}
}

func additional(data []string) []Part {
	parts := make([]Part, len(data))
	for i, value := range data {
		parts[i] = Part{PartAdditionalData + strconv.Itoa(i), value}
	}
	return parts
}

func named(prefix string, digits int, parts []Part) Name {
	d := Compose(values(parts)...)
	return Name{Text: prefix + d.First(digits), Digest: d, Parts: parts}
}

func values(parts []Part) []string {
	var all []string
	for _, p := range parts {
		all = append(all, p.Value)
	}
	return all
}
