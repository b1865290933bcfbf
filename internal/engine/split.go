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
	c := &copier{program: Of(p), first: fieldplan.Projected}
	immutable = c.root(p, twoValues{v})
	hot = c.root(p, twoValues{1: v})
	return immutable, hot, c.trail.Err()
}

// Merge joins an immutable and a hot half to a new value of the plan's type, and returns a pointer
// to it. A collection with fields of both halves must have the same elements in both. TypeMeta is
// that of the immutable half, if there is one.
func Merge(p *fieldplan.Plan, immutable, hot reflect.Value) (reflect.Value, error) {
	c := &copier{program: Of(p), first: fieldplan.Projected, merges: true}
	merged := c.root(p, twoValues{immutable, hot})
	return merged, c.trail.Err()
}

// Project copies the immutable half of v, without the objects, collections and elements that would
// be in it only because of their hot parts: those of which nothing is in the canonical document. An
// object that becomes empty is kept if its presence is hashed.
func Project(p *fieldplan.Plan, v reflect.Value) (reflect.Value, error) {
	c := &copier{program: Of(p), first: fieldplan.Projected, trims: true}
	projection := c.root(p, twoValues{v})
	return projection, c.trail.Err()
}

// copier copies the fields of some classes from the first of two values, and the other fields from
// the second. A collection is copied with all elements and their identities, so that copies of
// different classes can be merged.
type copier struct {
	walk

	program *Program
	first   fieldplan.ClassSet
	merges  bool // the values are halves of one configuration; otherwise one of them is missing
	trims   bool // only hashed parts are copied
}

func (c *copier) root(p *fieldplan.Plan, from twoValues) reflect.Value {
	copied := reflect.New(p.Type)
	from = from.deref()
	for _, f := range p.Meta {
		if v := Member(from.any(), f); v.IsValid() {
			c.whole(0, f.Node, Settable(copied.Elem(), f), v)
		}
	}
	if from.any().IsValid() {
		c.mixed(p.Root, copied, from, nil)
	}
	return copied
}

// mixed fills to from both values, either of which may be missing.
func (c *copier) mixed(n *fieldplan.Node, to reflect.Value, from twoValues, in *fieldplan.Node) {
	c.within(n, from, func() {
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
	})
}

func (c *copier) collection(n *fieldplan.Node, to reflect.Value, from twoValues) {
	owner := c.ownerOf(n, from)
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
	case c.merges && n.Pairing == fieldplan.ByKey:
		c.keyed(n, to, from)
	case c.merges && size != length(from[1]):
		c.refuse("has another number of elements in the hot half")
	default:
		c.places(n, to, from)
	}
}

// ownerOf returns the value that decides whether a collection is nil. Of two halves, this is the half
// with its class, unless only the other half has entries of a map with rules for single keys.
func (c *copier) ownerOf(n *fieldplan.Node, from twoValues) reflect.Value {
	if !c.merges {
		return from.any()
	}
	owner := from[1]
	other := from[0]
	if fieldplan.IsProjected(n.Class) {
		owner = from[0]
		other = from[1]
	}
	if n.Keys != nil && length(owner) == 0 && length(other) > 0 {
		return other
	}
	return owner
}

// isWanted reports whether an element of collection in is copied.
func (c *copier) isWanted(in *fieldplan.Node, key string, elem reflect.Value) bool {
	if !c.trims {
		return true
	}
	n := c.program.ElementNode(in, key, elem)
	return fieldplan.IsProjected(n.Class) || c.program.isHashed(n, elem, in)
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
		side := c.sideOf(f.Classes())
		if in != nil && in.Identity(f) {
			side = 0
			if !from[0].IsValid() || from[1].IsValid() && !fieldplan.IsProjected(in.Class) {
				side = 1
			}
		}
		switch {
		case side == bothSides && members.any().IsValid():
			c.part(f, Settable(to, f), c.filled(n, f, members.deref()))
		case side != bothSides && members[side].IsValid():
			c.whole(side, f.Node, Settable(to, f), members[side])
		}
		c.trail.Leave()
	}
	if c.trims {
		c.trimEmbedded(n, to)
	}
}

// bothSides stands for both of two values.
const bothSides = -1

// sideOf returns the side from which a part with fields of these classes is copied.
func (c *copier) sideOf(classes fieldplan.ClassSet) int {
	switch {
	case !classes.Any(^c.first):
		return 0
	case !classes.Any(c.first):
		return 1
	default:
		return bothSides
	}
}

// part copies a member with fields of both halves. With trims, a copy that is empty is dropped,
// unless its presence is hashed.
func (c *copier) part(f *fieldplan.Field, to reflect.Value, members twoValues) {
	if c.stays(f, members) {
		c.mixed(f.Node, to, members, nil)
	}
	if !c.trims || f.HasPresenceOf(fieldplan.Projected) {
		return
	}
	if inner, ok := Deref(to); ok && isEmpty(f.Node, inner) {
		to.SetZero()
	}
}

// isEmpty reports whether an object or collection holds nothing.
func isEmpty(n *fieldplan.Node, v reflect.Value) bool {
	isListOrMap := n.Kind != fieldplan.Object && n.Kind != fieldplan.Array
	return v.IsZero() || isListOrMap && v.Len() == 0
}

// filled returns a member of both halves. If only one half has it, the other half has its default.
func (c *copier) filled(n *fieldplan.Node, f *fieldplan.Field, members twoValues) twoValues {
	o := c.program.whole.of(n).memberOp(f)
	hasDefault := o != nil && o.fallback != nil
	if c.merges && hasDefault && !members.areUnset() {
		return members.or(o.fallback().value)
	}
	return members
}

// trimEmbedded trims embedded pointers to structs that have hot parts and hold nothing else.
func (c *copier) trimEmbedded(n *fieldplan.Node, object reflect.Value) {
	for _, f := range n.Parts() {
		for depth := len(f.Index) - 1; depth > 0 && f.Classes().Any(^c.first); depth-- {
			at, err := object.FieldByIndexErr(f.Index[:depth])
			if err == nil && at.CanSet() && isPointerToZero(at) {
				at.SetZero()
			}
		}
	}
}

func isPointerToZero(v reflect.Value) bool {
	return v.Kind() == reflect.Pointer && !v.IsNil() && v.Elem().IsZero()
}

// stays reports whether a member is copied. Of two halves, the half with the member's class decides
// for a member with the presence option.
func (c *copier) stays(f *fieldplan.Field, from twoValues) bool {
	switch {
	case !c.merges || !f.HasPresence():
		return from.any().IsValid()
	case fieldplan.IsProjected(f.Node.Class):
		return from[0].IsValid()
	default:
		return from[1].IsValid() || c.program.isHashed(f.Node, from[0], nil)
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
		all := copier{
			walk: walk{trail: c.trail, above: [2]Ancestors{c.above[side]}}, program: c.program, first: fieldplan.All,
		}
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

// places fills a list or array place by place. Elements of a list that are not wanted are left out.
func (c *copier) places(n *fieldplan.Node, to reflect.Value, from twoValues) {
	left := 0
	for i := range to.Len() {
		if n.Kind == fieldplan.List && !c.isWanted(n, "", index(from[0], i)) {
			continue
		}
		c.trail.Enter(fieldpath.Step{Kind: fieldpath.Index, At: i})
		c.element(n, "", to.Index(left), twoValues{index(from[0], i), index(from[1], i)})
		c.trail.Leave()
		left++
	}
	if n.Kind == fieldplan.List {
		to.SetLen(left)
	}
}

// keyed fills a keyed list in the order of the first half. Elements of one key are paired in the order
// in which they are given, the hot ones and the others apart from each other.
func (c *copier) keyed(n *fieldplan.Node, to reflect.Value, from twoValues) {
	pairs := c.program.pairsOf(&c.trail, n, from, func(elem reflect.Value) int {
		if c.program.ElementNode(n, "", elem) == n.Elem {
			return 0
		}
		return 1
	})
	for pairs.next() {
		var elem reflect.Value
		if first := pairs.at[0]; first != nil {
			elem = to.Index(first.At)
		}
		c.trail.Enter(pairs.element().Step(n))
		c.element(n, "", elem, pairs.values())
		c.trail.Leave()
	}
}

// entries fills a map. In halves null is a value, not an absent key.
func (c *copier) entries(n *fieldplan.Node, to reflect.Value, from twoValues) {
	to.Set(reflect.MakeMap(n.Type))
	for pairs := (pairing{
		left: [2][]Element{Entries(&c.trail, n, from[0]), Entries(&c.trail, n, from[1])},
	}); pairs.next(); {
		e := pairs.element()
		c.trail.Enter(e.Step(n))
		if elem, isThere := c.entry(n, e.Key, pairs.values()); isThere && c.isWanted(n, e.Key, pairs.values()[0]) {
			to.SetMapIndex(e.mapKey, elem)
		}
		c.trail.Leave()
	}
}

// entry copies an entry of a map, and reports whether the copy has it. An entry of one class, for
// which there is a rule or beside which there are rules, is in one half only.
func (c *copier) entry(n *fieldplan.Node, key string, from twoValues) (elem reflect.Value, isThere bool) {
	elem = reflect.New(n.Type.Elem()).Elem()
	side := bothSides
	if n.Keys != nil {
		node := n.Entry(key)
		side = c.sideOf(node.Classes | fieldplan.Of(node.Class))
	}
	switch {
	case side == bothSides:
		c.element(n, key, elem, from)
		return elem, true
	case c.merges && from[1-side].IsValid():
		c.refuse("is in the wrong half")
	case from[side].IsValid():
		c.whole(side, n.Entry(key), elem, from[side])
		return elem, true
	}
	return elem, false
}

// element fills to with an element of collection in, which is under a key if that is a map. The
// zero reflect.Value is a missing element.
func (c *copier) element(in *fieldplan.Node, key string, to reflect.Value, from twoValues) {
	areTwo := c.merges && in.Kind != fieldplan.Array
	n := c.program.ElementNode(in, key, from.any())
	switch side := c.sideOf(n.Classes); {
	case areTwo && (!from[0].IsValid() || !from[1].IsValid()):
		c.refuse("stands in one half only")
	case areTwo && n != c.program.ElementNode(in, key, from[1]):
		c.refuse("is hot in one half only")
	case n.Kind == fieldplan.Object:
		from = from.deref()
		lacksOwnHalf := c.merges && !from[1].IsValid() && !fieldplan.IsProjected(n.Class)
		isGone := lacksOwnHalf && !c.program.isHashed(n, from[0], in)
		if from.any().IsValid() && !isGone {
			c.mixed(n, to, from, in)
		}
		if inner, _ := Deref(to); c.trims && inner.IsValid() && inner.IsZero() {
			to.SetZero()
		}
	case side == bothSides:
		c.mixed(n, to, from.deref(), nil)
	default:
		c.whole(side, n, to, from[side])
	}
}

// isHashed reports whether the canonical document has something of v, apart from the identity of an
// element of collection in. It is also true for a value with faults, which copying reports.
func (p *Program) isHashed(n *fieldplan.Node, v reflect.Value, in *fieldplan.Node) bool {
	compiled := p.canonical.element(n, in)
	m := valueOf(v)
	if compiled == nil || !compiled.writes || !exists(m) {
		return false
	}
	r := start()
	defer r.end()
	r.deep = p.canonical.deep
	r.hides = p.canonical.hides
	r.sums = true
	return r.composite(compiled, m, omitted) || r.trail.Failed()
}
