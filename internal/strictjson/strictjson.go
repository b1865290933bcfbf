// Package strictjson reads JSON as Kubernetes reads manifests: by its own decoder, strictly.
//
// It owns the choice of the decoder and what counts as success. It must not know plans: packages rawjson and reader, which do, have this in
// common, so that what one accepts the other cannot refuse.
package strictjson

import "sigs.k8s.io/json"

// Read reads raw into what the pointer leads to, and reports whether it could: names are case-sensitive, and unknown or duplicate members
// are failures. So are panics, as a type's own unmarshaler may.
func Read(raw []byte, pointer any) (ok bool) {
	defer func() { ok = recover() == nil && ok }()
	strict, err := json.UnmarshalStrict(raw, pointer)
	return err == nil && len(strict) == 0
}
