package reader

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// maxFields is how many fields an object may have to be read here.
const maxFields = 256

// table is a compiled plan. It is immutable and safe for concurrent use.
type table struct {
	root *node
	odd  bool // the type reads itself, has too many fields, or may have unknown members
}

// tableOf returns the table of a plan. It is compiled once and kept with the plan.
func tableOf(p *fieldplan.Plan) *table {
	return p.Derived(fieldplan.Reading, func() any { return compile(p) }).(*table)
}

// kind is the shape of a node, with what decides how it is read.
type kind uint8

const (
	odd kind = iota // not read here
	object
	list
	array
	mapOfAny
	mapOfText     // map[string]string
	mapOfQuantity // map[string]resource.Quantity
	boolean
	integer
	unsigned
	float
	text
	quantity // reads itself, as all that follow do
	own      // has an UnmarshalJSON
	foreign  // everything else that the decoder reads
)

// readsNull reports whether null is no mere absence.
func (k kind) readsNull() bool { return k >= quantity || k == odd }

// node is how values of a type are read.
type node struct {
	kind kind
	bits uint8 // of a number
	typ  reflect.Type

	fields []field
	byName map[string]int
	elem   place // of a collection
}

// place is where a value stands: behind so many pointers.
type place struct {
	node     *node
	pointers int
	usual    usual
}

// field is a member of an object, in the order of the Go struct.
type field struct {
	place

	name    string
	header  string // what stands behind the opening quote if it is spelled as usual
	at      int    // in the struct, or in that which through leads to
	through []int  // embedded structs, outermost first
}

// usual are types that a place can have, pointers included, which are worth an assertion.
type usual uint8

const (
	other usual = iota
	textPointer
	int32Pointer
	int64Pointer
)

var usualTypes = map[reflect.Type]usual{
	reflect.TypeFor[*string](): textPointer, reflect.TypeFor[*int32](): int32Pointer, reflect.TypeFor[*int64](): int64Pointer,
}

var (
	unmarshalerType     = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshalerType = reflect.TypeFor[encoding.TextUnmarshaler]()
)

type compiler struct{ nodes map[*fieldplan.Node]*node }

func compile(p *fieldplan.Plan) *table {
	c := &compiler{nodes: map[*fieldplan.Node]*node{}}
	root := c.node(&fieldplan.Node{Type: p.Type, Kind: fieldplan.Object, Fields: slices.Concat(p.Meta, p.Root.Fields), Rest: p.Root.Rest})
	return &table{root: root, odd: root.kind != object}
}

func (c *compiler) node(from *fieldplan.Node) *node {
	if n, ok := c.nodes[from]; ok {
		return n
	}
	n := &node{kind: kindOf(from), typ: from.Type}
	c.nodes[from] = n
	//exhaustive:ignore
	switch n.kind {
	case object:
		c.object(n, from)
	case list, array, mapOfAny:
		n.elem = c.place(from.Type.Elem(), from.Elem)
	case integer, unsigned, float:
		n.bits = uint8(from.Type.Bits()) //nolint:gosec // at most 64
	}
	return n
}

// kindOf asks first for what the decoder asks first.
func kindOf(n *fieldplan.Node) kind {
	pointer := reflect.PointerTo(n.Type)
	readsJSON, readsText := pointer.Implements(unmarshalerType), pointer.Implements(textUnmarshalerType)
	switch {
	case n.Type == reflect.TypeFor[resource.Quantity]():
		return quantity
	case (readsJSON || readsText) && n.Type.Name() == "":
		return odd // the decoder sees the methods of an unnamed type only behind pointers
	case readsJSON:
		return own
	case readsText:
		return foreign
	}
	switch n.Kind {
	case fieldplan.Leaf:
		return leafKind(n.Leaf)
	case fieldplan.Object:
		return object
	case fieldplan.List:
		return list
	case fieldplan.Array:
		return array
	case fieldplan.Map:
		return mapKind(n.Type)
	}
	return odd
}

func leafKind(k leaf.Kind) kind {
	switch k {
	case leaf.Bool:
		return boolean
	case leaf.Int:
		return integer
	case leaf.Uint:
		return unsigned
	case leaf.Float:
		return float
	case leaf.String:
		return text
	case leaf.Bytes, leaf.Number, leaf.Quantity, leaf.IntOrString, leaf.Time, leaf.MetaTime, leaf.MicroTime, leaf.Duration, leaf.RawExtension,
		leaf.RawMessage, leaf.Interface, leaf.JSONMarshaler, leaf.TextMarshaler, leaf.Opaque, leaf.NotALeaf:
	}
	return foreign
}

func mapKind(t reflect.Type) kind {
	switch {
	case t == reflect.TypeFor[map[string]string]():
		return mapOfText
	case t == reflect.TypeFor[map[string]resource.Quantity]():
		return mapOfQuantity
	case !leaf.IsPlainMapKey(t.Key()):
		return odd
	default:
		return mapOfAny
	}
}

// place finds what stands behind the pointers of t. Behind a pointer type with a name the decoder sees no methods.
func (c *compiler) place(t reflect.Type, from *fieldplan.Node) place {
	p := place{usual: usualTypes[t]}
	for ; t.Kind() == reflect.Pointer; t = t.Elem() {
		if t.Name() != "" {
			return oddPlace()
		}
		p.pointers++
	}
	p.node = c.node(from)
	return p
}

// oddPlace is a place that is not read here, not even null.
func oddPlace() place { return place{node: &node{kind: odd}} }

func (c *compiler) object(n *node, from *fieldplan.Node) {
	if len(from.Fields) > maxFields || from.Rest != nil {
		n.kind = odd
		return
	}
	fields := slices.SortedFunc(slices.Values(from.Fields), func(a, b *fieldplan.Field) int { return slices.Compare(a.Index, b.Index) })
	n.fields, n.byName = make([]field, len(fields)), make(map[string]int, len(fields))
	for i, f := range fields {
		last := len(f.Index) - 1
		sf := n.typ.FieldByIndex(f.Index)
		n.fields[i] = field{
			place: c.place(sf.Type, f.Node), name: f.Name, header: strings.TrimPrefix(f.Header, `"`), at: f.Index[last], through: f.Index[:last],
		}
		if f.Quoted || strings.Contains(sf.Tag.Get("json"), ",string") || !sf.IsExported() { // of an embedded struct with a name of its own
			n.fields[i].place = oddPlace()
		}
		n.byName[f.Name] = i
	}
}
