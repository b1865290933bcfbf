package hash

import "github.com/hotupdate/providerconfig/internal/strip"

// OnlyTypeMeta reports whether a raw configuration holds only apiVersion and kind, or nothing at
// all: no bytes, white space, null, or an object without other members, in any spelling. For text
// that is not JSON it is false.
//
// Apply it to the result of [hotupdate.Schema.StripRaw]. Today a pool without a providerConfig
// contributes no string to the worker pool hash, and one whose providerConfig holds only hot
// members contributes its TypeMeta. So the first hot tag on a pool without any providerConfig
// changes the name, because it adds the TypeMeta. The extension decides what to do with a result
// that is only TypeMeta:
//
//	choice                 the first hot tag on a pool       a pool that has only TypeMeta, with or without
//	                       without any providerConfig        hot members, on the day of the adoption
//
//	add it, as today       changes the name: machines are    keeps its name
//	                       replaced once
//	add no string          keeps the name                    changes its name: machines are replaced once
//
// As long as pools of the second kind exist, add it as today. In an era that starts at a Kubernetes
// minor that no pool has yet, adding no string costs nothing.
func OnlyTypeMeta(raw []byte) bool { return strip.OnlyTypeMeta(raw) }
