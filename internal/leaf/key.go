package leaf

import (
	"encoding"
	"reflect"
	"strconv"
)

// ReadsKeyAlone reports whether [ReadKey] reads keys of type t. Otherwise only the decoder can: for
// pointers, and types that also read JSON themselves.
func ReadsKeyAlone(t reflect.Type) bool {
	if _, isUnloaded := t.(Unloaded); isUnloaded || t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface {
		return false
	}
	pointer := reflect.PointerTo(t)
	if pointer.Implements(jsonUnmarshalerType) {
		return false
	}
	kind := kindByReflect(t)
	return pointer.Implements(textUnmarshalerType) || kind == Int || kind == Uint
}

// ReadKey sets v, a map key of a type that it reads, to the key that is spelled as the name of a
// member, as the decoder does. It is false if there is no such key.
func ReadKey(v reflect.Value, name string) (ok bool) {
	v.SetZero()
	if u, isText := reflect.TypeAssert[encoding.TextUnmarshaler](v.Addr()); isText {
		_, problem := Call(func() ([]byte, error) { return nil, u.UnmarshalText([]byte(name)) })
		return problem == nil
	}
	if v.CanInt() {
		i, err := strconv.ParseInt(name, 10, 64)
		if err != nil || v.OverflowInt(i) {
			return false
		}
		v.SetInt(i)
		return true
	}
	u, err := strconv.ParseUint(name, 10, 64)
	if err != nil || v.OverflowUint(u) {
		return false
	}
	v.SetUint(u)
	return true
}
