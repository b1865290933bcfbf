package hotupdatetest

import (
	"reflect"
	"slices"

	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// Mutate returns a copy of config in which exactly one field of the class means something else, and the path of that field:
// [hotupdate.Diff] lists one change, of this class. Everything else is as it was, in memory of its own.
//
// The field may have been unset before, below parents that were nil: whatever the type allows is found. Values are those that [WithValues]
// and its like give, or any that the field's type can have. If t is a *rapid.T, field and value are drawn from it, and shrink with the
// rest of the test; otherwise they are the same in every run.
//
// The test fails at once if the type has no such field.
func Mutate[C any](t T, config *C, class hotupdate.Class, options ...Option) (mutated *C, path string) {
	t.Helper()
	s, err := subjectOf[C](options)
	if err != nil {
		fail(t, reflect.TypeFor[C](), err)
		return nil, ""
	}
	m := s.mutator(reflect.ValueOf(config), class)
	found := mutation{}
	rt, drawn := t.(*rapid.T)
	switch {
	case len(m.places) == 0:
	case drawn:
		found = rapid.Custom(m.draw).Draw(rt, "mutation")
	default:
		found = rapid.Custom(m.draw).Example(1)
	}
	if found.path == "" {
		fail(t, reflect.TypeFor[C](), misuse("Mutate", "the configuration has no field of class "+class.String()+" that could be changed by itself", "choose another class, or give values with WithValues"))
		return nil, ""
	}
	return found.config.value().Interface().(*C), found.path
}

// mutation is a changed configuration, and where it changed; it is empty if there is none.
type mutation struct {
	config config
	path   string
}

// GoString keeps values out of rapid's reports.
func (m mutation) GoString() string { return m.path }

// mutator knows every place of a configuration that can be changed by itself.
type mutator struct {
	s      *subject
	config config
	class  structtag.Class
	places []func(a author) *part // each returns the changed root
	open   []*fieldplan.Node
}

func (s *subject) mutator(pointer reflect.Value, class hotupdate.Class) *mutator {
	m := &mutator{s: s, config: s.read(pointer), class: structtag.Class(class)}
	root := m.config.root
	if root == nil {
		root = emptyObject(s.plan.Root, s.plan.Type, "")
	}
	m.object(root, func(p *part) *part { return p })
	return m
}

func emptyObject(n *fieldplan.Node, typ reflect.Type, pattern string) *part {
	return &part{node: n, typ: typ, pattern: pattern, members: make([]*part, len(n.Fields))}
}

// attempts is how often the mutator draws before it looks at every place in turn.
const attempts = 40

// draw draws a mutation.
func (m *mutator) draw(rt *rapid.T) mutation {
	a := author{rt, m.s, 0}
	for range attempts {
		if found := m.try(a, a.pick(len(m.places))); found.path != "" {
			return found
		}
	}
	for i := range m.places {
		if found := m.try(a, i); found.path != "" {
			return found
		}
	}
	return mutation{}
}

// try changes one place, and keeps the change if it is the only one.
func (m *mutator) try(a author, place int) mutation {
	changed := m.config
	changed.root = m.places[place](a)
	if changed.root == nil {
		return mutation{}
	}
	changes, err := m.s.schema.Diff(m.config.value().Interface(), changed.value().Interface())
	if err != nil || len(changes) != 1 || structtag.Class(changes[0].Class) != m.class {
		return mutation{}
	}
	return mutation{changed, changes[0].Path}
}

// object adds the places below an object; rebuild puts a changed one into the root.
func (m *mutator) object(p *part, rebuild func(p *part) *part) {
	if slices.Contains(m.open, p.node) && len(m.open) > maxDepth {
		return
	}
	m.open = append(m.open, p.node)
	defer func() { m.open = m.open[:len(m.open)-1] }()
	for i, f := range p.node.Fields {
		with := func(member *part) *part {
			changed := *p
			changed.members = slices.Clone(p.members)
			changed.members[i] = member
			return rebuild(&changed)
		}
		m.value(p.members[i], f.Node, fieldType(p.node, f), fieldpath.Join(p.pattern, f.Name), with)
	}
}

// value adds the places at and below a value, which may be missing.
func (m *mutator) value(p *part, n *fieldplan.Node, typ reflect.Type, pattern string, rebuild func(p *part) *part) {
	missing := p == nil || p.null
	if missing && slices.Contains(m.open, n) {
		return // a type that contains itself is not continued below what is there
	}
	switch n.Kind {
	case fieldplan.Leaf:
		if n.Class == m.class {
			m.places = append(m.places, func(a author) *part {
				return rebuild(&part{node: n, typ: typ, pattern: pattern, make: a.leaf(n, pattern)})
			})
		}
	case fieldplan.Object:
		if missing {
			p = emptyObject(n, typ, pattern)
		}
		m.object(p, rebuild)
	case fieldplan.List, fieldplan.Map, fieldplan.Array:
		if missing {
			p = &part{node: n, typ: typ, pattern: pattern}
		}
		m.elements(p, rebuild)
	}
}

// elements adds the places below a collection, and a new element.
func (m *mutator) elements(p *part, rebuild func(p *part) *part) {
	for i, e := range p.elems {
		m.value(e, e.node, e.typ, e.pattern, func(elem *part) *part {
			changed := *p
			changed.elems = slices.Clone(p.elems)
			changed.elems[i] = elem
			return rebuild(&changed)
		})
	}
	if p.node.Kind == fieldplan.Array || !fieldplan.ClassSet.Any(p.node.Classes, fieldplan.Of(m.class)) {
		return
	}
	m.places = append(m.places, func(a author) *part {
		changed := *p
		changed.elems, changed.keys = slices.Clone(p.elems), slices.Clone(p.keys)
		if !a.addElement(&changed) {
			return nil
		}
		return rebuild(&changed)
	})
}

// addElement adds an element of which nothing is set but what it has to have.
func (a author) addElement(p *part) bool {
	n, before := p.node, len(p.elems)
	e := &part{node: n.Elem, typ: n.Type.Elem(), pattern: p.pattern + "[]"}
	switch n.Elem.Kind {
	case fieldplan.Leaf:
		e.make = a.leaf(n.Elem, e.pattern)
	case fieldplan.Object:
		e = emptyObject(n.Elem, e.typ, e.pattern)
	case fieldplan.List, fieldplan.Map, fieldplan.Array:
		return false
	}
	switch {
	case n.Kind == fieldplan.Map:
		a.entry(p, e)
	case n.Pairing != fieldplan.ByKey || a.identify(p, e):
		a.selectElement(n, e)
		p.elems = append(p.elems, e)
	}
	return len(p.elems) > before
}
