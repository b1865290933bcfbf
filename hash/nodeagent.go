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

// Worker holds the parts of a worker pool, besides its provider config, that Gardener's names
// cover. Fill it from the Shoot's worker, and from the Shoot itself where the worker leaves a field
// unset.
type Worker struct {
	// Name is the pool's name.
	Name string
	// UpdateStrategy is the pool's strategy; see [hotupdate.ParseStrategy].
	UpdateStrategy hotupdate.Strategy
	// KubernetesVersion is the version that the pool runs, which may be older than the control
	// plane's. It is read as by [Eras.Explain].
	KubernetesVersion string
	// MachineType is the machine's type.
	MachineType string
	// Image is the machine image; nil if none is set.
	Image *Image
	// Volume is the root volume; nil if none is set.
	Volume *Volume
	// CRI is the name of the container runtime; nil if none is set.
	CRI *string
	// CARotation and ServiceAccountKeyRotation say when credentials were rotated. The zero value
	// means never.
	CARotation, ServiceAccountKeyRotation Rotation
	// NodeLocalDNS says that node-local DNS is enabled.
	NodeLocalDNS bool
	// KubeProxyMode is the Shoot's mode of kube-proxy: IPVS, another one, or empty if kube-proxy is
	// not enabled.
	KubeProxyMode string
	// Kubelet is the pool's effective kubelet configuration; nil if there is none.
	Kubelet *Kubelet
}

// Image is a machine image.
type Image struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Volume is a root volume. Type is nil if it is not set.
type Volume struct {
	Size string
	Type *string
}

// Rotation says when one kind of credentials was rotated. It has those fields of Gardener's
// rotation status that are hashed.
type Rotation struct {
	// LastInitiationTime is when the last rotation of the cluster began.
	LastInitiationTime *metav1.Time `json:"lastInitiationTime"`
	// PendingWorkersRollouts lists the pools that still have the credentials of an earlier
	// rotation.
	PendingWorkersRollouts []PendingWorkersRollout `json:"pendingWorkersRollouts"`
}

// PendingWorkersRollout is the last rotation that one pool has received. It has the fields of
// Gardener's type, which can be converted to it.
type PendingWorkersRollout struct {
	Name               string       `json:"name"`
	LastInitiationTime *metav1.Time `json:"lastInitiationTime"`
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

// of returns the time of the last rotation that the pool has received.
func (r Rotation) of(pool string) *metav1.Time {
	own := slices.IndexFunc(r.PendingWorkersRollouts, func(p PendingWorkersRollout) bool { return p.Name == pool })
	if own < 0 {
		return r.LastInitiationTime
	}
	return r.PendingWorkersRollouts[own].LastInitiationTime
}

// timeText prints a time as a process that runs in UTC does. The conversion also drops a monotonic
// reading.
func timeText(t *metav1.Time) string { return t.UTC().String() }
