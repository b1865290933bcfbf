package leaf

import (
	"encoding"
	"encoding/json"
	"iter"
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
		return tooDeep()
	}
	if marshals, problem := checkMarshaler(v); marshals {
		return problem
	}
	switch v.Kind() {
	case reflect.String:
		return checkText(v.String())
	case reflect.Float32, reflect.Float64:
		_, problem := canonjson.AppendFloat(nil, v.Float(), 64)
		return problem
	case reflect.Chan, reflect.Func, reflect.Complex64, reflect.Complex128, reflect.UnsafePointer:
		return &fault.Error{
			Kind: fault.Unsupported, Code: "unsupported-value", Type: v.Type().String(),
			What: "holds a " + v.Kind().String(), Hint: "use a type that JSON can carry",
		}
	case reflect.Struct:
		if problem := BelowInterface(v.Type()); problem != nil {
			return problem
		}
	case reflect.Interface:
		depth-- // no level in JSON
	default:
	}
	for part := range parts(v) {
		if problem := checkDynamic(part, depth+1); problem != nil {
			return problem
		}
	}
	return nil
}

func tooDeep() *fault.Error {
	return &fault.Error{
		Kind: fault.Invalid, Code: fault.TooDeep, What: "is nested too deeply or contains itself",
		Hint: "remove the cycle or the nesting",
	}
}

// parts yields the values in v that are in its JSON, without long lists of values that are always
// valid.
func parts(v reflect.Value) iter.Seq[reflect.Value] {
	return func(yield func(reflect.Value) bool) {
		//exhaustive:ignore
		switch v.Kind() {
		case reflect.Interface, reflect.Pointer:
			if !v.IsNil() {
				yield(v.Elem())
			}
		case reflect.Slice, reflect.Array:
			elem := v.Type().Elem()
			isValid := isScalar(elem.Kind()) && !KindOf(elem).MarshalsItself()
			for i := 0; i < v.Len() && !isValid && yield(v.Index(i)); i++ {
			}
		case reflect.Map:
			keysAndValues(v, yield)
		case reflect.Struct:
			for f, field := range v.Fields() {
				isInJSON := (f.IsExported() || f.Anonymous) && f.Tag.Get("json") != "-"
				if isInJSON && !yield(field) {
					return
				}
			}
		}
	}
}

// keysAndValues yields keys and values of a map. A key of a string type is a string: it is written
// unchanged, even if it has a text marshaler.
func keysAndValues(v reflect.Value, yield func(reflect.Value) bool) {
	for entries := v.MapRange(); entries.Next(); {
		key := entries.Key()
		if key.Kind() == reflect.String {
			key = reflect.ValueOf(key.String())
		}
		if !yield(key) || !yield(entries.Value()) {
			return
		}
	}
}

func checkText(text string) *fault.Error {
	if utf8.ValidString(text) {
		return nil
	}
	_, problem := canonjson.AppendString(nil, text)
	return problem
}

// checkMarshaler reports whether encoding/json will call v's own marshaler. It checks the text of a
// TextMarshaler, which encoding/json would repair.
func checkMarshaler(v reflect.Value) (bool, *fault.Error) {
	isNilPointer := v.Kind() == reflect.Pointer && v.IsNil()
	if !v.CanInterface() || v.Kind() == reflect.Interface || isNilPointer {
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
	if problem == nil {
		problem = checkText(string(text))
	}
	if problem == nil {
		problem = BelowInterface(v.Type())
	}
	return true, problem
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

// isScalar reports whether every value of the kind is valid JSON. Long lists of such values need no
// walk.
func isScalar(k reflect.Kind) bool { return k >= reflect.Bool && k <= reflect.Uintptr }
