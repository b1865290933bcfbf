package pool

import (
	"errors"

	"github.com/hotupdate/providerconfig/hash"
	manifests "github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/inplace"
)

// CloudProfile is what a CloudProfile says about updates of machine images in place.
type CloudProfile struct {
	images map[hash.Image]inPlaceUpdates
}

type inPlaceUpdates struct {
	Supported           bool
	MinVersionForUpdate string
}

// ReadCloudProfile reads a CloudProfile or NamespacedCloudProfile of core.gardener.cloud/v1beta1 in JSON. Of a NamespacedCloudProfile the
// status counts, which has all images. All problems come back joined, each a [*fault.Error].
func ReadCloudProfile(raw []byte) (*CloudProfile, error) {
	d := &decoder{}
	if !manifests.IsJSON(raw) {
		d.fail("", "", fault.Error{Kind: fault.Malformed, Code: "invalid-json", What: "is no valid JSON", Hint: "write a CloudProfile"})
		return nil, errors.Join(d.problems...)
	}
	root := d.root(raw).object()
	if meta := root.typeMeta(); meta.APIVersion != "core.gardener.cloud/v1beta1" || meta.Kind != "CloudProfile" && meta.Kind != "NamespacedCloudProfile" {
		root.fail(fault.Error{
			Kind: fault.Unknown, Code: "unknown-kind", What: "has another apiVersion and kind",
			Hint: "write core.gardener.cloud/v1beta1 CloudProfile or NamespacedCloudProfile",
		})
	}
	spec := root.below("spec")
	if merged := root.below("status").get("cloudProfileSpec"); merged.raw != nil {
		spec = merged.object()
	}
	profile := &CloudProfile{images: map[hash.Image]inPlaceUpdates{}}
	for _, element := range spec.get("machineImages").elements() {
		image := element.object()
		name := image.get("name").text()
		for _, version := range image.get("versions").elements() {
			v := version.object()
			updates := v.below("inPlaceUpdates")
			profile.images[hash.Image{Name: name, Version: v.get("version").text()}] = inPlaceUpdates{
				Supported: read[bool](updates.get("supported")), MinVersionForUpdate: updates.get("minVersionForUpdate").text(),
			}
		}
	}
	if err := errors.Join(d.problems...); err != nil {
		return nil, err
	}
	return profile, nil
}

// inPlace judges an update in place from one image to another: None if the CloudProfile lets it pass.
func (p *CloudProfile) inPlace(old, updated hash.Image) (Verdict, Rule) {
	if rule := refusal(inplace.ValidateImage(old, updated, old.Version, nil), validation); rule != NoRule { // whatever the CloudProfile says
		return Forbidden, rule
	}
	if p == nil {
		return Indeterminate, NoCloudProfile
	}
	image, ok := p.images[updated]
	if !ok {
		return Forbidden, ImageUnknown
	}
	if !image.Supported {
		image.MinVersionForUpdate = ""
	}
	if rule := refusal(inplace.ValidateImage(old, updated, image.MinVersionForUpdate, nil), admission); rule != NoRule {
		return Forbidden, rule
	}
	return None, NoRule
}

// supports judges a new pool that is to be updated in place.
func (p *CloudProfile) supports(image hash.Image) (Verdict, Rule) {
	if p == nil {
		return Indeterminate, NoCloudProfile
	}
	if !p.images[image].Supported {
		return Forbidden, ImageNotInPlace
	}
	return None, NoRule
}
