package pool

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/members"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/inplace"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// CloudProfile says what the cloud of a Shoot offers. A list that is empty says nothing.
type CloudProfile struct {
	spec   *tree.Node
	images map[hash.Image]*tree.Node // their versions
	now    time.Time
}

// ReadCloudProfile reads a CloudProfile or NamespacedCloudProfile of core.gardener.cloud/v1beta1. For
// a NamespacedCloudProfile it reads the status, which has all images. Versions expire by the time
// that is given. All problems are joined, each a [*fault.Error].
func ReadCloudProfile(object *tree.Node, now time.Time) (*CloudProfile, error) {
	meta := TypeMetaOf(object)
	if meta.APIVersion != "core.gardener.cloud/v1beta1" ||
		meta.Kind != "CloudProfile" && meta.Kind != "NamespacedCloudProfile" {
		return nil, otherKind("write core.gardener.cloud/v1beta1 CloudProfile or NamespacedCloudProfile")
	}
	if _, err := checkMembers("", members.CloudProfile, object); err != nil {
		return nil, err
	}
	profile := &CloudProfile{
		cmp.Or(object.At("status", "cloudProfileSpec"), object.At("spec")), map[hash.Image]*tree.Node{}, now,
	}
	for _, image := range profile.spec.At("machineImages").Elements() {
		for _, version := range image.At("versions").Elements() {
			profile.images[hash.Image{Name: image.At("name").Text(), Version: version.At("version").Text()}] = version
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
		if updates := v.At("inPlaceUpdates"); updates.At("supported").IsTrue() {
			supported[image] = updates.At("minVersionForUpdate").Text()
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
	refuse(p.spec.At("regions").Len() > 0 && of.Cluster.region != "" &&
		slices.ContainsFunc(of.Zones, func(name string) bool { return zones.Keyed("name", name) == nil }),
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
	all := p.spec.At("kubernetes", "versions")
	return all.Len() == 0 || strings.Count(version, ".") < 2 || all.Keyed("version", version) != nil
}

// zonesOf returns the zones of a region.
func (p *CloudProfile) zonesOf(region string) *tree.Node {
	return p.spec.At("regions").Keyed("name", region).At("zones")
}

// isMissing reports whether one of the pool's zones lists a type of machines or volumes in a member,
// as unavailable.
func (p *CloudProfile) isMissing(of *Pool, kind, member string) bool {
	zones := p.zonesOf(of.Cluster.region)
	return slices.ContainsFunc(of.Zones, func(name string) bool {
		return slices.Contains(textsIn(zones.Keyed("name", name).At(member)), kind)
	})
}

// isUnusable reports whether a type of machines or volumes cannot be used.
func isUnusable(kind *tree.Node) bool {
	usable := kind.At("usable")
	return usable != nil && !usable.IsTrue()
}

func (p *CloudProfile) checkMachine(of *Pool, refuse refuser) {
	const path, function, reserved = "machine.type", "validateMachineTypes", "validateKubeletConfig of ShootValidator"
	kind, offered := of.Worker.MachineType, p.spec.At("machineTypes")
	m := offered.Keyed("name", kind)
	refuse(m == nil && offered.Len() > 0 && kind != "", path, function,
		"the CloudProfile does not have the machine type")
	if m == nil {
		return
	}
	refuse(isUnusable(m), path, function, "the machine type cannot be used")
	refuse(p.isMissing(of, kind, "unavailableMachineTypes"), path, function,
		"a zone does not have the machine type")
	architecture := cmp.Or(m.At("architecture").Text(), amd64)
	refuse(architecture != *orDefault(of.Architecture, architecture), architecturePath, function,
		"the machine type has another architecture")
	image := p.images[imageOf(of.Worker)]
	refuse(p.spec.At("machineCapabilities").Len() > 0 && !canRun(m, image.At("capabilityFlavors")), imageVersionPath,
		"validateMachineCapabilities", "no flavor of the machine image has the capabilities of the machine type")
	if k := of.Worker.Kubelet; k != nil && k.KubeReserved != nil && at(of.all, "kubernetes") != nil {
		tooMuch := func(reserved, capacity *resource.Quantity) bool {
			return reserved != nil && capacity != nil && reserved.Cmp(*capacity) >= 0
		}
		refuse(tooMuch(k.KubeReserved.CPU, quantityIn(m.At("cpu"))), reservedPath, reserved,
			"the reserved CPU is not less than the machine has")
		refuse(tooMuch(k.KubeReserved.Memory, quantityIn(m.At("memory"))), reservedPath, reserved,
			"the reserved memory is not less than the machine has")
	}
}

// amd64 is the default architecture of machine types and images.
const amd64 = "amd64"

// canRun is AreCapabilitiesSupportedByImageFlavors. Who does not name a capability has all its values.
func canRun(machine, flavors *tree.Node) bool {
	for _, flavor := range flavors.Elements() {
		fits := true
		for name, values := range flavor.Members() {
			own := machine.At("capabilities", name)
			has := func(value string) bool { return slices.Contains(textsIn(own), value) }
			fits = fits && (own == nil || slices.ContainsFunc(textsIn(values), has))
		}
		if fits {
			return true
		}
	}
	return flavors.Len() == 0
}

func (p *CloudProfile) checkImage(of *Pool, refuse refuser) {
	image := imageOf(of.Worker)
	v := p.images[image]
	isPartial := image.Name == "" || strings.Count(image.Version, ".") < 2 // admission completes it
	if v == nil {
		path := imageNamePath
		if p.spec.At("machineImages").Keyed("name", image.Name).At("versions").Len() > 0 {
			path = imageVersionPath
		}
		refuse(len(p.images) > 0 && !isPartial, path, imageFunction, RuleOf("ImageUnknown").Text)
		return
	}
	architectures := textsIn(v.At("architectures"))
	if len(architectures) == 0 {
		architectures = []string{amd64}
	}
	refuse(of.Architecture != nil && !slices.Contains(architectures, *of.Architecture), architecturePath,
		imageFunction, "the machine image has another architecture")
	runtimes := v.At("cri")
	runtime := runtimes.Keyed("name", *orDefault(of.Worker.CRI, ""))
	refuse(runtime == nil && runtimes.Len() > 0, "cri.name", "validateCRI",
		"the machine image does not have the container runtime")
	for _, wanted := range listOf(at(of.all, "cri", "containerRuntimes")) {
		refuse(runtime != nil && runtime.At("containerRuntimes").Keyed("type", text(at(wanted, "type"))) == nil,
			"cri.containerRuntimes", "validateCRI", "the machine image does not have the container runtime")
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
	offered := p.spec.At("volumeTypes")
	kind := offered.Keyed("name", *v.Type)
	refuse(kind == nil && offered.Len() > 0, path, function, "the CloudProfile does not have the volume type")
	refuse(p.isMissing(of, *v.Type, "unavailableVolumeTypes"), path, function,
		"a zone does not have the volume type")
	refuse(isUnusable(kind), path, function, "the volume type cannot be used")
	refuse(tooSmall(quantityIn(kind.At("minSize"))), "volume.size", "validateVolumeSize",
		"the volume is smaller than the CloudProfile allows")
	storage := p.spec.At("machineTypes").Keyed("name", of.Worker.MachineType).At("storage")
	refuse(storage.At("type").Text() == *v.Type && tooSmall(quantityIn(storage.At("minSize"))), "volume.size",
		"validateVolumeSize", "the volume is smaller than the machine type allows")
}

// stageOf returns the classification of a version: CurrentLifecycleClassification.
func (p *CloudProfile) stageOf(version *tree.Node) string {
	now := "unavailable"
	isPast := func(t *metav1.Time) bool { return t == nil || t.Time.Before(p.now) }
	for _, stage := range version.At("lifecycle").Elements() {
		if isPast(timeIn(stage.At("startTime"))) {
			now = stage.At("classification").Text()
		}
	}
	expires := version.At("expirationDate")
	switch {
	case version.At("lifecycle").Len() > 0:
		return now
	case expires != nil && isPast(timeIn(expires)):
		return "expired"
	}
	return ""
}

// expired refuses a new image that is not available yet, or that has expired: in a new pool, or if
// it is lower than the old one.
func (p *CloudProfile) expired(old, updated hash.Image) bool {
	if p == nil || old == updated || p.images[updated] == nil {
		return false
	}
	switch p.stageOf(p.images[updated]) {
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
	if above := p.spec.At("controlPlane"); above != nil && !above.At("allowZonePinning").IsTrue() &&
		s.newly(func(m *Manifest) bool { return atSpec(m, "controlPlane", "zones") != nil }) {
		all = append(all, s.refuse("spec.controlPlane.zones", "validateControlPlaneZones",
			"the CloudProfile does not allow to choose zones")...)
	}
	most := p.spec.At("limits", "maxNodesTotal")
	if most != nil && s.newly(func(m *Manifest) bool { return m.minimum() > wholeIn(most) }) {
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
