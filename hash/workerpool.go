package hash

import (
	"errors"
	"slices"
	"strconv"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// How many digits of a digest Gardener's names contain.
const (
	poolDigits = 5
	keyDigits  = 16
)

// Name is a name that Gardener derives by hashing, together with the hashed parts.
type Name struct {
	// Text is the name in the cluster, such as 159ea.
	Text string
	// Digest is the full digest; Text contains its first digits. It is zero if nothing was hashed.
	// Five digits can be equal by chance, see [Guard].
	Digest Digest
	// Parts are the hashed parts, in order. They include the additional data unchanged, which may
	// be confidential.
	Parts []Part
}

// Part is one string of a [Name].
type Part struct {
	// Name says what the part is, in stable words: "machine type", for instance, or "additional
	// data " and its position from 0. Names are not hashed.
	Name string
	// Value is the string.
	Value string
}

const (
	partNodeAgentSecretName       = "node-agent secret name"
	partInPlaceKey                = "in-place key"
	partAdditionalData            = "additional data " // and its position
	partKubernetesVersion         = "Kubernetes version"
	partMachineType               = "machine type"
	partMachineImage              = "machine image"
	partMachineImageVersion       = "machine image version"
	partVolumeSize                = "volume size"
	partVolumeType                = "volume type"
	partCRI                       = "container runtime"
	partCARotation                = "certificate authorities rotation"
	partServiceAccountKeyRotation = "service-account key rotation"
	partNodeLocalDNS              = "node-local DNS"
	partReservations              = "kubelet reservations"
	partEvictionHard              = "kubelet hard eviction"
	partCPUManagerPolicy          = "kubelet CPU manager policy"
)

// String returns only the text, so that no additional data gets into logs by mistake.
func (n Name) String() string { return n.Text }

// Changed lists the names of the parts that differ from those of another Name of the same kind:
// added, removed or changed, in the order of n and then of old. It is empty if and only if the
// parts are the same.
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

// WorkerPool returns the worker pool hash of a pool that rolls: the five characters that end the
// name of its MachineClass.
//
// They cover the node-agent secret name, which covers what Gardener knows of the pool, and the
// additional data, which the extension adds; see [Eras]. Order counts. An absent string differs
// from an empty one.
//
// A nil or empty secret name is an error with the code no-secret-name. Source: Gardener v1.150,
// byte by byte; extensions built against releases up to 1.144 hand the same additional data to both
// versions of the function.
func WorkerPool(nodeAgentSecretName *string, additionalData ...string) (Name, error) {
	if err := checkSecretName(nodeAgentSecretName); err != nil {
		return Name{}, err
	}
	parts := []Part{{partNodeAgentSecretName, *nodeAgentSecretName}}
	return named("", poolDigits, append(parts, additional(additionalData)...)), nil
}

// WorkerPoolInPlace returns the worker pool hash of a pool that is updated in place.
//
// Its secret name never changes, so its machines stay. The hash covers a key instead, so that the
// MachineClass changes when the pool's nodes need an in-place update. The key has 16 characters of
// the digest of MAJOR.MINOR of the Kubernetes version, the version of the machine image (empty
// without an image), the rotations if they are set, and the strings of the [Kubelet]. It ignores
// the strategy. Rotations and errors are those of [NodeAgentSecretName].
//
// All errors of the secret name and of the key are returned, joined. Source: GEP-31, "Worker pool
// hash calculations"; Gardener v1.150.
func WorkerPoolInPlace(nodeAgentSecretName *string, worker Worker, additionalData ...string) (Name, error) {
	key, err := inPlaceKey(worker)
	if err := errors.Join(checkSecretName(nodeAgentSecretName), err); err != nil {
		return Name{}, err
	}
	parts := []Part{{partNodeAgentSecretName, *nodeAgentSecretName}, {partInPlaceKey, key.Text}}
	return named("", poolDigits, append(parts, additional(additionalData)...)), nil
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
		parts[i] = Part{partAdditionalData + strconv.Itoa(i), value}
	}
	return parts
}

func named(prefix string, digits int, parts []Part) Name {
	d := Compose(values(parts)...)
	return Name{Text: prefix + d.first(digits), Digest: d, Parts: parts}
}

func values(parts []Part) []string {
	var all []string
	for _, p := range parts {
		all = append(all, p.Value)
	}
	return all
}
