package hash

import (
	"cmp"
	"errors"
	"slices"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/kubeminor"
)

// How many digits of a digest Gardener's names contain.
const (
	poolDigits = 5
	keyDigits  = 16
)

// Name is a name that Gardener derives by hashing, together with the hashed strings.
type Name struct {
	// Text is the name in the cluster, such as 159ea.
	Text string
	// Digest is the full digest; Text contains its first digits. It is zero if nothing was hashed.
	// Five digits can be equal by chance, see [CheckCollision].
	Digest Digest
	// Inputs are the hashed strings, in order. They include the additional data unchanged, which may
	// be confidential.
	Inputs []Input
}

// Input is one hashed string of a [Name].
type Input struct {
	// Name says what the string is. Names are not hashed.
	Name InputName
	// Value is the string.
	Value string
}

// InputName says what a hashed string is, in stable words: "machine type", for instance, or
// "additional data " and its position from 0.
type InputName string

// The names by which callers find an input.
const (
	NodeLocalDNS              InputName = "node-local DNS"
	CARotation                InputName = "certificate authorities rotation"
	ServiceAccountKeyRotation InputName = "service-account key rotation"
	KubeletReservations       InputName = "kubelet reservations"
)

// Value returns the hashed string with this name, nil if the name does not cover one.
func (n Name) Value(of InputName) *string {
	i := slices.IndexFunc(n.Inputs, func(input Input) bool { return input.Name == of })
	if i < 0 {
		return nil
	}
	return &n.Inputs[i].Value
}

// String returns only the text, so that no additional data gets into logs by mistake.
func (n Name) String() string { return n.Text }

// Changed lists the names of the inputs that differ from the inputs of another Name of the same kind:
// added, removed or changed, in the order of n and then of old. It is empty if and only if the
// inputs are the same.
func (n Name) Changed(old Name) []string {
	var changed []string
	for _, p := range slices.Concat(n.Inputs, old.Inputs) {
		isCommon := slices.Contains(n.Inputs, p) && slices.Contains(old.Inputs, p)
		if !isCommon && !slices.Contains(changed, string(p.Name)) {
			changed = append(changed, string(p.Name))
		}
	}
	return changed
}

const (
	secretPrefix      = "gardener-node-agent-"
	kubernetesVersion = "Kubernetes version" // the name of a part
	ipvs              = "IPVS"
)

// firstWithoutNodeLocalDNS is the first minor at which enabling node-local DNS replaces no
// machines, unless kube-proxy runs in IPVS mode.
var firstWithoutNodeLocalDNS = kubeminor.Of(1, 34)

// NodeAgentSecretName returns the name of the secret that holds a pool's node-agent configuration.
// For a pool that rolls it is "gardener-node-agent-", the pool's name, and 16 characters of the
// digest of these parts. Those in brackets are left out if they are not set:
//
//  1. MAJOR.MINOR of the Kubernetes version
//  2. machine type
//  3. [machine image: name and version, nothing between them]
//  4. [volume size] and [volume type]
//  5. [container runtime]
//  6. [certificate authorities rotation] and [service-account key rotation]
//  7. ["node-local-dns"]: if enabled, and the minor is below 1.34 or kube-proxy runs in IPVS mode
//  8. the strings of the [Kubelet]
//
// For a pool that is updated in place the name ends behind the pool's name. Nothing is hashed, and
// the other fields are not read.
//
// The time of a rotation is hashed. If the pool has an entry among the pending rollouts, the time
// of the entry counts, else the time of the cluster. A nil time is left out; a nil time of an entry
// is not replaced by the time of the cluster. The zero time is not nil. Gardener hashes the text of
// Go's [time.Time.String], and its components run in UTC. Here the time is converted to UTC and a
// monotonic reading dropped, so the result is the same on every machine. Gardener's times come from
// the API server, which cuts them to seconds; a fraction would be hashed.
//
// Parts have no names: a pool with volume type "a" and no container runtime has the same name as
// one with container runtime "a" and no volume type, as in Gardener.
//
// An empty pool name, an unknown strategy and an unreadable version are errors, joined. Source:
// Gardener v1.150; GEP-31, "Worker pool hash calculations".
func NodeAgentSecretName(w Worker) (Name, error) {
	err := errors.Join(checkPoolName(w), checkStrategy(w))
	if w.UpdateStrategy.InPlace() {
		if err != nil {
			return Name{}, err
		}
		return Name{Text: secretPrefix + w.Name}, nil
	}
	minor, errVersion := w.minor()
	if err := errors.Join(err, errVersion); err != nil {
		return Name{}, err
	}
	var dns *string
	if w.NodeLocalDNS && (minor.Compare(firstWithoutNodeLocalDNS) < 0 || w.KubeProxyMode == ipvs) {
		dns = new("node-local-dns")
	}
	parts := slices.Concat([]part{
		{kubernetesVersion, new(minor.String())},
		{"machine type", &w.MachineType},
		ifSet("machine image", w.Image, func(i *Image) string { return i.Name + i.Version }),
		ifSet("volume size", w.Volume, func(v *Volume) string { return v.Size }),
		{"volume type", cmp.Or(w.Volume, &Volume{}).Type},
		{"container runtime", w.CRI},
	}, w.rotations(), []part{{NodeLocalDNS, dns}}, w.Kubelet.parts())
	return named(secretPrefix+w.Name+"-", keyDigits, parts), nil
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
	return workerPool(nodeAgentSecretName, nil, nil, additionalData)
}

// WorkerPoolInPlace returns the worker pool hash of a pool that is updated in place.
//
// Its secret name never changes, so its machines stay. The hash covers a key instead, so that the
// MachineClass changes when the pool's nodes need an in-place update. The key has 16 characters of
// the digest of MAJOR.MINOR of the Kubernetes version, the version of the machine image (empty
// without an image), the rotations if they are set, and the strings of the [Kubelet]. It ignores
// the strategy. [NodeAgentSecretName] has the same rotations and errors.
//
// All errors of the secret name and of the key are returned, joined. Source: GEP-31, "Worker pool
// hash calculations"; Gardener v1.150.
func WorkerPoolInPlace(nodeAgentSecretName *string, worker Worker, additionalData ...string) (Name, error) {
	key, err := inPlaceKey(worker)
	return workerPool(nodeAgentSecretName, &key.Text, err, additionalData)
}

func workerPool(nodeAgentSecretName, key *string, errKey error, additionalData []string) (Name, error) {
	if nodeAgentSecretName == nil || *nodeAgentSecretName == "" {
		return Name{}, errors.Join(&fault.Error{
			Kind: fault.Invalid, Code: fault.NoSecretName, Field: "NodeAgentSecretName", What: "is empty",
			Hint: "wait until gardenlet has set nodeAgentSecretName in the Worker's pool",
		}, errKey)
	}
	if errKey != nil {
		return Name{}, errKey
	}
	parts := []part{{"node-agent secret name", nodeAgentSecretName}, {"in-place key", key}}
	for i, value := range additionalData {
		parts = append(parts, part{InputName("additional data " + strconv.Itoa(i)), &value})
	}
	return named("", poolDigits, parts), nil
}

// inPlaceKey returns the key that changes when a pool's nodes need an in-place update, see
// [WorkerPoolInPlace].
func inPlaceKey(w Worker) (Name, error) {
	minor, errVersion := w.minor()
	if err := errors.Join(checkPoolName(w), errVersion); err != nil {
		return Name{}, err
	}
	parts := []part{
		{kubernetesVersion, new(minor.String())},
		{"machine image version", &cmp.Or(w.Image, &Image{}).Version},
	}
	return named("", keyDigits, slices.Concat(parts, w.rotations(), w.Kubelet.parts())), nil
}

func checkPoolName(w Worker) error {
	if w.Name != "" {
		return nil
	}
	return &fault.Error{
		Kind: fault.Invalid, Code: "no-pool-name", Field: "Worker.Name", What: "is empty",
		Hint: "set the name of the worker pool",
	}
}

func checkStrategy(w Worker) error {
	if w.UpdateStrategy == hotupdate.AutoRollingUpdate || w.UpdateStrategy.InPlace() {
		return nil
	}
	return &fault.Error{
		Kind: fault.Invalid, Code: fault.UnknownStrategy, Field: "Worker.UpdateStrategy",
		What: "is the unknown strategy " + strconv.Itoa(int(w.UpdateStrategy)), Hint: "use one of package hotupdate",
	}
}

func (w Worker) minor() (kubeminor.Minor, error) {
	m, ok := kubeminor.Read(w.KubernetesVersion)
	if !ok {
		problem := kubeminor.Invalid(w.KubernetesVersion)
		problem.Where = ""
		problem.Field = "Worker.KubernetesVersion"
		return m, problem
	}
	return m, nil
}

func (w Worker) rotations() []part {
	return []part{
		ifSet(CARotation, w.CARotation.of(w.Name), timeText),
		ifSet(ServiceAccountKeyRotation, w.ServiceAccountKeyRotation.of(w.Name), timeText),
	}
}

// timeText prints a time as a process that runs in UTC does. The conversion also drops a monotonic
// reading.
func timeText(t *metav1.Time) string { return t.UTC().String() }

// part is a string that a name covers if it is set.
type part struct {
	name  InputName
	value *string // nil if it is not set
}

// ifSet returns a part of the text of a setting, which is not set if it is nil.
func ifSet[T any](name InputName, setting *T, text func(*T) string) part {
	if setting == nil {
		return part{name, nil}
	}
	return part{name, new(text(setting))}
}

// named hashes those parts that are set.
func named(prefix string, digits int, parts []part) (n Name) {
	var values []string
	for _, p := range parts {
		if p.value != nil {
			n.Inputs = append(n.Inputs, Input{p.name, *p.value})
			values = append(values, *p.value)
		}
	}
	n.Digest = Compose(values...)
	n.Text = prefix + n.Digest.first(digits)
	return n
}
