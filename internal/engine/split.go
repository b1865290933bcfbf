package engine

import (
	"reflect"

	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// Split copies the immutable half of v, which is what stands in the canonical document, and the hot half, which is the rest, into two
// pointers to values of the plan's type. TypeMeta stands in both. Halves share no memory with v.
func Split(p *fieldplan.Plan, v reflect.Value) (immutable, hot reflect.Value, err error) {
	c := &copier{classes: fieldplan.Projected}
	immutable = c.root(p, v)
	c.classes = fieldplan.Unprojected
	hot = c.root(p, v)
	return immutable, hot, c.trail.Err()
}

// copier copies what is of some classes. Collections that hold anything of them are copied with all elements, and with the identity of
// each, so that two copies of different classes can be merged.
type copier struct {
	trail   Trail
	above   Ancestors
	classes fieldplan.ClassSet
}

func (c *copier) root(p *fieldplan.Plan, v reflect.Value) reflect.Value {
	copied := reflect.New(p.Type)
	root, ok := Deref(v)
	if !ok {
		return copied
	}
	for _, f := range p.Meta {
		c.member(f, copied.Elem(), root)
	}
	c.parts(p.Root, copied, root, nil)
	return copied
}

// parts fills to with the parts of from that are of the wanted classes. Members that identify an element of collection in are copied whatever
// their class.
func (c *copier) parts(n *fieldplan.Node, to, from reflect.Value, in *fieldplan.Node) {
	from, ok := Deref(from)
	if !ok {
		return
	}
	defer func(ancestors int) { c.above = c.above[:ancestors] }(len(c.above))
	if !c.trail.Visit(&c.above, n, from) {
		return
	}
	to = Allocate(to)
	switch n.Kind {
	case fieldplan.Object:
		c.members(n, to, from, in)
	case fieldplan.List:
		if !from.IsNil() {
			to.Set(reflect.MakeSlice(n.Type, from.Len(), from.Len()))
			c.places(n, to, from)
		}
	case fieldplan.Array:
		c.places(n, to, from)
	case fieldplan.Map:
		if !from.IsNil() {
			c.entries(n, to, from)
		}
	case fieldplan.Leaf:
	}
}

func (c *copier) members(n *fieldplan.Node, to, from reflect.Value, in *fieldplan.Node) {
	for _, f := range n.Parts() {
		c.trail.Enter(fieldpath.Step{Kind: fieldpath.Member, Name: f.Name})
		switch classes := f.Classes(); {
		case !classes.Any(^c.classes) || in != nil && in.Identity(f):
			c.member(f, to, from)
		case classes.Any(c.classes):
			if v := Member(from, f); v.IsValid() {
				c.parts(f.Node, Settable(to, f), v, nil)
			}
		}
		c.trail.Leave()
	}
}

func (c *copier) member(f *fieldplan.Field, to, from reflect.Value) {
	if v := Member(from, f); v.IsValid() {
		c.clone(f.Node, Settable(to, f), v)
	}
}

// Settable returns the place of field f in object to, with the embedded pointers on the way.
func Settable(to reflect.Value, f *fieldplan.Field) reflect.Value {
	for _, index := range f.Index {
		to = Allocate(to).Field(index)
	}
	return to
}

// Allocate follows pointers, filling in those that are nil.
func Allocate(v reflect.Value) reflect.Value {
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		v = v.Elem()
	}
	return v
}

func (c *copier) places(n *fieldplan.Node, to, from reflect.Value) {
	for i := range from.Len() {
		c.trail.Enter(fieldpath.Step{Kind: fieldpath.Index, At: i})
		c.element(n, to.Index(i), from.Index(i))
		c.trail.Leave()
	}
}

func (c *copier) entries(n *fieldplan.Node, to, from reflect.Value) {
	to.Set(reflect.MakeMapWithSize(n.Type, from.Len()))
	for it := from.MapRange(); it.Next(); {
		elem := reflect.New(n.Type.Elem()).Elem()
		c.trail.Enter(KeyStep(n, it.Key()))
		c.element(n, elem, it.Value())
		c.trail.Leave()
		to.SetMapIndex(it.Key(), elem)
	}
}

func (c *copier) element(n *fieldplan.Node, to, from reflect.Value) {
	if node := ElementNode(n, from); node.Classes.Any(^c.classes) {
		c.parts(node, to, from, n)
	} else {
		c.clone(node, to, from)
	}
}

func (c *copier) clone(n *fieldplan.Node, to, from reflect.Value) {
	if n.Kind == fieldplan.Leaf {
		c.cloneLeaf(n, to, from)
		return
	}
	defer func(classes fieldplan.ClassSet) { c.classes = classes }(c.classes)
	c.classes = fieldplan.All
	c.parts(n, to, from, nil)
}

func (c *copier) cloneLeaf(n *fieldplan.Node, to, from reflect.Value) {
	from, ok := Deref(from)
	if !ok {
		return
	}
	if problem := leaf.Copy(Allocate(to), from, n.Leaf); problem != nil {
		c.trail.Report(problem)
	}
}
