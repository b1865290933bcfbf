package facts

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/fields"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/kubeminor"
	"github.com/hotupdate/providerconfig/internal/provider"
)

// Pool has the facts that decide about the machines of one worker pool.
type Pool struct {
	// Kind is the kind of the manifest; [NoKind] for a bare provider config.
	Kind Kind
	// Node is the pool in the manifest; nil for a bare provider config.
	Node *tree.Node
	// Worker has the fields that Gardener's names cover, with the pool's name and update strategy.
	Worker hash.Worker
	// Declared is the update strategy in the manifest.
	Declared hotupdate.Strategy
	// Provider is the type of the provider.
	Provider string
	// Encrypted says whether the root volume is encrypted; nil if that is not set.
	Encrypted *bool
	// DataVolumes are the volumes beside the root volume.
	DataVolumes []DataVolume
	// Config is the provider config.
	Config Config
	// NodeAgentSecretName is the name in a Worker manifest, composed by Gardener; nil if it is not
	// known.
	NodeAgentSecretName *string
	// Machines is the number of machines of the pool. Zones are their zones.
	Machines Machines
	Zones    []string
	// Architecture is the architecture of the machines; nil if it is not set.
	Architecture *string
	// Deletion is the deletion timestamp of the manifest; empty if it is not being deleted.
	Deletion string
	// MaxSurge is nil if it is not set.
	MaxSurge *intstr.IntOrString
	// Unknown lists facts that the manifest does not have.
	Unknown []Unknown
	// Infrastructure and Status are the status of the infrastructure, and of the extension, in a Worker; nil
	// if they are not known.
	Infrastructure, Status []byte
	// Cluster has the facts of the Shoot. It is zero for the pools of a Worker.
	Cluster Cluster
	// HasOwnKubelet says that the pool of a Shoot has a kubelet configuration, which replaces the
	// kubelet configuration of the Shoot.
	HasOwnKubelet bool
	// ImageIsOpen says that the machine image is unknown and differs from the image on the other
	// side.
	ImageIsOpen bool

	// Doubted are missing members, in the pool and above the pools, that are probably misspelled in
	// the manifest.
	Doubted []Doubt

	written   *hash.Kubelet // if isFilled, the kubelet configuration in the manifest
	isFilled  bool          // the kubelet configuration of Worker has what Gardener fills in
	ownsMinor bool          // the pool of a Shoot has its own Kubernetes version
	dnsMinor  string        // stands for an unknown version where node-local DNS is hashed
}

// Operation is an operation that an annotation of a Shoot requests.
type Operation struct {
	// Name is the operation, with a list of pools if it has one. Annotation is the key of the annotation.
	Name, Annotation string
}

// Cluster holds the facts of a Shoot that concern the machines of all its pools.
type Cluster struct {
	// Version is the Kubernetes version of the control plane.
	Version string
	// Hibernated says that the cluster is to have no machines until it wakes up. Hibernating says
	// that hibernation is not known to be finished: machines may still run.
	Hibernated, Hibernating bool
	// HasSSHAccess says that SSH access to the machines is on.
	HasSSHAccess bool
	// Operations are the operations in the annotations of the Shoot, for now or for the next
	// maintenance window.
	Operations []Operation
	// Pending are the pools that have not finished an in-place update.
	Pending []string
	// Rotates has the pools that have to follow a rotation of credentials. It is nil if no rotation
	// is known.
	Rotates map[string]bool
	// Kubelet and Infrastructure are configurations in the Shoot. Labels and Annotations are the
	// Shoot's.
	Kubelet, Infrastructure, Labels, Annotations *tree.Node

	// Transition says how the Shoot follows the old one. It is set on the new side.
	Transition

	isReadBack bool // the manifest was read from a cluster, so nothing has to be filled in
	spec       *tree.Node
	components *tree.Node // spec.systemComponents
	dns        *tree.Node // nodeLocalDNS in it
	// removesDNS and removesVersion say that the manifest sets to null whether node-local DNS is
	// enabled, or the Kubernetes version: that removes what Gardener has filled in.
	removesDNS, removesVersion bool
}

// Bare returns a pool with only a provider config. The paths and pointers of its changes begin in
// the provider config.
func Bare(config []byte) Pool {
	return Pool{Config: ConfigOf(config), Unknown: []Unknown{RestOfPool}}
}

// IsBare reports whether the pool is a bare provider config.
func (p *Pool) IsBare() bool { return slices.Contains(p.Unknown, RestOfPool) }

// ConfigPath is the path of the provider config in the changes of the pool.
func (p *Pool) ConfigPath() string {
	if p.IsBare() {
		return ""
	}
	return fields.Config
}

// ConfigPointer is the pointer to the provider config in the changes of the pool.
func (p *Pool) ConfigPointer() string { return PointerTo(p.ConfigPath()) }

// OfShoot reports whether the pool belongs to a Shoot.
func (p *Pool) OfShoot() bool { return p.Kind == Shoot }

// DataVolume is a volume beside the root volume.
type DataVolume = provider.DataVolume

// Unknown is a fact that decides about machines, but is not in a manifest. A comparison assumes
// that it is the same in both pools.
type Unknown = verdict.Unchanged

// The unknown facts.
const (
	KubernetesVersion   = verdict.KubernetesVersion
	MachineImageVersion = verdict.MachineImageVersion
	ContainerRuntime    = verdict.ContainerRuntime
	NodeLocalDNS        = verdict.NodeLocalDNS
	Credentials         = verdict.Credentials
	ProviderState       = verdict.ProviderState
	RestOfPool          = verdict.RestOfPool
)

// covered are the fields that are not compared because of an unknown fact.
var covered = map[Unknown]string{
	KubernetesVersion: fields.Version, MachineImageVersion: fields.ImageVersion, ContainerRuntime: "cri",
	NodeLocalDNS: fields.NodeLocalDNS, Credentials: "credentials",
}

// Covers reports whether a field is not compared because a fact is unknown.
func Covers(u Unknown, path string) bool {
	above := covered[u]
	return above != "" && (path == above || strings.HasPrefix(path, above+"."))
}

// Machines is the number of machines of a pool, over all of its zones.
type Machines struct {
	Minimum int `json:"minimum"`
	Maximum int `json:"maximum"`
	// Known is false if the manifest has no number, as in a bare provider config.
	Known bool `json:"known"`
}

// String returns the numbers in words: 3 to 10 machines.
func (m Machines) String() string {
	switch {
	case !m.Known:
		return "an unknown number of machines"
	case m.Minimum != m.Maximum:
		return fmt.Sprintf("%d to %d machines", m.Minimum, m.Maximum)
	case m.Maximum == 1:
		return "1 machine"
	}
	return fmt.Sprintf("%d machines", m.Maximum)
}

// Wanted returns the desired number of machines of the pool: none while its cluster is hibernated.
func (p *Pool) Wanted() Machines {
	if p.Cluster.Hibernated {
		return Machines{Known: true}
	}
	return p.Machines
}

// Running returns the number of machines that the pool has: until hibernation is finished, any number up to the
// maximum.
func (p *Pool) Running() Machines {
	if p.Cluster.Hibernating {
		return Machines{Maximum: p.Machines.Maximum, Known: p.Machines.Known}
	}
	return p.Wanted()
}

// InZone returns the numbers of one of the zones over which Gardener spreads the pool: the first
// zones get the remainder. A pool without zones has one.
//
// Source: Gardener v1.150, DistributeOverZones.
func (m Machines) InZone(zone, zones int) Machines {
	share := func(total int) int {
		if zone < total%zones {
			return total/zones + 1
		}
		return total / zones
	}
	return Machines{share(m.Minimum), share(m.Maximum), m.Known}
}

// IsEmpty reports whether the pool has no machines: its maximum is 0, or its cluster is hibernated. A
// manifest that leaves the maximum out does not say so.
func (p *Pool) IsEmpty() bool {
	return p.EndsEmpty() && !p.MayStillRun()
}

// EndsEmpty reports whether the pool has no machines once Gardener has reconciled it.
func (p *Pool) EndsEmpty() bool { return p.Cluster.Hibernated || p.isZero() }

// MayStillRun reports whether the pool may still have machines because the hibernation of its
// cluster is not finished.
func (p *Pool) MayStillRun() bool { return p.Cluster.Hibernating && !p.isZero() }

// IsReversed reports whether the minimum of a pool of a Shoot is above its maximum, which Gardener refuses.
func (p *Pool) IsReversed() bool {
	isNumber := func(field string) bool { return p.Node.At(field).Kind() == tree.Number }
	areKnown := isNumber(fields.Minimum) && isNumber(fields.Maximum)
	return p.OfShoot() && areKnown && p.Machines.Minimum > p.Machines.Maximum
}

func (p *Pool) isZero() bool {
	maximum := p.Node.At(fields.Maximum)
	return maximum.Kind() == tree.Number && p.Machines.Maximum == 0
}

// WithConfig returns a copy of the pool with another provider config.
func (p *Pool) WithConfig(config Config) *Pool {
	other := *p
	other.Config = config
	return &other
}

// Stored returns a copy of the pool with its provider config as the extension sees it.
func (p *Pool) Stored() *Pool { return p.WithConfig(p.Config.Stored()) }

// WithVersion returns a copy of the pool with another Kubernetes version.
func (p *Pool) WithVersion(version string) *Pool {
	other := *p
	other.Worker.KubernetesVersion = version
	return &other
}

// InWorker is the pool as the extensions see it.
func (p *Pool) InWorker() *provider.WorkerPool {
	w := &provider.WorkerPool{
		Name: p.Worker.Name, UpdateStrategy: p.Worker.UpdateStrategy, MachineType: p.Worker.MachineType,
		MachineImage: ImageOf(p.Worker),
		DataVolumes:  p.DataVolumes,
		Zones:        p.Zones, Infrastructure: p.Infrastructure, Status: p.Status,
	}
	if p.Worker.KubernetesVersion != "" {
		w.KubernetesVersion = &p.Worker.KubernetesVersion
	}
	if v := p.Worker.Volume; v != nil {
		w.Volume = &DataVolume{Size: v.Size, Type: v.Type, Encrypted: p.Encrypted}
	}
	if !p.Config.IsAbsent() {
		w.ProviderConfig = p.Config.Raw()
	}
	return w
}

// kubeletInManifest returns the kubelet configuration before Gardener fills it in.
func (p *Pool) kubeletInManifest() *hash.Kubelet {
	if p.isFilled {
		return p.written
	}
	return p.Worker.Kubelet
}

// MinorOf returns the minor of a Kubernetes version; it is zero if there is none.
func MinorOf(version string) kubeminor.Minor {
	minor, _ := kubeminor.Parse(version)
	return minor
}

// NameOwn returns the path of a field in the manifest: with the names of a Worker's pool, or where
// the Shoot has it.
func (p *Pool) NameOwn(path string) string {
	switch {
	case p.Kind == Worker:
		return fields.InWorker(path)
	case !p.OfShoot():
		return path
	case strings.HasPrefix(path, fields.Credentials):
		return "status." + path
	case path == fields.NodeLocalDNS,
		path == fields.Version && !p.ownsMinor,
		isAtOrBelow(path, fields.Kubelet) && !p.HasOwnKubelet:
		return "spec." + path
	}
	return path
}

func isAtOrBelow(path, above string) bool {
	return path == above || strings.HasPrefix(path, above+".")
}
