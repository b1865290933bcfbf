package schemajson

import (
	"cmp"
	"encoding/json"
	"reflect"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// The kinds that are not leaves, and the leaves whose Go type does not matter.
const (
	KindObject = "object"
	KindList   = "list"
	kindArray  = "array"
	KindMap    = "map"
	kindRef    = "ref"
	kindString = "string"
	KindJSON   = "json"   // free JSON
	kindOpaque = "opaque" // a type that marshals itself: compared by its own output
)

// The kinds that only a CRD has: what its hints say, or else any string.
const (
	kindHintedQuantity = "hintedQuantity"
	kindHintedDuration = "hintedDuration"
	kindHintedTime     = "hintedTime"
)

// leafNames are the names of leaves in JSON. All other leaves are opaque.
var leafNames = map[leaf.Kind]string{
	leaf.Bool: "bool", leaf.Int: "int", leaf.Uint: "uint", leaf.Float: "float", leaf.String: kindString,
	leaf.Number: "number", leaf.Bytes: "bytes", leaf.Quantity: "quantity", leaf.IntOrString: "intOrString",
	leaf.Time: "time", leaf.MetaTime: "metaTime", leaf.MicroTime: "microTime", leaf.Duration: "duration",
	leaf.RawMessage: KindJSON, leaf.RawExtension: KindJSON, leaf.Interface: KindJSON,
	leaf.QuantityText: "quantityText", leaf.DurationText: "durationText", leaf.CIDRText: "cidrText",
	leaf.DNSText: "dnsText", leaf.TimeText: "timeText",
	leaf.HintQuantity: kindHintedQuantity, leaf.HintDuration: kindHintedDuration, leaf.HintTime: kindHintedTime,
}

// meanings are the meanings of kinds of strings in JSON.
var meanings = sync.OnceValue(func() map[string]structtag.Meaning {
	all := map[string]structtag.Meaning{}
	for k, name := range leafNames {
		if meaning := k.Meaning(); meaning != structtag.Undeclared {
			all[name] = meaning
		}
	}
	return all
})

// meaningOf returns the meaning of a kind of strings in JSON, and Undeclared for other kinds.
func meaningOf(name string) structtag.Meaning { return meanings()[name] }

// leafTypes are the Go types of the leaves in a loaded Schema: one for each name and width.
var leafTypes = []reflect.Type{
	reflect.TypeFor[bool](), reflect.TypeFor[string](), reflect.TypeFor[json.Number](), reflect.TypeFor[[]byte](),
	reflect.TypeFor[int8](), reflect.TypeFor[int16](), reflect.TypeFor[int32](), reflect.TypeFor[int64](),
	reflect.TypeFor[uint8](), reflect.TypeFor[uint16](), reflect.TypeFor[uint32](), reflect.TypeFor[uint64](),
	reflect.TypeFor[float32](), reflect.TypeFor[float64](),
	reflect.TypeFor[resource.Quantity](), reflect.TypeFor[intstr.IntOrString](), reflect.TypeFor[time.Time](),
	reflect.TypeFor[metav1.Time](), reflect.TypeFor[metav1.MicroTime](), reflect.TypeFor[metav1.Duration](),
	reflect.TypeFor[json.RawMessage](), reflect.TypeFor[leaf.OpaqueJSON](),
	reflect.TypeFor[leaf.HintedQuantity](), reflect.TypeFor[leaf.HintedDuration](), reflect.TypeFor[leaf.HintedTime](),
}

// LeafName is the name of a leaf of type t and, for numbers, its width.
func LeafName(k leaf.Kind, t reflect.Type) (name string, bits int) {
	if k == leaf.Int || k == leaf.Uint || k == leaf.Float {
		bits = width(t)
	}
	return cmp.Or(leafNames[k], kindOpaque), bits
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

// leavesByName are the leaves of a loaded Schema.
var leavesByName = sync.OnceValue(func() map[leafName]fieldplan.Leaves {
	all := map[leafName]fieldplan.Leaves{}
	for _, t := range leafTypes {
		kind := leaf.KindOf(t)
		name, bits := LeafName(kind, t)
		if _, isKnown := all[leafName{name, bits}]; !isKnown {
			all[leafName{name, bits}] = fieldplan.Leaves{Type: t, Kind: kind}
		}
	}
	return all
})

// leafName is the name and width of a leaf.
type leafName struct {
	name string
	bits int
}

// leavesOf returns the leaves of a name and width in a loaded Schema; false if there are none.
func leavesOf(name string, bits int) (leaves fieldplan.Leaves, ok bool) {
	if meaning := meaningOf(name); meaning != structtag.Undeclared && bits == 0 {
		return fieldplan.Leaves{Type: reflect.TypeFor[string](), Kind: leaf.TextKind(meaning)}, true
	}
	leaves, ok = leavesByName()[leafName{name, bits}]
	return leaves, ok
}
