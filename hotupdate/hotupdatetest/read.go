package hotupdatetest

import (
	"reflect"

	"github.com/hotupdate/providerconfig/internal/engine"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// read takes a configuration apart, so that it can be rewritten in places. It shares no memory with the parts.
func (s *subject) read(pointer reflect.Value) config {
	c := config{plan: s.plan, meta: make([]string, len(s.plan.Meta))}
	v, ok := engine.Deref(pointer)
	if !ok {
		return c
	}
	for i, f := range s.plan.Meta {
		c.meta[i] = engine.Member(v, f).String()
	}
	c.root = readPart(s.plan.Root, s.plan.Type, "", v)
	return c
}

func readPart(n *fieldplan.Node, typ reflect.Type, pattern string, v reflect.Value) *part {
	p := &part{node: n, typ: typ, pattern: pattern}
	v, ok := engine.Deref(v)
	if !ok || (n.Kind == fieldplan.List || n.Kind == fieldplan.Map) && v.IsNil() {
		p.null = true
		return p
	}
	switch n.Kind {
	case fieldplan.Leaf:
		p.make = func() reflect.Value { return copyOf(n, v) }
	case fieldplan.Object:
		p.members = make([]*part, len(n.Fields))
		for i, f := range n.Fields {
			if m := engine.Member(v, f); m.IsValid() {
				p.members[i] = readPart(f.Node, fieldType(n, f), fieldpath.Join(pattern, f.Name), m)
			}
		}
	case fieldplan.List, fieldplan.Array:
		for i := range v.Len() {
			p.elems = append(p.elems, readPart(engine.ElementNode(n, v.Index(i)), n.Type.Elem(), pattern+"[]", v.Index(i)))
		}
	case fieldplan.Map:
		for it := v.MapRange(); it.Next(); {
			p.keys = append(p.keys, fixed(it.Key()))
			p.elems = append(p.elems, readPart(engine.ElementNode(n, it.Value()), n.Type.Elem(), pattern+"[]", it.Value()))
		}
	}
	return p
}
