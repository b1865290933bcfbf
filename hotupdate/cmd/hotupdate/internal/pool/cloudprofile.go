package pool

import (
	"encoding/json"
	"errors"
	"reflect"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
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
	type spec struct {
		MachineImages []struct {
			Name     string
			Versions []struct {
				Version        string
				InPlaceUpdates inPlaceUpdates
			}
		}
	}
	var profile struct {
		TypeMeta

		Spec   spec
		Status struct{ CloudProfileSpec *spec }
	}
	d := &decoder{}
	if !json.Valid(raw) {
		d.fail(fault.Error{Kind: fault.Malformed, Code: "invalid-json", What: "is no valid JSON", Hint: "write a CloudProfile"})
		return nil, errors.Join(d.problems...)
	}
	d.fields(d.members(raw), reflect.ValueOf(&profile).Elem())
	if profile.APIVersion != "core.gardener.cloud/v1beta1" || profile.Kind != "CloudProfile" && profile.Kind != "NamespacedCloudProfile" {
		d.fail(fault.Error{
			Kind: fault.Unknown, Code: "unknown-kind", What: "has another apiVersion and kind",
			Hint: "write core.gardener.cloud/v1beta1 CloudProfile or NamespacedCloudProfile",
		})
	}
	if profile.Status.CloudProfileSpec != nil {
		profile.Spec = *profile.Status.CloudProfileSpec
	}
	read := &CloudProfile{images: map[hash.Image]inPlaceUpdates{}}
	for _, image := range profile.Spec.MachineImages {
		for _, v := range image.Versions {
			read.images[hash.Image{Name: image.Name, Version: v.Version}] = v.InPlaceUpdates
		}
	}
	if err := errors.Join(d.problems...); err != nil {
		return nil, err
	}
	return read, nil
}

// inPlace judges an update in place from one image to another: None if the CloudProfile lets it pass.
func (p *CloudProfile) inPlace(old, updated hash.Image) (Verdict, Rule) {
	if old.Name == updated.Name && isLower(updated.Version, old.Version) {
		return Forbidden, ImageLowered
	}
	if p == nil {
		return Indeterminate, NoCloudProfile
	}
	supported, ok := p.images[updated]
	switch {
	case !ok:
		return Forbidden, ImageUnknown
	case !supported.Supported || supported.MinVersionForUpdate == "" || isLower(old.Version, supported.MinVersionForUpdate):
		return Forbidden, ImageNotInPlace
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
