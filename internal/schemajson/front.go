package schemajson

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// maxArray bounds the arrays of a loaded Schema in bytes, since their values are allocated.
const maxArray = 1 << 20

// source is where described values come from.
type source struct {
	root     *Node
	typeMeta []string // the root's members of TypeMeta
	isOpen   bool     // objects may have unknown members
	isPart   bool     // of another description, whose places are paths and not JSON pointers
}

// described are the objects, lists, arrays or maps of a node: the front of the compiler for exported
// Schemas.
type described struct {
	*source

	n  *Node
	at string // the place of the node
}

var _ fieldplan.Values = described{}

// ValuesAt describes the values of the root as a part of another description, in which they have a
// path.
func (d *Document) ValuesAt(path string) fieldplan.Values {
	return described{&source{isPart: true, isOpen: d.Unknown != ""}, d.Root, path}
}

// Outline describes the values of the node.
func (v described) Outline(_ string, report func(*fault.Error)) fieldplan.Outline {
	if v.n.Kind == KindObject {
		return v.object(report)
	}
	if v.n.Elem == nil {
		report(invalid(v.at+"/elem", "is missing", exportAgain))
		return fieldplan.Faulty().Outline("", report)
	}
	elem := v.place(v.at, "/elem", fieldpath.Elements(v.at))
	o := fieldplan.Outline{Elem: v.values(v.n.Elem, elem, report), ElemPointer: v.n.ElemNullable}
	switch v.n.Kind {
	case KindList:
		o.Kind = fieldplan.List
		isBytes := v.n.Elem.Kind == "uint" && v.n.Elem.Bits == 8
		if isBytes && !o.ElemPointer {
			report(invalid(v.at, "is a list of bytes, which are one text in JSON", exportAgain))
		}
	case KindMap:
		o.Kind = fieldplan.Map
		o.Key = v.key(report)
		o.Keys = v.keyClasses(report)
	default:
		o.Kind = fieldplan.Array
		o.OfElem = func(elem reflect.Type) reflect.Type { return v.arrayOf(elem, report) }
	}
	return o
}

// place returns the place of something below a place: the pointer from there, or its path.
func (s *source) place(at, pointer, path string) string {
	if s.isPart {
		return path
	}
	return at + pointer
}

// values describes the values of a node, which is at or below that of v.
func (v described) values(n *Node, at string, report func(*fault.Error)) fieldplan.Values {
	if len(n.KeyClasses) > 0 && n.Kind != KindMap {
		report(invalid(at, "has classes of keys and is not a map", exportAgain))
	}
	switch n.Kind {
	case KindObject, KindList, kindArray, KindMap:
		return described{v.source, n, at}
	case kindRef:
		report(invalid(at, "is a type that contains itself", "use the Schema of the Go type"))
		return fieldplan.Faulty()
	}
	if n.goType != nil {
		return fieldplan.Leaves{Type: n.goType, Kind: leaf.KindOf(n.goType)}
	}
	leaves, ok := leavesOf(n.Kind, n.Bits)
	if !ok {
		report(invalid(at, "has an unknown kind or width", "use a release of this library that knows it"))
		return fieldplan.Faulty()
	}
	return leaves
}

func (v described) object(report func(*fault.Error)) fieldplan.Outline {
	o := fieldplan.Outline{Kind: fieldplan.Object}
	if v.n == v.root {
		for _, name := range v.typeMeta {
			texts, _ := leavesOf(kindString, 0)
			o.Meta = append(o.Meta, &fieldplan.Member{Name: name, Place: v.at, Values: texts, Optional: true})
		}
	}
	for i, f := range v.n.Fields {
		pointer := v.at + "/fields/" + strconv.Itoa(i)
		switch {
		case f == nil || f.Type == nil:
			report(invalid(pointer, "has no type", exportAgain))
		case i > 0 && v.n.Fields[i-1] != nil && v.n.Fields[i-1].Name >= f.Name,
			v.n == v.root && slices.Contains(v.typeMeta, f.Name):
			report(invalid(pointer+"/name", "is not after the name before it",
				"sort the fields by name, each once"))
		case strings.Contains(f.Name, ","):
			report(invalid(pointer+"/name", "has a comma, with which a json struct tag ends a name",
				"rename the field"))
		case v.isPart:
			o.Members = append(o.Members, v.member(f, fieldpath.Join(v.at, f.Name), report))
		default:
			o.Members = append(o.Members, v.member(f, pointer, report))
		}
	}
	if v.isOpen {
		o.Rest = fieldplan.UnknownBeside(slices.Concat(o.Meta, o.Members), v.at)
	}
	return o
}

func (v described) member(f *Field, at string, report func(*fault.Error)) *fieldplan.Member {
	values := v.values(f.Type, v.place(at, "/type", at), report)
	leaves, _ := values.(fieldplan.Leaves)
	m := &fieldplan.Member{
		Name: f.Name, Values: values, Tag: f.tag(at, report), Place: at, GoField: f.GoField, Source: f.Source,
		Pointer: f.Nullable, Optional: f.Optional, Quoted: f.Quoted && leaves.IsQuotable(), Fills: f.Fills,
	}
	if f.Zero != "" {
		m.Zero = []byte(f.Zero)
	}
	switch {
	case f.Override:
		m.Declared = fieldplan.Overridden
	case !f.Inherited:
		m.Declared = fieldplan.StructTag
	}
	return m
}

// tag is the struct tag of a field, without the option as and without classes of keys.
func (f *Field) tag(at string, report func(*fault.Error)) structtag.Tag {
	tag := structtag.Tag{Set: f.Set, Key: f.Key, Default: f.Default, Presence: f.Presence}
	isClass := false
	if tag.Class, isClass = structtag.ClassNamed(f.Class); !isClass {
		report(invalid(at+"/class", "is not a class", "write immutable, in-place, hot or ignored"))
	}
	isSensitivity := false
	if tag.Sensitive, isSensitivity = structtag.SensitivityNamed(f.Sensitive); !isSensitivity {
		report(invalid(at+"/sensitive", "is not a sensitivity", "write sensitive or sensitive=keys"))
	}
	if f.HotWhen != nil {
		tag.HotWhen = &structtag.HotWhen{Name: f.HotWhen.Name, Value: f.HotWhen.Value}
	}
	for _, problem := range tag.Check() {
		located := invalid(at, problem.What, problem.Hint)
		located.Cause = problem
		report(located)
	}
	return tag
}

func (v described) arrayOf(elem reflect.Type, report func(*fault.Error)) reflect.Type {
	switch {
	case v.n.Elem.Kind == kindOpaque && v.n.Elem.goType == nil && !v.n.ElemNullable:
		report(invalid(v.at, "is an array of a type that marshals itself, whose zero value is not known",
			"use the Schema of the Go type"))
	case v.n.Length < 0 || uint64(v.n.Length) > maxArray/max(1, uint64(elem.Size())):
		report(invalid(v.at+"/length", "makes the array larger than "+strconv.Itoa(maxArray)+" bytes", exportAgain))
	default:
		return reflect.ArrayOf(v.n.Length, elem)
	}
	return reflect.ArrayOf(0, elem)
}

// key returns the type of the keys of a map.
func (v described) key(report func(*fault.Error)) reflect.Type {
	if v.n.goKeys != nil {
		return v.n.goKeys
	}
	leaves, ok := leavesOf(v.n.Keys, v.n.KeyBits)
	if !ok || !slices.Contains([]string{kindString, "int", "uint"}, v.n.Keys) {
		report(invalid(v.at+"/keys", "is not a kind of map key", exportAgain))
		return reflect.TypeFor[string]()
	}
	return leaves.Type
}

// keyClasses returns the classes of single keys of a map, and refuses those that Export does not write.
func (v described) keyClasses(report func(*fault.Error)) (classes []fieldplan.KeyClass) {
	for i, k := range v.n.KeyClasses {
		at := v.place(v.at, "/keyClasses/"+strconv.Itoa(i), v.at)
		if k == nil {
			report(invalid(at, "has no key", exportAgain))
			continue
		}
		class, ok := structtag.ClassNamed(k.Class)
		if !ok {
			report(invalid(at+"/class", "is not a class", "write immutable, in-place, hot or ignored"))
		}
		if i > 0 && v.n.KeyClasses[i-1] != nil && v.n.KeyClasses[i-1].Key >= k.Key {
			report(invalid(at+"/key", "is not after the key before it", "sort the keys, each once"))
		}
		one := fieldplan.KeyClass{
			KeyClass: structtag.KeyClass{Key: k.Key, Class: class}, Declared: fieldplan.StructTag, Source: k.Source,
			Place: at,
		}
		if k.Override {
			one.Declared = fieldplan.Overridden
		}
		classes = append(classes, one)
	}
	return classes
}
