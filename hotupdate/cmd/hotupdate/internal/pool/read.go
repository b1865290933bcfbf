package pool

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
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

// Manifest is a Worker or Shoot with its worker pools.
type Manifest struct {
	Kind Kind
	// Namespace and Name are those of the metadata.
	Namespace, Name string
	// UID is the UID in the cluster; empty if the manifest is not from a cluster.
	UID string
	// Raw is the whole manifest in JSON.
	Raw []byte
	// Provider is the type of the provider.
	Provider string
	// Pools are the worker pools, in the order of the manifest. A Shoot may have none.
	Pools []Pool

	version    string         // the Kubernetes version of a Shoot
	confined   bool           // changes wait for the maintenance window
	operations [2]string      // the annotations with operations, for now and for the maintenance window
	whole      any            // see [Manifest.Tree]
	root       map[string]any // all members but the pools, see [Manifest.decode]
	workers    []any          // the pools
}

// ErrOtherKind is the problem of an object that is neither a Worker nor a Shoot. It is a
// [*fault.Error].
var ErrOtherKind error = &fault.Error{
	Kind: fault.Unknown, Code: "unknown-kind", Where: "manifest", What: "has another apiVersion and kind",
	Hint: "write extensions.gardener.cloud/v1alpha1 Worker or core.gardener.cloud/v1beta1 Shoot",
}

// Read reads a Worker or Shoot manifest in JSON, written by a user or returned by a cluster.
//
//   - Only fields that concern machines are read. All others are ignored, with any types.
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
// name, are errors. Beside an error, only the kind and [Manifest.Tree] of the manifest are of use. An
// object of another kind is no manifest, and nil.
func Read(raw []byte) (*Manifest, error) {
	meta, err := part[TypeMeta](raw)
	if err == nil && KindOf(*meta) == NoKind {
		err = ErrOtherKind
	}
	if err != nil {
		return nil, err
	}
	m := &Manifest{Kind: KindOf(*meta), Raw: raw}
	read := m.readShoot
	if m.Kind == Worker {
		read = m.readWorker
	}
	return m, errors.Join(read(), m.checkNames())
}

// ReadCustom reads an object of another kind. Its spec is a configuration like a provider config on
// its own.
func ReadCustom(raw []byte) (*Manifest, error) {
	all, err := part[object[json.RawMessage]](raw)
	return &Manifest{Namespace: all.Metadata.Namespace, Name: all.Metadata.Name, Pools: []Pool{Bare(all.Spec)}}, err
}

func (m *Manifest) readWorker() error {
	all, err := part[object[workerSpec]](m.Raw)
	spec := &all.Spec
	m.Namespace, m.Name, m.UID, m.Provider = all.Metadata.Namespace, all.Metadata.Name, all.Metadata.UID, spec.Type
	for i := range spec.Pools {
		from := &spec.Pools[i]
		p, poolErr := m.newPool("spec.pools", &from.poolSpec, from.KubeletConfig)
		p.Worker.MachineType, p.Worker.Image, p.Worker.KubernetesVersion = from.MachineType, from.MachineImage,
			from.KubernetesVersion
		p.NodeAgentSecretName, p.Architecture = from.NodeAgentSecretName, from.Architecture
		p.Unknown = append(p.Unknown, UnknownCRI, UnknownNodeLocalDNS, UnknownCredentials)
		if p.Worker.KubernetesVersion == "" {
			p.Defaulted = []string{versionPath} // the cluster's version
		}
		err, m.Pools = errors.Join(err, poolErr), append(m.Pools, p)
	}
	return err
}

func (m *Manifest) readShoot() error {
	all, err := part[shoot](m.Raw)
	spec, annotations := &all.Spec, &all.Metadata.Annotations
	m.Namespace, m.Name, m.UID, m.Provider = all.Metadata.Namespace, all.Metadata.Name,
		all.Metadata.UID, spec.Provider.Type
	m.version = spec.Kubernetes.Version
	m.operations = [2]string{annotations.Operation, annotations.MaintenanceOperation}
	m.confined = spec.Maintenance.ConfineSpecUpdateRollout || annotations.MaintenanceOperation != ""
	status, dns := orDefault(all.Status, status{}), spec.SystemComponents.NodeLocalDNS
	cluster := Cluster{
		known: true, version: m.version, Hibernated: spec.Hibernation.Enabled,
		Pending:    status.InPlaceUpdates.PendingWorkerUpdates,
		Operations: operationsOf(annotations.Operation + ";" + annotations.MaintenanceOperation),
		rotates:    status.waiting(),
	}
	rotation, proxy := &status.Credentials.Rotation, &spec.Kubernetes.KubeProxy
	for i := range spec.Provider.Workers {
		worker := &spec.Provider.Workers[i]
		p, poolErr := m.newPool("spec.provider.workers", &worker.poolSpec,
			cmp.Or(worker.Kubernetes.Kubelet, spec.Kubernetes.Kubelet))
		p.Cluster, p.ownKubelet, p.Architecture = cluster, worker.Kubernetes.Kubelet != nil, worker.Machine.Architecture
		p.inherited = []string{nodeLocalDNSPath, credentialsPath}
		if !p.ownKubelet {
			p.inherited = append(p.inherited, kubeletPath)
		}
		if worker.Kubernetes.Version == "" {
			p.inherited = append(p.inherited, versionPath)
		}
		w := &p.Worker
		w.MachineType, w.Image, w.CRI = worker.Machine.Type, worker.Machine.Image,
			orDefault(worker.CRI.Name, "containerd")
		w.KubernetesVersion = cmp.Or(worker.Kubernetes.Version, m.version)
		w.CARotation, w.ServiceAccountKeyRotation = rotation.CertificateAuthorities.Rotation,
			rotation.ServiceAccountKey.Rotation
		w.NodeLocalDNS = dns != nil && dns.Enabled
		if *orDefault(proxy.Enabled, true) {
			w.KubeProxyMode = proxy.Mode
		}
		if all.Status == nil {
			p.Unknown = append(p.Unknown, UnknownCredentials)
		}
		if dns == nil {
			p.Defaulted = append(p.Defaulted, nodeLocalDNSPath) // Gardener enables it for new Shoots
		}
		p.Defaulted = append(p.Defaulted, omittedDefaults(p.Worker)...)
		err, m.Pools = errors.Join(err, poolErr), append(m.Pools, p)
	}
	return err
}

// newPool returns the next pool of a list, with the fields that pools have in both kinds.
func (m *Manifest) newPool(list string, from *poolSpec, kubelet *hash.Kubelet) (p Pool, err error) {
	at, problems := fieldpath.At(list, len(m.Pools)), fault.List{}
	strategy, err := hotupdate.ParseStrategy(from.UpdateStrategy)
	if unknown, ok := errors.AsType[*fault.Error](err); ok {
		unknown.Path, unknown.What = at+"."+strategyPath, "is unknown"
		problems.Add(unknown)
	}
	if from.Name == "" {
		problems.Add(&fault.Error{
			Kind: fault.Missing, Code: "no-pool-name", Path: at, What: "has no name",
			Hint: "set the name of the worker pool",
		})
	}
	p = Pool{
		ofWorker: m.Kind == Worker, Provider: m.Provider, ProviderConfig: from.ProviderConfig,
		DataVolumes: from.DataVolumes, Zones: from.Zones,
		MaxSurge: from.MaxSurge, MaxUnavailable: from.MaxUnavailable, declared: strategy,
		Machines: Machines{
			*orDefault(from.Minimum, 0), *orDefault(from.Maximum, 0), from.Minimum != nil || from.Maximum != nil,
		},
		Worker: hash.Worker{Name: from.Name, UpdateStrategy: strategy, Kubelet: kubelet},
	}
	if kubelet != nil {
		kubelet.SumReservations = true
	}
	if v := from.Volume; v != nil {
		p.Worker.Volume, p.Encrypted = &hash.Volume{Size: v.Size, Type: v.Type}, v.Encrypted
	}
	return p, problems.Err()
}

// omittedDefaults lists triggers that a Shoot leaves out and Gardener fills in.
func omittedDefaults(w hash.Worker) []string {
	image, reserved := imageOf(w), orDefault(w.Kubelet, hash.Kubelet{}).KubeReserved
	all := map[string]bool{
		versionPath: w.KubernetesVersion == "", imageNamePath: image.Name == "", reservedPath: reserved == nil,
		imageVersionPath: strings.Count(image.Version, ".") < 2, // admission completes a partial version
	}
	for resource, text := range texts(reserved) {
		all[reservedPath+"."+resource] = text == ""
	}
	maps.DeleteFunc(all, func(_ string, isOmitted bool) bool { return !isOmitted })
	return slices.Collect(maps.Keys(all))
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

func orDefault[T any](value *T, otherwise T) *T {
	if value == nil {
		return &otherwise
	}
	return value
}
