package engine

import (
	"reflect"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// Merge puts an immutable and a hot half together into a pointer to a value of the plan's type. Collections that hold something of
// both halves must have the same elements in both. TypeMeta is taken from the immutable half.
func Merge(p *fieldplan.Plan, immutable, hot reflect.Value) (reflect.Value, error) {
	m := &merger{copier: copier{classes: fieldplan.All}, program: Of(p)}
	merged, from := reflect.New(p.Type), pair{immutable, hot}.deref()
	if from[0].IsValid() {
		for _, f := range p.Meta {
			m.member(f, merged.Elem(), from[0])
		}
	}
	m.mixed(p.Root, merged, from, nil)
	return merged, m.trail.Err()
}

// merger copies a value from two halves: what is hashed from the first, the rest from the second.
type merger struct {
	copier

	program *Program
	above   [2]Ancestors // in either half
}

func (m *merger) take(side int, n *fieldplan.Node, to reflect.Value, from pair) {
	if from[side].IsValid() {
		m.copier.above = m.above[side]
		m.clone(n, to, from[side])
	}
}

// mixed fills to with parts of both halves, either of which may be missing.
func (m *merger) mixed(n *fieldplan.Node, to reflect.Value, from pair, in *fieldplan.Node) {
	defer func(first, second int) { m.above = [2]Ancestors{m.above[0][:first], m.above[1][:second]} }(len(m.above[0]), len(m.above[1]))
	for side, v := range from {
		if v.IsValid() && !m.trail.Visit(&m.above[side], n, v) {
			return
		}
	}
	switch n.Kind {
	case fieldplan.Object:
		m.fields(n, Allocate(to), from, in)
		return
	case fieldplan.Array:
		if from.any().IsValid() {
			m.places(n, Allocate(to), pair{arrayOrZero(n, from[0]), arrayOrZero(n, from[1])})
		}
		return
	case fieldplan.List, fieldplan.Map, fieldplan.Leaf:
	}
	owner := from[1] // says whether the collection is nil
	if fieldplan.IsProjected(n.Class) {
		owner = from[0]
	}
	if !owner.IsValid() || owner.IsNil() {
		if owner.IsValid() {
			Allocate(to)
		}
		to = reflect.New(n.Type) // no element stays, but those of the other half are told
	}
	switch to = Allocate(to); {
	case n.Kind == fieldplan.Map:
		m.entries(n, to, from)
	case n.Pairing == fieldplan.ByKey:
		m.keyed(n, to, from)
	case length(from[0]) != length(from[1]):
		m.differ("has another number of elements in the hot half")
	default:
		to.Set(reflect.MakeSlice(n.Type, length(from[0]), length(from[0])))
		m.places(n, to, from)
	}
}

func (m *merger) differ(what string) {
	m.trail.Report(&fault.Error{Kind: fault.Conflict, Code: "halves-differ", What: what, Hint: "merge halves of one configuration"})
}

// fields fills to with the members of an object. What identifies an element of collection in is copied from the half that the collection
// belongs to.
func (m *merger) fields(n *fieldplan.Node, to reflect.Value, from pair, in *fieldplan.Node) {
	for _, f := range n.Parts() {
		members := pair{Member(from[0], f), Member(from[1], f)}
		if !members.any().IsValid() {
			continue
		}
		target := Settable(to, f)
		m.trail.Enter(fieldpath.Step{Kind: fieldpath.Member, Name: f.Name})
		switch classes := f.Classes(); {
		case in != nil && in.Identity(f):
			m.take(identifying(in, from), f.Node, target, members)
		case !classes.Any(fieldplan.Unprojected):
			m.take(0, f.Node, target, members)
		case !classes.Any(fieldplan.Projected):
			m.take(1, f.Node, target, members)
		case m.stays(f, members.deref()):
			m.mixed(f.Node, target, members.deref(), nil)
		}
		m.trail.Leave()
	}
}

func identifying(in *fieldplan.Node, from pair) int {
	if !from[0].IsValid() || from[1].IsValid() && !fieldplan.IsProjected(in.Class) {
		return 1
	}
	return 0
}

// stays reports whether a member is there: by its presence, where that counts, or by what it holds.
func (m *merger) stays(f *fieldplan.Field, from pair) bool {
	switch {
	case !f.HasPresence():
		return from.any().IsValid()
	case fieldplan.IsProjected(f.Node.Class):
		return from[0].IsValid()
	default:
		return from[1].IsValid() || m.program.isHashed(f.Node, from[0], nil)
	}
}

// places fills a list or array place by place.
func (m *merger) places(n *fieldplan.Node, to reflect.Value, from pair) {
	for i := range to.Len() {
		m.trail.Enter(fieldpath.Step{Kind: fieldpath.Index, At: i})
		m.element(n, to.Index(i), pair{from[0].Index(i), from[1].Index(i)})
		m.trail.Leave()
	}
}

// keyed fills a keyed list in the order of the first half.
func (m *merger) keyed(n *fieldplan.Node, to reflect.Value, from pair) {
	to.Set(reflect.MakeSlice(n.Type, length(from[0]), length(from[0])))
	pairs := pairing{left: [2][]Element{m.program.keyed(&m.trail, n, from[0]), m.program.keyed(&m.trail, n, from[1])}}
	for pairs.next() {
		var elem reflect.Value
		if first := pairs.at[0]; first != nil {
			elem = to.Index(first.At)
		}
		m.trail.Enter(pairs.element().Step(n))
		m.element(n, elem, pairs.values())
		m.trail.Leave()
	}
}

// entries fills a map. In halves null is a value like any other.
func (m *merger) entries(n *fieldplan.Node, to reflect.Value, from pair) {
	to.Set(reflect.MakeMap(n.Type))
	for pairs := (pairing{left: [2][]Element{allEntries(&m.trail, n, from[0]), allEntries(&m.trail, n, from[1])}}); pairs.next(); {
		e, elem := pairs.element(), reflect.New(n.Type.Elem()).Elem()
		m.trail.Enter(e.Step(n))
		m.element(n, elem, pairs.values())
		to.SetMapIndex(e.mapKey, elem)
		m.trail.Leave()
	}
}

// element fills to with an element of collection in. The zero reflect.Value is an element that is not there.
func (m *merger) element(in *fieldplan.Node, to reflect.Value, from pair) {
	if !from[0].IsValid() || !from[1].IsValid() {
		m.differ("stands in one half only")
		return
	}
	switch n := ElementNode(in, from[0]); {
	case n != ElementNode(in, from[1]):
		m.differ("is hot in one half only")
	case n.Kind == fieldplan.Object:
		m.objectElement(n, to, from, in)
	case !n.Classes.Any(fieldplan.Unprojected):
		m.take(0, n, to, from)
	case !n.Classes.Any(fieldplan.Projected):
		m.take(1, n, to, from)
	default:
		m.mixed(n, to, from.deref(), nil)
	}
}

func (m *merger) objectElement(n *fieldplan.Node, to reflect.Value, from pair, in *fieldplan.Node) {
	values := from.deref()
	isGone := !values[1].IsValid() && !fieldplan.IsProjected(n.Class) && !m.program.isHashed(n, values[0], in)
	if values.any().IsValid() && !isGone {
		m.mixed(n, to, values, in)
	}
}

// isHashed reports whether the canonical document says something of v, beside what identifies an element of collection in. A value that
// cannot be written counts: what is wrong with it is found where it is copied.
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

// nodeIn returns the node of a value, which may be an element of collection in. It is nil where nothing of the collection can be written.
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
