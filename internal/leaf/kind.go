// Package leaf reads the values that have no fields of their own in a field plan: scalars, times,
// quantities, free JSON and types that marshal themselves.
//
// It owns one rule for each kind of leaf: the canonical text of its values, and which values are
// absent. It must not know classes, fields or collections.
package leaf

import (
	"encoding"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hotupdate/providerconfig/internal/structtag"
)

// Kind says how the canonical text of a leaf is found.
type Kind uint8

// The kinds of leaves. NotALeaf is the zero value.
const (
	NotALeaf Kind = iota
	Bool
	Int
	Uint
	Float
	String
	Number // json.Number
	Bytes  // base64 in JSON
	Quantity
	IntOrString
	Time      // time.Time
	MetaTime  // metav1.Time, seconds
	MicroTime // metav1.MicroTime
	Duration  // metav1.Duration
	RawExtension
	RawMessage
	Interface
	JSONMarshaler
	TextMarshaler
	Opaque       // the output of a marshaler whose type is not available
	QuantityText // this and the following ones are strings with a declared meaning, see [TextKind]
	DurationText
	CIDRText
	DNSText
	TimeText
	HintQuantity // this and the following ones also are strings of another form, see [HintedQuantity]
	HintDuration
	HintTime
)

var (
	jsonMarshalerType   = reflect.TypeFor[json.Marshaler]()
	jsonUnmarshalerType = reflect.TypeFor[json.Unmarshaler]()
	textMarshalerType   = reflect.TypeFor[encoding.TextMarshaler]()
	textUnmarshalerType = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// KindOf returns the kind of leaf of type t, and NotALeaf for structs, lists and maps.
func KindOf(t reflect.Type) Kind {
	if kind, ok := knownLeaves[t]; ok {
		return kind
	}
	switch {
	case t.Kind() == reflect.Interface:
		return Interface
	case implements(t, jsonMarshalerType):
		return JSONMarshaler
	case implements(t, textMarshalerType):
		return TextMarshaler
	}
	return kindByReflect(t)
}

// knownLeaves are types whose canonical text is not the output of their marshaler.
var knownLeaves = map[reflect.Type]Kind{
	reflect.TypeFor[resource.Quantity]():    Quantity,
	reflect.TypeFor[intstr.IntOrString]():   IntOrString,
	reflect.TypeFor[time.Time]():            Time,
	reflect.TypeFor[metav1.Time]():          MetaTime,
	reflect.TypeFor[metav1.MicroTime]():     MicroTime,
	reflect.TypeFor[metav1.Duration]():      Duration,
	reflect.TypeFor[runtime.RawExtension](): RawExtension,
	reflect.TypeFor[json.RawMessage]():      RawMessage,
	reflect.TypeFor[json.Number]():          Number,
	reflect.TypeFor[OpaqueJSON]():           Opaque,
	reflect.TypeFor[HintedQuantity]():       HintQuantity,
	reflect.TypeFor[HintedDuration]():       HintDuration,
	reflect.TypeFor[HintedTime]():           HintTime,
}

// KnownTypes returns the types that are leaves by their identity, not by their kind or methods.
func KnownTypes() []reflect.Type { return slices.Collect(maps.Keys(knownLeaves)) }

func kindByReflect(t reflect.Type) Kind {
	switch t.Kind() {
	case reflect.Bool:
		return Bool
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return Int
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return Uint
	case reflect.Float32, reflect.Float64:
		return Float
	case reflect.String:
		return String
	case reflect.Slice:
		if isByte(t.Elem()) {
			return Bytes
		}
	default:
	}
	return NotALeaf
}

// isByte reports whether encoding/json writes a slice of elem as base64.
func isByte(elem reflect.Type) bool {
	return elem.Kind() == reflect.Uint8 && !implements(elem, jsonMarshalerType) && !implements(elem, textMarshalerType)
}

// implements reports whether t or a pointer to it has the interface's methods, even where
// encoding/json could not take the address to call them.
func implements(t, iface reflect.Type) bool {
	if t.Implements(iface) {
		return true
	}
	if u, ok := t.(Unloaded); ok {
		return u.PointerImplements(iface)
	}
	return reflect.PointerTo(t).Implements(iface)
}

// HoldsInterface reports whether type t is an interface, or contains one into which the decoder
// reads. The decoder rounds numbers there.
func HoldsInterface(t reflect.Type) bool {
	isInterface := func(t reflect.Type) bool { return t.Kind() == reflect.Interface }
	return slices.ContainsFunc(typesIn(t, nil, ReadsItself), isInterface)
}

// ReadsItself reports whether type t, or a pointer to it, has an unmarshaler.
func ReadsItself(t reflect.Type) bool {
	return implements(t, jsonUnmarshalerType) || implements(t, textUnmarshalerType)
}

// HoldsQuantity reports whether type t is a quantity, or contains one.
func HoldsQuantity(t reflect.Type) bool {
	return slices.Contains(typesIn(t, nil, nil), reflect.TypeFor[resource.Quantity]())
}

// MarshalsItself reports whether a foreign marshaler, not the plan, decides the JSON of values of
// type t.
func (k Kind) MarshalsItself() bool { return k == JSONMarshaler || k == TextMarshaler }

// TakesDefault reports whether default=TEXT may be declared for this kind of leaf.
func (k Kind) TakesDefault() bool {
	mayBeText := k.IsText() || k.IsHint()
	return mayBeText || k.isFree() || slices.Contains([]Kind{
		Bool, Int, Uint, Float, Number, Bytes, Quantity, IntOrString, Time, MetaTime, MicroTime, Duration,
	}, k)
}

// MayFail reports whether values of this kind can be read from JSON and have no canonical text.
func (k Kind) MayFail() bool {
	return k.MarshalsItself() || slices.Contains([]Kind{Quantity, Number, Time, MetaTime, MicroTime}, k)
}

// MayBeNull reports whether there are values of this kind whose text is [Null].
func (k Kind) MayBeNull() bool {
	return slices.Contains([]Kind{
		Bytes, Time, MetaTime, MicroTime, RawExtension, RawMessage, Interface, JSONMarshaler, Opaque, HintTime,
	}, k)
}

// MapKeyKind returns the kind of map keys of type t, or NotALeaf if encoding/json writes no such
// maps. Marshalers of string types do not count.
func MapKeyKind(t reflect.Type) Kind {
	switch kind := kindByReflect(t); {
	case kind == String:
		return String
	case t.Implements(textMarshalerType):
		return TextMarshaler
	case kind == Int || kind == Uint:
		return kind
	default:
		return NotALeaf
	}
}

// IsPlainMapKey reports whether a map key of type t is the name of its member: if t is a string
// type without an unmarshaler. Otherwise several names may mean one key. A string type that is not
// loaded counts as plain.
func IsPlainMapKey(t reflect.Type) bool {
	_, unloaded := t.(Unloaded)
	return t.Kind() == reflect.String && (unloaded || !implements(t, textUnmarshalerType))
}

// TaggedFields returns the Go fields below type t that carry a hotupdatable struct tag. Below a
// leaf such a struct tag has no effect.
func TaggedFields(t reflect.Type) []string {
	var found []string
	for _, t := range typesIn(t, nil, nil) {
		if t.Kind() != reflect.Struct {
			continue
		}
		for f := range t.Fields() {
			if _, present, _ := structtag.Parse(f.Tag); present {
				found = append(found, t.String()+"."+f.Name)
			}
		}
	}
	return found
}

// typesIn appends t and the types below it to those seen, each once. It does not descend into types
// for which ends holds; nil stands for none.
func typesIn(t reflect.Type, seen []reflect.Type, ends func(reflect.Type) bool) []reflect.Type {
	if slices.Contains(seen, t) {
		return seen
	}
	seen = append(seen, t)
	switch k := t.Kind(); {
	case ends != nil && ends(t):
	case k == reflect.Pointer, k == reflect.Slice, k == reflect.Array, k == reflect.Map:
		return typesIn(t.Elem(), seen, ends)
	case k == reflect.Struct:
		for f := range t.Fields() {
			seen = typesIn(f.Type, seen, ends)
		}
	}
	return seen
}
