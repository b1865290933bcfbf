package engine

import (
	"reflect"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// Split copies the fields of the canonical document, the immutable half of v, and all other fields,
// the hot half, to two new values of the plan's type, and returns pointers to them. Both have the
// TypeMeta of v. The halves share no memory with v.
func Split(p *fieldplan.Plan, v reflect.Value) (immutable, hot reflect.Value, err error) {
	c := &copier{first: fieldplan.Projected}
	immutable, hot = c.root(p, twoValues{v}), c.root(p, twoValues{1: v})
	return immutable, hot, c.trail.Err()
}

// Merge joins an immutable and a hot half to a new value of the plan's type, and returns a pointer
// to it. A collection with fields of both halves must have the same elements in both. TypeMeta is
// that of the immutable half, if there is one.
func Merge(p *fieldplan.Plan, immutable, hot reflect.Value) (reflect.Value, error) {
	c := &copier{first: fieldplan.Projected, halves: Of(p)}
	merged := c.root(p, twoValues{immutable, hot})
	return merged, c.trail.Err()
}

// Project copies the immutable half of v, without the objects, collections and elements that would
// be in it only because of their hot parts: those of which nothing is in the canonical document. An
// object that becomes empty is kept if its presence is hashed.
func Project(p *fieldplan.Plan, v reflect.Value) (reflect.Value, error) {
	c := &copier{first: fieldplan.Projected, trims: Of(p)}
	projection := c.root(p, twoValues{v})
	return projection, c.trail.Err()
}

// copier copies the fields of some classes from the first of two values, and the other fields from
// the second. A collection is copied with all elements and their identities, so that copies of
// different classes can be merged.
type copier struct {
	trail  Trail
	above  [2]Ancestors
	first  fieldplan.ClassSet
	halves *Program // of the values, if they are halves of one configuration; if nil, one value is missing
	trims  *Program // of the values, if only hashed parts are copied
}

func (c *copier) root(p *fieldplan.Plan, from twoValues) reflect.Value {
	copied := reflect.New(p.Type)
	from = from.deref()
	for _, f := range p.Meta {
		c.member(0, f, copied.Elem(), twoValues{Member(from.any(), f)})
	}
	if from.any().IsValid() {
		c.mixed(p.Root, copied, from, nil)
	}
	return copied
}

// mixed fills to from both values, either of which may be missing.
func (c *copier) mixed(n *fieldplan.Node, to reflect.Value, from twoValues, in *fieldplan.Node) {
	defer func(first, second int) { c.above = [2]Ancestors{c.above[0][:first], c.above[1][:second]} }(len(c.above[0]),
		len(c.above[1]))
	for side, v := range from {
		if v.IsValid() && !c.trail.Visit(&c.above[side], n, v) {
			return
		}
	}
	switch n.Kind {
	case fieldplan.Object:
		c.members(n, Allocate(to), from, in)
	case fieldplan.Array:
		if from.any().IsValid() {
			c.places(n, Allocate(to), from)
		}
	case fieldplan.List, fieldplan.Map:
		c.collection(n, to, from)
	case fieldplan.Leaf:
	}
}

func (c *copier) collection(n *fieldplan.Node, to reflect.Value, from twoValues) {
	owner := from.any() // decides whether the collection is nil
	if c.halves != nil {
		owner = from[1]
		if fieldplan.IsProjected(n.Class) {
			owner = from[0]
		}
	}
	if !owner.IsValid() || owner.IsNil() {
		if owner.IsValid() {
			Allocate(to)
		}
		to = reflect.New(n.Type) // is dropped; only elements of the other half are reported
	}
	to = Allocate(to)
	if n.Kind == fieldplan.Map {
		c.entries(n, to, from)
		return
	}
	size := length(from.any())
	to.Set(reflect.MakeSlice(n.Type, size, size))
	switch {
	case c.halves != nil && n.Pairing == fieldplan.ByKey:
		c.keyed(n, to, from)
	case c.halves != nil && size != length(from[1]):
		c.refuse("has another number of elements in the hot half")
	case c.trims != nil:
		c.hashed(n, to, from)
	default:
		c.places(n, to, from)
	}
}

// hashed fills a list with the elements that are in the canonical document.
func (c *copier) hashed(n *fieldplan.Node, to reflect.Value, from twoValues) {
	c.places(n, to, from)
	left := 0
	for i := range to.Len() {
		if c.isWanted(n, from[0].Index(i)) {
			to.Index(left).Set(to.Index(i))
			left++
		}
	}
	to.Set(to.Slice3(0, left, left))
}

// isWanted reports whether an element of collection in is copied.
func (c *copier) isWanted(in *fieldplan.Node, elem reflect.Value) bool {
	n := ElementNode(in, elem)
	return c.trims == nil || fieldplan.IsProjected(in.Class) && n == in.Elem || fieldplan.IsProjected(n.Class) ||
		c.trims.isHashed(n, elem, in)
}

func (c *copier) refuse(what string) {
	c.trail.Report(&fault.Error{
		Kind: fault.Conflict, Code: "halves-differ", What: what, Hint: "merge halves of one configuration",
	})
}

// members fills to with the members of an object. The key and selector of an element of collection
// in are always copied: of two halves, from the half that has the collection's class.
func (c *copier) members(n *fieldplan.Node, to reflect.Value, from twoValues, in *fieldplan.Node) {
	for _, f := range n.Parts() {
		members := twoValues{Member(from[0], f), Member(from[1], f)}
		c.trail.Enter(fieldpath.Step{Kind: fieldpath.Member, Name: f.Name})
		switch classes := f.Classes(); {
		case in != nil && in.Identity(f):
			c.member(identifying(in, from), f, to, members)
		case !classes.Any(^c.first):
			c.member(0, f, to, members)
		case !classes.Any(c.first):
			c.member(1, f, to, members)
		case members.any().IsValid():
			c.part(f, Settable(to, f), members.deref())
		}
		c.trail.Leave()
	}
	if c.trims != nil {
		c.trimEmbedded(n, to)
	}
}

// part copies a member with fields of both halves. With trims, a copy that is empty is dropped,
// unless its presence is hashed.
func (c *copier) part(f *fieldplan.Field, to reflect.Value, members twoValues) {
	if c.stays(f, members) {
		c.mixed(f.Node, to, members, nil)
	}
	if c.trims == nil || f.HasPresence() && fieldplan.IsProjected(f.Node.Class) {
		return
	}
	if inner, ok := Deref(to); ok &&
		(inner.IsZero() || f.Node.Kind != fieldplan.Object && f.Node.Kind != fieldplan.Array && inner.Len() == 0) {
		to.SetZero()
	}
}

// trimEmbedded trims embedded pointers to structs that have hot parts and hold nothing else.
func (c *copier) trimEmbedded(n *fieldplan.Node, object reflect.Value) {
	for _, f := range n.Parts() {
		for depth := len(f.Index) - 1; depth > 0 && f.Classes().Any(^c.first); depth-- {
			at, err := object.FieldByIndexErr(f.Index[:depth])
			if err == nil && at.Kind() == reflect.Pointer && at.CanSet() && !at.IsNil() && at.Elem().IsZero() {
				at.SetZero()
			}
		}
	}
}

func identifying(in *fieldplan.Node, from twoValues) int {
	if !from[0].IsValid() || from[1].IsValid() && !fieldplan.IsProjected(in.Class) {
		return 1
	}
	return 0
}

// stays reports whether a member is copied. Of two halves, the half with the member's class decides
// for a member with the presence option.
func (c *copier) stays(f *fieldplan.Field, from twoValues) bool {
	switch {
	case c.halves == nil || !f.HasPresence():
		return from.any().IsValid()
	case fieldplan.IsProjected(f.Node.Class):
		return from[0].IsValid()
	default:
		return from[1].IsValid() || c.halves.isHashed(f.Node, from[0], nil)
	}
}

// member copies the whole of a member from one side, if it is there.
func (c *copier) member(side int, f *fieldplan.Field, to reflect.Value, from twoValues) {
	if from[side].IsValid() {
		c.whole(side, f.Node, Settable(to, f), from[side])
	}
}

// whole copies everything in a value of one side, whatever its class.
func (c *copier) whole(side int, n *fieldplan.Node, to, from reflect.Value) {
	from, ok := Deref(from)
	switch {
	case !ok:
	case n.Kind == fieldplan.Leaf:
		if problem := leaf.Copy(Allocate(to), from, n.Leaf); problem != nil {
			c.trail.Report(problem)
		}
	default:
		all := copier{trail: c.trail, first: fieldplan.All, above: [2]Ancestors{c.above[side]}}
		all.mixed(n, to, twoValues{from}, nil)
		c.trail = all.trail
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

// places fills a list or array place by place.
func (c *copier) places(n *fieldplan.Node, to reflect.Value, from twoValues) {
	for i := range to.Len() {
		c.trail.Enter(fieldpath.Step{Kind: fieldpath.Index, At: i})
		c.element(n, to.Index(i), twoValues{index(from[0], i), index(from[1], i)})
		c.trail.Leave()
	}
}

// keyed fills a keyed list in the order of the first half.
func (c *copier) keyed(n *fieldplan.Node, to reflect.Value, from twoValues) {
	pairs := pairing{left: [2][]Element{c.halves.keyed(&c.trail, n, from[0]), c.halves.keyed(&c.trail, n, from[1])}}
	for pairs.next() {
		var elem reflect.Value
		if first := pairs.at[0]; first != nil {
			elem = to.Index(first.At)
		}
		c.trail.Enter(pairs.element().Step(n))
		c.element(n, elem, pairs.values())
		c.trail.Leave()
	}
}

// entries fills a map. In halves null is a value, not an absent key.
func (c *copier) entries(n *fieldplan.Node, to reflect.Value, from twoValues) {
	to.Set(reflect.MakeMap(n.Type))
	for pairs := (pairing{
		left: [2][]Element{allEntries(&c.trail, n, from[0]), allEntries(&c.trail, n, from[1])},
	}); pairs.next(); {
		e, elem := pairs.element(), reflect.New(n.Type.Elem()).Elem()
		c.trail.Enter(e.Step(n))
		if c.element(n, elem, pairs.values()); c.isWanted(n, pairs.values()[0]) {
			to.SetMapIndex(e.mapKey, elem)
		}
		c.trail.Leave()
	}
}

// element fills to with an element of collection in. The zero reflect.Value is a missing element.
func (c *copier) element(in *fieldplan.Node, to reflect.Value, from twoValues) {
	areTwo := c.halves != nil && in.Kind != fieldplan.Array
	switch n := ElementNode(in, from.any()); {
	case areTwo && (!from[0].IsValid() || !from[1].IsValid()):
		c.refuse("stands in one half only")
	case areTwo && n != ElementNode(in, from[1]):
		c.refuse("is hot in one half only")
	case n.Kind == fieldplan.Object:
		c.objectElement(n, to, from.deref(), in)
	case !n.Classes.Any(^c.first):
		c.whole(0, n, to, from[0])
	case !n.Classes.Any(c.first):
		c.whole(1, n, to, from[1])
	default:
		c.mixed(n, to, from.deref(), nil)
	}
}

func (c *copier) objectElement(n *fieldplan.Node, to reflect.Value, from twoValues, in *fieldplan.Node) {
	isGone := c.halves != nil && !from[1].IsValid() && !fieldplan.IsProjected(n.Class) &&
		!c.halves.isHashed(n, from[0], in)
	if from.any().IsValid() && !isGone {
		c.mixed(n, to, from, in)
	}
	if inner, _ := Deref(to); c.trims != nil && inner.IsValid() && inner.IsZero() {
		to.SetZero()
	}
}

// isHashed reports whether the canonical document has something of v, apart from the identity of an
// element of collection in. It is also true for a value with faults, which copying reports.
func (p *Program) isHashed(n *fieldplan.Node, v reflect.Value, in *fieldplan.Node) bool {
	compiled, m := p.canonical.nodeIn(n, in), valueOf(v)
	if compiled == nil || !compiled.writes || !exists(m) {
		return false
	}
	r := start()
	defer r.end()
	r.deep, r.sums = p.canonical.deep, true
	return r.part(compiled, m) || r.trail.Failed()
}

// nodeIn returns the compiled node of a value, which may be an element of collection in. It is nil
// if nothing of the collection is written.
func (w *writing) nodeIn(n, in *fieldplan.Node) *node {
	if in == nil || in.Key == nil && in.When == nil {
		return w.nodes[n]
	}
	switch list := w.nodes[in]; {
	case list == nil:
		return nil
	case list.when != nil && in.When.Hot == n:
		return list.when.hot
	default:
		return list.elem
	}
}
