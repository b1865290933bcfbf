package hotupdatetest

import (
	"reflect"
	"slices"

	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// varying changes a configuration without changing its hash: it respells unset members, and draws
// new values for some classes.
type varying struct {
	author

	redrawn fieldplan.ClassSet
}

func (v varying) config(c *part) *part {
	out := c.clone()
	out.null = false
	v.part(out, nil)
	out.null = out.isEmpty() && v.chance(3)
	return out
}

// part varies a part in place. What identifies or selects an element stays.
func (v varying) part(p *part, in *fieldplan.Node) {
	if p.null {
		return
	}
	for i, f := range p.node.Fields {
		if in == nil || !in.Identity(f) {
			p.members[i] = v.member(p, p.members[i], f)
		}
	}
	for _, e := range p.elems {
		v.part(e, p.node)
	}
	switch {
	case v.redrawn != 0 && (p.node.Kind == fieldplan.Map || p.node.Pairing == fieldplan.ByKey):
		v.redrawElements(p)
	case p.node.Pairing == fieldplan.ByValue && len(p.elems) > 0 && v.chance(2):
		p.elems = append(p.elems, among(v.author, p.elems...))
	}
	if p.node.Pairing != fieldplan.ByPosition && v.chance(2) {
		slices.Reverse(p.elems)
	}
}

// member redraws a member, or respells an unset one.
func (v varying) member(in, m *part, f *fieldplan.Field) *part {
	isRedrawn := v.redrawn != 0 && f.Classes()&^v.redrawn == 0
	switch {
	case isRedrawn && v.chance(2):
		return v.author.member(in, f, maxDepth/2)
	case m.isUnset() && v.chance(2):
		return nil
	case m != nil && !m.null:
		v.part(m, nil)
		return m
	case f.HasPresence(), f.Node.Recursive, f.Node.Kind == fieldplan.Array,
		f.Node.Kind == fieldplan.Leaf && f.Pointer && f.Default == nil:
		return m
	}
	p := in.blankMember(f)
	switch {
	case f.Node.Kind != fieldplan.Leaf:
		v.part(p, nil)
	case f.Default != nil:
		p.make = fromJSON(f.Node.Type, f.Default)
	default:
		p.make = func() reflect.Value { return reflect.Zero(f.Node.Type) }
	}
	return p
}

// redrawElements removes and adds elements of which nothing is hashed.
func (v varying) redrawElements(p *part) {
	p.elems = slices.DeleteFunc(p.elems, func(e *part) bool { return e.node.Classes&^v.redrawn == 0 && v.chance(3) })
	for range v.pick(3) {
		switch e := v.add(p, v.redrawn); {
		case e == nil:
		case e.node.Classes&^v.redrawn == 0:
			v.value(e, p.node, maxDepth/2)
		default:
			v.part(e, p.node)
		}
	}
}
