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
	m := &merger{splitter: splitter{want: fieldplan.All}}
	merged := reflect.New(p.Type)
	from := halves{immutable, hot}.deref()
	m.visit(p.Root, from)
	if from[0].IsValid() {
		for _, f := range p.Meta {
			m.copyMember(merged.Elem(), from[0], f)
		}
	}
	if from[0].IsValid() || from[1].IsValid() {
		m.fields(p.Root, merged.Elem(), from)
	}
	return merged, m.trail.Err()
}

// halves are the immutable and the hot half of one value; either may be missing.
type halves [2]reflect.Value

func (h halves) deref() halves {
	h[0], _ = Deref(h[0])
	h[1], _ = Deref(h[1])
	return h
}

// of returns the half that holds the presence of n.
func (h halves) of(n *fieldplan.Node) reflect.Value {
	if fieldplan.IsKept(n.Class) {
		return h[0]
	}
	return h[1]
}

// merger copies with the splitter's means, walking two values.
type merger struct {
	splitter

	aboveHot Ancestors
}

func (m *merger) fields(n *fieldplan.Node, to reflect.Value, from halves) {
	for _, f := range n.Parts() {
		members := halves{Member(from[0], f), Member(from[1], f)}
		if f.KeepsPresence() && members.deref().isGone(f.Node) {
			continue
		}
		m.trail.Enter(fieldpath.Step{Kind: fieldpath.Member, Name: f.Name})
		m.merge(f.Node, f.Classes(), func() reflect.Value { return settable(to, f) }, members)
		m.trail.Leave()
	}
}

// isGone reports whether an object whose presence is hot is nil in the hot half, and says nothing in the other.
func (h halves) isGone(n *fieldplan.Node) bool {
	return !fieldplan.IsKept(n.Class) && !h[1].IsValid() && IsEmpty(n, h[0])
}

// merge fills the place that to returns, which is asked for only if a half has the place as well.
func (m *merger) merge(n *fieldplan.Node, classes fieldplan.ClassSet, to func() reflect.Value, from halves) {
	switch {
	case !classes.Any(fieldplan.Dropped):
		m.cloneIfSet(n, to, from[0])
	case !classes.Any(fieldplan.Kept):
		m.above, m.aboveHot = m.aboveHot, m.above // the hot half may hold what stands above in the other
		m.cloneIfSet(n, to, from[1])
		m.above, m.aboveHot = m.aboveHot, m.above
	default:
		if from[0].IsValid() || from[1].IsValid() {
			to() // the embedded pointers on the way are not nil, even if nothing else is there
		}
		m.mixed(n, to, from.deref())
	}
}

func (m *merger) cloneIfSet(n *fieldplan.Node, to func() reflect.Value, from reflect.Value) {
	if from.IsValid() {
		m.clone(n, to(), from)
	}
}

// visit records that the walk goes into both halves of a value, as [Trail.Visit] does for one.
func (m *merger) visit(n *fieldplan.Node, from halves) bool {
	return (!from[0].IsValid() || m.trail.Visit(&m.above, n, from[0])) && (!from[1].IsValid() || m.trail.Visit(&m.aboveHot, n, from[1]))
}

// mixed merges a value of which either half holds something.
func (m *merger) mixed(n *fieldplan.Node, to func() reflect.Value, from halves) {
	defer func(kept, hot int) { m.above, m.aboveHot = m.above[:kept], m.aboveHot[:hot] }(len(m.above), len(m.aboveHot))
	if !m.visit(n, from) {
		return
	}
	switch {
	case !from[0].IsValid() && !from[1].IsValid():
	case n.Kind == fieldplan.Object:
		m.fields(n, allocate(to()), from)
	case n.Kind == fieldplan.Array:
		m.list(n, to(), from.withArrays(n))
	case !sameLength(from):
		m.trail.Report(&fault.Error{Kind: fault.Conflict, Code: "halves-differ", What: "has another number of elements in the hot half", Hint: "merge halves of one configuration"})
	case !from.of(n).IsValid():
	case n.Kind == fieldplan.Map:
		m.entries(n, to(), from)
	default:
		m.list(n, to(), from)
	}
}

// withArrays returns the halves of an array, both of which are there: a missing array says what the zero array says.
func (h halves) withArrays(n *fieldplan.Node) halves {
	for i := range h {
		if n.Kind == fieldplan.Array && !h[i].IsValid() {
			h[i] = reflect.New(n.Type).Elem()
		}
	}
	return h
}

func sameLength(from halves) bool {
	lengths := [2]int{}
	for i, half := range from {
		if half.IsValid() {
			lengths[i] = half.Len()
		}
	}
	return lengths[0] == lengths[1]
}

// list merges lists and arrays in the order of the half that holds the elements' presence.
func (m *merger) list(n *fieldplan.Node, to reflect.Value, from halves) {
	to = allocate(to)
	if n.Kind == fieldplan.List && !from.of(n).IsNil() {
		to.Set(reflect.MakeSlice(n.Type, from.of(n).Len(), from.of(n).Len()))
	}
	for i, partners := range m.pairs(n, from) {
		m.trail.Enter(fieldpath.Step{Kind: fieldpath.Index, At: i})
		m.element(n, to.Index(i), partners)
		m.trail.Leave()
	}
}

// pairs returns, for each element of the half that holds the presence, the elements of both halves.
func (m *merger) pairs(n *fieldplan.Node, from halves) []halves {
	pairs := make([]halves, from.of(n).Len())
	if n.Pairing != fieldplan.ByKey {
		for i := range pairs {
			pairs[i] = halves{from[0].Index(i), from[1].Index(i)}
		}
		return pairs
	}
	kept, hot := Elements(&m.trail, n, from[0]), Elements(&m.trail, n, from[1])
	if m.trail.Failed() {
		return nil
	}
	for i := range kept {
		if kept[i].Key != hot[i].Key {
			m.reportKey(kept[i].Step(n))
			return nil
		}
		at := kept[i].At
		if !fieldplan.IsKept(n.Class) {
			at = hot[i].At
		}
		pairs[at] = halves{kept[i].Value, hot[i].Value}
	}
	return pairs
}

func (m *merger) reportKey(step fieldpath.Step) {
	m.trail.Enter(step)
	m.trail.Report(&fault.Error{Kind: fault.Conflict, Code: "halves-differ", What: "stands in one half only", Hint: "merge halves of one configuration"})
	m.trail.Leave()
}

func (m *merger) entries(n *fieldplan.Node, to reflect.Value, from halves) {
	to = allocate(to)
	if from.of(n).IsNil() {
		return
	}
	to.Set(reflect.MakeMapWithSize(n.Type, from.of(n).Len()))
	for it := from.of(n).MapRange(); it.Next(); {
		step := KeyStep(n, it.Key())
		partners := halves{from[0].MapIndex(it.Key()), from[1].MapIndex(it.Key())}
		if !partners[0].IsValid() || !partners[1].IsValid() {
			m.reportKey(step)
			continue
		}
		elem := reflect.New(n.Type.Elem()).Elem()
		m.trail.Enter(step)
		m.element(n, elem, partners)
		m.trail.Leave()
		to.SetMapIndex(it.Key(), elem)
	}
}

// element merges one element, which stands in both halves, if only with its identity.
func (m *merger) element(n *fieldplan.Node, to reflect.Value, from halves) {
	node := ElementNode(n, from.of(n))
	if node.Kind == fieldplan.Object && from.deref().isGone(node) {
		return
	}
	classes := node.Classes
	if node.Kind == fieldplan.Object {
		classes |= fieldplan.Of(node.Class) // that it is there, even with nothing in it
	}
	m.merge(node, classes, func() reflect.Value { return to }, from)
}
