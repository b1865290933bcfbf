package hotupdatetest

import (
	"reflect"
	"slices"

	"github.com/hotupdate/providerconfig/internal/engine"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// maker makes a leaf. What two calls return means the same and shares no memory.
type maker func() reflect.Value

// part is a value in the making. The same part makes any number of values that share no memory, and can be rewritten in places.
type part struct {
	node    *fieldplan.Node
	typ     reflect.Type // with its pointers
	pattern string       // path with [] for elements
	null    bool         // a nil pointer, slice or map
	members []*part      // of an object, one for each field of the node; nil stays as Go leaves it
	elems   []*part      // of a collection
	keys    []maker      // of a map, one for each element
	make    maker        // of a leaf
}

// config is a configuration in the making.
type config struct {
	root *part // nil: a nil pointer
	meta []string
	plan *fieldplan.Plan
}

// value makes a pointer to a configuration.
func (c config) value() reflect.Value {
	if c.root == nil {
		return reflect.Zero(reflect.PointerTo(c.plan.Type))
	}
	v := reflect.New(c.plan.Type)
	v.Elem().Set(c.root.value())
	for i, f := range c.plan.Meta {
		place(v.Elem(), f.Index).SetString(c.meta[i])
	}
	return v
}

// place finds a field for writing, behind embedded pointers that it allocates.
func place(v reflect.Value, index []int) reflect.Value {
	for i, at := range index {
		if i > 0 {
			v = allocated(v)
		}
		v = v.Field(at)
	}
	return v
}

// allocated follows pointers and allocates what they lead to.
func allocated(v reflect.Value) reflect.Value {
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		v = v.Elem()
	}
	return v
}

func (p *part) value() reflect.Value {
	v := reflect.New(p.typ).Elem()
	if p.null {
		return v
	}
	to := allocated(v)
	switch p.node.Kind {
	case fieldplan.Leaf:
		if made := p.make(); made.IsValid() {
			to.Set(made)
		}
	case fieldplan.Object:
		for i, m := range p.members {
			if m != nil {
				place(to, p.node.Fields[i].Index).Set(m.value())
			}
		}
	case fieldplan.List:
		to.Set(reflect.MakeSlice(to.Type(), len(p.elems), len(p.elems)))
		p.fill(to)
	case fieldplan.Array:
		p.fill(to)
	case fieldplan.Map:
		to.Set(reflect.MakeMapWithSize(to.Type(), len(p.elems)))
		for i, e := range p.elems {
			to.SetMapIndex(p.keys[i](), e.value())
		}
	}
	return v
}

func (p *part) fill(to reflect.Value) {
	for i, e := range p.elems {
		to.Index(i).Set(e.value())
	}
}

// member returns the part of a field; it is nil where there is none.
func (p *part) member(name string) *part {
	for i, f := range p.node.Fields {
		if f.Name == name && i < len(p.members) {
			return p.members[i]
		}
	}
	return nil
}

func (p *part) setMember(name string, m *part) {
	for i, f := range p.node.Fields {
		if f.Name == name {
			p.members[i] = m
		}
	}
}

// retarget gives an element the classes that its selector calls for.
func (p *part) retarget(n *fieldplan.Node) {
	p.node = n
	for i, m := range p.members {
		if m != nil {
			m.retarget(n.Fields[i].Node)
		}
	}
	for _, e := range p.elems {
		e.retarget(elementNode(n, e))
	}
}

// elementNode is the node of an element: the hot one where hotwhen holds.
func elementNode(n *fieldplan.Node, e *part) *fieldplan.Node {
	if n.When == nil {
		return n.Elem
	}
	return engine.ElementNode(n, e.value())
}

// text is the canonical text of a leaf, nil if it has none.
func (p *part) text() []byte {
	v := p.make()
	if !v.IsValid() {
		v = reflect.Zero(p.node.Type)
	}
	text, problem := leaf.Append(nil, p.node.Leaf, v)
	if problem != nil {
		return nil
	}
	return text
}

// fieldType is the Go type of a field, with its pointers.
func fieldType(n *fieldplan.Node, f *fieldplan.Field) reflect.Type {
	return n.Type.FieldByIndex(f.Index).Type
}

// says reports whether a member says something to whoever sees these classes. Where it is false, the member may as well be absent.
func (p *part) says(f *fieldplan.Field, seen fieldplan.ClassSet) bool {
	if p == nil || p.null || !f.Classes().Any(seen) {
		return false
	}
	own := seen.Any(fieldplan.Of(p.node.Class))
	switch p.node.Kind {
	case fieldplan.Leaf:
		return own && !f.Unset(p.text())
	case fieldplan.Object:
		return f.KeepsPresence() && own || p.membersSay(seen)
	case fieldplan.List, fieldplan.Map:
		return len(p.elems) > 0 && (own || p.elementsSay(seen))
	case fieldplan.Array:
	}
	return !p.value().IsZero()
}

func (p *part) membersSay(seen fieldplan.ClassSet) bool {
	for i, m := range p.members {
		if m.says(p.node.Fields[i], seen) {
			return true
		}
	}
	return false
}

func (p *part) elementsSay(seen fieldplan.ClassSet) bool {
	for _, e := range p.elems {
		if e.elementSays(p.node, seen) {
			return true
		}
	}
	return false
}

// elementSays reports whether an element of collection in says something beside by what it is found or selected. The element is
// conservative: what is no object says something if anything in it may.
func (p *part) elementSays(in *fieldplan.Node, seen fieldplan.ClassSet) bool {
	switch {
	case seen.Any(fieldplan.Of(p.node.Class)):
		return true
	case p.null:
		return false
	case p.node.Kind != fieldplan.Object:
		return p.node.Classes.Any(seen)
	}
	for i, m := range p.members {
		if f := p.node.Fields[i]; !in.Identity(f) && m.says(f, seen) {
			return true
		}
	}
	return false
}

// visit calls do for every leaf below p with its path.
func (p *part) visit(path fieldpath.Path, do func(p *part, path fieldpath.Path)) {
	if p == nil || p.null {
		return
	}
	switch p.node.Kind {
	case fieldplan.Leaf:
		do(p, path)
	case fieldplan.Object:
		for i, m := range p.members {
			m.visit(append(slices.Clip(path), fieldpath.Step{Kind: fieldpath.Member, Name: p.node.Fields[i].Name}), do)
		}
	case fieldplan.List, fieldplan.Array, fieldplan.Map:
		for i, e := range p.elems {
			e.visit(append(slices.Clip(path), p.step(i)), do)
		}
	}
}

// step leads to the i-th element.
func (p *part) step(i int) fieldpath.Step {
	switch {
	case p.node.Kind == fieldplan.Map:
		return engine.KeyStep(p.node, p.keys[i]())
	case p.node.Pairing == fieldplan.ByKey && !p.elems[i].null:
		if key := p.elems[i].member(p.node.Key.Name); key != nil {
			return fieldpath.Step{Kind: fieldpath.ListKey, Name: p.node.Key.Name, Value: plain(key.text()), At: i, Hidden: key.node.HidesValues()}
		}
	}
	return fieldpath.Step{Kind: fieldpath.Index, At: i}
}
