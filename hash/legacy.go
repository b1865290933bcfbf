package hash

import "github.com/hotupdate/providerconfig/internal/strip"

// OnlyTypeMeta reports whether a raw configuration holds nothing but apiVersion and kind, or nothing at all: no bytes, white space, null,
// or an object without other members, in any spelling. What is not JSON holds something.
//
// It is for the result of [hotupdate.Schema.StripRaw]. A pool without a providerConfig contributes no string to the worker pool hash today; one
// whose providerConfig holds only hot members contributes its TypeMeta. So the first hot tag on a pool without any providerConfig changes
// the name, because it brings the TypeMeta. The extension decides, for a result that is only TypeMeta:
//
//	choice                 the first hot tag on a pool       a pool that has only TypeMeta, with or without
//	                       without any providerConfig        hot members, on the day of the adoption
//
//	add it, as today       changes the name: machines are    keeps its name
//	                       replaced once
//	add no string          keeps the name                    changes its name: machines are replaced once
//
// As long as pools of the second kind are alive, add it as today. In an era that starts at a Kubernetes minor that nobody runs yet,
// adding no string costs nothing.
func OnlyTypeMeta(raw []byte) bool { return strip.OnlyTypeMeta(raw) }
