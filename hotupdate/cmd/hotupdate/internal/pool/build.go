package pool

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
)

// unknownVersion stands for a Kubernetes version that is not known: node-local DNS counts below it.
const unknownVersion = "0.0"

// common returns the triggers that all providers have. Package hash decides what counts; its parts are taken apart again only where they
// hold several fields.
func (p Pool) common() (TriggersV1, error) {
	w := p.Worker
	w.UpdateStrategy = hotupdate.AutoRollingUpdate // whose name has all the parts
	w.KubernetesVersion = cmp.Or(w.KubernetesVersion, unknownVersion)
	name, err := hash.NodeAgentSecretName(w)
	if err != nil {
		return TriggersV1{}, p.invalid(err)
	}
	reserved, err := w.Kubelet.Reservations()
	if err != nil {
		return TriggersV1{}, p.invalid(err)
	}
	parts := partsOf(name)
	t := TriggersV1{UpdateStrategy: p.Worker.UpdateStrategy.String()}
	if p.Worker.KubernetesVersion != "" {
		t.Kubernetes.Version = *parts[hash.PartKubernetesVersion]
	}
	t.Kubernetes.Kubelet = KubeletV1{
		Reserved: reservedOf(reserved), EvictionHard: evictionOf(w.Kubelet), CPUManagerPolicy: parts[hash.PartCPUManagerPolicy],
	}
	t.Machine.Type = w.MachineType
	if w.Image != nil {
		t.Machine.Image = ImageV1{Name: &w.Image.Name, Version: w.Image.Version}
	}
	t.CRI.Name = parts[hash.PartCRI]
	t.SystemComponents.NodeLocalDNS.Enabled = parts[hash.PartNodeLocalDNS] != nil
	t.Credentials.Rotation.CertificateAuthorities.LastInitiationTime = parts[hash.PartCARotation]
	t.Credentials.Rotation.ServiceAccountKey.LastInitiationTime = parts[hash.PartServiceAccountKeyRotation]
	t.NodeAgentSecretName = p.NodeAgentSecretName
	return t, nil
}

func (p Pool) invalid(err error) error {
	var r reader
	r.found(p.Worker.Name, "", err)
	return r.err()
}

func partsOf(name hash.Name) map[string]*string {
	parts := make(map[string]*string, len(name.Parts))
	for _, part := range name.Parts {
		parts[part.Name] = &part.Value
	}
	return parts
}

func reservedOf(r *hash.Reserved) *ReservedV1 {
	if r == nil {
		return nil
	}
	return &ReservedV1{CPU: text(r.CPU), Memory: text(r.Memory), EphemeralStorage: text(r.EphemeralStorage), PID: text(r.PID)}
}

// text prints a copy: Quantity's String keeps its result in the quantity, which pools may share.
func text(q *resource.Quantity) *string {
	if q == nil {
		return nil
	}
	c := q.DeepCopy()
	return new(c.String())
}

func evictionOf(k *hash.Kubelet) *EvictionHardV1 {
	if k == nil || k.EvictionHard == nil {
		return nil
	}
	e := k.EvictionHard
	return &EvictionHardV1{
		MemoryAvailable: deref(e.MemoryAvailable), ImageFSAvailable: deref(e.ImageFSAvailable),
		ImageFSInodesFree: deref(e.ImageFSInodesFree), NodeFSAvailable: deref(e.NodeFSAvailable),
		NodeFSInodesFree: deref(e.NodeFSInodesFree),
	}
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// variant is the triggers of one provider: their Schema, and how they are made of the common ones and a pool.
type variant struct {
	schema func() (*hotupdate.Schema, error)
	build  func(t TriggersV1, p Pool) any
}

// The names of the providers with triggers of their own, as in a Shoot's provider type.
const (
	aws       = "aws"
	azure     = "azure"
	gcp       = "gcp"
	openStack = "openstack"
	aliCloud  = "alicloud"
)

// Schema returns the Schema of a provider's triggers: of [AWSV1] for aws, and so on, of [OtherV1] for one that is not known.
func Schema(provider string) (*hotupdate.Schema, error) { return variantOf(provider).schema() }

func variantOf(provider string) variant {
	switch provider {
	case aws:
		return variant{schemaOf[AWSV1], func(t TriggersV1, p Pool) any {
			return &AWSV1{t, p.encryptedVolume(), inOrder(p.DataVolumes, DataVolume.encrypted)}
		}}
	case azure:
		return variant{schemaOf[AzureV1], func(t TriggersV1, p Pool) any {
			return &AzureV1{t, p.volume(), inOrder(slices.SortedFunc(slices.Values(p.DataVolumes), bySizeAndType), DataVolume.plain)}
		}}
	case gcp:
		return variant{schemaOf[GCPV1], func(t TriggersV1, p Pool) any {
			return &GCPV1{t, p.volume(), inOrder(p.DataVolumes, DataVolume.named)}
		}}
	case openStack:
		return variant{schemaOf[OpenStackV1], func(t TriggersV1, p Pool) any { return &OpenStackV1{t, p.volume()} }}
	case aliCloud:
		return variant{schemaOf[AliCloudV1], func(t TriggersV1, p Pool) any {
			return &AliCloudV1{t, p.encryptedVolume(), inOrder(p.DataVolumes, DataVolume.encrypted)}
		}}
	default:
		return variant{schemaOf[OtherV1], func(t TriggersV1, p Pool) any {
			return &OtherV1{t, p.encryptedVolume(), inOrder(p.DataVolumes, DataVolume.whole)}
		}}
	}
}

func schemaOf[T any]() (*hotupdate.Schema, error) { return hotupdate.SchemaOf[T]() }

func (p Pool) volume() VolumeV1 {
	if p.Worker.Volume == nil {
		return VolumeV1{}
	}
	return VolumeV1{Type: p.Worker.Volume.Type, Size: &p.Worker.Volume.Size}
}

func (p Pool) encryptedVolume() EncryptedVolumeV1 { return EncryptedVolumeV1{p.volume(), p.Encrypted} }

func inOrder[T any](volumes []DataVolume, build func(DataVolume) T) []T {
	var all []T
	for _, v := range volumes {
		all = append(all, build(v))
	}
	return all
}

func (v DataVolume) plain() VolumeV1 { return VolumeV1{v.Type, &v.Size} }

func (v DataVolume) encrypted() EncryptedVolumeV1 { return EncryptedVolumeV1{v.plain(), v.Encrypted} }

func (v DataVolume) named() NamedVolumeV1 { return NamedVolumeV1{v.plain(), v.Name} }

func (v DataVolume) whole() NamedEncryptedVolumeV1 {
	return NamedEncryptedVolumeV1{v.encrypted(), v.Name}
}

// bySizeAndType orders volumes; one without a type stands before one with an empty type.
func bySizeAndType(a, b DataVolume) int {
	return cmp.Or(cmp.Compare(a.Size, b.Size), cmp.Compare(count(a.Type), count(b.Type)), cmp.Compare(deref(a.Type), deref(b.Type)))
}

func count(s *string) int {
	if s == nil {
		return 0
	}
	return 1
}
