package pool

import (
	"encoding/json"
	"strconv"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// Kind says what a manifest is. The zero value is none.
type Kind uint8

// The kinds of manifests that hold worker pools.
const (
	NoKind Kind = iota
	Worker      // extensions.gardener.cloud/v1alpha1, what an extension reconciles
	Shoot       // core.gardener.cloud/v1beta1, what a user writes
)

// String returns the kind as it stands in a manifest.
func (k Kind) String() string {
	switch k {
	case NoKind:
		return "none"
	case Worker:
		return "Worker"
	case Shoot:
		return "Shoot"
	}
	return "unknown"
}

const (
	workerVersion = "extensions.gardener.cloud/v1alpha1"
	shootVersion  = "core.gardener.cloud/v1beta1"
)

// KindOf returns the kind of a manifest by its apiVersion and kind, [NoKind] if it is another one.
func KindOf(apiVersion, kind string) Kind {
	switch {
	case apiVersion == workerVersion && kind == "Worker":
		return Worker
	case apiVersion == shootVersion && kind == "Shoot":
		return Shoot
	}
	return NoKind
}

// Manifest is what a Worker or Shoot says about worker pools.
type Manifest struct {
	Kind Kind
	// Namespace and Name are those of its metadata.
	Namespace, Name string
	// Provider is the type of the provider.
	Provider string
	// Pools are the worker pools, in the order of the manifest. A Shoot may have none.
	Pools []Pool
}

// Read reads a Worker or Shoot manifest in JSON, as a user writes it or as a cluster returns it.
//
//   - Only what concerns machines is looked at; whatever else stands there is ignored, whatever its type.
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
	r := &reader{}
	if !json.Valid(raw) {
		r.fail("", "", fault.Error{Kind: fault.Malformed, Code: "invalid-json", What: "is no valid JSON", Hint: "write a Worker or a Shoot"})
		return nil, r.err()
	}
	root := r.open("", "", raw)
	m := &Manifest{Kind: KindOf(root.plain("apiVersion"), root.plain("kind"))}
	metadata := root.child("metadata")
	m.Namespace, m.Name = metadata.plain("namespace"), metadata.plain("name")
	switch m.Kind {
	case Worker:
		m.readWorker(root)
	case Shoot:
		m.readShoot(root)
	case NoKind:
		r.fail("", "", fault.Error{
			Kind: fault.Unknown, Code: "unknown-kind", What: "has another apiVersion and kind",
			Hint: "write " + workerVersion + " Worker or " + shootVersion + " Shoot",
		})
	}
	m.checkNames(r)
	if err := r.err(); err != nil {
		return nil, err
	}
	return m, nil
}

// pools reads each element of a list of pools.
func (m *Manifest) pools(in object, list string, read func(o object) Pool) {
	for i, raw := range in.list(list) {
		at := in.at(list) + "[" + strconv.Itoa(i) + "]"
		o := in.reader.open("", at, raw)
		name := o.plain("name")
		if name == "" {
			in.reader.fail("", at, fault.Error{Kind: fault.Missing, Code: "no-pool-name", What: "has no name", Hint: "set the name of the worker pool"})
			continue
		}
		o.pool, o.path = name, ""
		p := read(o)
		p.Worker.Name, p.Provider = name, m.Provider
		m.Pools = append(m.Pools, p.withUnknown(m.Kind))
	}
}

// checkNames reports the pools that have the name of an earlier one.
func (m *Manifest) checkNames(r *reader) {
	seen := map[string]int{}
	for _, p := range m.Pools {
		seen[p.Worker.Name]++
		if seen[p.Worker.Name] == 2 {
			r.fail(p.Worker.Name, "", fault.Error{Kind: fault.Duplicate, Code: "duplicate-pool-name", What: "there are two pools of this name", Hint: "give each pool a name of its own"})
		}
	}
}

func (m *Manifest) readWorker(root object) {
	spec := root.child("spec")
	m.Provider = spec.plain("type")
	m.pools(spec, "pools", func(o object) Pool {
		p := o.common()
		p.Worker.MachineType = o.plain("machineType")
		p.Worker.Image = o.image("machineImage")
		p.Worker.KubernetesVersion = o.plain("kubernetesVersion")
		p.Worker.Kubelet = o.child("kubeletConfig").kubelet()
		p.NodeAgentSecretName = o.text("nodeAgentSecretName")
		p.Unknown = []Assumption{SameCRI, SameNodeLocalDNS, SameCredentials}
		return p
	})
}

func (m *Manifest) readShoot(root object) {
	spec := root.child("spec")
	provider, kubernetes := spec.child("provider"), spec.child("kubernetes")
	m.Provider = provider.plain("type")
	nodeLocalDNS := spec.child("systemComponents").child("nodeLocalDNS").boolean("enabled")
	proxyMode := kubernetes.child("kubeProxy").plain("mode")
	rotation := root.child("status").child("credentials").child("rotation")
	ca, serviceAccountKey := rotation.child("certificateAuthorities").rotation(), rotation.child("serviceAccountKey").rotation()
	version, kubelet := kubernetes.plain("version"), kubernetes.child("kubelet").kubelet()
	m.pools(provider, "workers", func(o object) Pool {
		p := o.common()
		machine, own := o.child("machine"), o.child("kubernetes")
		p.Worker.MachineType = machine.plain("type")
		p.Worker.Image = machine.image("image")
		p.Worker.CRI = new("containerd")
		if cri := o.child("cri").text("name"); cri != nil {
			p.Worker.CRI = cri
		}
		p.Worker.KubernetesVersion, p.Worker.Kubelet = version, kubelet
		if own.has("version") {
			p.Worker.KubernetesVersion = own.plain("version")
		}
		if own.has("kubelet") {
			p.Worker.Kubelet = own.child("kubelet").kubelet()
		}
		p.Worker.NodeLocalDNS = nodeLocalDNS != nil && *nodeLocalDNS
		p.Worker.KubeProxyMode = proxyMode
		p.Worker.CARotation, p.Worker.ServiceAccountKeyRotation = ca, serviceAccountKey
		if !root.has("status") {
			p.Unknown = append(p.Unknown, SameCredentials)
		}
		return p
	})
}

// common reads what has one name in Worker and Shoot.
func (o object) common() Pool {
	p := Pool{ProviderConfig: o.members[configField]}
	o.child(configField) // reports what is no object
	if o.has("updateStrategy") {
		name := o.plain("updateStrategy")
		strategy, known := hotupdate.ParseStrategy(name)
		if !known {
			o.reader.fail(o.pool, "updateStrategy", fault.Error{Kind: fault.Unknown, Code: "unknown-strategy", What: "is unknown", Hint: "write AutoRollingUpdate, AutoInPlaceUpdate or ManualInPlaceUpdate"})
		}
		p.Worker.UpdateStrategy = strategy
	}
	if volume := o.child("volume"); volume.members != nil {
		p.Worker.Volume = &hash.Volume{Size: volume.plain("size"), Type: volume.text("type")}
		p.Encrypted = volume.boolean("encrypted")
	}
	for _, v := range o.objects("dataVolumes") {
		p.DataVolumes = append(p.DataVolumes, DataVolume{
			Name: v.plain("name"), Size: v.plain("size"), Type: v.text("type"), Encrypted: v.boolean("encrypted"),
		})
	}
	return p
}

// withUnknown adds what is left to defaults or is the provider's own.
func (p Pool) withUnknown(kind Kind) Pool {
	if p.Worker.KubernetesVersion == "" {
		p.Defaulted = append(p.Defaulted, DefaultKubernetes)
	}
	if kind == Shoot {
		p.Defaulted = append(p.Defaulted, DefaultMachineImage, DefaultKubeReserved)
	}
	if p.Provider != aws && p.Provider != gcp && p.Provider != aliCloud {
		p.Unknown = append(p.Unknown, SameProviderState)
	}
	return p
}

func (o object) image(name string) *hash.Image {
	image := o.child(name)
	if image.members == nil {
		return nil
	}
	return &hash.Image{Name: image.plain("name"), Version: image.plain("version")}
}

func (o object) kubelet() *hash.Kubelet {
	if o.members == nil {
		return nil
	}
	k := &hash.Kubelet{
		KubeReserved: o.child("kubeReserved").reserved(), SystemReserved: o.child("systemReserved").reserved(),
		CPUManagerPolicy: o.text("cpuManagerPolicy"), Rule: hash.SumOfReservations,
	}
	if e := o.child("evictionHard"); e.members != nil {
		k.EvictionHard = &hash.EvictionHard{
			MemoryAvailable: e.text("memoryAvailable"), ImageFSAvailable: e.text("imageFSAvailable"),
			ImageFSInodesFree: e.text("imageFSInodesFree"), NodeFSAvailable: e.text("nodeFSAvailable"),
			NodeFSInodesFree: e.text("nodeFSInodesFree"),
		}
	}
	return k
}

func (o object) reserved() *hash.Reserved {
	if o.members == nil {
		return nil
	}
	return &hash.Reserved{
		CPU: o.quantity("cpu"), Memory: o.quantity("memory"), EphemeralStorage: o.quantity("ephemeralStorage"), PID: o.quantity("pid"),
	}
}

func (o object) rotation() hash.Rotation {
	r := hash.Rotation{LastInitiationTime: o.time("lastInitiationTime")}
	for _, pending := range o.objects("pendingWorkersRollouts") {
		r.PendingWorkersRollouts = append(r.PendingWorkersRollouts, hash.PendingWorkersRollout{
			Name: pending.plain("name"), LastInitiationTime: pending.time("lastInitiationTime"),
		})
	}
	return r
}
