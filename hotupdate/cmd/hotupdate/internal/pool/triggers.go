package pool

// TriggersV1 is what decides about the machines of every worker pool, whatever its provider. The names are those of a Shoot.
//
// Immutable fields replace machines, InPlace fields are applied by an in-place update where the pool's strategy is one. The version in
// the name changes when the fields do.
//
// Source: GEP-31, "Goals".
type TriggersV1 struct {
	// UpdateStrategy is the pool's strategy. A pool cannot change from rolling to in-place updates, nor back.
	UpdateStrategy string `json:"updateStrategy,omitempty"`
	// Kubernetes is the version and the kubelet's configuration.
	Kubernetes KubernetesV1 `json:"kubernetes,omitempty" hotupdatable:"inplace"`
	// Machine is the machine's type and image.
	Machine MachineV1 `json:"machine,omitempty"`
	// CRI is the container runtime.
	CRI CRIV1 `json:"cri,omitempty"`
	// SystemComponents is what runs on every node.
	SystemComponents SystemComponentsV1 `json:"systemComponents,omitempty"`
	// Credentials says which rotation the pool has seen.
	Credentials CredentialsV1 `json:"credentials,omitempty" hotupdatable:"inplace"`
	// NodeAgentSecretName covers all of the above. It is set only where it is the only one that changed.
	NodeAgentSecretName *string `json:"nodeAgentSecretName,omitempty"`
}

// KubernetesV1 is the Kubernetes of the nodes.
type KubernetesV1 struct {
	// Version is MAJOR.MINOR.
	Version string `json:"version,omitempty"`
	// Kubelet is the kubelet's configuration.
	Kubelet KubeletV1 `json:"kubelet,omitempty"`
}

// KubeletV1 is what of a kubelet's configuration needs a drained node.
type KubeletV1 struct {
	// Reserved is what is kept for daemons: kubeReserved, or the sum of kubeReserved and systemReserved.
	Reserved *ReservedV1 `json:"reserved,omitempty" hotupdatable:"inplace,presence"`
	// EvictionHard holds the hard eviction thresholds.
	EvictionHard *EvictionHardV1 `json:"evictionHard,omitempty" hotupdatable:"inplace,presence"`
	// CPUManagerPolicy is the CPU manager's policy.
	CPUManagerPolicy *string `json:"cpuManagerPolicy,omitempty"`
}

// ReservedV1 holds quantities as Gardener hashes them: 1024Mi is 1Gi, but 1073741824 is not.
type ReservedV1 struct {
	CPU              *string `json:"cpu,omitempty"`
	Memory           *string `json:"memory,omitempty"`
	EphemeralStorage *string `json:"ephemeralStorage,omitempty"`
	PID              *string `json:"pid,omitempty"`
}

// EvictionHardV1 holds quantities or percentages as they are written. An empty one counts as absent.
type EvictionHardV1 struct {
	MemoryAvailable   string `json:"memoryAvailable,omitempty"`
	ImageFSAvailable  string `json:"imageFSAvailable,omitempty"`
	ImageFSInodesFree string `json:"imageFSInodesFree,omitempty"`
	NodeFSAvailable   string `json:"nodeFSAvailable,omitempty"`
	NodeFSInodesFree  string `json:"nodeFSInodesFree,omitempty"`
}

// MachineV1 is the machine.
type MachineV1 struct {
	Type  string  `json:"type,omitempty"`
	Image ImageV1 `json:"image,omitempty"`
}

// ImageV1 is the machine image.
type ImageV1 struct {
	Name    *string `json:"name,omitempty"`
	Version string  `json:"version,omitempty" hotupdatable:"inplace"`
}

// CRIV1 is the container runtime.
type CRIV1 struct {
	Name *string `json:"name,omitempty"`
}

// SystemComponentsV1 is what runs on every node.
type SystemComponentsV1 struct {
	NodeLocalDNS NodeLocalDNSV1 `json:"nodeLocalDNS,omitempty"`
}

// NodeLocalDNSV1 is the DNS cache on the nodes.
type NodeLocalDNSV1 struct {
	// Enabled counts only where enabling it replaces machines, see [hash.NodeAgentSecretName].
	Enabled bool `json:"enabled,omitempty"`
}

// CredentialsV1 holds the rotations of the cluster's credentials.
type CredentialsV1 struct {
	Rotation RotationV1 `json:"rotation,omitempty"`
}

// RotationV1 holds the rotations that need new or updated nodes.
type RotationV1 struct {
	CertificateAuthorities RotationTimeV1 `json:"certificateAuthorities,omitempty"`
	ServiceAccountKey      RotationTimeV1 `json:"serviceAccountKey,omitempty"`
}

// RotationTimeV1 says when the rotation began that the pool has seen.
type RotationTimeV1 struct {
	LastInitiationTime *string `json:"lastInitiationTime,omitempty"`
}

// VolumeV1 is a root volume.
type VolumeV1 struct {
	Type *string `json:"type,omitempty"`
	Size *string `json:"size,omitempty"`
}

// EncryptedVolumeV1 is a volume where the extension hashes encryption, too.
type EncryptedVolumeV1 struct {
	VolumeV1

	Encrypted *bool `json:"encrypted,omitempty"`
}

// NamedVolumeV1 is a data volume that is found by its name.
type NamedVolumeV1 struct {
	VolumeV1

	Name string `json:"name"`
}

// NamedEncryptedVolumeV1 is a data volume of which all counts.
type NamedEncryptedVolumeV1 struct {
	EncryptedVolumeV1

	Name string `json:"name"`
}

// AWSV1 are the triggers on AWS: encryption counts, and data volumes are hashed in their order, without names.
type AWSV1 struct {
	TriggersV1

	Volume      EncryptedVolumeV1   `json:"volume,omitempty"`
	DataVolumes []EncryptedVolumeV1 `json:"dataVolumes,omitempty"`
}

// AzureV1 are the triggers on Azure: data volumes are hashed without names, in the order of size and type.
type AzureV1 struct {
	TriggersV1

	Volume      VolumeV1   `json:"volume,omitempty"`
	DataVolumes []VolumeV1 `json:"dataVolumes,omitempty"`
}

// GCPV1 are the triggers on GCP: data volumes are found by name.
type GCPV1 struct {
	TriggersV1

	Volume      VolumeV1        `json:"volume,omitempty"`
	DataVolumes []NamedVolumeV1 `json:"dataVolumes,omitempty" hotupdatable:"false,key=name"`
}

// OpenStackV1 are the triggers on OpenStack, where data volumes are not hashed.
type OpenStackV1 struct {
	TriggersV1

	Volume VolumeV1 `json:"volume,omitempty"`
}

// AliCloudV1 are the triggers on AliCloud: encryption counts, and data volumes are hashed in their order, without names.
type AliCloudV1 struct {
	TriggersV1

	Volume      EncryptedVolumeV1   `json:"volume,omitempty"`
	DataVolumes []EncryptedVolumeV1 `json:"dataVolumes,omitempty"`
}

// OtherV1 are the triggers where the provider is not known: everything about volumes counts.
type OtherV1 struct {
	TriggersV1

	Volume      EncryptedVolumeV1        `json:"volume,omitempty"`
	DataVolumes []NamedEncryptedVolumeV1 `json:"dataVolumes,omitempty" hotupdatable:"false,key=name"`
}
