package pool

import (
	"cmp"
	"encoding/json"
	"sync"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
)

// Triggers has the fields that decide about the machines of a worker pool beside the provider config. The names are those of a Shoot. Immutable
// fields replace machines. InPlace fields are applied by an in-place update if the pool has an in-place strategy. Source: GEP-31, "Goals".
type Triggers struct {
	// UpdateStrategy is the pool's strategy. A pool cannot change from rolling to in-place updates, nor back.
	UpdateStrategy string `json:"updateStrategy,omitempty"`
	// Kubernetes has the minor version, and the fields of the kubelet's configuration that need a drained node.
	Kubernetes struct {
		Version string `json:"version,omitempty"`
		Kubelet struct {
			// Reserved is kubeReserved, or the sum of kubeReserved and systemReserved, in the form that Gardener hashes: 1024Mi is 1Gi, but 1073741824 is not.
			Reserved *struct {
				CPU              *string `json:"cpu,omitempty"`
				Memory           *string `json:"memory,omitempty"`
				EphemeralStorage *string `json:"ephemeralStorage,omitempty"`
				PID              *string `json:"pid,omitempty"`
			} `json:"reserved,omitempty" hotupdatable:"inplace,presence"`
			// EvictionHard has the hard eviction thresholds as they are written. An empty one counts as absent.
			EvictionHard *struct {
				MemoryAvailable   string `json:"memoryAvailable,omitempty"`
				ImageFSAvailable  string `json:"imageFSAvailable,omitempty"`
				ImageFSInodesFree string `json:"imageFSInodesFree,omitempty"`
				NodeFSAvailable   string `json:"nodeFSAvailable,omitempty"`
				NodeFSInodesFree  string `json:"nodeFSInodesFree,omitempty"`
			} `json:"evictionHard,omitempty"     hotupdatable:"inplace,presence"`
			CPUManagerPolicy *string `json:"cpuManagerPolicy,omitempty"`
		} `json:"kubelet,omitempty"`
	} `json:"kubernetes,omitempty" hotupdatable:"inplace"`
	Machine struct {
		Type  string `json:"type,omitempty"`
		Image struct {
			Name    *string `json:"name,omitempty"`
			Version string  `json:"version,omitempty" hotupdatable:"inplace"`
		} `json:"image,omitempty"`
	} `json:"machine,omitempty"`
	CRI struct {
		Name *string `json:"name,omitempty"`
	} `json:"cri,omitempty"`
	SystemComponents struct {
		NodeLocalDNS struct {
			// Enabled counts only if enabling it replaces machines, see [hash.NodeAgentSecretName].
			Enabled bool `json:"enabled,omitempty"`
		} `json:"nodeLocalDNS,omitempty"`
	} `json:"systemComponents,omitempty"`
	// Credentials has the last rotations that the pool has followed.
	Credentials struct {
		Rotation struct {
			CertificateAuthorities Rotation `json:"certificateAuthorities,omitempty"`
			ServiceAccountKey      Rotation `json:"serviceAccountKey,omitempty"`
		} `json:"rotation,omitempty"`
	} `json:"credentials,omitempty" hotupdatable:"inplace"`
	// NodeAgentSecretName covers all of the above. It counts only if no other trigger changed.
	NodeAgentSecretName *string `json:"nodeAgentSecretName,omitempty"`
	// Volume and DataVolumes have the fields of volumes that Gardener or an extension hashes.
	Volume      Volume   `json:"volume,omitempty"`
	DataVolumes []Volume `json:"dataVolumes,omitempty"`
}

// Rotation is the last rotation that the pool has followed.
type Rotation struct {
	LastInitiationTime *string `json:"lastInitiationTime,omitempty"`
}

// Volume has the hashed fields of a root volume or a data volume.
type Volume struct {
	Name      string  `json:"name"`
	Type      *string `json:"type,omitempty"`
	Size      *string `json:"size,omitempty"`
	Encrypted *bool   `json:"encrypted,omitempty"`
}

// The paths of triggers with rules of their own.
const (
	strategyPath     = "updateStrategy"
	secretNamePath   = "nodeAgentSecretName"
	versionPath      = "kubernetes.version"
	reservedPath     = "kubernetes.kubelet.reserved"
	imageNamePath    = "machine.image.name"
	imageVersionPath = "machine.image.version"
	nodeLocalDNSPath = "systemComponents.nodeLocalDNS.enabled"
	architecturePath = "machine.architecture"
)

// unknownVersion replaces an unknown Kubernetes version. Like all versions below 1.34 it lets node-local DNS count.
const unknownVersion = "0.0"

var triggerSchema = sync.OnceValue(func() *hotupdate.Schema {
	schema, _ := hotupdate.SchemaOf[Triggers]() // a test compiles it
	return schema
})

// triggers returns the pool's triggers. Package hash decides which parts count.
func (p *Pool) triggers() (*Triggers, error) {
	w := p.Worker
	w.UpdateStrategy = hotupdate.AutoRollingUpdate // the name of a rolling pool has all the parts
	w.KubernetesVersion = cmp.Or(w.KubernetesVersion, unknownVersion)
	name, err := hash.NodeAgentSecretName(w)
	if err != nil {
		return nil, err
	}
	parts := make(map[string]*string, len(name.Parts))
	for _, part := range name.Parts {
		parts[part.Name] = &part.Value
	}
	t := &Triggers{UpdateStrategy: p.Worker.UpdateStrategy.String(), NodeAgentSecretName: p.NodeAgentSecretName}
	if p.Worker.KubernetesVersion != "" {
		t.Kubernetes.Version = *parts["Kubernetes version"]
	}
	kubelet := &t.Kubernetes.Kubelet
	kubelet.CPUManagerPolicy = parts["kubelet CPU manager policy"]
	texts, _ := json.Marshal(map[string]any{"reserved": w.Kubelet.Reservations(), "evictionHard": orDefault(w.Kubelet, hash.Kubelet{}).EvictionHard})
	_ = json.Unmarshal(texts, kubelet) // members of the same names
	t.Machine.Type = w.MachineType
	if w.Image != nil {
		t.Machine.Image.Name, t.Machine.Image.Version = &w.Image.Name, w.Image.Version
	}
	t.CRI.Name = parts["container runtime"]
	t.SystemComponents.NodeLocalDNS.Enabled = parts["node-local DNS"] != nil
	t.Credentials.Rotation.CertificateAuthorities.LastInitiationTime = parts["certificate authorities rotation"]
	t.Credentials.Rotation.ServiceAccountKey.LastInitiationTime = parts["service-account key rotation"]
	if v := w.Volume; v != nil {
		t.Volume = Volume{Type: v.Type, Size: &v.Size}
	}
	t.Volume.Encrypted = p.Encrypted
	for _, v := range p.DataVolumes {
		t.DataVolumes = append(t.DataVolumes, Volume{v.Name, v.Type, &v.Size, v.Encrypted})
	}
	return t, nil
}
