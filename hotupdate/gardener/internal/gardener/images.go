package gardener

import (
	"strings"

	"github.com/gardener/gardener/pkg/apis/core"
)

// reason says why the machine image of a pool is not known.
type reason string

// The reasons.
const (
	imageOfProfile  reason = "the default of the machine image is in the CloudProfile, which is missing"
	imageOfCreation reason = "the old manifest does not have the machine image or its version, " +
		"and the Shoot got it when it was created"
)

// images has the pools whose image is not known, with the name of the image as far as it is.
type images map[string]string

// assumedImages returns the pools of a manifest whose image the server completed at a time that is not
// known: the CloudProfile has others since.
func assumedImages(manifest *core.Shoot) images {
	all := images{}
	for _, worker := range manifest.Spec.Provider.Workers {
		image := worker.Machine.Image
		switch {
		case image == nil:
			all[worker.Name] = ""
		case image.Name == "" || strings.Count(image.Version, ".") < 2:
			all[worker.Name] = image.Name
		}
	}
	return all
}

// replacedBy returns the pools of a Shoot, as it is sent, that may get another image than the unknown
// one.
func (all images) replacedBy(sent *core.Shoot) map[string]reason {
	replaced := map[string]reason{}
	for _, worker := range sent.Spec.Provider.Workers {
		name, isAssumed := all[worker.Name]
		image := worker.Machine.Image
		if isAssumed && !keepsImage(image, name) {
			replaced[worker.Name] = imageOfCreation
		}
	}
	return replaced
}

// keepsImage reports whether ShootMutator keeps an unknown image, of which only the name may be
// known, under the image that a Shoot sets for the pool.
func keepsImage(sent *core.ShootMachineImage, unknown string) bool {
	if sent == nil {
		return true
	}
	isNameOnly := sent.Name != "" && sent.Version == ""
	return isNameOnly && sent.Name == unknown
}
