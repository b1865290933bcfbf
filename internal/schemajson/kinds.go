package schemajson

import (
	"encoding/json"
	"reflect"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hotupdate/providerconfig/internal/leaf"
)

// The kinds that are not leaves, and the leaves whose Go type does not matter.
const (
	kindObject = "object"
	kindList   = "list"
	kindArray  = "array"
	kindMap    = "map"
	kindRef    = "ref"
	kindString = "string"
	kindJSON   = "json"   // free JSON
	kindOpaque = "opaque" // a type that marshals itself: compared by its own output
)

// leafKind is a kind of leaf with its name in JSON and its Go types, by width if there are several.
type leafKind struct {
	name  string
	kind  leaf.Kind
	types []reflect.Type
}

var leafKinds = []leafKind{
	{"bool", leaf.Bool, []reflect.Type{reflect.TypeFor[bool]()}},
	{
		"int", leaf.Int, []reflect.Type{
			reflect.TypeFor[int8](), reflect.TypeFor[int16](), reflect.TypeFor[int32](), reflect.TypeFor[int64](),
		},
	},
	{
		"uint", leaf.Uint, []reflect.Type{
			reflect.TypeFor[uint8](), reflect.TypeFor[uint16](), reflect.TypeFor[uint32](), reflect.TypeFor[uint64](),
		},
	},
	{"float", leaf.Float, []reflect.Type{reflect.TypeFor[float32](), reflect.TypeFor[float64]()}},
	{kindString, leaf.String, []reflect.Type{reflect.TypeFor[string]()}},
	{"number", leaf.Number, []reflect.Type{reflect.TypeFor[json.Number]()}},
	{"bytes", leaf.Bytes, []reflect.Type{reflect.TypeFor[[]byte]()}},
	{"quantity", leaf.Quantity, []reflect.Type{reflect.TypeFor[resource.Quantity]()}},
	{"intOrString", leaf.IntOrString, []reflect.Type{reflect.TypeFor[intstr.IntOrString]()}},
	{"time", leaf.Time, []reflect.Type{reflect.TypeFor[time.Time]()}},
	{"metaTime", leaf.MetaTime, []reflect.Type{reflect.TypeFor[metav1.Time]()}},
	{"microTime", leaf.MicroTime, []reflect.Type{reflect.TypeFor[metav1.MicroTime]()}},
	{"duration", leaf.Duration, []reflect.Type{reflect.TypeFor[metav1.Duration]()}},
	{kindJSON, leaf.RawMessage, []reflect.Type{reflect.TypeFor[json.RawMessage]()}},
	{kindJSON, leaf.RawExtension, nil},
	{kindJSON, leaf.Interface, nil},
	{kindOpaque, leaf.Opaque, []reflect.Type{reflect.TypeFor[leaf.OpaqueJSON]()}},
	{kindOpaque, leaf.JSONMarshaler, nil},
	{kindOpaque, leaf.TextMarshaler, nil},
}

// LeafName is the name and the width of a leaf of type t.
func LeafName(k leaf.Kind, t reflect.Type) (name string, bits int) {
	for _, known := range leafKinds {
		if known.kind != k {
			continue
		}
		if len(known.types) > 1 {
			bits = width(t)
		}
		return known.name, bits
	}
	return kindOpaque, 0
}

// width is the same on every machine, also for int, uint and uintptr.
func width(t reflect.Type) int {
	switch t.Kind() {
	case reflect.Int, reflect.Uint, reflect.Uintptr:
		return 64
	default:
		return t.Bits()
	}
}

// KeyName is the name and the width of map keys of type t. Keys with a marshaler are strings in
// JSON.
func KeyName(t reflect.Type) (name string, bits int) {
	if kind := leaf.MapKeyKind(t); kind == leaf.Int || kind == leaf.Uint {
		return LeafName(kind, t)
	}
	return kindString, 0
}

func leafType(name string, bits int) (reflect.Type, bool) {
	for _, known := range leafKinds {
		for _, t := range known.types {
			if _, width := LeafName(known.kind, t); known.name == name && width == bits {
				return t, true
			}
		}
	}
	return nil, false
}
