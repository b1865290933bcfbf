package rawjson

import (
	"reflect"
	"slices"
	"strconv"
	"sync"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// Form says how documents are examined that an exported Schema describes. It needs no plan: an object is compiled when
// a document first has it, so that a large Schema costs little if documents have little of it. It is safe for
// concurrent use.
//
// Values are checked and dropped. The Go type of an object has no fields, except the key of an element of a keyed list.
type Form struct{ root *Node }

// FormOf returns the Form of values that a front describes without mistakes and without Go types.
func FormOf(values fieldplan.Values) *Form { return &Form{described{values: values}.node()} }

// Examine is the function [Examine] by the Form.
func (f *Form) Examine(raw []byte) ([]Finding, error) {
	r := decoding{Scanner: canonjson.NewScanner(raw), exact: true, examines: true}
	return r.told(r.document(f.root, reflect.New(f.root.typ).Elem()))
}

// described are values that a front describes, with what they inherit.
type described struct {
	values    fieldplan.Values
	sensitive structtag.Sensitivity
	key       string // of a list, the member that is the key of its elements; of an object, the member that is kept
}

// node compiles the values one object deep.
func (d described) node() *Node {
	o := d.values.Outline("", func(*fault.Error) {})
	plan := &fieldplan.Node{Kind: o.Kind, Type: o.Type, Leaf: o.Leaf, Sensitive: d.sensitive}
	switch o.Kind {
	case fieldplan.Object:
		return d.object(plan, o)
	case fieldplan.Leaf:
		return compiler{}.node(plan)
	case fieldplan.List, fieldplan.Array, fieldplan.Map:
	}
	elem := described{o.Elem, d.sensitive, d.key}.node()
	plan.Elem = elem.plan
	plan.ElemPointer = o.ElemPointer
	plan.Type = o.TypeOf(elem.typ)
	if d.key != "" {
		plan.Pairing = fieldplan.ByKey
		plan.Key = elem.plan.Lookup(d.key)
	}
	return compiler{elem.plan: elem}.node(plan)
}

// object compiles an object, and of its members only the one that is kept.
func (d described) object(plan *fieldplan.Node, o fieldplan.Outline) *Node {
	members := slices.Concat(o.Meta, o.Members)
	n := &Node{
		kind: object, typ: reflect.TypeFor[struct{}](), plan: plan, rest: none, begins: '{', want: "object",
		fields: make([]field, len(members)), byName: make(map[string]int, len(members)),
	}
	all := make([]fieldplan.Field, len(members))
	for i, m := range members {
		header, _ := canonjson.AppendString(nil, m.Name)
		all[i] = fieldplan.Field{Name: m.Name, Header: string(header) + ":", Pointer: m.Pointer, Quoted: m.Quoted}
		plan.Fields = append(plan.Fields, &all[i])
		n.byName[m.Name] = i
		n.fields[i] = d.member(n, &all[i], m)
	}
	plan.Fields = plan.Fields[len(o.Meta):]
	plan.Type = n.typ
	return n
}

// member returns how a member is read.
func (d described) member(n *Node, f *fieldplan.Field, m *fieldplan.Member) field {
	below := described{m.Values, max(d.sensitive, m.Tag.Sensitive), m.Tag.Key}
	if m.Name != d.key {
		return field{name: f.Name, header: f.Header, dropped: &dropped{described: below, field: f}}
	}
	key := below.node()
	f.Index = []int{0}
	f.Node = key.plan
	kept := goField(f, key.typ)
	n.typ = reflect.StructOf([]reflect.StructField{kept})
	to := compiler{key.plan: key}.target(kept.Type, key.plan)
	if f.Quoted {
		to = target{node: asMember(kept.Type, f)}
	}
	return field{name: f.Name, header: f.Header, target: to}
}

// goField is a field of a struct that has the value of a member.
func goField(f *fieldplan.Field, typ reflect.Type) reflect.StructField {
	goField := reflect.StructField{Name: "Value", Type: typ}
	if f.Pointer {
		goField.Type = reflect.PointerTo(typ)
	}
	if f.Quoted {
		goField.Tag = reflect.StructTag("json:" + strconv.Quote(f.Name+",string"))
	}
	return goField
}

// dropped is a member whose value is not kept.
type dropped struct {
	described

	field *fieldplan.Field
	once  sync.Once
	node  *Node // compiled once
}

func (d *dropped) compile() {
	d.node = d.described.node()
	d.field.Node = d.node.plan
	if d.field.Quoted {
		d.node = asMember(reflect.StructOf([]reflect.StructField{goField(d.field, d.node.typ)}), d.field)
	}
}

// drop reads the value of a member that is not kept.
func (r *decoding) drop(d *dropped) *fault.Error {
	d.once.Do(d.compile)
	v := reflect.New(d.node.typ).Elem()
	switch {
	case d.node.kind == member:
		return r.delegate(d.node, v, d.field.Header)
	case r.Peek() == 'n' && (d.field.Pointer || !d.node.kind.readsNull()):
		return r.Literal("null")
	}
	return r.value(d.node, v)
}
