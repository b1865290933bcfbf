package shapes

// keysOf returns the lists of a kind, by their paths, with the members of their elements that must differ: an API
// server of Gardener refuses two elements with one value. The Go types do not say so. Names of pools are left out,
// since the command refuses to read two pools with one name.
//
// Source: validateExtensions, ValidateResources, ValidateWorker and ValidateContainerRuntimes in
// github.com/gardener/gardener/pkg/api/core/validation.
func keysOf(kind string) map[string]string {
	if kind != "Shoot" {
		return nil
	}
	return map[string]string{
		"spec.extensions": "type",
		"spec.resources":  "name",

		"spec.provider.workers[].dataVolumes":           "name",
		"spec.provider.workers[].cri.containerRuntimes": "type",
	}
}
