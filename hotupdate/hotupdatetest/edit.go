package hotupdatetest

import (
	"slices"

	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// editor rewrites configurations. What the classes in keep say stays, in the same or another spelling; everything else may change.
type editor struct {
	author
	keep fieldplan.ClassSet
}

// rewritten returns a configuration that means the same to whoever sees the classes in keep.
func (a author) rewritten(c config, keep fieldplan.ClassSet) config {
	e := editor{author{a.t, a.s, 0}, keep}
	blank := e.blank()
	out := config{plan: c.plan, meta: make([]string, len(c.meta))}
	for i := range out.meta {
		out.meta[i] = among(a, "", "x", "y")
	}
	switch {
	case c.root == nil && a.chance(3):
	case c.root == nil:
		out.root = blank.object(a.s.plan.Root, a.s.plan.Type, "", 0)
	case !c.root.membersSay(keep) && a.chance(3):
	default:
		out.root = e.part(c.root, 0)
	}
	return out
}

// blank draws what says nothing to whoever sees the classes in keep.
func (e editor) blank() author { return author{e.t, e.s, e.keep} }

// member rewrites a member. One that says nothing may come to say nothing in another way.
func (e editor) member(in *part, i, depth int) *part {
	f, p := in.node.Fields[i], in.members[i]
	pattern := fieldpath.Join(in.pattern, f.Name)
	switch {
	case !f.Classes().Any(e.keep):
		return e.author.member(in.node, f, pattern, depth)
	case p.says(f, e.keep):
		return e.part(p, depth)
	case e.chance(3):
		return nil
	default:
		return e.blank().member(in.node, f, pattern, depth)
	}
}

// part rewrites a value that is there.
func (e editor) part(p *part, depth int) *part {
	if p.null {
		return p
	}
	out := *p
	switch p.node.Kind {
	case fieldplan.Leaf:
		if e.keep.Any(fieldplan.Of(p.node.Class)) {
			out.make = e.respelled(p)
		} else {
			out.make = e.leaf(p.node, p.pattern)
		}
	case fieldplan.Object:
		out.members = make([]*part, len(p.members))
		for i := range p.members {
			out.members[i] = e.member(p, i, depth+1)
		}
	case fieldplan.Array:
		e.places(p, &out, depth)
	case fieldplan.List:
		e.list(p, &out, depth)
	case fieldplan.Map:
		e.mapping(p, &out, depth)
	}
	return &out
}

func (e editor) places(p, out *part, depth int) {
	out.elems = make([]*part, len(p.elems))
	for i, elem := range p.elems {
		out.elems[i] = e.element(p.node, elem, depth)
	}
}

// element rewrites an element; the fields by which it is found or selected stay.
func (e editor) element(in *fieldplan.Node, p *part, depth int) *part {
	out := e.part(p, depth+1)
	if p.node.Kind != fieldplan.Object || p.null {
		return out
	}
	for i, f := range p.node.Fields {
		if in.Identity(f) {
			out.members[i] = p.members[i]
		}
	}
	return out
}

// list rewrites a list. Where the order means nothing it changes, and elements that say nothing come and go.
func (e editor) list(p, out *part, depth int) {
	out.elems = nil
	for _, elem := range p.elems {
		if e.comesAndGoes(p, elem) && e.chance(3) {
			continue
		}
		out.elems = append(out.elems, e.element(p.node, elem, depth))
		if p.node.Pairing == fieldplan.ByValue && e.chance(3) {
			out.elems = append(out.elems, e.element(p.node, elem, depth))
		}
	}
	if p.node.Pairing == fieldplan.ByKey {
		if elem := e.newElement(p.node, p.pattern, depth); elem != nil && e.identify(out, elem) {
			e.take(p.node, elem)
			if e.comesAndGoes(p, elem) {
				out.elems = append(out.elems, elem)
			}
		}
	}
	if p.node.Pairing != fieldplan.ByPosition && e.chance(2) {
		slices.Reverse(out.elems)
	}
}

// take makes an element hot, where there is a way.
func (e editor) take(n *fieldplan.Node, elem *part) {
	if n.When != nil && !elem.null {
		e.makeHot(n, elem)
	}
	elem.retarget(elementNode(n, elem))
}

// newElement draws an element that says nothing, now and then.
func (e editor) newElement(n *fieldplan.Node, pattern string, depth int) *part {
	if e.keep.Any(fieldplan.Of(n.Class)) && n.When == nil || !e.chance(2) {
		return nil
	}
	elem := e.blank().value(n.Elem, n.Type.Elem(), pattern+"[]", depth+1)
	if elem.null && n.Kind != fieldplan.Map {
		return nil
	}
	return elem
}

// comesAndGoes reports whether an element may be added and removed without anybody noticing who sees the classes in keep.
func (e editor) comesAndGoes(p, elem *part) bool {
	n := elem.node
	collection := p.node
	if collection.Pairing == fieldplan.ByPosition && collection.Kind != fieldplan.Map || n.Kind != fieldplan.Object {
		return false
	}
	hot := !e.keep.Any(fieldplan.Of(collection.Class)) || collection.When != nil && n == collection.When.Hot && !e.keep.Any(fieldplan.Of(n.Class))
	return hot && !elem.elementSays(collection, e.keep)
}

// mapping rewrites a map; entries that say nothing come and go.
func (e editor) mapping(p, out *part, depth int) {
	out.keys, out.elems = nil, nil
	for i, elem := range p.elems {
		if e.comesAndGoes(p, elem) && e.chance(3) {
			continue
		}
		out.keys, out.elems = append(out.keys, p.keys[i]), append(out.elems, e.element(p.node, elem, depth))
	}
	elem := e.newElement(p.node, p.pattern, depth)
	if elem == nil {
		return
	}
	key := e.mapKey(p.node.Type.Key(), p.pattern)
	e.take(p.node, elem)
	with := *p
	if e.comesAndGoes(p, elem) && !with.hasMapKey(mapKeyText(p.node, key)) {
		out.keys, out.elems = append(out.keys, key), append(out.elems, elem)
	}
}
