package hotupdate

import "k8s.io/apimachinery/pkg/runtime"

// RawConfig returns the raw JSON of a provider config in Gardener's API types, for the functions
// that take raw JSON. It is nil if there is no config: a nil pointer, or neither Raw nor Object.
//
// Raw is returned as it is, not a copy, and wins over Object. Configs that come from an API server
// have Raw. An Object without Raw is encoded. If it cannot be encoded, the result is not JSON:
// every function that reads it returns an error with the code invalid-json.
func RawConfig(config *runtime.RawExtension) []byte {
	switch {
	case config == nil:
		return nil
	case config.Raw != nil || config.Object == nil:
		return config.Raw
	}
	encoded, err := config.MarshalJSON()
	if err != nil {
		return []byte("(cannot be encoded)")
	}
	return encoded
}
