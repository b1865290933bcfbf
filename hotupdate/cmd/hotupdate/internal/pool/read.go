package pool

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	manifests "github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/inplace"
)

// Kind is the kind of a manifest.
type Kind string

// The kinds of manifests that hold worker pools.
const (
	NoKind Kind = ""
	Worker Kind = "Worker" // extensions.gardener.cloud/v1alpha1, what an extension reconciles
	Shoot  Kind = "Shoot"  // core.gardener.cloud/v1beta1, what a user writes
)

// TypeMeta says of which kind a manifest or provider config is.
type TypeMeta struct{ APIVersion, Kind string }

var kinds = map[TypeMeta]Kind{
	{"extensions.gardener.cloud/v1alpha1", "Worker"}: Worker,
	{"core.gardener.cloud/v1beta1", "Shoot"}:         Shoot,
}

// KindOf returns the kind of a manifest, [NoKind] if it is another one.
func KindOf(meta TypeMeta) Kind { return kinds[meta] }

// Manifest is what a Worker or Shoot says about worker pools.
type Manifest struct {
	Kind Kind
	// Namespace and Name are those of its metadata.
	Namespace, Name string
	// UID is what the cluster calls it; empty if no cluster has seen it.
	UID string
	// Spec is the raw JSON of its specification.
	Spec []byte
	// Provider is the type of the provider.
	Provider string
	// Pools are the worker pools, in the order of the manifest. A Shoot may have none.
	Pools []Pool

	all      json.RawMessage // the manifest
	version  string          // of Kubernetes, of a Shoot
	confined bool            // changes wait for the maintenance window
}

// ErrOtherKind is the problem of an object that is neither a Worker nor a Shoot. It is a [*fault.Error].
var ErrOtherKind error = &fault.Error{
	Kind: fault.Unknown, Code: "unknown-kind", Where: "manifest", What: "has another apiVersion and kind",
	Hint: "write extensions.gardener.cloud/v1alpha1 Worker or core.gardener.cloud/v1beta1 Shoot",
}

// Read reads a Worker or Shoot manifest in JSON, as a user writes it or as a cluster returns it.
//
//   - Only fields that concern machines are read. All others are ignored, whatever their types.
//   - Names are case-sensitive. Null counts as absent.
//   - What a Shoot's worker leaves out of version and kubelet configuration is the Shoot's. A kubelet configuration counts as a whole.
//   - A Shoot's CRI is containerd if it has none: that is Gardener's default.
//   - Rotations of credentials are in a Shoot's status. Without a status they are not known.
//   - The reservations that count are the sums of kubeReserved and systemReserved.
//
// A Worker does not tell the container runtime, node-local DNS and rotations, but has a node-agent secret name that covers them.
//
// All problems come back joined, each a [*fault.Error]. Pools without a name, or with one name, are errors.
func Read(raw []byte) (*Manifest, error) {
	if !manifests.IsJSON(raw) {
		return nil, &fault.Error{Kind: fault.Malformed, Code: "invalid-json", Where: "manifest", What: "is no valid JSON", Hint: "write a Worker or a Shoot"}
	}
	d := &decoder{members: make([]manifests.Member, 0, 128)} // about as many as are looked at
	root := d.root(raw).object()
	m := &Manifest{Kind: KindOf(root.typeMeta()), Spec: root.get("spec").raw, all: raw}
	if m.Kind == NoKind {
		return nil, errors.Join(append(d.problems, ErrOtherKind)...)
	}
	metadata := root.below("metadata")
	m.Namespace, m.Name, m.UID = metadata.get("namespace").text(), metadata.get("name").text(), metadata.get("uid").text()
	if m.Kind == Worker {
		m.readWorker(root.below("spec"))
	} else {
		m.readShoot(root.below("spec"), root.below("status"), metadata.below("annotations"))
	}
	d.checkNames(m.Pools)
	if err := errors.Join(d.problems...); err != nil {
		return nil, err
	}
	return m, nil
}

func (m *Manifest) readWorker(spec object) {
	m.Provider = spec.get("type").text()
	m.readPools(spec.get("pools"), func(from object, p *Pool) {
		p.Worker.MachineType, p.Worker.Image = from.get("machineType").text(), imageIn(from.below("machineImage"))
		p.Worker.KubernetesVersion = from.get("kubernetesVersion").text()
		p.readKubelet(from.get("kubeletConfig"))
		p.NodeAgentSecretName, p.Architecture = pointer[string](from.get("nodeAgentSecretName")), pointer[string](from.get("architecture"))
		p.Unknown = []Unknown{UnknownCRI, UnknownNodeLocalDNS, UnknownCredentials}
		if p.Worker.KubernetesVersion == "" {
			p.Defaulted = []string{versionPath} // the cluster's version
		}
	})
}

func (m *Manifest) readShoot(spec, status, annotations object) {
	provider, kubernetes := spec.below("provider"), spec.below("kubernetes")
	m.Provider, m.version = provider.get("type").text(), kubernetes.get("version").text()
	var all Pool // what pools have from the Shoot
	all.readKubelet(kubernetes.get("kubelet"))
	if proxy := kubernetes.below("kubeProxy"); *orDefault(pointer[bool](proxy.get("enabled")), true) {
		all.Worker.KubeProxyMode = proxy.get("mode").text()
	}
	dns := spec.below("systemComponents").get("nodeLocalDNS")
	all.Worker.NodeLocalDNS = read[bool](dns.object().get("enabled"))
	rotation := status.below("credentials").below("rotation")
	all.Worker.CARotation, all.Worker.ServiceAccountKeyRotation = rotationIn(rotation.below("certificateAuthorities")), rotationIn(rotation.below("serviceAccountKey"))
	atOnce, inWindow := annotations.get("gardener.cloud/operation").text(), annotations.get("maintenance.gardener.cloud/operation").text()
	m.confined = read[bool](spec.below("maintenance").get("confineSpecUpdateRollout")) || inWindow != ""
	pending := status.below("inPlaceUpdates").below("pendingWorkerUpdates")
	all.Cluster = &Cluster{
		Hibernated: read[bool](spec.below("hibernation").get("enabled")), Operations: strings.Split(atOnce+";"+inWindow, ";"),
		Pending:        inplace.PendingUpdates{AutoInPlaceUpdate: textsIn(pending.get("autoInPlaceUpdate")), ManualInPlaceUpdate: textsIn(pending.get("manualInPlaceUpdate"))},
		infrastructure: provider.get("infrastructureConfig").raw,
	}
	m.readPools(provider.get("workers"), func(from object, p *Pool) {
		machine, own := from.below("machine"), from.below("kubernetes")
		worker := &p.Worker
		worker.MachineType, worker.Image = machine.get("type").text(), imageIn(machine.below("image"))
		worker.CRI = orDefault(pointer[string](from.below("cri").get("name")), "containerd")
		worker.KubernetesVersion = *orDefault(pointer[string](own.get("version")), m.version)
		p.readKubelet(own.get("kubelet"))
		if p.ownKubelet = worker.Kubelet != nil; !p.ownKubelet {
			worker.Kubelet, p.kubelet = all.Worker.Kubelet, all.kubelet
		}
		worker.NodeLocalDNS, worker.KubeProxyMode = all.Worker.NodeLocalDNS, all.Worker.KubeProxyMode
		worker.CARotation, worker.ServiceAccountKeyRotation = all.Worker.CARotation, all.Worker.ServiceAccountKeyRotation
		p.Architecture, p.Cluster = pointer[string](machine.get("architecture")), all.Cluster
		if status.raw == nil {
			p.Unknown = append(p.Unknown, UnknownCredentials)
		}
		if dns.raw == nil {
			p.Defaulted = append(p.Defaulted, nodeLocalDNSPath) // new Shoots get it
		}
		p.Defaulted = append(p.Defaulted, omittedDefaults(p.Worker)...)
	})
}

// readPools reads each element of a list of pools: the fields that Worker and Shoot have in common, and what more does.
func (m *Manifest) readPools(list value, more func(from object, p *Pool)) {
	for _, element := range list.elements() {
		from := element.object()
		p := Pool{Provider: m.Provider, all: element.raw, Worker: hash.Worker{Name: from.get("name").text()}}
		if p.Worker.Name == "" {
			element.fail(fault.Error{Kind: fault.Missing, Code: "no-pool-name", What: "has no name", Hint: "set the name of the worker pool"})
			continue
		}
		list.d.pool, from.path = p.Worker.Name, ""
		p.readCommon(from)
		more(from, &p)
		list.d.pool = ""
		if !slices.Contains([]string{"aws", "gcp", "alicloud"}, m.Provider) { // which hash none
			p.Unknown = append(p.Unknown, UnknownProviderState)
		}
		m.Pools = append(m.Pools, p)
	}
}

func (p *Pool) readCommon(from object) {
	p.ProviderConfig = from.below(configField).raw
	p.declared = read[hotupdate.Strategy](from.get("updateStrategy"))
	p.Worker.UpdateStrategy = p.declared
	if volume := from.below("volume"); volume.raw != nil {
		p.Worker.Volume = &hash.Volume{Size: volume.get("size").text(), Type: pointer[string](volume.get("type"))}
		p.Encrypted = pointer[bool](volume.get("encrypted"))
	}
	for _, element := range from.get("dataVolumes").elements() {
		volume := element.object()
		p.DataVolumes = append(p.DataVolumes, DataVolume{
			volume.get("name").text(), volume.get("size").text(), pointer[string](volume.get("type")), pointer[bool](volume.get("encrypted")),
		})
	}
	minimum, maximum := pointer[int](from.get("minimum")), pointer[int](from.get("maximum"))
	p.Machines = Machines{Minimum: *orDefault(minimum, 0), Maximum: *orDefault(maximum, 0), Known: minimum != nil || maximum != nil}
	p.Zones = textsIn(from.get("zones"))
	p.MaxSurge, p.MaxUnavailable = from.get("maxSurge").raw, from.get("maxUnavailable").raw
}

// readKubelet reads the configuration of a kubelet.
func (p *Pool) readKubelet(config value) {
	if config.raw == nil {
		return
	}
	from := config.object()
	p.kubelet, p.Worker.Kubelet = config.raw, &hash.Kubelet{
		KubeReserved: reservedIn(from.below("kubeReserved")), SystemReserved: reservedIn(from.below("systemReserved")),
		CPUManagerPolicy: pointer[string](from.get("cpuManagerPolicy")), SumReservations: true,
	}
	if hard := from.below("evictionHard"); hard.raw != nil {
		p.Worker.Kubelet.EvictionHard = &hash.EvictionHard{
			MemoryAvailable: pointer[string](hard.get("memoryAvailable")), ImageFSAvailable: pointer[string](hard.get("imageFSAvailable")),
			ImageFSInodesFree: pointer[string](hard.get("imageFSInodesFree")), NodeFSAvailable: pointer[string](hard.get("nodeFSAvailable")),
			NodeFSInodesFree: pointer[string](hard.get("nodeFSInodesFree")),
		}
	}
}

func reservedIn(from object) *hash.Reserved {
	if from.raw == nil {
		return nil
	}
	return &hash.Reserved{
		CPU: pointer[resource.Quantity](from.get("cpu")), Memory: pointer[resource.Quantity](from.get("memory")),
		EphemeralStorage: pointer[resource.Quantity](from.get("ephemeralStorage")), PID: pointer[resource.Quantity](from.get("pid")),
	}
}

func imageIn(from object) *hash.Image {
	if from.raw == nil {
		return nil
	}
	return &hash.Image{Name: from.get("name").text(), Version: from.get("version").text()}
}

func rotationIn(from object) hash.Rotation {
	r := hash.Rotation{LastInitiationTime: pointer[metav1.Time](from.get("lastInitiationTime"))}
	for _, element := range from.get("pendingWorkersRollouts").elements() {
		pending := element.object()
		r.PendingWorkersRollouts = append(r.PendingWorkersRollouts, hash.PendingWorkersRollout{
			Name: pending.get("name").text(), LastInitiationTime: pointer[metav1.Time](pending.get("lastInitiationTime")),
		})
	}
	return r
}

func textsIn(list value) (texts []string) {
	for _, element := range list.elements() {
		texts = append(texts, element.text())
	}
	return texts
}

// omittedDefaults lists the triggers that a Shoot leaves out and Gardener fills in.
func omittedDefaults(w hash.Worker) (omitted []string) {
	image, reserved := imageOf(w), (*hash.Reserved)(nil)
	if w.Kubelet != nil {
		reserved = w.Kubelet.KubeReserved
	}
	fields := orDefault(reserved, hash.Reserved{})
	for path, isOmitted := range map[string]bool{
		versionPath:                        w.KubernetesVersion == "",
		imageNamePath:                      image.Name == "",
		imageVersionPath:                   strings.Count(image.Version, ".") < 2, // admission completes a partial version
		reservedPath:                       reserved == nil,
		reservedPath + ".cpu":              fields.CPU == nil,
		reservedPath + ".memory":           fields.Memory == nil,
		reservedPath + ".ephemeralStorage": fields.EphemeralStorage == nil,
		reservedPath + ".pid":              fields.PID == nil,
	} {
		if isOmitted {
			omitted = append(omitted, path)
		}
	}
	return omitted
}

// checkNames reports the pools that have the name of an earlier one, each name once.
func (d *decoder) checkNames(pools []Pool) {
	seen := map[string]int{}
	for _, p := range pools {
		seen[p.Worker.Name]++
		if seen[p.Worker.Name] == 2 {
			d.problems.fail(p.Worker.Name, "", fault.Error{
				Kind: fault.Duplicate, Code: "duplicate-pool-name", What: "there are two pools of this name", Hint: "give each pool a name of its own",
			})
		}
	}
}

func imageOf(w hash.Worker) hash.Image { return *orDefault(w.Image, hash.Image{}) }

func orDefault[T any](value *T, otherwise T) *T {
	if value == nil {
		return &otherwise
	}
	return value
}
