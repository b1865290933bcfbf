package engine

import (
	"reflect"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// Merge puts an immutable and a hot half together into a pointer to a value of the plan's type. Collections that hold something of
// both halves must have the same elements in both. TypeMeta is taken from the immutable half.
func Merge(p *fieldplan.Plan, immutable, hot reflect.Value) (reflect.Value, error) {
	m := &merger{copier: copier{classes: fieldplan.All}, program: Of(p), takes: fieldplan.Unprojected, halves: true}
	return m.root(p, pair{immutable, hot})
}

// Patched returns a pointer to a copy of old that has the Hot parts of updated: what a hot update leads to. Both values have been compared,
// so neither contains itself. TypeMeta is that of old.
//
// An element, or an object whose presence counts, comes and goes with its own class: where that is not Hot, it stays as it is in old. One
// that is Hot goes, unless it holds what is hashed, and comes with its Hot parts only. An element that is hot on one side only (hotwhen)
// stays as it is in old.
func Patched(p *fieldplan.Plan, old, updated reflect.Value) (reflect.Value, error) {
	m := &merger{copier: copier{classes: fieldplan.All}, program: Of(p), takes: fieldplan.Of(structtag.Hot)}
	return m.root(p, pair{old, updated})
}

// merger copies a value from two sides: some classes from the first, some from the second.
type merger struct {
	copier

	program *Program
	above   [2]Ancestors       // in either side
	takes   fieldplan.ClassSet // the classes that are copied from the second side
	halves  bool               // the sides are halves of one value, so that elements stand in both
}

func (m *merger) isTaken(c structtag.Class) bool { return m.takes.Any(fieldplan.Of(c)) }

func (m *merger) root(p *fieldplan.Plan, from pair) (reflect.Value, error) {
	merged := reflect.New(p.Type)
	from = from.deref()
	if from[0].IsValid() {
		for _, f := range p.Meta {
			m.member(f, merged.Elem(), from[0])
		}
	}
	m.mixed(p.Root, merged, from, nil)
	return merged, m.trail.Err()
}

func (m *merger) take(side int, n *fieldplan.Node, to reflect.Value, from pair) {
	if from[side].IsValid() {
		m.copier.above = m.above[side]
		m.clone(n, to, from[side])
	}
}

// mixed fills to with parts of both sides, either of which may be missing.
func (m *merger) mixed(n *fieldplan.Node, to reflect.Value, from pair, in *fieldplan.Node) {
	defer func(first, second int) { m.above = [2]Ancestors{m.above[0][:first], m.above[1][:second]} }(len(m.above[0]), len(m.above[1]))
	for side, v := range from {
		if v.IsValid() && !m.trail.Visit(&m.above[side], n, v) {
			return
		}
	}
	if from[0].IsValid() {
		Allocate(to)
	}
	switch {
	case n.Kind == fieldplan.Object:
		m.fields(n, Allocate(to), from, in)
	case n.Kind == fieldplan.Array:
		if from[0].IsValid() || m.program.holds(n, from[1], m.takes, nil) {
			m.places(n, Allocate(to), pair{arrayOrZero(n, from[0]), arrayOrZero(n, from[1])})
		}
	case n.Kind == fieldplan.Map:
		m.entries(n, to, from)
	case n.Pairing == fieldplan.ByKey:
		m.keyed(n, to, from)
	case m.halves && length(from[0]) != length(from[1]):
		m.trail.Report(&fault.Error{Kind: fault.Conflict, Code: "halves-differ", What: "has another number of elements in the hot half", Hint: "merge halves of one configuration"})
	case isSet(from[0]):
		list := reflect.MakeSlice(n.Type, from[0].Len(), from[0].Len())
		Allocate(to).Set(list)
		m.places(n, list, from)
	}
}

func isSet(v reflect.Value) bool { return v.IsValid() && !v.IsNil() }

// fields fills to with the members of an object. What identifies an element of collection in is copied from the side that says which
// elements there are.
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
			m.take(m.identifying(in, from), f.Node, target, members)
		case !classes.Any(m.takes):
			m.take(0, f.Node, target, members)
		case !classes.Any(^m.takes):
			m.take(1, f.Node, target, members)
		case m.stays(f, members):
			m.mixed(f.Node, target, members.deref(), nil)
			if f.HasPresence() && m.isTaken(f.Node.Class) && isPresent(members[1]) && !isPresent(target) {
				Allocate(target).Set(emptyOf(f.Node.Type))
			}
		}
		m.trail.Leave()
	}
}

func (m *merger) identifying(in *fieldplan.Node, from pair) int {
	if !from[0].IsValid() || from[1].IsValid() && m.isTaken(in.Class) {
		return 1
	}
	return 0
}

// stays reports whether a member is there: by its presence, where that counts, or by what it holds.
func (m *merger) stays(f *fieldplan.Field, from pair) bool {
	n, values := f.Node, from.deref()
	switch {
	case !f.HasPresence(), !fieldplan.IsProjected(n.Class) && !m.isTaken(n.Class):
		return values[0].IsValid() || m.halves && values[1].IsValid() || m.program.holds(n, values[1], m.takes, nil)
	case m.isTaken(n.Class):
		return m.isPresent(from[1]) || m.program.holds(n, from[0], fieldplan.Projected, nil)
	default:
		return m.isPresent(from[0])
	}
}

// isPresent is the function of that name, except that a half's pointer to a nil list or map is kept as it is.
func (m *merger) isPresent(v reflect.Value) bool {
	value, ok := Deref(v)
	return ok && (m.halves || isPresent(value))
}

// places fills a list or array place by place. In a list old elements without a partner go with a replacement, not with a hot update.
func (m *merger) places(n *fieldplan.Node, to reflect.Value, from pair) {
	for i := range to.Len() {
		m.trail.Enter(fieldpath.Step{Kind: fieldpath.Index, At: i})
		m.element(n, to.Index(i), pair{index(from[0], i), index(from[1], i)})
		m.trail.Leave()
	}
}

// keyed fills a keyed list in the order of the first side.
func (m *merger) keyed(n *fieldplan.Node, to reflect.Value, from pair) {
	slots := make([]reflect.Value, length(from[0])+length(from[1])) // of the first side, then of the second
	pairs := pairing{left: [2][]Element{m.program.keyed(&m.trail, n, from[0]), m.program.keyed(&m.trail, n, from[1])}}
	for pairs.next() {
		elem := reflect.New(n.Type.Elem()).Elem()
		m.trail.Enter(pairs.element().Step(n))
		if m.element(n, elem, pairs.values()) {
			at := pairs.element().At + length(from[0])
			if old := pairs.at[0]; old != nil {
				at = old.At
			}
			slots[at] = elem
		}
		m.trail.Leave()
	}
	list := reflect.MakeSlice(n.Type, 0, len(slots))
	for _, elem := range slots {
		if elem.IsValid() {
			list = reflect.Append(list, elem)
		}
	}
	if list.Len() > 0 || isSet(from[0]) {
		Allocate(to).Set(list)
	}
}

// entries fills a map. In halves null is a value like any other.
func (m *merger) entries(n *fieldplan.Node, to reflect.Value, from pair) {
	entriesOf := Entries
	if m.halves {
		entriesOf = allEntries
	}
	merged := reflect.MakeMap(n.Type)
	for pairs := (pairing{left: [2][]Element{entriesOf(&m.trail, n, from[0]), entriesOf(&m.trail, n, from[1])}}); pairs.next(); {
		e, elem := pairs.element(), reflect.New(n.Type.Elem()).Elem()
		m.trail.Enter(e.Step(n))
		if m.element(n, elem, pairs.values()) {
			merged.SetMapIndex(e.mapKey, elem)
		}
		m.trail.Leave()
	}
	if merged.Len() > 0 || isSet(from[0]) {
		Allocate(to).Set(merged)
	}
}

// element fills to and reports whether the element stays or comes. The zero reflect.Value is an element that is not there.
func (m *merger) element(n *fieldplan.Node, to reflect.Value, from pair) bool {
	node := ElementNode(n, from.any())
	isOld, isNew := from[0].IsValid(), from[1].IsValid()
	switch {
	case m.halves && isOld != isNew:
		m.trail.Report(&fault.Error{Kind: fault.Conflict, Code: "halves-differ", What: "stands in one half only", Hint: "merge halves of one configuration"})
		return false
	case isOld && isNew && ElementNode(n, from[1]) != node:
		m.flipped(n, to, from)
		return true
	case isOld && !isNew && fieldplan.IsProjected(node.Class):
		m.take(0, node, to, from)
		return true
	case !isOld && (fieldplan.IsProjected(node.Class) || !m.isTaken(node.Class) && !m.program.holds(node, from[1], m.takes, n)):
		return false
	case !isNew && m.isTaken(node.Class) && !m.program.holds(node, from[0], fieldplan.Projected, n):
		return false
	}
	m.elementParts(node, to, from, n)
	return true
}

// flipped fills an element that is hot on one side only. Where the collection is Ignored, the change of the selector counts as Hot, and
// Ignored parts are copied with the Hot ones.
func (m *merger) flipped(n *fieldplan.Node, to reflect.Value, from pair) {
	if fieldplan.IsProjected(n.Class) {
		m.take(0, ElementNode(n, from[0]), to, from)
		return
	}
	defer func(takes fieldplan.ClassSet) { m.takes = takes }(m.takes)
	m.takes = fieldplan.Unprojected
	m.mixed(n.When.Hot, to, from.orZero(n.When.Hot), n)
}

func (m *merger) elementParts(n *fieldplan.Node, to reflect.Value, from pair, in *fieldplan.Node) {
	isNull := from[0].IsValid() && IsNull(n, from[0])
	switch {
	case n.Kind == fieldplan.Object:
		m.objectElement(n, to, from, in)
	case !n.Classes.Any(m.takes), n.Kind == fieldplan.List && isNull && !m.halves: // null stays null, even if elements could come
		m.take(0, n, to, from)
	case !n.Classes.Any(^m.takes):
		m.take(1, n, to, from)
	default:
		m.mixed(n, to, from.deref(), nil)
		if !from[0].IsValid() && !IsNull(n, from[1]) && IsNull(n, to) {
			Allocate(to).Set(emptyOf(n.Type))
		}
	}
}

func (m *merger) objectElement(n *fieldplan.Node, to reflect.Value, from pair, in *fieldplan.Node) {
	values := from.deref()
	isGone := m.halves && !values[1].IsValid() && m.isTaken(n.Class) && !m.program.holds(n, values[0], fieldplan.Projected, in)
	if values.any().IsValid() && !isGone {
		m.mixed(n, to, from.orZero(n), in)
	}
}

// emptyOf is an empty list or map that is not nil, or an empty object.
func emptyOf(t reflect.Type) reflect.Value {
	switch t.Kind() {
	case reflect.Map:
		return reflect.MakeMap(t)
	case reflect.Slice:
		return reflect.MakeSlice(t, 0, 0)
	default:
		return reflect.Zero(t)
	}
}
