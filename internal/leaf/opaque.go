package leaf

import "bytes"

// OpaqueJSON is the output of a type that marshals itself, where that type is not at hand.
type OpaqueJSON []byte

// UnmarshalJSON keeps the JSON as it stands.
func (o *OpaqueJSON) UnmarshalJSON(data []byte) error {
	*o = bytes.Clone(data)
	return nil
}
