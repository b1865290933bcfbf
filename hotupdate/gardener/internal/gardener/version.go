package gardener

import "runtime/debug"

// module is the module whose code answers.
const module = "github.com/gardener/gardener"

// Version returns the version of Gardener whose code answers, such as v1.150.0. It is empty if the
// program was built without information about its modules.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, dependency := range info.Deps {
		if dependency.Path == module {
			return dependency.Version
		}
	}
	return ""
}
