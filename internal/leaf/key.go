package leaf

import (
	"encoding"
	"encoding/json"
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
		Kind: fault.Invalid, Code: "invalid-utf8", What: "has a key that is not valid UTF-8", Hint: "correct the key",
	}
}

// IsKeyText reports whether a map key of type t is written as a text. It is true if that is not
// known, because the key cannot be read.
func IsKeyText(t reflect.Type, text string) bool {
	_, isUnloaded := t.(Unloaded)
	if isUnloaded || !reflect.PointerTo(t).Implements(textUnmarshalerType) {
		return true
	}
	canonical, ok := CanonicalKey(t, text)
	return ok && canonical == text
}

// CanonicalKey returns the text as which a key of type t is written that is spelled in another way
// in JSON. It is false if there is no such key.
func CanonicalKey(t reflect.Type, spelled string) (text string, ok bool) {
	if !ReadsKeyAlone(t) {
		return canonicalByDecoder(t, spelled)
	}
	key := reflect.New(t).Elem()
	if !ReadKey(key, spelled) {
		return "", false
	}
	text, problem := KeyText(key)
	return text, problem == nil
}

// canonicalByDecoder is CanonicalKey for keys that only the decoder can read.
func canonicalByDecoder(t reflect.Type, spelled string) (text string, ok bool) {
	written, problem := Call(func() ([]byte, error) {
		raw, err := json.Marshal(map[string]bool{spelled: true})
		if err != nil {
			return nil, err
		}
		keys := reflect.New(reflect.MapOf(t, reflect.TypeFor[bool]()))
		if err := json.Unmarshal(raw, keys.Interface()); err != nil {
			return nil, err
		}
		return json.Marshal(keys.Interface())
	})
	if problem != nil {
		return "", false
	}
	var texts map[string]bool
	_ = json.Unmarshal(written, &texts) // was just written
	for text := range texts {
		return text, true
	}
	return spelled, true
}
