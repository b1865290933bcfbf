package pool

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
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

// The parts of manifests that are read. Members have the names of the fields, see decoder.decode.
type (
	metadata struct {
		Namespace, Name, UID string
		Annotations          json.RawMessage
	}
	worker struct {
		Metadata metadata
		Spec     struct {
			Type  string
			Pools []json.RawMessage
		}
	}
	shoot struct {
		Metadata metadata
		Spec     struct {
			Kubernetes struct {
				Version   string
				Kubelet   json.RawMessage
				KubeProxy struct {
				Mode    string
				Enabled *bool
			}
			}
			SystemComponents struct{ NodeLocalDNS *struct{ Enabled bool } }
			Hibernation      struct{ Enabled bool }
			Maintenance      struct{ ConfineSpecUpdateRollout bool }
			Provider         struct {
				Type                 string
				InfrastructureConfig json.RawMessage
				Workers              []json.RawMessage
			}
		}
		Status *struct {
			Credentials struct {
				Rotation struct{ CertificateAuthorities, ServiceAccountKey hash.Rotation }
			}
			InPlaceUpdates struct {
				PendingWorkerUpdates struct{ AutoInPlaceUpdate, ManualInPlaceUpdate []string }
			}
		}
	}
	// commonFields have one name in a pool of a Worker and in a worker of a Shoot.
	commonFields struct {
		ProviderConfig object
		UpdateStrategy hotupdate.Strategy
		Volume         *struct {
			Size      string
			Type      *string
			Encrypted *bool
		}
		DataVolumes      []DataVolume
		Minimum, Maximum *int
		Zones            []string

		MaxSurge, MaxUnavailable json.RawMessage
	}
	workerPool struct {
		commonFields

		MachineType         string
		MachineImage        *hash.Image
		KubernetesVersion   string
		KubeletConfig       json.RawMessage
		NodeAgentSecretName *string
		Architecture        *string
	}
	shootWorker struct {
		commonFields

		Machine struct {
			Type         string
			Image        *hash.Image
			Architecture *string
		}
		CRI        struct{ Name *string }
		Kubernetes struct {
			Version *string
			Kubelet json.RawMessage
		}
	}
)

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
	if !isJSON(raw) {
		return nil, &fault.Error{Kind: fault.Malformed, Code: "invalid-json", Where: "manifest", What: "is no valid JSON", Hint: "write a Worker or a Shoot"}
	}
	d := &decoder{}
	top := d.members(raw)
	var meta TypeMeta
	d.fields(top, reflect.ValueOf(&meta).Elem())
	read := &Manifest{Kind: KindOf(meta), Spec: top.get("spec"), all: raw}
	switch read.Kind {
	case Worker:
		var m worker
		d.fields(top, reflect.ValueOf(&m).Elem())
		d.readWorker(read, &m)
	case Shoot:
		var m shoot
		d.fields(top, reflect.ValueOf(&m).Elem())
		d.readShoot(read, &m)
	case NoKind:
		return nil, errors.Join(append(d.problems, ErrOtherKind)...)
	}
	d.checkNames(read.Pools)
	if err := errors.Join(d.problems...); err != nil {
		return nil, err
	}
	return read, nil
}

func (d *decoder) readWorker(to *Manifest, m *worker) {
	to.Namespace, to.Name, to.UID, to.Provider = m.Metadata.Namespace, m.Metadata.Name, m.Metadata.UID, m.Spec.Type
	readPools(d, to, fieldpath.Path{{Name: "spec"}, {Name: "pools"}}, m.Spec.Pools, func(w *workerPool, p *Pool) {
		w.fill(p)
		p.Worker.MachineType, p.Worker.Image = w.MachineType, w.MachineImage
		p.Worker.KubernetesVersion = w.KubernetesVersion
		d.readKubelet(p, w.KubeletConfig, fieldpath.Step{Name: "kubeletConfig"})
		p.NodeAgentSecretName, p.Architecture = w.NodeAgentSecretName, w.Architecture
		p.Unknown = []Unknown{UnknownCRI, UnknownNodeLocalDNS, UnknownCredentials}
		if w.KubernetesVersion == "" {
			p.Defaulted = []string{versionPath} // the cluster's version
		}
	})
}

func (d *decoder) readShoot(to *Manifest, m *shoot) {
	spec, kubelet := &m.Spec, fieldpath.Path{{Name: "kubernetes"}, {Name: "kubelet"}}
	to.Namespace, to.Name, to.UID, to.Provider = m.Metadata.Namespace, m.Metadata.Name, m.Metadata.UID, spec.Provider.Type
	var shoots Pool
	d.readKubelet(&shoots, spec.Kubernetes.Kubelet, append(fieldpath.Path{{Name: "spec"}}, kubelet...)...)
	cluster := m.cluster(d)
	to.version, to.confined = spec.Kubernetes.Version, spec.Maintenance.ConfineSpecUpdateRollout || cluster.inMaintenance
	readPools(d, to, fieldpath.Path{{Name: "spec"}, {Name: "provider"}, {Name: "workers"}}, spec.Provider.Workers, func(w *shootWorker, p *Pool) {
		w.fill(p)
		worker := &p.Worker
		worker.MachineType, worker.Image = w.Machine.Type, w.Machine.Image
		worker.CRI = orDefault(w.CRI.Name, "containerd")
		worker.KubernetesVersion = *orDefault(w.Kubernetes.Version, spec.Kubernetes.Version)
		d.readKubelet(p, w.Kubernetes.Kubelet, kubelet...)
		if p.ownKubelet = worker.Kubelet != nil; !p.ownKubelet {
			worker.Kubelet, p.kubelet = shoots.Worker.Kubelet, shoots.kubelet
		}
		if dns := spec.SystemComponents.NodeLocalDNS; dns != nil {
			worker.NodeLocalDNS = dns.Enabled
		} else {
			p.Defaulted = append(p.Defaulted, nodeLocalDNSPath) // new Shoots get it
		}
		p.Architecture, p.Cluster = w.Machine.Architecture, cluster
		if proxy := spec.Kubernetes.KubeProxy; proxy.Enabled == nil || *proxy.Enabled {
			worker.KubeProxyMode = proxy.Mode
		}
		if m.Status == nil {
			p.Unknown = append(p.Unknown, UnknownCredentials)
		} else {
			rotation := m.Status.Credentials.Rotation
			worker.CARotation, worker.ServiceAccountKeyRotation = rotation.CertificateAuthorities, rotation.ServiceAccountKey
		}
		p.Defaulted = append(p.Defaulted, omittedDefaults(p.Worker)...)
	})
}

// readKubelet reads the configuration of a kubelet.
func (d *decoder) readKubelet(p *Pool, raw []byte, at ...fieldpath.Step) {
	if !IsNull(raw) {
		p.Worker.Kubelet, p.kubelet = &hash.Kubelet{}, raw
		d.below(raw, reflect.ValueOf(p.Worker.Kubelet).Elem(), at...)
	}
}

// cluster reads what a Shoot says above its pools about their machines.
func (m *shoot) cluster(d *decoder) *Cluster {
	c := &Cluster{Hibernated: m.Spec.Hibernation.Enabled, infrastructure: m.Spec.Provider.InfrastructureConfig}
	d.at = fieldpath.Path{{Name: "metadata"}, {Name: "annotations"}}
	annotations := d.members(m.Metadata.Annotations)
	for _, name := range operationAnnotations {
		var operations string
		d.below(annotations.get(name), reflect.ValueOf(&operations).Elem(), fieldpath.Step{Name: name})
		c.Operations = append(c.Operations, strings.Split(operations, ";")...)
		c.inMaintenance = operations != "" && name == operationAnnotations[1]
	}
	if m.Status != nil {
		pending := m.Status.InPlaceUpdates.PendingWorkerUpdates
		c.Pending = slices.Concat(pending.AutoInPlaceUpdate, pending.ManualInPlaceUpdate)
	}
	return c
}

// operationAnnotations hold operations, with semicolons between them, to be done at once or in the next maintenance window.
var operationAnnotations = []string{"gardener.cloud/operation", "maintenance.gardener.cloud/operation"}

// readPools reads each element of a list of pools into a P, and what fill makes of it into the manifest.
func readPools[P any](d *decoder, to *Manifest, list fieldpath.Path, elements []json.RawMessage, fill func(from *P, p *Pool)) {
	for i, raw := range elements {
		d.at = append(slices.Clip(list), fieldpath.Step{Kind: fieldpath.Index, At: i})
		members := d.members(raw)
		var named struct{ Name string }
		d.fields(members, reflect.ValueOf(&named).Elem())
		if named.Name == "" {
			d.fail(fault.Error{Kind: fault.Missing, Code: "no-pool-name", What: "has no name", Hint: "set the name of the worker pool"})
			continue
		}
		var from P
		d.pool, d.at = named.Name, nil
		d.fields(members, reflect.ValueOf(&from).Elem())
		p := Pool{Provider: to.Provider, all: raw}
		fill(&from, &p)
		d.pool = ""
		p.Worker.Name = named.Name
		if k := p.Worker.Kubelet; k != nil {
			k.SumReservations = true
		}
		if !slices.Contains([]string{"aws", "gcp", "alicloud"}, to.Provider) { // which hash none
			p.Unknown = append(p.Unknown, UnknownProviderState)
		}
		to.Pools = append(to.Pools, p)
	}
}

// fill takes over the fields that Worker and Shoot have in common.
func (c *commonFields) fill(p *Pool) {
	p.ProviderConfig, p.DataVolumes = c.ProviderConfig, c.DataVolumes
	p.Worker.UpdateStrategy, p.declared, p.Zones = c.UpdateStrategy, c.UpdateStrategy, c.Zones
	p.MaxSurge, p.MaxUnavailable = c.MaxSurge, c.MaxUnavailable
	p.Machines = Machines{Minimum: *orDefault(c.Minimum, 0), Maximum: *orDefault(c.Maximum, 0), Known: c.Minimum != nil || c.Maximum != nil}
	if v := c.Volume; v != nil {
		p.Worker.Volume, p.Encrypted = &hash.Volume{Size: v.Size, Type: v.Type}, v.Encrypted
	}
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
