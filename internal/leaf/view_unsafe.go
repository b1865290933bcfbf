//go:build !hotupdate_reflect

package leaf

import "unsafe"

// view returns bytes as a string without a copy. The string must not be used after the bytes are
// written to.
func view(text []byte) string { return unsafe.String(unsafe.SliceData(text), len(text)) }
