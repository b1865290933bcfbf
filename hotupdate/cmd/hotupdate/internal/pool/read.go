package pool

import (
	"bytes"
	"cmp"
	"errors"
	"strconv"
	"strings"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/members"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/inplace"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
)

// Kind is the kind of a manifest.
type Kind string

// The kinds of manifests that hold worker pools.
const (
	NoKind Kind = ""
	Worker Kind = "Worker" // extensions.gardener.cloud/v1alpha1, for the extension
	Shoot  Kind = "Shoot"  // core.gardener.cloud/v1beta1, written by a user
)

var kinds = map[TypeMeta]Kind{
	{"extensions.gardener.cloud/v1alpha1", "Worker"}: Worker,
	{"core.gardener.cloud/v1beta1", "Shoot"}:         Shoot,
}

// KindOf returns the kind of a manifest, or [NoKind] for all others.
func KindOf(meta TypeMeta) Kind { return kinds[meta] }

// TypeMeta is the type of a manifest or provider config.
type TypeMeta struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
}

// TypeMetaOf returns the type of an object; its fields are empty if they are no text.
func TypeMetaOf(object *tree.Node) TypeMeta {
	return TypeMeta{object.At("apiVersion").Text(), object.At("kind").Text()}
}

// Manifest is a Worker or Shoot with its worker pools.
type Manifest struct {
	Kind Kind
	// Namespace and Name are those of the metadata.
	Namespace, Name string
	// UID is the UID in the cluster; empty if the manifest is not from a cluster.
	UID string
	// Tree is the whole Worker or Shoot, and nil for other objects.
	Tree *tree.Node
	// Provider is the type of the provider.
	Provider string
	// Pools are the worker pools, in the order of the manifest. A Shoot may have none.
	Pools []Pool
	// Unknown are the members that the kind does not have.
	Unknown []members.Problem

	version    string         // the Kubernetes version of a Shoot
	confined   bool           // changes wait for the maintenance window
	operations [2]string      // the annotations with operations, for now and for the maintenance window
	root       map[string]any // all members but the pools, see [Manifest.decode]
	workers    []any          // the pools
}

// ErrOtherKind is the problem of an object that is neither a Worker nor a Shoot. It is a
// [*fault.Error].
var ErrOtherKind = otherKind(
	"write extensions.gardener.cloud/v1alpha1 Worker or core.gardener.cloud/v1beta1 Shoot")

func otherKind(hint string) error {
	return &fault.Error{
		Kind: fault.Unknown, Code: "unknown-kind", Where: "manifest", What: "has another apiVersion and kind",
		Hint: hint,
	}
}

// Read reads a Worker or Shoot manifest, written by a user or returned by a cluster.
//
//   - A value that the API server does not read is an error, and a member that stands twice. A
//     member that the kind does not have is listed.
//   - Names are case-sensitive. Null counts as absent.
//   - A Shoot's worker without a version or kubelet configuration has that of the Shoot. A kubelet
//     configuration counts as a whole.
//   - A Shoot's worker without a CRI has containerd, Gardener's default.
//   - Rotations of credentials are in a Shoot's status. Without a status they are not known.
//   - The sums of kubeReserved and systemReserved are the reservations that count.
//
// A Worker does not have the container runtime, node-local DNS and rotations, but has a node-agent
// secret name that covers them.
//
// All problems are joined, each a [*fault.Error]. Pools without a name, and several pools with one
// name, are errors. Beside an error, only the kind, the tree and the unknown members of the manifest
// are of use. An object of another kind is no manifest, and nil.
func Read(object *tree.Node) (*Manifest, error) {
	m := &Manifest{Kind: KindOf(TypeMetaOf(object)), Tree: object}
	if m.Kind == NoKind {
		return nil, ErrOtherKind
	}
	m.readMetadata(object)
	read := m.readShoot
	if m.Kind == Worker {
		read = m.readWorker
	}
	unknown, err := checkMembers("", members.Type(m.Kind), object)
	m.Unknown = unknown
	return m, errors.Join(err, read(), m.checkNames())
}

// ReadCustom reads an object of another kind. Its spec is a configuration like a provider config on
// its own.
func ReadCustom(object *tree.Node) (*Manifest, error) {
	m := &Manifest{Pools: []Pool{Bare(object.At("spec").JSON())}}
	m.readMetadata(object)
	_, err := checkMembers("metadata", "ObjectMeta", object.At("metadata"))
	return m, err
}

func (m *Manifest) readMetadata(object *tree.Node) {
	metadata := object.At("metadata")
	m.Namespace, m.Name, m.UID = metadata.At("namespace").Text(), metadata.At("name").Text(),
		metadata.At("uid").Text()
}

// checkMembers reports values with a wrong type and members that stand twice, and lists unknown
// members.
func checkMembers(path string, t members.Type, value *tree.Node) (unknown []members.Problem, err error) {
	var problems fault.List
	for _, found := range members.Problems(t, value) {
		found.Path = joinPaths(path, found.Path)
		switch {
		case found.IsTwice:
			problems.Add(&fault.Error{
				Kind: fault.Duplicate, Code: "duplicate-member", Path: found.Path, What: "stands twice in its object",
				Hint: "remove one of the members",
			})
		case found.Want != "":
			problems.Add(&fault.Error{
				Kind: fault.WrongType, Code: "wrong-json-type", Path: found.Path, Type: string(found.Want),
				What: "is no " + found.Want.Kind(), Hint: found.Want.Hint(),
			})
		default:
			unknown = append(unknown, found)
		}
	}
	return unknown, problems.Err()
}

func (m *Manifest) readWorker() error {
	spec := m.Tree.At("spec")
	m.Provider = spec.At("type").Text()
	var problems []error
	for _, from := range spec.At("pools").Elements() {
		p, err := m.newPool("spec.pools", from, from.At("kubeletConfig"))
		w := &p.Worker
		w.MachineType, w.Image = from.At("machineType").Text(), imageIn(from.At("machineImage"))
		w.KubernetesVersion = from.At("kubernetesVersion").Text()
		p.NodeAgentSecretName, p.Architecture = textIn(from.At("nodeAgentSecretName")), textIn(from.At("architecture"))
		p.Unknown = append(p.Unknown, UnknownCRI, UnknownNodeLocalDNS, UnknownCredentials)
		if w.KubernetesVersion == "" {
			p.Defaulted = []string{versionPath} // the cluster's version
		}
		problems, m.Pools = append(problems, err), append(m.Pools, p)
	}
	return errors.Join(problems...)
}

func (m *Manifest) readShoot() error {
	spec, annotations := m.Tree.At("spec"), m.Tree.At("metadata", "annotations")
	m.Provider, m.version = spec.At("provider", "type").Text(), spec.At("kubernetes", "version").Text()
	m.operations = [2]string{
		annotations.At("gardener.cloud/operation").Text(),
		annotations.At("maintenance.gardener.cloud/operation").Text(),
	}
	m.confined = spec.At("maintenance", "confineSpecUpdateRollout").IsTrue() || m.operations[1] != ""
	cluster := m.cluster()
	var problems []error
	for _, from := range spec.At("provider", "workers").Elements() {
		own := from.At("kubernetes", "kubelet")
		p, err := m.newPool("spec.provider.workers", from, cmp.Or(own, spec.At("kubernetes", "kubelet")))
		p.Cluster, p.ownKubelet, p.Architecture = cluster, own != nil, textIn(from.At("machine", "architecture"))
		p.inherited = []string{nodeLocalDNSPath, credentialsPath}
		if !p.ownKubelet {
			p.inherited = append(p.inherited, kubeletPath)
		}
		w := &p.Worker
		w.KubernetesVersion = from.At("kubernetes", "version").Text()
		if w.KubernetesVersion == "" {
			p.inherited, w.KubernetesVersion = append(p.inherited, versionPath), m.version
		}
		w.MachineType, w.Image = from.At("machine", "type").Text(), imageIn(from.At("machine", "image"))
		w.CRI = orDefault(textIn(from.At("cri", "name")), "containerd")
		m.readTriggers(&p)
		problems, m.Pools = append(problems, err), append(m.Pools, p)
	}
	return errors.Join(problems...)
}

// cluster returns the facts of a Shoot about all its pools.
func (m *Manifest) cluster() Cluster {
	status := m.Tree.At("status")
	pending := status.At("inPlaceUpdates", "pendingWorkerUpdates")
	return Cluster{
		known: true, version: m.version, Hibernated: m.Tree.At("spec", "hibernation", "enabled").IsTrue(),
		Pending: inplace.PendingUpdates{
			AutoInPlaceUpdate:   textsIn(pending.At("autoInPlaceUpdate")),
			ManualInPlaceUpdate: textsIn(pending.At("manualInPlaceUpdate")),
		},
		Operations: operationsOf(strings.Join(m.operations[:], ";")),
		rotates:    waiting(status),
	}
}

// waiting returns the pools that have to follow a rotation of credentials, and nil if no phase of a
// rotation is known.
func waiting(status *tree.Node) map[string]bool {
	var names map[string]bool
	for _, rotation := range []string{authorities, accountKey} {
		of := status.At("credentials", "rotation", rotation)
		if of.At("phase").Text() != "" && names == nil {
			names = map[string]bool{}
		}
		for _, p := range of.At("pendingWorkersRollouts").Elements() {
			if names != nil {
				names[p.At("name").Text()] = true
			}
		}
	}
	return names
}

// readTriggers reads the fields of a Shoot that the names of its pools cover.
func (m *Manifest) readTriggers(p *Pool) {
	spec, w := m.Tree.At("spec"), &p.Worker
	rotation := m.Tree.At("status", "credentials", "rotation")
	w.CARotation = rotationIn(rotation.At(authorities))
	w.ServiceAccountKeyRotation = rotationIn(rotation.At(accountKey))
	dns, proxy := spec.At("systemComponents", "nodeLocalDNS"), spec.At("kubernetes", "kubeProxy")
	w.NodeLocalDNS = dns.At("enabled").IsTrue()
	if enabled := proxy.At("enabled"); enabled == nil || enabled.IsTrue() {
		w.KubeProxyMode = proxy.At("mode").Text()
	}
	if m.Tree.At("status") == nil {
		p.Unknown = append(p.Unknown, UnknownCredentials)
	}
	if dns == nil {
		p.Defaulted = append(p.Defaulted, nodeLocalDNSPath) // Gardener enables it for new Shoots
	}
	p.Defaulted = append(p.Defaulted, omittedDefaults(p.Worker)...)
}

// newPool returns the next pool of a list, with the fields that pools have in both kinds.
func (m *Manifest) newPool(list string, from, kubelet *tree.Node) (p Pool, err error) {
	at, problems := fieldpath.At(list, len(m.Pools)), fault.List{}
	name := from.At("name").Text()
	strategy, err := hotupdate.ParseStrategy(from.At(strategyPath).Text())
	if unknown, ok := errors.AsType[*fault.Error](err); ok {
		unknown.Path, unknown.What = at+"."+strategyPath, "is unknown"
		problems.Add(unknown)
	}
	if name == "" {
		problems.Add(&fault.Error{
			Kind: fault.Missing, Code: "no-pool-name", Path: at, What: "has no name",
			Hint: "set the name of the worker pool",
		})
	}
	minimum, maximum := from.At("minimum"), from.At("maximum")
	p = Pool{
		ofWorker: m.Kind == Worker, Provider: m.Provider, ProviderConfig: from.At(configField).JSON(),
		Zones: textsIn(from.At("zones")), declared: strategy,
		MaxSurge: shareIn(from.At("maxSurge")), MaxUnavailable: shareIn(from.At("maxUnavailable")),
		Machines: Machines{wholeIn(minimum), wholeIn(maximum), minimum != nil || maximum != nil},
		Worker:   hash.Worker{Name: name, UpdateStrategy: strategy, Kubelet: kubeletIn(kubelet)},
	}
	for _, v := range from.At(dataVolumesField).Elements() {
		p.DataVolumes = append(p.DataVolumes, volumeIn(v))
	}
	if v := from.At("volume"); v != nil {
		volume := volumeIn(v)
		p.Worker.Volume, p.Encrypted = &hash.Volume{Size: volume.Size, Type: volume.Type}, volume.Encrypted
	}
	return p, problems.Err()
}

// omittedDefaults lists triggers that a Shoot leaves out and Gardener fills in.
func omittedDefaults(w hash.Worker) (paths []string) {
	image, reserved := imageOf(w), orDefault(w.Kubelet, hash.Kubelet{}).KubeReserved
	each := orDefault(reserved, hash.Reserved{})
	for path, isOmitted := range map[string]bool{
		versionPath: w.KubernetesVersion == "", imageNamePath: image.Name == "",
		imageVersionPath: strings.Count(image.Version, ".") < 2, // admission completes a partial version
		reservedPath:     reserved == nil, reservedPath + ".cpu": each.CPU == nil,
		reservedPath + ".memory": each.Memory == nil, reservedPath + ".pid": each.PID == nil,
		reservedPath + ".ephemeralStorage": each.EphemeralStorage == nil,
	} {
		if isOmitted {
			paths = append(paths, path)
		}
	}
	return paths
}

// checkNames reports names that several pools have.
func (m *Manifest) checkNames() error {
	seen, problems := map[string]int{}, fault.List{}
	for _, p := range m.Pools {
		if seen[p.Worker.Name]++; seen[p.Worker.Name] == 2 && p.Worker.Name != "" {
			problems.Add(&fault.Error{
				Kind: fault.Duplicate, Code: "duplicate-pool-name", Where: "pool " + strconv.Quote(p.Worker.Name),
				What: "there are two pools of this name", Hint: "give each pool a name of its own",
			})
		}
	}
	return problems.Err()
}

// IsNull reports whether raw JSON is null or missing.
func IsNull(raw []byte) bool {
	trimmed := bytes.TrimSpace(raw)
	return len(trimmed) == 0 || string(trimmed) == "null"
}

func imageOf(w hash.Worker) hash.Image { return *orDefault(w.Image, hash.Image{}) }

func orDefault[T any](value *T, otherwise T) *T { return cmp.Or(value, &otherwise) }
