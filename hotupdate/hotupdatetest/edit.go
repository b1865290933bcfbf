package hotupdatetest

import (
	"bytes"
	"reflect"
	"slices"

	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// edit is one way to change a configuration.
type edit struct {
	classes fieldplan.ClassSet // of all that it may change
	// apply returns the changed root, nil if nothing was found, and the leaf that is new in it.
	apply   func(a author) (root, leaf *part)
	was     *part            // the leaf that gets another value
	removes bool             // something goes, and nothing comes
	of      *fieldplan.Field // of was; nil for elements
}

type editor struct {
	all  []edit
	open []*fieldplan.Node // the objects above
}

// edits lists the ways to set or unset one field, or to add or remove one element. Fields that identify or select elements stay.
func (s *subject) edits(c config) []edit {
	root := c.root
	if root == nil {
		root = blankRoot(s.plan).emptied()
	}
	e := &editor{}
	e.object(root, nil, 0, func(p *part) *part { return p })
	return e.all
}

// object adds the edits below an object, an element of in unless that is nil. Above are the classes of the parents that an edit creates.
func (e *editor) object(p *part, in *fieldplan.Node, above fieldplan.ClassSet, rebuild func(p *part) *part) {
	if slices.Contains(e.open, p.node) && len(e.open) > maxDepth {
		return
	}
	e.open = append(e.open, p.node)
	defer func() { e.open = e.open[:len(e.open)-1] }()
	for i, f := range p.node.Fields {
		if in != nil && in.Identity(f) {
			continue
		}
		with := func(member *part) *part {
			changed := *p
			changed.members = slices.Clone(p.members)
			changed.members[i] = member
			return rebuild(&changed)
		}
		m := p.members[i]
		if m != nil {
			e.all = append(e.all, edit{removes: true, classes: above | f.Classes(), apply: func(author) (root, leaf *part) { return with(nil), nil }})
		}
		set := edit{of: f, classes: above}
		if (m == nil || m.null) && f.HasPresence() {
			set.classes |= fieldplan.Of(f.Node.Class)
		}
		e.value(m, p.blankMember(f), set, nil, with)
	}
}

// value adds the edits at and below a value. Blank is what comes in where it is missing, and set begins the edit of a leaf.
func (e *editor) value(p, blank *part, set edit, in *fieldplan.Node, with func(p *part) *part) {
	n, missing, above := blank.node, p == nil || p.null, set.classes
	if missing && slices.Contains(e.open, n) {
		return // a type that contains itself is not continued below what is there
	}
	switch n.Kind {
	case fieldplan.Leaf:
		set.classes |= fieldplan.Of(n.Class)
		set.apply = func(a author) (root, leaf *part) {
			drawn := *blank
			drawn.make = a.leaf(blank)
			return with(&drawn), &drawn
		}
		if !missing && (in == nil || in.Pairing != fieldplan.ByValue) { // an element of a set may be there twice
			set.was = p
		}
		e.all = append(e.all, set)
	case fieldplan.Object:
		if missing {
			p = blank.emptied()
		}
		e.object(p, in, above, with)
	case fieldplan.List, fieldplan.Map:
		if missing {
			p = blank
		}
		e.elements(p, above, with)
		e.newElement(p, above, with)
	case fieldplan.Array:
		if !missing {
			e.elements(p, above, with)
		}
	}
}

func (e *editor) elements(p *part, above fieldplan.ClassSet, rebuild func(p *part) *part) {
	for i, elem := range p.elems {
		set := edit{classes: above}
		if elem.null && elem.node.Kind != fieldplan.Object {
			set.classes |= fieldplan.Of(p.node.Class)
		}
		blank := &part{node: elem.node, typ: elem.typ, pattern: elem.pattern}
		e.value(elem, blank, set, p.node, func(elem *part) *part {
			changed := *p
			changed.elems = slices.Clone(p.elems)
			changed.elems[i] = elem
			return rebuild(&changed)
		})
		if p.node.Kind != fieldplan.Array {
			e.all = append(e.all, edit{removes: true, classes: above | p.classesWithout(elem), apply: func(author) (root, leaf *part) { return rebuild(p.without(i)), nil }})
		}
	}
}

// classesWithout are the classes of what changes when an element goes. In a list paired by position others take its place.
func (p *part) classesWithout(elem *part) fieldplan.ClassSet {
	if p.node.Kind == fieldplan.List && p.node.Pairing == fieldplan.ByPosition {
		return p.node.Classes
	}
	return elem.node.Classes | fieldplan.Of(elem.node.Class)
}

func (p *part) without(i int) *part {
	changed := *p
	changed.elems = slices.Delete(slices.Clone(p.elems), i, i+1)
	if p.keys != nil {
		changed.keys = slices.Delete(slices.Clone(p.keys), i, i+1)
	}
	return &changed
}

// newElement adds the edits that add an element with nothing but its required fields, and a hot one if there is a hotwhen.
func (e *editor) newElement(p *part, above fieldplan.ClassSet, rebuild func(p *part) *part) {
	n := p.node
	if n.Elem.Kind != fieldplan.Leaf && n.Elem.Kind != fieldplan.Object {
		return
	}
	adding := func(classes fieldplan.ClassSet, choose func(a author, n *fieldplan.Node, e *part)) {
		e.all = append(e.all, edit{classes: above | classes, apply: func(a author) (root, leaf *part) {
			changed, elem := *p, p.blankElement().emptied()
			if n.Elem.Kind == fieldplan.Leaf {
				elem.make = a.leaf(elem)
			}
			changed.null, changed.elems, changed.keys = false, slices.Clone(p.elems), slices.Clone(p.keys)
			if !a.add(&changed, elem, choose) {
				return nil, nil
			}
			return rebuild(&changed), nil
		}})
	}
	if n.When == nil {
		adding(fieldplan.Of(n.Class), author.selectElement)
		return
	}
	hot := fieldplan.Of(n.When.Hot.Class)
	adding(fieldplan.Of(n.Class)|hot, author.selectElement)
	adding(hot, author.makeHot)
}

// respelled returns a configuration that means the same.
func (a author) respelled(c config) config {
	out := config{plan: c.plan, meta: make([]string, len(c.meta))}
	for i := range out.meta {
		out.meta[i] = among(a, "", "x", "y")
	}
	root := c.root
	if root == nil {
		root = blankRoot(c.plan).emptied()
	}
	if !root.isEmpty() || !a.chance(3) {
		out.root = a.respelledPart(root)
	}
	return out
}

func (a author) respelledPart(p *part) *part {
	out := *p
	out.members, out.elems = slices.Clone(p.members), slices.Clone(p.elems)
	switch {
	case p.null:
	case p.node.Kind == fieldplan.Leaf:
		out.make = a.respelledLeaf(p)
	case p.node.Kind == fieldplan.Object:
		for i, f := range p.node.Fields {
			out.members[i] = a.respelledMember(p, p.members[i], f)
		}
	}
	for i, elem := range p.elems {
		out.elems[i] = a.respelledPart(elem)
		if p.node.Pairing == fieldplan.ByValue && a.chance(3) {
			out.elems = append(out.elems, a.respelledPart(elem))
		}
	}
	if p.node.Pairing != fieldplan.ByPosition && a.chance(2) {
		slices.Reverse(out.elems)
	}
	return &out
}

// respelledMember lets a member that says nothing say so in another way.
func (a author) respelledMember(in, m *part, f *fieldplan.Field) *part {
	switch {
	case m.isUnset(f) && a.chance(2):
		return nil
	case m != nil:
		return a.respelledPart(m)
	}
	p := in.blankMember(f)
	isLeaf := f.Node.Kind == fieldplan.Leaf
	switch {
	case a.chance(2), f.HasPresence(), f.Node.Kind == fieldplan.Array:
		return nil
	case isLeaf && f.Default != nil:
		p.make = fromJSON(f.Node.Type, f.Default)
	case isLeaf && f.Pointer:
		return nil
	case isLeaf:
		p.make = func() reflect.Value { return reflect.Zero(f.Node.Type) }
	case f.Node.Kind == fieldplan.Object:
		p.emptied()
	}
	return p
}

// isUnset reports whether a member certainly says nothing.
func (p *part) isUnset(f *fieldplan.Field) bool {
	switch {
	case p == nil || p.null:
		return true
	case f.Node.Kind == fieldplan.Leaf:
		return f.Unset(p.text())
	case f.Node.Kind == fieldplan.Array:
		return false
	}
	return !f.HasPresence() && p.isEmpty()
}

// isEmpty reports whether no member is set and there is no element.
func (p *part) isEmpty() bool {
	for i, f := range p.node.Fields {
		if !p.members[i].isUnset(f) {
			return false
		}
	}
	return len(p.elems) == 0
}

// meansTheSame reports whether the new leaf has the meaning of the one that was there.
func (e edit) meansTheSame(leaf *part) bool {
	before, after := e.was.text(), leaf.text()
	if before == nil || after == nil || bytes.Equal(before, after) {
		return true
	}
	return e.of != nil && e.of.Unset(before) && e.of.Unset(after)
}
