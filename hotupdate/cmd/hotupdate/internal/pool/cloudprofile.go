package pool

import (
	"cmp"
	"errors"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/inplace"
)

// CloudProfile knows which machine images a CloudProfile admits for in-place updates.
type CloudProfile struct {
	images   map[hash.Image]inPlaceUpdates
	machines map[string]string // the architectures of machine types
}

type inPlaceUpdates struct {
	Supported           bool   `json:"supported"`
	MinVersionForUpdate string `json:"minVersionForUpdate"`
}

// ReadCloudProfile reads a CloudProfile or NamespacedCloudProfile of core.gardener.cloud/v1beta1 in
// JSON. For a NamespacedCloudProfile it reads the status, which has all images. All problems are
// joined, each a [*fault.Error].
func ReadCloudProfile(raw []byte) (*CloudProfile, error) {
	from, err := part[struct {
		TypeMeta

		Spec   imageSpec `json:"spec"`
		Status struct {
			CloudProfileSpec *imageSpec `json:"cloudProfileSpec"`
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
	profile := &CloudProfile{images: map[hash.Image]inPlaceUpdates{}, machines: map[string]string{}}
	spec := orDefault(from.Status.CloudProfileSpec, from.Spec)
	for _, machine := range spec.MachineTypes {
		profile.machines[machine.Name] = cmp.Or(machine.Architecture, "amd64")
	}
	for _, image := range spec.MachineImages {
		for _, v := range image.Versions {
			profile.images[hash.Image{Name: image.Name, Version: v.Version}] = v.InPlaceUpdates
		}
	}
	return profile, nil
}

// inPlace judges an in-place update from one image to another. The verdict is None if the
// CloudProfile admits it.
func (p *CloudProfile) inPlace(old, updated hash.Image) (Verdict, Rule) {
	anyImage := map[hash.Image]string{updated: old.Version} // regardless of the CloudProfile
	if rule := refusal(inplace.ValidateImage(old, updated, anyImage, nil), validation); rule != NoRule {
		return Forbidden, rule
	}
	if p == nil {
		return Indeterminate, NoCloudProfile
	}
	if _, ok := p.images[updated]; !ok {
		return Forbidden, ImageUnknown
	}
	if rule := refusal(inplace.ValidateImage(old, updated, p.supported(), nil), admission); rule != NoRule {
		return Forbidden, rule
	}
	return None, NoRule
}

// supported returns the images that support in-place updates, with their minVersionForUpdate.
func (p *CloudProfile) supported() map[hash.Image]string {
	supported := map[hash.Image]string{}
	for image, updates := range p.images {
		if updates.Supported {
			supported[image] = updates.MinVersionForUpdate
		}
	}
	return supported
}

// supports judges the image of a new pool with an in-place strategy.
func (p *CloudProfile) supports(image hash.Image) (Verdict, Rule) {
	if p == nil {
		return Indeterminate, NoCloudProfile
	}
	if rule := refusal(inplace.ValidateImage(hash.Image{}, image, p.supported(), nil), admission); rule != NoRule {
		return Forbidden, rule
	}
	return None, NoRule
}

// refuseMachine refuses a machine type that the CloudProfile does not have, or not for the
// architecture of the pool: validateMachineTypes. It returns the path of the field and the reason.
func (p *CloudProfile) refuseMachine(of *Pool) (path, reason string) {
	if p == nil || len(p.machines) == 0 || of.Worker.MachineType == "" {
		return "", ""
	}
	architecture, known := p.machines[of.Worker.MachineType]
	switch {
	case !known:
		return "machine.type", "the CloudProfile does not have the machine type"
	case architecture != *orDefault(of.Architecture, architecture):
		return architecturePath, "the machine type has another architecture"
	}
	return "", ""
}
