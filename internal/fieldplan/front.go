package fieldplan

import (
	"reflect"
	"slices"
	"strconv"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/leaf"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// Values describes the values of a field or an element to the compiler. Each front of the compiler
// has Values of its own: Go types in this package, nodes of an exported Schema in package
// schemajson, and properties of a CRD in package crd. Values that are equal describe the same: in
// one context they are one node.
type Values interface {
	// Outline describes the values one level deep, and reports mistakes in their description. The place
	// is that of the field through which they are reached.
	Outline(place string, report func(*fault.Error)) Outline
}

// Outline is what a front says of values, before classes and overrides.
type Outline struct {
	Kind Kind
	Type reflect.Type // without pointers; nil if the compiler makes it from those of the parts

	// Leaf:

	Leaf       leaf.Kind // NotALeaf after a mistake
	TakesAs    bool      // the option as may be given although these are no strings
	Recognized string    // see [Node]

	// Object:

	Members []*Member // in the order of their names' bytes
	Meta    []*Member // of the root: its TypeMeta
	Rest    *Member   // holds the unknown members; nil if they are not admitted

	// List, Array, Map:

	Elem        Values
	ElemPointer bool
	OfElem      func(elem reflect.Type) reflect.Type // Array: makes the type if there is none
	Key         reflect.Type                         // Map
	Keys        []KeyClass                           // Map: classes of single keys
}

// TypeOf returns the type of a list, array or map without one, whose elements have a type without pointers.
func (o *Outline) TypeOf(elem reflect.Type) reflect.Type {
	if o.ElemPointer {
		elem = reflect.PointerTo(elem)
	}
	switch {
	case o.OfElem != nil:
		return o.OfElem(elem)
	case o.Kind == Map:
		return reflect.MapOf(o.Key, elem)
	default:
		return reflect.SliceOf(elem)
	}
}

// Member is what a front says of a member of an object.
type Member struct {
	Name    string
	Values  Values
	Tag     structtag.Tag // its class counts unless Declared is Inherited
	Place   string        // where mistakes are reported
	GoField string        // see [Field], as for all that follow

	Declared Declaration
	Source   string
	Index    []int // nil if the compiler makes the type of the object
	Pointer  bool
	Optional bool
	Quoted   bool
	Zero     []byte // of leaves of kind [leaf.Opaque]
	Fills    string
}

// KeyClass is a declared class of a key of a map.
type KeyClass struct {
	structtag.KeyClass

	Declared Declaration
	Source   string // see [KeyRule]
	Place    string // where mistakes are reported

	override string // path of the override that declares it; empty if a front does
}

// Leaves are the leaves of a Go type that is read in one way.
type Leaves struct {
	Type       reflect.Type
	Kind       leaf.Kind
	TakesAs    bool
	Recognized string
}

// Outline describes the leaves.
func (l Leaves) Outline(string, func(*fault.Error)) Outline {
	return Outline{Type: l.Type, Leaf: l.Kind, TakesAs: l.TakesAs, Recognized: l.Recognized}
}

// IsQuotable reports whether encoding/json obeys the option string on a field of the type.
func (l Leaves) IsQuotable() bool { return l.Type != nil && isQuotable(l.Type) }

// Faulty are values that a front cannot describe because of a mistake that it reported.
func Faulty() Values { return Leaves{Type: reflect.TypeFor[struct{}]()} }

// UnknownBeside returns the member that holds the unknown members of an object with members of some names.
// It has another name than these, which is never in JSON.
func UnknownBeside(members []*Member, place string) *Member {
	name := "unknown"
	for slices.ContainsFunc(members, func(m *Member) bool { return m.Name == name }) {
		name += "~"
	}
	return &Member{
		Name: name, Place: place, Values: ofType(reflect.TypeFor[Unknown]()), Declared: StructTag,
		Tag: structtag.Tag{Class: structtag.Immutable, Sensitive: structtag.HideValues},
	}
}

// structOf makes the type of an object from its fields and the one for unknown members, nil if there is
// none. It gives each field its index.
func (c *compiler) structOf(fields []*Field, rest *Field) reflect.Type {
	if rest != nil {
		fields = append(fields, rest)
	}
	all := make([]reflect.StructField, len(fields))
	for i, f := range fields {
		f.Index = []int{i}
		all[i] = reflect.StructField{Name: "F" + strconv.Itoa(i+1), Type: f.Node.Type, Tag: f.jsonTag()}
		if f.Pointer {
			all[i].Type = reflect.PointerTo(f.Node.Type)
		}
		if !isJSONName(f.Name) {
			c.faults.Add(mistake(f.place, fault.NoJSONName, "has a name that encoding/json does not take",
				"rename the field"))
		}
	}
	return reflect.StructOf(all)
}

// jsonTag is the json struct tag of a field.
func (f *Field) jsonTag() reflect.StructTag {
	options := f.Name
	if f.Name == "-" {
		options += "," // without a comma, encoding/json leaves the field out
	}
	if f.Optional {
		options += ",omitempty"
	}
	if f.Quoted {
		options += ",string"
	}
	return reflect.StructTag("json:" + strconv.Quote(options))
}
