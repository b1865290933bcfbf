package facts

import (
	"cmp"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/version"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/kinds"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
)

// CloudProfiles are the CloudProfiles that are known.
type CloudProfiles []*CloudProfile

// Of returns the CloudProfile that a Shoot refers to, or nil if it is not known: if none fits, or several do. A
// manifest that refers to none has the only one.
func (all CloudProfiles) Of(m *Manifest) *CloudProfile {
	fitting := all.fitting(m.cloudProfile())
	if len(fitting) != 1 {
		return nil
	}
	return fitting[0]
}

// fitting returns the CloudProfiles that may be the one of an ID; all if it has no name.
func (all CloudProfiles) fitting(wanted profileID) (fitting CloudProfiles) {
	for _, profile := range all {
		if wanted.name == "" || profile.id.name == "" || profile.id.is(wanted) {
			fitting = append(fitting, profile)
		}
	}
	return fitting
}

// OfApplied returns the CloudProfile that the Shoot of a cluster refers to once a manifest is applied to it: a manifest
// that refers to none leaves the reference of the Shoot.
func (all CloudProfiles) OfApplied(cluster, m *Manifest) *CloudProfile {
	if m.cloudProfile().name == "" {
		return all.Of(cluster)
	}
	return all.Of(m)
}

// profileID identifies a CloudProfile or a NamespacedCloudProfile.
type profileID struct{ kind, namespace, name string }

const namespacedCloudProfile = "NamespacedCloudProfile"

// is reports whether the ID equals another one, or may equal it if the other one's namespace is
// missing.
func (id profileID) is(other profileID) bool {
	if id.kind != other.kind || id.name != other.name {
		return false
	}
	isOpen := id.namespace == "" || other.namespace == ""
	return id.kind != namespacedCloudProfile || isOpen || id.namespace == other.namespace
}

// String returns the kind and the name.
func (id profileID) String() string { return id.kind + " " + id.name }

// cloudProfile returns the reference of a Shoot to its CloudProfile: BuildV1beta1CloudProfileReference.
// It has no name if there is none.
func (m *Manifest) cloudProfile() profileID {
	reference := m.Tree.At("spec", "cloudProfile")
	id := profileID{reference.At("kind").Text(), m.Namespace, reference.At("name").Text()}
	if id.name == "" {
		id = profileID{name: m.Tree.At("spec", "cloudProfileName").Text()}
	}
	id.kind = cmp.Or(id.kind, "CloudProfile")
	return id
}

// Reference names the CloudProfile that a Shoot refers to, and counts those that may be it. The name is empty if the
// Shoot refers to none.
func (all CloudProfiles) Reference(m *Manifest) (name string, fitting int) {
	wanted := m.cloudProfile()
	if m.Kind != Shoot || wanted.name == "" {
		return "", 0
	}
	return wanted.String(), len(all.fitting(wanted))
}

// CloudProfile says what Gardener fills in, and which machine images can be updated in place.
type CloudProfile struct {
	id     profileID
	spec   *tree.Node
	images map[hash.Image]*tree.Node // their versions
	now    time.Time
}

// IsCloudProfile reports whether objects of a type are CloudProfiles.
func IsCloudProfile(meta TypeMeta) bool {
	return meta.APIVersion == "core.gardener.cloud/v1beta1" &&
		(meta.Kind == "CloudProfile" || meta.Kind == namespacedCloudProfile)
}

// ReadCloudProfile reads a CloudProfile or NamespacedCloudProfile of core.gardener.cloud/v1beta1. For
// a NamespacedCloudProfile it reads the status, which has all images. Versions expire by the time
// that is given. All problems are joined, each a [*fault.Error].
func ReadCloudProfile(object *tree.Node, now time.Time) (*CloudProfile, error) {
	meta := TypeMetaOf(object)
	if !IsCloudProfile(meta) {
		return nil, otherKind("write core.gardener.cloud/v1beta1 CloudProfile or NamespacedCloudProfile")
	}
	if _, err := kinds.Kind(meta.Kind).Examine(object); err != nil {
		return nil, err
	}
	profile := &CloudProfile{
		profileID{meta.Kind, object.At("metadata", "namespace").Text(), object.At("metadata", "name").Text()},
		cmp.Or(object.At("status", "cloudProfileSpec"), object.At("spec")),
		map[hash.Image]*tree.Node{},
		now,
	}
	for _, image := range profile.spec.At("machineImages").Elements() {
		for _, version := range image.At("versions").Elements() {
			profile.images[hash.Image{Name: image.At("name").Text(), Version: version.At("version").Text()}] = version
		}
	}
	return profile, nil
}

// Has reports whether the CloudProfile has a machine image.
func (p *CloudProfile) Has(image hash.Image) bool { return p.images[image] != nil }

// OtherVersions returns the other versions of a machine image, in the order of the CloudProfile.
func (p *CloudProfile) OtherVersions(of hash.Image) (versions []string) {
	if p == nil {
		return nil
	}
	for _, image := range p.spec.At("machineImages").Elements() {
		for _, version := range image.At("versions").Elements() {
			text := version.At("version").Text()
			if image.At("name").Text() == of.Name && text != of.Version {
				versions = append(versions, text)
			}
		}
	}
	return versions
}

// InPlaceImages returns the images that support in-place updates, with their minVersionForUpdate.
func (p *CloudProfile) InPlaceImages() map[hash.Image]string {
	supported := map[hash.Image]string{}
	for image, v := range p.images {
		if updates := v.At("inPlaceUpdates"); updates.At("supported").IsTrue() {
			supported[image] = updates.At("minVersionForUpdate").Text()
		}
	}
	return supported
}

// stage is a stage in the life of a version. The zero value is supported.
type stage string

const (
	supported   stage = ""
	preview     stage = "preview"
	deprecated  stage = "deprecated"
	unavailable stage = "unavailable" // not yet
	expired     stage = "expired"
)

// stageOf returns the stage of a version: CurrentLifecycleClassification.
func (p *CloudProfile) stageOf(version *tree.Node) stage {
	hasBegun := func(at *tree.Node) bool { return at == nil || timeIn(at).Time.Before(p.now) }
	if lifecycle := version.At("lifecycle"); lifecycle.Len() > 0 {
		now := unavailable
		for _, next := range lifecycle.Elements() {
			if hasBegun(next.At("startTime")) {
				now = stageNamed(next.At("classification").Text())
			}
		}
		return now
	}
	if expires := version.At("expirationDate"); expires != nil && hasBegun(expires) {
		return expired
	}
	return stageNamed(version.At("classification").Text())
}

// stageNamed returns the stage of a name. One that is missing or unknown is supported.
func stageNamed(name string) stage {
	switch s := stage(name); s {
	case preview, deprecated, unavailable, expired:
		return s
	case supported:
	}
	return supported
}

// newest keeps the newest version of those passed to show; the zero value has none.
type newest struct {
	version *version.Version
	text    string
}

// show compares a version with the newest one. Gardener admits no version that cannot be read.
func (n *newest) show(text string) {
	v, err := version.ParseSemantic(text)
	if err != nil {
		v, err = version.ParseGeneric(text)
	}
	if err == nil && (n.version == nil || n.version.LessThan(v)) {
		n.version = v
		n.text = text
	}
}

// latestVersion returns the newest supported Kubernetes version that begins with the parts of a
// partial one: defaultKubernetesVersion. It is empty if there is no CloudProfile, or it has none.
func (p *CloudProfile) latestVersion(partial string) string {
	if p == nil {
		return ""
	}
	var latest newest
	for _, one := range p.spec.At("kubernetes", "versions").Elements() {
		text := one.At("version").Text()
		if p.stageOf(one) == supported && beginsWith(text, partial) {
			latest.show(text)
		}
	}
	return latest.text
}

// beginsWith reports whether a version has the parts of a partial one: 1.34.2 begins with 1.34.
func beginsWith(version, partial string) bool {
	return partial == "" || version == partial || strings.HasPrefix(version, strings.TrimSuffix(partial, ".")+".")
}
