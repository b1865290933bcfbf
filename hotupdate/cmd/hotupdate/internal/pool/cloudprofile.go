package pool

import (
	"errors"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/inplace"
)

// CloudProfile knows which machine images a CloudProfile admits for in-place updates.
type CloudProfile struct {
	images map[hash.Image]inPlaceUpdates
}

type inPlaceUpdates struct {
	Supported           bool   `json:"supported"`
	MinVersionForUpdate string `json:"minVersionForUpdate"`
}

// ReadCloudProfile reads a CloudProfile or NamespacedCloudProfile of core.gardener.cloud/v1beta1 in JSON. For a NamespacedCloudProfile it reads
// the status, which has all images. All problems are joined, each a [*fault.Error].
func ReadCloudProfile(raw []byte) (*CloudProfile, error) {
	from, err := part[struct {
		TypeMeta

		Spec   imageSpec `json:"spec"`
		Status struct {
			CloudProfileSpec *imageSpec `json:"cloudProfileSpec"`
		} `json:"status"`
	}](raw)
	if from.APIVersion != "core.gardener.cloud/v1beta1" || from.Kind != "CloudProfile" && from.Kind != "NamespacedCloudProfile" {
		err = errors.Join(err, &fault.Error{
			Kind: fault.Unknown, Code: "unknown-kind", Where: "manifest", What: "has another apiVersion and kind",
			Hint: "write core.gardener.cloud/v1beta1 CloudProfile or NamespacedCloudProfile",
		})
	}
	if err != nil {
		return nil, err
	}
	profile := &CloudProfile{images: map[hash.Image]inPlaceUpdates{}}
	for _, image := range orDefault(from.Status.CloudProfileSpec, from.Spec).MachineImages {
		for _, v := range image.Versions {
			profile.images[hash.Image{Name: image.Name, Version: v.Version}] = v.InPlaceUpdates
		}
	}
	return profile, nil
}

// inPlace judges an in-place update from one image to another. The verdict is None if the CloudProfile admits it.
func (p *CloudProfile) inPlace(old, updated hash.Image) (Verdict, Rule) {
	if rule := refusal(inplace.ValidateImage(old, updated, old.Version, nil), validation); rule != NoRule { // regardless of the CloudProfile
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

// supports judges the image of a new pool with an in-place strategy.
func (p *CloudProfile) supports(image hash.Image) (Verdict, Rule) {
	if p == nil {
		return Indeterminate, NoCloudProfile
	}
	if !p.images[image].Supported {
		return Forbidden, ImageNotInPlace
	}
	return None, NoRule
}
