package leaf

import (
	"encoding"
	"encoding/json"
	"errors"
	"reflect"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/canonjson"
)

// Copy sets to, a leaf of kind k, to a copy of from. The copy shares no memory with from.
func Copy(to, from reflect.Value, k Kind) (problem *fault.Error) {
	defer func() {
		if recover() != nil { // foreign code, such as a DeepCopy method, may panic
			problem = notCopyable(from.Type())
		}
	}()
	//exhaustive:ignore
	switch k {
	case Quantity:
		to.Set(reflect.ValueOf(pointerTo[resource.Quantity](from).DeepCopy()))
	case RawExtension:
		to.Set(reflect.ValueOf(*pointerTo[runtime.RawExtension](from).DeepCopy()))
	case Bytes, RawMessage, Opaque, HintQuantity, HintDuration, HintTime:
		if !from.IsNil() {
			to.Set(reflect.AppendSlice(reflect.MakeSlice(to.Type(), 0, from.Len()), from))
		}
	case Interface, JSONMarshaler, TextMarshaler:
		return copyForeign(to, from, 0)
	default:
		to.Set(from) // numbers, strings, and times: nobody writes to a time's location
	}
	return nil
}

// copyForeign copies a value of a foreign type to a zero value: by its DeepCopy, by its marshaler
// and unmarshaler, or, for types that JSON decodes to, part by part.
func copyForeign(to, from reflect.Value, depth int) *fault.Error {
	switch {
	case depth > canonjson.MaxDepth:
		return tooDeep()
	case isFlat(from.Type()):
		to.Set(from)
		return nil
	case from.IsZero(), deepCopied(to, from), copiedByText(to, from):
		return nil
	}
	switch from.Kind() {
	case reflect.Interface, reflect.Pointer:
		return copyBehind(to, from, depth)
	case reflect.Slice:
		return copyElements(to, from, depth)
	case reflect.Map:
		return copyEntries(to, from, depth)
	default:
		return notCopyable(from.Type())
	}
}

func notCopyable(t reflect.Type) *fault.Error {
	return &fault.Error{
		Kind: fault.Unsupported, Code: "not-copyable", Type: t.String(), What: "holds a " + t.String() +
			", which cannot be copied without sharing memory", Hint: "give the type a DeepCopy method",
	}
}

// isFlat reports whether assigning a value of type t copies all of it.
func isFlat(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return isFlat(t.Elem())
	case reflect.Struct:
		for field := range t.Fields() {
			if !isFlat(field.Type) {
				return false
			}
		}
		return true
	case reflect.String, reflect.Float32, reflect.Float64:
		return true
	default:
		return isScalar(t.Kind())
	}
}

// deepCopied uses the method DeepCopy that Kubernetes' generators write.
func deepCopied(to, from reflect.Value) bool {
	method := Addressable(from).Addr().MethodByName("DeepCopy")
	if !method.IsValid() || method.Type().NumIn() != 0 || method.Type().NumOut() != 1 {
		return false
	}
	if result := method.Type().Out(0); result != to.Type() && result != reflect.PointerTo(to.Type()) {
		return false
	}
	to.Set(reflect.Indirect(method.Call(nil)[0]))
	return true
}

// copiedByText copies a value by its own marshaler and unmarshaler. It calls them itself:
// encoding/json would spell JSON and text anew.
func copiedByText(to, from reflect.Value) bool {
	source := Addressable(from).Addr().Interface()
	target := reflect.New(from.Type())
	_, problem := Call(func() ([]byte, error) { // a missing unmarshaler panics
		switch source := source.(type) {
		case json.Marshaler:
			text, err := source.MarshalJSON()
			return nil, errors.Join(err, target.Interface().(json.Unmarshaler).UnmarshalJSON(text))
		case encoding.TextMarshaler:
			text, err := source.MarshalText()
			return nil, errors.Join(err, target.Interface().(encoding.TextUnmarshaler).UnmarshalText(text))
		}
		return nil, errors.ErrUnsupported
	})
	if problem != nil && isStructWithMethods(from.Type()) {
		_, problem = Call(func() ([]byte, error) { // it may write JSON and read text, or the other way round
			text, err := json.Marshal(source)
			return nil, errors.Join(err, json.Unmarshal(text, target.Interface()))
		})
	}
	if problem == nil {
		to.Set(target.Elem())
	}
	return problem == nil
}

// isStructWithMethods reports whether a struct type has a marshaler and an unmarshaler.
func isStructWithMethods(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && ReadsItself(t) && KindOf(t).MarshalsItself()
}

func copyBehind(to, from reflect.Value, depth int) *fault.Error {
	inner := reflect.New(from.Elem().Type())
	if problem := copyForeign(inner.Elem(), from.Elem(), depth+1); problem != nil {
		return problem
	}
	if from.Kind() == reflect.Interface {
		inner = inner.Elem()
	}
	to.Set(inner)
	return nil
}

func copyElements(to, from reflect.Value, depth int) *fault.Error {
	to.Set(reflect.MakeSlice(from.Type(), from.Len(), from.Len()))
	for i := range from.Len() {
		if problem := copyForeign(to.Index(i), from.Index(i), depth+1); problem != nil {
			return problem
		}
	}
	return nil
}

func copyEntries(to, from reflect.Value, depth int) *fault.Error {
	to.Set(reflect.MakeMapWithSize(from.Type(), from.Len()))
	for it := from.MapRange(); it.Next(); {
		value := reflect.New(from.Type().Elem()).Elem()
		if problem := copyForeign(value, it.Value(), depth+1); problem != nil {
			return problem
		}
		to.SetMapIndex(it.Key(), value)
	}
	return nil
}
