package engine

import (
	"reflect"

	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// Hashed says what the canonical document has of a member.
type Hashed struct {
	IsSet    bool // the member
	IsFilled bool // something in it: an element, or the member of an object; always false for a leaf
}

// HashedMember says what the canonical document has of field f of an object of node n, with the value v
// behind any pointers. The object is an element of collection in, or in is nil. A value that has a problem
// is set and filled. A key or selector is set by the rules of other leaves, although it is always written.
func (p *Program) HashedMember(n, in *fieldplan.Node, f *fieldplan.Field, v reflect.Value) (h Hashed) {
	object := p.canonical.element(n, in)
	m := valueOf(v)
	if object == nil || !exists(m) {
		return Hashed{}
	}
	o := object.memberOp(f)
	if o == nil {
		return Hashed{}
	}
	r := start()
	defer r.end()
	r.deep = p.canonical.deep
	r.hides = p.canonical.hides
	h.IsSet = r.member(o, m, ',')
	if !o.kind.isLeaf() && !isNone(o.kind, m) {
		h.IsFilled = r.composite(o.routine, m, omitted)
	}
	if o.always {
		isSelector := in.When != nil && in.When.Hot == n && in.When.Field.Name == f.Name // Hot whatever its class
		h.IsSet = fieldplan.IsProjected(f.Node.Class) && !isSelector && !f.Unset(p.LeafText(f.Node, v))
	}
	if r.trail.Failed() {
		return Hashed{IsSet: true, IsFilled: true}
	}
	return h
}

// LeafText returns the canonical text of a leaf, v behind any pointers; nil if it has none.
func (p *Program) LeafText(n *fieldplan.Node, v reflect.Value) []byte {
	t := &Trail{}
	text := p.AppendElement(nil, t, n, v)
	if t.Failed() {
		return nil
	}
	return text
}
