package fieldplan

import (
	"reflect"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// goType are the values of a Go type without pointers: the front of the compiler for Go.
type goType struct{ typ reflect.Type }

// goRoot are the values of a struct type that is the root, whose TypeMeta is left out.
type goRoot struct{ goType }

var (
	_ Values = goType{}
	_ Values = goRoot{}
)

func ofType(t reflect.Type) Values { return goType{Deref(t)} }

// Outline describes the values of the type.
func (g goType) Outline(place string, report func(*fault.Error)) Outline {
	t := g.typ
	if t.Name() == "" && t.Kind() == reflect.Struct && leaf.ReadsItself(t) {
		report(mistake(place, "unsupported-type",
			"is a struct without a name that embeds an unmarshaler, which encoding/json calls in some places only",
			"give the struct a name"))
		return Outline{Type: t}
	}
	if kind := leaf.KindOf(t); kind != leaf.NotALeaf {
		if kind.MarshalsItself() {
			refuseTagsBelow(t, place, report)
		}
		return Outline{Type: t, Leaf: kind}
	}
	switch t.Kind() {
	case reflect.Struct:
		return g.object(&resolver{report: report}, place)
	case reflect.Slice:
		return g.collection(List)
	case reflect.Array:
		return g.collection(Array)
	case reflect.Map:
		checkMapKey(t, place, report)
		o := g.collection(Map)
		o.Key = t.Key()
		return o
	default:
		report(mistake(place, "unsupported-type", "has the unsupported type "+t.String(),
			"use a type that JSON can carry and no pointer type with a name, or `json:\"-\"`"))
		return Outline{Type: t}
	}
}

func refuseTagsBelow(t reflect.Type, place string, report func(*fault.Error)) {
	for _, tagged := range leaf.TaggedFields(t) {
		what := "has a hotupdatable struct tag below " + t.String() + ", which marshals itself"
		report(mistake(tagged, "below-marshaler", what,
			"put the struct tag on "+place+" or remove it; the marshaler may be that of an embedded type"))
	}
}

func checkMapKey(t reflect.Type, place string, report func(*fault.Error)) {
	if leaf.MapKeyKind(t.Key()) == leaf.NotALeaf {
		report(mistake(place, "unsupported-map-key", "has map keys of type "+t.Key().String(),
			"use keys that are strings, integers or text marshalers"))
		return
	}
	refuseTagsBelow(t.Key(), place, report)
}

func (g goType) collection(kind Kind) Outline {
	elem := g.typ.Elem()
	return Outline{Kind: kind, Type: g.typ, Elem: ofType(elem), ElemPointer: elem.Kind() == reflect.Pointer}
}

// Outline describes the values of the root.
func (g goRoot) Outline(place string, report func(*fault.Error)) Outline {
	return g.object(&resolver{report: report, root: true}, place)
}

func (g goType) object(r *resolver, place string) Outline {
	o := Outline{Kind: Object, Type: g.typ}
	fields := r.resolve(g.typ, typeName(g.typ, place))
	o.Members = make([]*Member, 0, len(fields))
	for _, jf := range fields {
		switch {
		case r.root && jf.typeMeta:
			o.Meta = append(o.Meta, jf.member())
		case jf.typ == reflect.TypeFor[Unknown]():
			o.Rest = jf.member()
		default:
			o.Members = append(o.Members, jf.member())
		}
	}
	if len(o.Members) == 0 && onlyUnexported(g.typ, map[reflect.Type]bool{}) {
		what := "has type " + g.typ.String() +
			" with only unexported fields and no marshaler, so its value is not in JSON"
		r.report(mistake(place, "opaque-struct", what, "use a type that marshals itself, or `json:\"-\"`"))
	}
	return o
}

// onlyUnexported reports whether struct t has fields and none of them, nor of those that it embeds,
// is exported.
func onlyUnexported(t reflect.Type, seen map[reflect.Type]bool) bool {
	seen[t] = true
	for f := range t.Fields() {
		embedded := Deref(f.Type)
		isEmbeddedStruct := f.Anonymous && embedded.Kind() == reflect.Struct
		if isEmbeddedStruct && (seen[embedded] || onlyUnexported(embedded, seen)) {
			continue
		}
		if f.IsExported() || f.Anonymous {
			return false
		}
	}
	return t.NumField() > 0
}

// member is what the compiler is told of the field. The nearest declaration of a class is that of its
// own struct tag, or else that of the embedded struct.
func (jf *jsonField) member() *Member {
	m := &jf.Member
	m.Values = ofType(jf.typ)
	m.Pointer = jf.typ.Kind() == reflect.Pointer
	m.Tag = jf.tag.Tag
	declares := jf.tag
	if !jf.tag.present && jf.embedded != nil {
		declares = jf.embedded
	}
	if declares.present {
		m.Tag.Class = declares.Class
		m.Declared = StructTag
		m.Source = declares.goField
	}
	for e := jf.embedded; e != nil; e = e.outer {
		m.Tag.Sensitive = max(m.Tag.Sensitive, e.Sensitive)
	}
	return m
}
