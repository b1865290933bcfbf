package leaf

import (
	"encoding"
	"encoding/json"
	"math"
	"reflect"
	"unicode/utf8"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/canonjson"
)

// appendDynamic writes the value of an interface as encoding/json does. It refuses cycles, and text
// that encoding/json would repair.
func appendDynamic(dst []byte, v reflect.Value) ([]byte, *fault.Error) {
	if v.Kind() == reflect.Interface && v.IsNil() {
		return append(dst, Null...), nil
	}
	if raw, ok := reflect.TypeAssert[json.RawMessage](v); ok && len(raw) > 0 {
		return appendRaw(dst, raw)
	}
	if problem := checkDynamic(v, 0); problem != nil {
		return dst, problem
	}
	out, problem := Call(func() ([]byte, error) { return json.Marshal(v.Interface()) })
	if problem != nil {
		return dst, problem
	}
	return canonjson.AppendValue(dst, out)
}

// checkDynamic walks a value of unknown type before encoding/json sees it.
func checkDynamic(v reflect.Value, depth int) *fault.Error {
	if depth > canonjson.MaxDepth {
		return &fault.Error{
			Kind: fault.Limit, Code: "too-deep", What: "is nested too deeply or contains itself",
			Hint: "remove the cycle or the nesting",
		}
	}
	if marshals, problem := checkMarshaler(v); marshals {
		return problem
	}
	switch v.Kind() {
	case reflect.String:
		return checkText(v.String())
	case reflect.Float32, reflect.Float64:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			return &fault.Error{
				Kind: fault.Limit, Code: "not-finite", What: "holds a number that is not finite",
				Hint: "use a finite number",
			}
		}
	case reflect.Interface:
		if !v.IsNil() {
			return checkDynamic(v.Elem(), depth) // no level in JSON
		}
	case reflect.Pointer:
		if !v.IsNil() {
			return checkDynamic(v.Elem(), depth+1)
		}
	case reflect.Slice, reflect.Array:
		return checkElements(v, depth)
	case reflect.Map:
		return checkEntries(v, depth)
	case reflect.Struct:
		return checkStruct(v, depth)
	case reflect.Chan, reflect.Func, reflect.Complex64, reflect.Complex128, reflect.UnsafePointer:
		return &fault.Error{
			Kind: fault.Unsupported, Code: "unsupported-value", Type: v.Type().String(),
			What: "holds a " + v.Kind().String(), Hint: "use a type that JSON can carry",
		}
	default:
	}
	return nil
}

func checkText(text string) *fault.Error {
	if !utf8.ValidString(text) {
		return &fault.Error{
			Kind: fault.Malformed, Code: "invalid-utf8", What: "holds text that is not valid UTF-8",
			Hint: "use []byte for binary data",
		}
	}
	return nil
}

// checkMarshaler reports whether encoding/json will call v's own marshaler. It checks the text of a
// TextMarshaler, which encoding/json would repair.
func checkMarshaler(v reflect.Value) (bool, *fault.Error) {
	if !v.CanInterface() || v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer && v.IsNil() {
		return false, nil
	}
	if v.Kind() != reflect.Pointer && v.CanAddr() {
		v = v.Addr()
	}
	if v.Type().Implements(jsonMarshalerType) {
		return true, BelowInterface(v.Type())
	}
	marshaler, ok := reflect.TypeAssert[encoding.TextMarshaler](v)
	if !ok {
		return false, nil
	}
	text, problem := Call(marshaler.MarshalText)
	if problem != nil {
		return true, problem
	}
	if problem := checkText(string(text)); problem != nil {
		return true, problem
	}
	return true, BelowInterface(v.Type())
}

// BelowInterface refuses a type with hotupdatable struct tags behind an interface, since they have
// no effect there.
func BelowInterface(t reflect.Type) *fault.Error {
	tagged := TaggedFields(t)
	if len(tagged) == 0 {
		return nil
	}
	return &fault.Error{
		Kind: fault.Declaration, Code: "below-interface", Field: tagged[0], Type: t.String(),
		What: "has a hotupdatable struct tag but is only reached through an interface, where it has no effect",
		Hint: "use the struct as the field's type, or remove the struct tag",
	}
}

func checkElements(v reflect.Value, depth int) *fault.Error {
	if elem := v.Type().Elem(); isScalar(elem.Kind()) && !KindOf(elem).MarshalsItself() {
		return nil
	}
	for i := range v.Len() {
		if problem := checkDynamic(v.Index(i), depth+1); problem != nil {
			return problem
		}
	}
	return nil
}

// isScalar reports whether every value of the kind is valid JSON. Long lists of such values need no
// walk.
func isScalar(k reflect.Kind) bool { return k >= reflect.Bool && k <= reflect.Uintptr }

func checkEntries(v reflect.Value, depth int) *fault.Error {
	for entries := v.MapRange(); entries.Next(); {
		if key := entries.Key(); key.Kind() == reflect.String { // written unchanged, even if it has a text marshaler
			if problem := checkText(key.String()); problem != nil {
				return problem
			}
		} else if problem := checkDynamic(key, depth+1); problem != nil {
			return problem
		}
		if problem := checkDynamic(entries.Value(), depth+1); problem != nil {
			return problem
		}
	}
	return nil
}

// checkStruct walks the fields that are in JSON.
func checkStruct(v reflect.Value, depth int) *fault.Error {
	if problem := BelowInterface(v.Type()); problem != nil {
		return problem
	}
	for i := range v.NumField() {
		if f := v.Type().Field(i); (f.IsExported() || f.Anonymous) && f.Tag.Get("json") != "-" {
			if problem := checkDynamic(v.Field(i), depth+1); problem != nil {
				return problem
			}
		}
	}
	return nil
}
