package rawjson

import (
	"encoding/json"
	"reflect"
	"slices"

	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// rootOf returns the compiled root of a plan. It is compiled once and kept with the plan; it is
// immutable and safe for concurrent use.
func rootOf(p *fieldplan.Plan) *Node {
	return p.Derived(fieldplan.Reading, func() any { return compile(p) }).(*Node)
}

// kind says how a node is read.
type kind uint8

const (
	object kind = iota
	list
	array
	mapOfAny
	mapByKeys // the keys are not plain strings
	boolean
	number
	text
	free    // the empty interface
	own     // has an UnmarshalJSON; values of this kind and of those below may have unmarshalers of their own
	foreign // everything else that the decoder reads
	member  // read by the decoder as a member of its struct
)

// readsNull reports whether null is read by the value itself, not as absence.
func (k kind) readsNull() bool { return k >= own }

// Node describes how values of a type are read.
type Node struct {
	kind kind
	typ  reflect.Type
	plan *fieldplan.Node

	fields []field
	byName map[string]int
	rest   int // index of the struct's field for unknown members, or none

	bits int // of a number

	elem target       // of a collection
	keys reflect.Type // a map type with the same keys

	readsKeys bool // the keys need no decoder
	// marshalsKeys: the type of the keys writes them itself, so that two of them may have one text
	marshalsKeys bool

	begins     byte   // the first byte of the JSON; 0 if it may be several
	want       string // the expected JSON type, for problems
	rounds     bool   // the decoder rounds numbers
	quantities bool   // the value may hold quantities, whose size is checked first
}

// none is the index of no field.
const none = -1

// target is the destination of a value: a node, behind pointers.
type target struct {
	node     *Node
	pointers int
}

// field is a member of an object, in the order of the Go struct.
type field struct {
	target

	name    string
	header  string // the name in its usual spelling, and the colon
	at      int    // index in the struct, or in the embedded struct to which through leads
	through []int  // embedded structs, outermost first

	dropped *dropped // instead of all but the name and header; see [Form]
}

type compiler map[*fieldplan.Node]*Node

func compile(p *fieldplan.Plan) *Node {
	root := *p.Root
	root.Fields = slices.Concat(p.Meta, p.Root.Fields)
	return compiler{}.node(&root)
}

func (c compiler) node(from *fieldplan.Node) *Node {
	if n, ok := c[from]; ok {
		return n
	}
	n := &Node{kind: kindOf(from), typ: from.Type, plan: from, rest: none, want: from.TypeName()}
	if want, isNamed := wants[from.Leaf]; isNamed && from.Kind == fieldplan.Leaf {
		n.want = want
	}
	c[from] = n
	//exhaustive:ignore
	switch n.kind {
	case object:
		n.begins = '{'
		n.want = "object"
		c.object(n)
	case list, array:
		n.begins = '['
		n.want = "list"
		n.elem = c.target(n.typ.Elem(), from.Elem)
	case mapOfAny, mapByKeys:
		n.begins = '{'
		n.want = "object"
		n.elem = c.target(n.typ.Elem(), from.Elem)
		n.keys = reflect.MapOf(n.typ.Key(), reflect.TypeFor[bool]())
		n.readsKeys = leaf.ReadsKeyAlone(n.typ.Key())
		n.marshalsKeys = leaf.MapKeyKind(n.typ.Key()) == leaf.TextMarshaler
	case number:
		n.bits = n.typ.Bits()
	case text:
		n.begins = '"'
	case free, own, foreign:
		n.byDecoder()
	}
	return n
}

// asMember returns how the decoder reads a field of a type, as a member of its struct.
func asMember(typ reflect.Type, f *fieldplan.Field) *Node {
	m := &Node{kind: member, typ: typ, plan: f.Node, want: f.Node.TypeName()}
	if f.Quoted {
		m.want = "string that holds " + plaintext.WithArticle(f.Node.Type.String())
	}
	return m.byDecoder()
}

// byDecoder prepares a node that the decoder reads.
func (n *Node) byDecoder() *Node {
	n.rounds = leaf.HoldsInterface(n.typ)
	n.quantities = leaf.HoldsQuantity(n.typ)
	return n
}

var unmarshalerType = reflect.TypeFor[json.Unmarshaler]()

// kindOf checks the types in the same order as the decoder.
func kindOf(n *fieldplan.Node) kind {
	switch {
	case reflect.PointerTo(n.Type).Implements(unmarshalerType):
		return own
	case leaf.ReadsItself(n.Type):
		return foreign
	}
	switch k, ok := leafKinds[n.Leaf]; {
	case n.Kind == fieldplan.Map && !leaf.IsPlainMapKey(n.Type.Key()):
		return mapByKeys
	case n.Kind != fieldplan.Leaf:
		return compositeKinds[n.Kind]
	case n.Leaf.IsText():
		return text
	case !ok, k == free && n.Type.NumMethod() > 0:
		return foreign
	default:
		return k
	}
}

var compositeKinds = map[fieldplan.Kind]kind{
	fieldplan.Object: object, fieldplan.List: list, fieldplan.Array: array, fieldplan.Map: mapOfAny,
}

// leafKinds are the kinds of leaves that the decoder need not read.
var leafKinds = map[leaf.Kind]kind{
	leaf.Bool: boolean, leaf.Int: number, leaf.Uint: number, leaf.Float: number,
	leaf.Interface: free,
}

// target returns the target for type t with its pointers.
func (c compiler) target(t reflect.Type, from *fieldplan.Node) target {
	pointers := 0
	for ; t.Kind() == reflect.Pointer; t = t.Elem() {
		pointers++
	}
	return target{c.node(from), pointers}
}

func (c compiler) object(n *Node) {
	fields := slices.SortedFunc(slices.Values(n.plan.Fields),
		func(a, b *fieldplan.Field) int { return slices.Compare(a.Index, b.Index) })
	n.fields = make([]field, len(fields))
	n.byName = make(map[string]int, len(fields))
	for i, f := range fields {
		last := len(f.Index) - 1
		sf := n.typ.FieldByIndex(f.Index)
		n.fields[i] = field{
			target: c.target(sf.Type, f.Node), name: f.Name, header: f.Header, at: f.Index[last],
			through: f.Index[:last],
		}
		if f.Quoted || !sf.IsExported() { // an unexported field is an embedded struct with a JSON name
			n.fields[i].target = target{node: asMember(sf.Type, f)}
		}
		n.byName[f.Name] = i
	}
	if n.plan.Rest != nil {
		n.rest = n.plan.Rest.Index[0]
	}
}
