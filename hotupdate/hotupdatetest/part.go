package hotupdatetest

import (
	"encoding/json"
	"reflect"
	"slices"

	"github.com/hotupdate/providerconfig/internal/engine"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// maker makes a leaf. The results of two calls mean the same and share no memory.
type maker func() reflect.Value

// part is a value under construction. One part makes any number of values that share no memory.
type part struct {
	node    *fieldplan.Node
	typ     reflect.Type     // with its pointers
	field   *fieldplan.Field // nil for the root and for elements
	pattern string           // path with [] for elements
	null    bool             // a nil pointer, slice or map
	members []*part          // of an object, one for each field of the node; nil is the zero value
	elems   []*part          // of a collection
	key     maker            // of an element of a map
	make    maker            // of a leaf
}

// Blank parts have no value yet: no member of an object is set, a collection is empty.

func blankRoot(p *fieldplan.Plan) *part {
	return blank(part{node: p.Root, typ: reflect.PointerTo(p.Type)})
}

func (p *part) blankMember(f *fieldplan.Field) *part {
	return blank(part{
		node: f.Node, field: f, typ: p.node.Type.FieldByIndex(f.Index).Type, pattern: fieldpath.Join(p.pattern, f.Name),
	})
}

func (p *part) blankElement() *part {
	return blank(part{node: p.node.Elem, typ: p.node.Type.Elem(), pattern: fieldpath.Elements(p.pattern)})
}

func blank(p part) *part {
	p.members = make([]*part, len(p.node.Fields))
	return &p
}

// clone returns a copy that can be changed without changing p.
func (p *part) clone() *part {
	if p == nil {
		return nil
	}
	out := *p
	out.members, out.elems = slices.Clone(p.members), slices.Clone(p.elems)
	for _, below := range [][]*part{out.members, out.elems} {
		for i := range below {
			below[i] = below[i].clone()
		}
	}
	return &out
}

func (p *part) value() reflect.Value {
	v := reflect.New(p.typ).Elem()
	if p.null {
		return v
	}
	to := engine.Allocate(v)
	switch p.node.Kind {
	case fieldplan.Leaf:
		if made := p.make(); made.IsValid() {
			to.Set(made)
		}
	case fieldplan.Object:
		for i, m := range p.members {
			if m != nil {
				engine.Settable(to, p.node.Fields[i]).Set(m.value())
			}
		}
	case fieldplan.List, fieldplan.Array:
		if p.node.Kind == fieldplan.List {
			to.Set(reflect.MakeSlice(to.Type(), len(p.elems), len(p.elems)))
		}
		for i, e := range p.elems {
			to.Index(i).Set(e.value())
		}
	case fieldplan.Map:
		to.Set(reflect.MakeMapWithSize(to.Type(), len(p.elems)))
		for _, e := range p.elems {
			to.SetMapIndex(e.key(), e.value())
		}
	}
	return v
}

// member returns the address of a field's part. The node may differ from that of f, but has its
// type.
func (p *part) member(f *fieldplan.Field) **part {
	return &p.members[slices.IndexFunc(p.node.Fields,
		func(other *fieldplan.Field) bool { return other.Name == f.Name })]
}

// put sets a leaf member, if there is a value.
func (p *part) put(f *fieldplan.Field, value maker) {
	if m := p.blankMember(f); value != nil {
		m.make = value
		*p.member(f) = m
	}
}

// keyText is the text of the key of an element in a map or keyed list; other elements have none.
func (p *part) keyText(e *part) string {
	switch {
	case e.key != nil:
		return engine.KeyStep(p.node, e.key()).Name
	case p.node.Key != nil:
		return string((*e.member(p.node.Key)).text())
	}
	return ""
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

// inspect returns the first breach that find finds in a leaf at or below p, with its path.
func (p *part) inspect(find func(p *part) *breach) *breach {
	if p == nil || p.null {
		return nil
	}
	if p.node.Kind == fieldplan.Leaf {
		b := find(p)
		if b != nil {
			b.path = p.pattern
		}
		return b
	}
	for _, below := range slices.Concat(p.members, p.elems) {
		if b := below.inspect(find); b != nil {
			return b
		}
	}
	return nil
}

// changeable returns the leaves that can change independently: all but those that identify or
// select an element, and those in a set.
func (p *part) changeable(in *fieldplan.Node) (all []*part) {
	switch {
	case p == nil || p.null || p.node.Pairing == fieldplan.ByValue:
		return nil
	case p.node.Kind == fieldplan.Leaf:
		return []*part{p}
	}
	for i, m := range p.members {
		if in == nil || !in.Identity(p.node.Fields[i]) {
			all = append(all, m.changeable(nil)...)
		}
	}
	for _, e := range p.elems {
		all = append(all, e.changeable(p.node)...)
	}
	return all
}

// isUnset reports whether a member is certainly unset.
func (p *part) isUnset() bool {
	switch {
	case p == nil || p.null:
		return true
	case p.node.Kind == fieldplan.Leaf:
		return p.field.Unset(p.text())
	case p.node.Kind == fieldplan.Array:
		return false
	}
	return !p.field.HasPresence() && p.isEmpty()
}

// isEmpty reports whether no member is set and there is no element.
func (p *part) isEmpty() bool {
	return len(p.elems) == 0 && !slices.ContainsFunc(p.members, func(m *part) bool { return !m.isUnset() })
}

// fromJSON returns a maker of the value that a type reads from a text, nil if it does not read it.
func fromJSON(t reflect.Type, text []byte) maker {
	return func() reflect.Value {
		v := reflect.New(t)
		if fails(func() error { return json.Unmarshal(text, v.Interface()) }) {
			return reflect.Value{}
		}
		return v.Elem()
	}
}
