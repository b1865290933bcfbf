package pool

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/inplace"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// CloudProfile says what the cloud of a Shoot offers. A list that is empty says nothing.
type CloudProfile struct {
	cloudProfileSpec

	images map[hash.Image]*imageVersion
	now    time.Time
}

// ReadCloudProfile reads a CloudProfile or NamespacedCloudProfile of core.gardener.cloud/v1beta1 in
// JSON. For a NamespacedCloudProfile it reads the status, which has all images. Versions expire by
// the time that is given. All problems are joined, each a [*fault.Error].
func ReadCloudProfile(raw []byte, now time.Time) (*CloudProfile, error) {
	from, err := part[struct {
		TypeMeta

		Spec   cloudProfileSpec `json:"spec"`
		Status struct {
			CloudProfileSpec *cloudProfileSpec `json:"cloudProfileSpec"`
		} `json:"status"`
	}](raw)
	if from.APIVersion != "core.gardener.cloud/v1beta1" ||
		from.Kind != "CloudProfile" && from.Kind != "NamespacedCloudProfile" {
		err = errors.Join(err, &fault.Error{
			Kind: fault.Unknown, Code: "unknown-kind", Where: "manifest", What: "has another apiVersion and kind",
			Hint: "write core.gardener.cloud/v1beta1 CloudProfile or NamespacedCloudProfile",
		})
	}
	if err != nil {
		return nil, err
	}
	profile := &CloudProfile{*orDefault(from.Status.CloudProfileSpec, from.Spec), map[hash.Image]*imageVersion{}, now}
	for _, image := range profile.MachineImages {
		for i, v := range image.Versions {
			profile.images[hash.Image{Name: image.Name, Version: v.Version}] = &image.Versions[i]
		}
	}
	return profile, nil
}

// inPlace judges an in-place update from one image to another, or the image of a new pool without an
// old one. The verdict is None if the CloudProfile admits it.
func (p *CloudProfile) inPlace(old, updated hash.Image) (Verdict, Rule) {
	if rule := lowered(old, updated); rule != NoRule {
		return Forbidden, rule
	}
	if p == nil {
		return Indeterminate, RuleOf("NoCloudProfile")
	}
	if _, ok := p.images[updated]; !ok {
		return Forbidden, RuleOf("ImageUnknown")
	}
	if rule := refusal(inplace.ValidateImage(old, updated, p.supported(), nil), admission); rule != NoRule {
		return Forbidden, rule
	}
	return None, NoRule
}

// lowered returns the refusal of a lower version of an image, which holds under every CloudProfile.
func lowered(old, updated hash.Image) Rule {
	anyImage := map[hash.Image]string{updated: old.Version}
	return refusal(inplace.ValidateImage(old, updated, anyImage, nil), validation)
}

// supported returns the images that support in-place updates, with their minVersionForUpdate.
func (p *CloudProfile) supported() map[hash.Image]string {
	supported := map[hash.Image]string{}
	for image, v := range p.images {
		if v.InPlaceUpdates.Supported {
			supported[image] = v.InPlaceUpdates.MinVersionForUpdate
		}
	}
	return supported
}

// refuser records a refusal about a field of a pool, if it applies.
type refuser = func(is bool, path, function, text string)

// check refuses what the CloudProfile does not offer to a pool: validateProvider of the admission
// plugin ShootValidator.
func (p *CloudProfile) check(of *Pool, refuse refuser) {
	p.checkMachine(of, refuse)
	p.checkImage(of, refuse)
	p.checkVolume(of, refuse)
	own := text(at(of.all, "kubernetes", "version"))
	refuse(own != "" && !p.offers(own), versionPath, versionFunction, versionNotOffered)
	zones := p.zonesOf(of.Cluster.region)
	refuse(len(p.Regions) > 0 && of.Cluster.region != "" &&
		slices.ContainsFunc(of.Zones, func(name string) bool { return zones[name].Name == "" }),
		"zones", "validateZones", "the CloudProfile does not have one of the zones in the region")
}

// The rule about Kubernetes versions.
const (
	versionFunction   = "validateKubernetesVersionConstraints"
	versionNotOffered = "the CloudProfile does not have the Kubernetes version"
)

// offers reports whether a Kubernetes version is in the CloudProfile. Admission completes a partial
// one.
func (p *CloudProfile) offers(version string) bool {
	all := p.Kubernetes.Versions
	return len(all) == 0 || strings.Count(version, ".") < 2 ||
		slices.ContainsFunc(all, func(v expirable) bool { return v.Version == version })
}

// zonesOf returns the zones of a region by name.
func (p *CloudProfile) zonesOf(region string) map[string]zoneSpec {
	zones := map[string]zoneSpec{}
	for _, r := range p.Regions {
		for _, z := range r.Zones {
			if r.Name == region {
				zones[z.Name] = z
			}
		}
	}
	return zones
}

// isMissing reports whether one of the pool's zones does not have a type of machines or volumes.
func (p *CloudProfile) isMissing(of *Pool, kind string, missing func(zoneSpec) []string) bool {
	zones := p.zonesOf(of.Cluster.region)
	return slices.ContainsFunc(of.Zones, func(name string) bool { return slices.Contains(missing(zones[name]), kind) })
}

func (p *CloudProfile) checkMachine(of *Pool, refuse refuser) {
	const path, function, reserved = "machine.type", "validateMachineTypes", "validateKubeletConfig of ShootValidator"
	kind := of.Worker.MachineType
	i := slices.IndexFunc(p.MachineTypes, func(m machineType) bool { return m.Name == kind })
	refuse(i < 0 && len(p.MachineTypes) > 0 && kind != "", path, function,
		"the CloudProfile does not have the machine type")
	if i < 0 {
		return
	}
	m := p.MachineTypes[i]
	refuse(!*orDefault(m.Usable, true), path, function, "the machine type cannot be used")
	refuse(p.isMissing(of, kind, func(z zoneSpec) []string { return z.UnavailableMachineTypes }), path, function,
		"a zone does not have the machine type")
	architecture := cmp.Or(m.Architecture, amd64)
	refuse(architecture != *orDefault(of.Architecture, architecture), architecturePath, function,
		"the machine type has another architecture")
	image := p.images[imageOf(of.Worker)]
	refuse(len(p.MachineCapabilities) > 0 && image != nil && !m.canRun(image.Flavors), imageVersionPath,
		"validateMachineCapabilities", "no flavor of the machine image has the capabilities of the machine type")
	if k := of.Worker.Kubelet; k != nil && k.KubeReserved != nil && at(of.all, "kubernetes") != nil {
		tooMuch := func(reserved, capacity *resource.Quantity) bool {
			return reserved != nil && capacity != nil && reserved.Cmp(*capacity) >= 0
		}
		refuse(tooMuch(k.KubeReserved.CPU, m.CPU), reservedPath, reserved,
			"the reserved CPU is not less than the machine has")
		refuse(tooMuch(k.KubeReserved.Memory, m.Memory), reservedPath, reserved,
			"the reserved memory is not less than the machine has")
	}
}

// canRun is AreCapabilitiesSupportedByImageFlavors. Who does not name a capability has all its values.
func (m *machineType) canRun(flavors []map[string][]string) bool {
	return len(flavors) == 0 || slices.ContainsFunc(flavors, func(flavor map[string][]string) bool {
		for name, values := range flavor {
			has := func(value string) bool { return slices.Contains(m.Capabilities[name], value) }
			if m.Capabilities[name] != nil && !slices.ContainsFunc(values, has) {
				return false
			}
		}
		return true
	})
}

func (p *CloudProfile) checkImage(of *Pool, refuse refuser) {
	image := imageOf(of.Worker)
	v := p.images[image]
	isPartial := image.Name == "" || strings.Count(image.Version, ".") < 2 // admission completes it
	if v == nil {
		path := imageNamePath
		for other := range p.images {
			if other.Name == image.Name {
				path = imageVersionPath
			}
		}
		refuse(len(p.images) > 0 && !isPartial, path, imageFunction, RuleOf("ImageUnknown").Text)
		return
	}
	architectures := append(v.Architectures, amd64)[:max(1, len(v.Architectures))]
	refuse(of.Architecture != nil && !slices.Contains(architectures, *of.Architecture), architecturePath,
		imageFunction, "the machine image has another architecture")
	i := slices.IndexFunc(v.CRI, func(c cri) bool { return c.Name == *orDefault(of.Worker.CRI, "") })
	refuse(i < 0 && len(v.CRI) > 0, "cri.name", "validateCRI", "the machine image does not have the container runtime")
	for _, wanted := range listOf(at(of.all, "cri", "containerRuntimes")) {
		has := func(r named) bool { return r.Name == text(at(wanted, "type")) }
		refuse(i >= 0 && !slices.ContainsFunc(v.CRI[i].ContainerRuntimes, has), "cri.containerRuntimes", "validateCRI",
			"the machine image does not have the container runtime")
	}
}

// The rules about machine images.
const (
	imageFunction = "validateMachineImagesConstraints"
	imageExpired  = "the machine image has expired, and can only replace a lower version, or is not available yet"
)

func (p *CloudProfile) checkVolume(of *Pool, refuse refuser) {
	const path, function = "volume.type", "validateVolumeTypes"
	v := of.Worker.Volume
	if v == nil || v.Type == nil {
		return
	}
	size, err := leaf.ParseQuantity(v.Size)
	tooSmall := func(least *resource.Quantity) bool { return err == nil && least != nil && size.Cmp(*least) < 0 }
	i := slices.IndexFunc(p.VolumeTypes, func(t volumeType) bool { return t.Name == *v.Type })
	refuse(i < 0 && len(p.VolumeTypes) > 0, path, function, "the CloudProfile does not have the volume type")
	refuse(p.isMissing(of, *v.Type, func(z zoneSpec) []string { return z.UnavailableVolumeTypes }), path, function,
		"a zone does not have the volume type")
	if i >= 0 {
		refuse(!*orDefault(p.VolumeTypes[i].Usable, true), path, function, "the volume type cannot be used")
		refuse(tooSmall(p.VolumeTypes[i].MinSize), "volume.size", "validateVolumeSize",
			"the volume is smaller than the CloudProfile allows")
	}
	for _, m := range p.MachineTypes {
		if m.Name == of.Worker.MachineType && m.Storage != nil && m.Storage.Type == *v.Type {
			refuse(tooSmall(m.Storage.MinSize), "volume.size", "validateVolumeSize",
				"the volume is smaller than the machine type allows")
		}
	}
}

// stageOf returns the classification of a version: CurrentLifecycleClassification.
func (p *CloudProfile) stageOf(v expirable) string {
	stages := v.Lifecycle
	if len(stages) == 0 {
		stages = []stage{{}}
		if v.ExpirationDate != nil {
			stages = append(stages, stage{"expired", v.ExpirationDate})
		}
	}
	now := "unavailable"
	for _, s := range stages {
		if s.StartTime == nil || s.StartTime.Time.Before(p.now) {
			now = s.Classification
		}
	}
	return now
}

// expired refuses a new image that is not available yet, or that has expired: in a new pool, or if
// it is lower than the old one.
func (p *CloudProfile) expired(old, updated hash.Image) bool {
	if p == nil || old == updated || p.images[updated] == nil {
		return false
	}
	switch p.stageOf(p.images[updated].expirable) {
	case "unavailable":
		return true
	case "expired":
		return old.Version == "" || lowered(old, updated) != NoRule
	}
	return false
}

// cloudProfile refuses what the CloudProfile does not offer to the Shoot as a whole.
func (s *shoots) cloudProfile() (all []Judged) {
	p := s.profile
	if p == nil {
		return nil
	}
	if s.old.version != s.updated.version && !p.offers(s.updated.version) {
		all = s.refuse("spec."+versionPath, versionFunction, versionNotOffered)
	}
	if p.ControlPlane != nil && !p.ControlPlane.AllowZonePinning &&
		s.newly(func(m *Manifest) bool { return atSpec(m, "controlPlane", "zones") != nil }) {
		all = append(all, s.refuse("spec.controlPlane.zones", "validateControlPlaneZones",
			"the CloudProfile does not allow to choose zones")...)
	}
	most := p.Limits.MaxNodesTotal
	if most != nil && s.newly(func(m *Manifest) bool { return m.minimum() > *most }) {
		all = append(all, ofPool(Forbidden, refused("validateMaxNodesTotal",
			"the pools have more machines than the CloudProfile allows"))...)
	}
	return all
}

// minimum is the least number of machines of all pools.
func (m *Manifest) minimum() (sum int) {
	for _, p := range m.Pools {
		sum += p.Machines.Minimum
	}
	return sum
}
