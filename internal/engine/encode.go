package engine

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// Encode writes a value of the plan's type as JSON that [Decode] reads back. It leaves out what says nothing: members that are nil, or
// zero and no pointers. Leaves are spelled as their types spell them, and list elements keep their order.
func Encode(p *fieldplan.Plan, v reflect.Value) ([]byte, error) {
	e := &encoder{}
	root, _ := Deref(v)
	e.object(p.Root, slices.Concat(p.Meta, p.Root.Fields), root, nil)
	return e.buf, e.trail.Err()
}

// EncodeLeaf writes a leaf, not a pointer, as its type does.
func EncodeLeaf(v reflect.Value) ([]byte, *fault.Error) {
	if v.Type() == reflect.TypeFor[leaf.OpaqueJSON]() && v.Len() > 0 {
		return v.Bytes(), nil // as it was read
	}
	return leaf.Call(func() ([]byte, error) {
		var out bytes.Buffer
		encoder := json.NewEncoder(&out)
		encoder.SetEscapeHTML(false)
		err := encoder.Encode(leaf.Addressable(v).Addr().Interface()) // a marshaler may have the pointer as its receiver
		return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
	})
}

type encoder struct {
	buf   []byte
	trail Trail
	above Ancestors
}

// object writes the members of an object. The key of an element of collection in is written even if it is zero.
func (e *encoder) object(n *fieldplan.Node, fields []*fieldplan.Field, v reflect.Value, in *fieldplan.Node) {
	e.buf = append(e.buf, '{')
	for _, f := range fields {
		e.trail.Enter(fieldpath.Step{Kind: fieldpath.Member, Name: f.Name})
		member, present := Deref(Member(v, f))
		if present && (f.Pointer || !member.IsZero() || in != nil && in.Key != nil && in.Key.Name == f.Name) {
			e.member(f, member)
		}
		e.trail.Leave()
	}
	unknown := UnknownMembers(&e.trail, n, v)
	for _, u := range unknown.Left() {
		f, step := UnknownField(n, u)
		e.trail.Enter(step)
		e.member(f, u.Value)
		e.trail.Leave()
	}
	e.buf = append(e.buf, '}')
}

func (e *encoder) comma() {
	if last := e.buf[len(e.buf)-1]; last != '{' && last != '[' {
		e.buf = append(e.buf, ',')
	}
}

func (e *encoder) member(f *fieldplan.Field, v reflect.Value) {
	e.comma()
	e.buf = append(e.buf, f.Header...)
	start := len(e.buf)
	e.value(f.Node, v, nil)
	if f.Quoted {
		e.buf, _ = canonjson.AppendString(e.buf[:start], string(e.buf[start:]))
	}
}

// value writes a value that stands in any case, be it an element of collection in or none.
func (e *encoder) value(n *fieldplan.Node, v reflect.Value, in *fieldplan.Node) {
	v, ok := Deref(v)
	if !ok || (n.Kind == fieldplan.List || n.Kind == fieldplan.Map) && v.IsNil() {
		e.buf = append(e.buf, leaf.Null...)
		return
	}
	defer func(ancestors int) { e.above = e.above[:ancestors] }(len(e.above))
	if !e.trail.Visit(&e.above, n, v) {
		return
	}
	switch n.Kind {
	case fieldplan.Object:
		e.object(n, n.Fields, v, in)
	case fieldplan.List, fieldplan.Array:
		e.elements(n, v)
	case fieldplan.Map:
		e.entries(n, v)
	case fieldplan.Leaf:
		raw, problem := EncodeLeaf(v)
		if problem != nil {
			e.trail.Report(problem)
		}
		e.buf = append(e.buf, raw...)
	}
}

func (e *encoder) elements(n *fieldplan.Node, v reflect.Value) {
	e.buf = append(e.buf, '[')
	for i := range v.Len() {
		e.comma()
		e.trail.Enter(fieldpath.Step{Kind: fieldpath.Index, At: i})
		e.value(n.Elem, v.Index(i), n)
		e.trail.Leave()
	}
	e.buf = append(e.buf, ']')
}

func (e *encoder) entries(n *fieldplan.Node, v reflect.Value) {
	values := map[string]reflect.Value{}
	for it := v.MapRange(); it.Next(); {
		values[KeyStep(n, it.Key()).Name] = it.Value()
	}
	e.buf = append(e.buf, '{')
	for _, key := range slices.Sorted(maps.Keys(values)) {
		e.comma()
		e.buf, _ = canonjson.AppendString(e.buf, key) // Diff and hash report keys that are no text
		e.buf = append(e.buf, ':')
		e.trail.Enter(fieldpath.Step{Kind: fieldpath.MapKey, Name: key, Hidden: n.HidesKeys()})
		e.value(n.Elem, values[key], n)
		e.trail.Leave()
	}
	e.buf = append(e.buf, '}')
}
