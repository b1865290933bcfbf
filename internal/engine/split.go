package engine

import (
	"reflect"

	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// Split copies the immutable half of v, which is what stands in the canonical document, and the hot half, which is the rest, into two
// pointers to values of the plan's type. TypeMeta stands in both.
func Split(p *fieldplan.Plan, v reflect.Value) (immutable, hot reflect.Value, err error) {
	s := &splitter{}
	immutable, hot = s.half(p, v, fieldplan.Kept), s.half(p, v, fieldplan.Dropped)
	return immutable, hot, s.trail.Err()
}

type splitter struct {
	trail Trail
	above Ancestors
	want  fieldplan.ClassSet // the classes of the half at hand
}

func (s *splitter) half(p *fieldplan.Plan, v reflect.Value, want fieldplan.ClassSet) reflect.Value {
	half := reflect.New(p.Type)
	s.want = want
	if root, ok := Deref(v); ok {
		s.trail.Visit(&s.above, p.Root, root)
		for _, f := range p.Meta {
			s.copyMember(half.Elem(), root, f)
		}
		s.object(p.Root, half.Elem(), root, nil)
		s.above = s.above[:0]
	}
	return half
}

// share says how much of a node goes to the half at hand.
type share uint8

const (
	nothing share = iota // all of it goes to the other half
	some
	everything
)

func (s *splitter) share(classes fieldplan.ClassSet) share {
	switch {
	case !classes.Any(s.want):
		return nothing
	case classes.Any(^s.want):
		return some
	default:
		return everything
	}
}

// object fills to with the half of an object's members. Fields that identify an element of collection in go to both halves.
func (s *splitter) object(n *fieldplan.Node, to, from reflect.Value, in *fieldplan.Node) {
	for _, f := range n.Parts() {
		s.trail.Enter(fieldpath.Step{Kind: fieldpath.Member, Name: f.Name})
		switch share := s.share(f.Classes()); {
		case share == everything || in != nil && in.Identity(f):
			s.copyMember(to, from, f)
		case share == some:
			if v := Member(from, f); v.IsValid() {
				s.value(f.Node, settable(to, f), v, nil)
			}
		}
		s.trail.Leave()
	}
}

func (s *splitter) copyMember(to, from reflect.Value, f *fieldplan.Field) {
	if v := Member(from, f); v.IsValid() {
		s.clone(f.Node, settable(to, f), v)
	}
}

// settable returns the place of field f in object to, with the embedded pointers on the way.
func settable(to reflect.Value, f *fieldplan.Field) reflect.Value {
	for _, index := range f.Index {
		to = allocate(to).Field(index)
	}
	return to
}

// allocate follows pointers, filling in those that are nil.
func allocate(v reflect.Value) reflect.Value {
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		v = v.Elem()
	}
	return v
}

// value fills to with the half of from, of which something goes to either half.
func (s *splitter) value(n *fieldplan.Node, to, from reflect.Value, in *fieldplan.Node) {
	from, ok := Deref(from)
	if !ok {
		return
	}
	defer func(ancestors int) { s.above = s.above[:ancestors] }(len(s.above))
	if !s.trail.Visit(&s.above, n, from) {
		return
	}
	to = allocate(to)
	switch n.Kind {
	case fieldplan.Object:
		s.object(n, to, from, in)
	case fieldplan.List:
		if !from.IsNil() {
			to.Set(reflect.MakeSlice(n.Type, from.Len(), from.Len()))
			s.elements(n, to, from)
		}
	case fieldplan.Array:
		s.elements(n, to, from)
	case fieldplan.Map:
		if !from.IsNil() {
			s.entries(n, to, from)
		}
	case fieldplan.Leaf:
	}
}

func (s *splitter) elements(n *fieldplan.Node, to, from reflect.Value) {
	for i := range from.Len() {
		s.trail.Enter(fieldpath.Step{Kind: fieldpath.Index, At: i})
		s.element(n, to.Index(i), from.Index(i))
		s.trail.Leave()
	}
}

func (s *splitter) entries(n *fieldplan.Node, to, from reflect.Value) {
	to.Set(reflect.MakeMapWithSize(n.Type, from.Len()))
	for it := from.MapRange(); it.Next(); {
		elem := reflect.New(n.Type.Elem()).Elem()
		s.trail.Enter(KeyStep(n, it.Key()))
		s.element(n, elem, it.Value())
		s.trail.Leave()
		to.SetMapIndex(it.Key(), elem)
	}
}

// element fills one element. An element of the other half stands here as well, with nothing but its identity.
func (s *splitter) element(n *fieldplan.Node, to, from reflect.Value) {
	node := ElementNode(n, from)
	if s.share(node.Classes) == everything {
		s.clone(node, to, from)
		return
	}
	s.value(node, to, from, n)
}

// clone copies a value whole.
func (s *splitter) clone(n *fieldplan.Node, to, from reflect.Value) {
	if n.Kind == fieldplan.Leaf {
		s.cloneLeaf(n, to, from)
		return
	}
	want := s.want
	s.want = fieldplan.All
	s.value(n, to, from, nil)
	s.want = want
}

func (s *splitter) cloneLeaf(n *fieldplan.Node, to, from reflect.Value) {
	from, ok := Deref(from)
	if !ok {
		return
	}
	if problem := leaf.Copy(allocate(to), from, n.Leaf); problem != nil {
		s.trail.Report(problem)
	}
}
