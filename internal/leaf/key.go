package leaf

import (
	"encoding"
	"reflect"
	"strconv"
	"unicode/utf8"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
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

// KeyText is the text of a map key, as encoding/json writes it.
func KeyText(key reflect.Value) (string, *fault.Error) {
	var text string
	switch marshaler, ok := reflect.TypeAssert[encoding.TextMarshaler](key); {
	case key.Kind() == reflect.String:
		text = key.String()
	case ok && key.Kind() == reflect.Pointer && key.IsNil():
	case ok:
		out, problem := Call(marshaler.MarshalText)
		if problem != nil {
			return "", problem
		}
		text = string(out)
	case key.Kind() == reflect.Interface:
		return "", &fault.Error{
			Kind: fault.Failed, Code: "marshal-failed", What: "has a nil key, which has no text",
			Hint: "remove the key",
		}
	case key.CanInt():
		text = strconv.FormatInt(key.Int(), 10)
	default:
		text = strconv.FormatUint(key.Uint(), 10)
	}
	if !utf8.ValidString(text) {
		return "", InvalidUTF8Key()
	}
	return text, nil
}

// InvalidUTF8Key is the problem of a map key that is not valid UTF-8.
func InvalidUTF8Key() *fault.Error {
	return &fault.Error{
		Kind: fault.Malformed, Code: "invalid-utf8", What: "has a key that is not valid UTF-8", Hint: "correct the key",
	}
}
