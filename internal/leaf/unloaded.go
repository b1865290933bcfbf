package leaf

import (
	"bytes"
	"reflect"
)

// Unloaded is a type that was read from source code and is not part of the running program. It has
// the methods of reflect.Type, but the functions of package reflect cannot take it, so there are no
// values of it.
type Unloaded interface {
	reflect.Type

	// PointerImplements reports whether a pointer to the type has the methods of an interface.
	PointerImplements(iface reflect.Type) bool

	// Loaded returns a type of the running program: for scalars, []byte and interfaces, the type of
	// the same kind and size.
	Loaded() reflect.Type
}

// Zero returns the canonical text of the zero value of t, a leaf of kind k. It is nil if there is
// none, or if t must be loaded to tell.
func Zero(k Kind, t reflect.Type) []byte {
	if _, ok := t.(Unloaded); ok && k.MarshalsItself() {
		return nil
	}
	text, _ := Append(nil, k, reflect.Zero(loaded(t)))
	return text
}

func loaded(t reflect.Type) reflect.Type {
	if u, ok := t.(Unloaded); ok {
		return u.Loaded()
	}
	return t
}

// OpaqueJSON is the output of a type that marshals itself, where that type is not at hand.
type OpaqueJSON []byte

// UnmarshalJSON keeps the JSON unchanged.
func (o *OpaqueJSON) UnmarshalJSON(data []byte) error {
	*o = bytes.Clone(data)
	return nil
}
