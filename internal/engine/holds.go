package engine

import (
	"bytes"
	"reflect"
	"slices"

	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// holds reports whether something of the classes is set in v. What identifies an element of collection in does not count.
func holds(n *fieldplan.Node, v reflect.Value, classes fieldplan.ClassSet, in *fieldplan.Node) bool {
	v, ok := Deref(v)
	if !ok || !n.Classes.Any(classes) {
		return false
	}
	switch n.Kind {
	case fieldplan.Object:
		return slices.ContainsFunc(n.Parts(), func(f *fieldplan.Field) bool {
			return (in == nil || !in.Identity(f)) && memberHolds(f, Member(v, f), classes)
		})
	case fieldplan.List:
		for i := range v.Len() {
			if elementHolds(n, v.Index(i), classes) {
				return true
			}
		}
	case fieldplan.Array:
		for i := range v.Len() {
			if placeHolds(n.Elem, v.Index(i), classes) {
				return true
			}
		}
	case fieldplan.Map:
		return slices.ContainsFunc(Entries(&Trail{}, n, v), func(e Element) bool { return elementHolds(n, e.Value, classes) })
	case fieldplan.Leaf:
		return true
	}
	return false
}

func memberHolds(f *fieldplan.Field, v reflect.Value, classes fieldplan.ClassSet) bool {
	if f.Node.Kind == fieldplan.Leaf {
		_, set := MemberText(&Trail{}, nil, f, v)
		return set && f.Node.Classes.Any(classes)
	}
	return f.KeepsPresence() && isPresent(v) && fieldplan.Of(f.Node.Class).Any(classes) || holds(f.Node, v, classes, nil)
}

// elementHolds counts the presence of an element as well.
func elementHolds(in *fieldplan.Node, v reflect.Value, classes fieldplan.ClassSet) bool {
	node := ElementNode(in, v)
	return fieldplan.Of(node.Class).Any(classes) || holds(node, v, classes, in)
}

// placeHolds reports whether an element of an array, which is always there, says something else than zero.
func placeHolds(n *fieldplan.Node, v reflect.Value, classes fieldplan.ClassSet) bool {
	switch n.Kind {
	case fieldplan.Leaf:
		zero := reflect.Zero(v.Type())
		return n.Classes.Any(classes) && !bytes.Equal(ElementText(&Trail{}, nil, n, v), ElementText(&Trail{}, nil, n, zero))
	case fieldplan.List:
		return fieldplan.Of(n.Class).Any(classes) && !IsNull(n, v) || holds(n, v, classes, nil)
	case fieldplan.Object, fieldplan.Array, fieldplan.Map:
	}
	return holds(n, v, classes, nil)
}
