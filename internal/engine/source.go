package engine

import (
	"reflect"
	"sort"

	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/rawjson"
)

// source pairs how the JSON of a value is read with how the value is written.
//
// A transcript reads JSON of most shapes and writes it at once. A part is read into a Go value, and
// written from there, if it is one of:
//   - leaves whose type reads its JSON itself, other than quantities and free JSON, members with the
//     option string, and maps whose keys are not plain strings;
//   - arrays, whose missing elements are zero;
//   - collections with hotwhen, whose elements have their class from a member that may stand last;
//   - maps of which single keys have a class of their own;
//   - lists that are paired by position and written for the content of their elements alone;
//   - keyed lists whose key is read in such a way.
type source struct {
	node    *rawjson.Node
	routine *routine // of what is written; if nothing is, of all fields
	shape   rawjson.Shape

	members []memberSource // of an object, by the index of the field
	nothing []uint64       // the empty set of fields
	unknown *op            // of an object: of each unknown member, but for its name; nil if none is written

	elem         *source
	null         memory // of a list or map: the element that null means
	isNullAbsent bool   // of a map: null means that the key is absent
}

// memberSource is the source of one member of an object.
type memberSource struct {
	source *source
	op     *op    // nil if nothing of the member is written
	order  uint64 // among the members that are written
	isKey  bool   // the member is the key of its object in a keyed list
}

// sources compiles the sources of a writing.
type sources struct {
	known map[sourceKey]*source
	whole *writing // routines of what is not written
}

type sourceKey struct {
	node    *rawjson.Node
	routine *routine
}

// document is a writing whose values are raw JSON.
type document struct {
	root    *source
	deep    bool // see writing
	hides   bool // see writing
	deepest int  // see transcript
}

func compileJSON(p *fieldplan.Plan, w, whole *writing) *document {
	c := sources{known: map[sourceKey]*source{}, whole: whole}
	d := &document{root: c.source(rawjson.RootOf(p), w.root, nil), deep: w.deep, hides: w.hides}
	levels := 0
	for key := range c.known {
		levels = max(levels, levelsOf(key.node.Type()))
	}
	d.deepest = MaxDepth - levels
	return d
}

// levelsOf is the number of levels in the zero value of a type.
func levelsOf(t reflect.Type) int {
	below := 0
	switch t.Kind() { //exhaustive:ignore
	case reflect.Struct:
		for f := range t.Fields() {
			below = max(below, levelsOf(f.Type))
		}
	case reflect.Array:
		below = levelsOf(t.Elem())
	case reflect.Map, reflect.Slice:
	default:
		return 0
	}
	return below + 1
}

// source compiles a pair. In is the collection whose element the value is, or nil.
func (c *sources) source(node *rawjson.Node, n *routine, in *fieldplan.Node) *source {
	key := sourceKey{node, n}
	if s, ok := c.known[key]; ok {
		return s
	}
	s := &source{node: node, routine: n, shape: shapeOf(node, n)}
	c.known[key] = s
	switch s.shape {
	case rawjson.Object:
		c.members(s, in)
	case rawjson.List, rawjson.Map:
		c.elements(s)
	case rawjson.ByValue, rawjson.Scalar:
	}
	return s
}

func shapeOf(node *rawjson.Node, n *routine) rawjson.Shape {
	switch {
	case n == nil || n.kind.isLeaf():
	case n.when != nil, n.plan.Keys != nil, n.kind == arrayKind:
		return rawjson.ByValue
	case n.kind == listKind && !n.writesPresence && n.elem.writes:
		return rawjson.ByValue
	case n.key != nil && !isReadable(node, n.key):
		return rawjson.ByValue
	}
	return node.Shape()
}

// isReadable reports whether the key of a keyed list is found without a value.
func isReadable(list *rawjson.Node, key *op) bool {
	elem := list.Elem()
	for i := range elem.Len() {
		if name, node := elem.Field(i); name == key.field.Name {
			return elem.Shape() == rawjson.Object && node.Shape() == rawjson.Scalar
		}
	}
	return false
}

func (c *sources) members(s *source, in *fieldplan.Node) {
	if s.routine.rest != nil {
		unknown := s.routine.rest.unknown(Element{})
		s.unknown = &unknown
	}
	s.members = make([]memberSource, s.node.Len())
	s.nothing = make([]uint64, (s.node.Len()+63)/64)
	for i := range s.members {
		name, node := s.node.Field(i)
		m := &s.members[i]
		m.isKey = in != nil && in.Key != nil && in.Key.Name == name
		for at := range s.routine.ops {
			if o := &s.routine.ops[at]; o.field.Name == name {
				m.op = o
				m.order = s.orderOf(at)
			}
		}
		n := c.whole.of(node.Plan())
		if m.op != nil {
			n = m.op.routine
		}
		m.source = c.source(node, n, nil)
	}
}

// orderOf is the order of the member that an op writes. Unknown members may stand between those of two
// ops: their order is that of the next op, less one.
func (s *source) orderOf(op int) uint64 {
	if s.node.AdmitsUnknown() {
		op = 2*op + 1
	}
	return uint64(op) //nolint:gosec // an index
}

// opAt is the index of the op with an order. It is false for unknown members.
func (s *source) opAt(order uint64) (op int, ok bool) {
	op = int(order) //nolint:gosec // an index
	if s.node.AdmitsUnknown() {
		return op / 2, op%2 == 1
	}
	return op, true
}

// orderOfUnknown is the order of an unknown member with this name.
func (s *source) orderOfUnknown(name string) uint64 {
	ops := s.routine.ops
	next := sort.Search(len(ops), func(i int) bool { return ops[i].field.Name > name })
	return uint64(2 * next) //nolint:gosec // an index
}

func (c *sources) elements(s *source) {
	n := s.routine
	s.elem = c.source(s.node.Elem(), n.elem, n.plan)
	zero := reflect.New(s.node.Type().Elem()).Elem()
	s.null = valueOf(zero)
	s.isNullAbsent = s.shape == rawjson.Map && n.isAbsent("", s.null) // the map has no rules for keys
}
