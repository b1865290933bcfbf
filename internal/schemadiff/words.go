package schemadiff

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
	"github.com/hotupdate/providerconfig/internal/schemajson"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// noneButFields describes an object whose fields have defaults of their own.
const noneButFields = "none but those of its fields"

// Elements of one key stand in the order of their classes, which are others now.
const (
	tiesBefore = "elements of one key ordered by their old classes"
	tiesNow    = "elements of one key ordered by their new classes"
)

var (
	pairings = map[fieldplan.Pairing]string{fieldplan.ByPosition: "found by position", fieldplan.ByValue: "a set"}
	shapes   = map[fieldplan.Kind]string{fieldplan.Object: "object", fieldplan.List: "list", fieldplan.Map: "map"}
)

func nullability(isPointer bool) string { return choose(isPointer, "a pointer", "a value") }

func presence(isPresent bool) string { return choose(isPresent, "something", "nothing") }

func unknownMembers(isOpen bool) string { return choose(isOpen, "immutable", "an error") }

func choose(condition bool, yes, no string) string { //nolint:revive // the text of a condition
	if condition {
		return yes
	}
	return no
}

// ofClass is the effect of a change of a field with a class, in the present and the past tense.
var ofClass = map[structtag.Class][2]string{
	structtag.Immutable: {"replaces machines", "replaced machines"},
	structtag.InPlace: {
		"updates nodes in place, or replaces machines under a rolling strategy",
		"updated nodes in place, or replaced machines under a rolling strategy",
	},
	structtag.Hot:     {"is applied to running machines", "was applied to running machines"},
	structtag.Ignored: {"concerns no machine", "concerned no machine"},
}

// kindName names a leaf, or the keys of a map, as in the JSON of a Schema, where some kinds share a
// name. Bits is the width of numbers.
func kindName(n *fieldplan.Node) (name string, bits int) {
	if n.Kind == fieldplan.Map {
		return schemajson.KeyName(n.Type.Key())
	}
	return schemajson.LeafName(n.Leaf, n.Type)
}

func describe(n *fieldplan.Node) string {
	name, bits := kindName(n)
	if bits > 0 {
		name += strconv.Itoa(bits)
	}
	switch {
	case n.Leaf.IsHint():
		name, _ = schemajson.LeafName(n.Leaf.Strict(), n.Type)
		return name + " or text"
	case n.Kind == fieldplan.Leaf:
		return name
	case n.Kind == fieldplan.Array:
		return "array of " + strconv.Itoa(n.Type.Len())
	case n.Kind == fieldplan.Map && bits > 0:
		return "map by " + name
	}
	return shapes[n.Kind]
}

func describeField(f *fieldplan.Field) string {
	if f.Quoted {
		return "a string of " + describe(f.Node)
	}
	return describe(f.Node)
}

// areIntegers reports whether both are integers, or maps by integers, which mean the same in any
// width. It also reports whether the updated ones hold all that the old ones do.
func (p twoNodes) areIntegers() (both, hold bool) {
	was, from := kindName(p.old)
	is, to := kindName(p.updated)
	both = strings.HasSuffix(was, "int") && strings.HasSuffix(is, "int")
	isAsWide := was == is && to >= from
	isWiderSigned := is == "int" && to > from
	return both, isAsWide || isWiderSigned
}

// defaultText shows a default, which is part of the source code, unless the field is sensitive.
func defaultText(f *fieldplan.Field) string {
	if f.Default != nil && f.Node.HidesBelow {
		return fieldpath.Hidden
	}
	return cmp.Or(string(f.Default), "none")
}

// innerText shows the defaults below free JSON.
func innerText(f *fieldplan.Field) string {
	switch {
	case f.Fills == "":
		return "none in its free JSON"
	case f.Node.HidesBelow:
		return fieldpath.Hidden
	}
	return f.Fills + " in its free JSON"
}

// pairings describes how elements are found. A number that becomes a text is another key, even
// under the same name: a missing number is 0 or null, and a missing text is empty.
func (p twoNodes) pairings() (was, is string) {
	was = pairing(p.old)
	is = pairing(p.updated)
	if p.old.Pairing == fieldplan.ByKey && p.updated.Pairing == fieldplan.ByKey {
		if a, b := p.old.Key.Node, p.updated.Key.Node; (a.Leaf == leaf.String) != (b.Leaf == leaf.String) {
			was = was + ", " + describe(a)
			is = is + ", " + describe(b)
		}
	}
	return was, is
}

func pairing(n *fieldplan.Node) string {
	if n.Pairing == fieldplan.ByKey {
		return "found by " + n.Key.Name + choose(n.Key.Pointer, ", behind a pointer", "")
	}
	return pairings[n.Pairing]
}

func hotWhen(n *fieldplan.Node) string {
	if n.When == nil {
		return "never"
	}
	return "when " + n.When.Field.Name + " is " + n.When.Value
}
