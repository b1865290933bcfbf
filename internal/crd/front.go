package crd

import (
	"maps"
	"reflect"
	"slices"
	"strconv"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// described are the objects, lists or maps of a property: the front of the compiler for CRDs.
type described struct {
	*reader

	p    *property
	path string
	key  string // the member by which a list of a field finds its elements; also of these
}

var _ fieldplan.Values = described{}

// Outline describes the values of the property.
func (v described) Outline(_ string, report func(*fault.Error)) fieldplan.Outline {
	switch {
	case v.p.Type == "array":
		return v.collection(fieldplan.List, v.key, report)
	case v.p.Additional.property == nil:
		return v.object(report)
	case len(v.p.Properties) > 0:
		report(invalid(v.path, "has both properties and additionalProperties",
			"write a structural schema, which has one of them"))
		return fieldplan.Faulty().Outline("", report)
	}
	return v.collection(fieldplan.Map, "", report)
}

func (v described) collection(kind fieldplan.Kind, key string, report func(*fault.Error)) fieldplan.Outline {
	elem := v.p.elem()
	values := v.values(elem, fieldpath.Elements(v.path), key, report)
	return fieldplan.Outline{
		Kind: kind, Elem: values, ElemPointer: elem.Nullable && takesPointer(values), Key: reflect.TypeFor[string](),
	}
}

// values describes the values of a property, at a path below that of v. The rules of the properties
// above it have been read.
func (r *reader) values(p *property, path, key string, report func(*fault.Error)) fieldplan.Values {
	r.readRules(p, path)
	if leaves, ok := r.text(p, path, report); ok {
		return leaves
	}
	switch grafted := r.grafts[path]; {
	case p.isFree() && grafted != nil:
		grafted.isMatched = true
		return grafted.values
	case p.isFree():
		return leavesOf[freeJSON](leaf.RawMessage, "")
	case p.Type == "array":
		return described{r, p, path, ""}
	case p.Type == "object":
		return described{r, p, path, key}
	}
	for _, format := range []string{p.Format, ""} {
		if leaves, ok := leafTypes[p.Type][format]; ok {
			return leaves
		}
	}
	report(invalid(path, "has the unknown type "+strconv.Quote(p.Type),
		"write a structural schema, in which every value has a type"))
	return fieldplan.Faulty()
}

// takesPointer reports whether a pointer is needed to tell zero from null. Lists, maps, bytes and
// free JSON have a null of their own.
func takesPointer(values fieldplan.Values) bool {
	leaves, _ := values.(fieldplan.Leaves)
	return leaves.Kind != leaf.Bytes && leaves.Kind != leaf.RawMessage && !isCollection(values)
}

func isCollection(values fieldplan.Values) bool {
	v, ok := values.(described)
	return ok && v.p.elem() != nil
}

// object describes an object with properties.
func (v described) object(report func(*fault.Error)) fieldplan.Outline {
	o := fieldplan.Outline{Kind: fieldplan.Object}
	for _, name := range slices.Sorted(maps.Keys(v.p.Properties)) {
		o.Members = append(o.Members, v.member(name, report))
	}
	if v.isOpen {
		o.Rest = fieldplan.UnknownBeside(o.Members, v.path)
	}
	return o
}

// member describes a member. A member that is not required may be absent, which differs from its
// zero value. With a default, an empty list or map differs from an absent one, too.
func (v described) member(name string, report func(*fault.Error)) *fieldplan.Member {
	path := fieldpath.Join(v.path, name)
	p := v.p.Properties[name]
	if p == nil {
		p = &property{}
	}
	m := &fieldplan.Member{
		Name: name, Place: path, GoField: path, Values: v.values(p, path, "", report),
		Optional: !slices.Contains(v.p.Required, name), Fills: v.fills(p, path),
	}
	leaves, _ := m.Values.(fieldplan.Leaves)
	m.Tag.Default = p.defaultOf(leaves.Kind)
	mayBeNil := m.Optional || p.Nullable || m.Tag.Default != nil
	isFilled := m.Tag.Default != nil && isCollection(m.Values)
	m.Pointer = isFilled || mayBeNil && takesPointer(m.Values)
	if p.Format == "password" {
		m.Tag.Sensitive = structtag.HideValues
	}
	if list, ok := m.Values.(described); ok && p.Type == "array" {
		m.Tag.Key, m.Tag.Set = p.pairing()
		list.key = m.Tag.Key
		m.Values = list
	}
	if rule := v.rules[path]; rule != "" {
		m.Declared = fieldplan.StructTag
		m.Source = rule
	}
	if name == v.key && leaves.Kind != leaf.Int {
		m.Values = text // a key identifies by its text
	}
	return m
}
