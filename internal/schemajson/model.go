// Package schemajson writes a field plan as JSON and reads it back without the Go type.
//
// It owns the JSON form of a Schema and its fingerprint. Reading builds a Go type of the same shape and compiles it, so that a loaded
// plan is walked by the same code and under the same rules as a compiled one.
package schemajson

// FormatVersion is the version of the JSON form.
const FormatVersion = 1

// Document is a Schema in JSON.
type Document struct {
	FormatVersion int    `json:"formatVersion"`
	Fingerprint   string `json:"fingerprint"`
	// TypeMeta are the names of the root's members that are neither hashed nor compared.
	TypeMeta []string `json:"typeMeta,omitempty"`
	// Unknown is the class of members that are not in the document: immutable, or empty where they are an error.
	Unknown string `json:"unknownMembers,omitempty"`
	Root    *Node  `json:"root"`
}

// Node describes the values of one place.
type Node struct {
	// Kind is object, list, array, map, ref or the kind of a leaf.
	Kind string `json:"kind"`
	// Ref points at the node of a type that contains itself.
	Ref string `json:"ref,omitempty"`
	// Bits is the width of integers and floats.
	Bits int `json:"bits,omitempty"`
	// Fields are an object's members in the order of their names.
	Fields []*Field `json:"fields,omitempty"`
	// Keys is the kind of a map's keys, with its width in KeyBits.
	Keys    string `json:"keys,omitempty"`
	KeyBits int    `json:"keyBits,omitempty"`
	// Length is the number of places of an array.
	Length int `json:"length,omitempty"`
	// Elem describes the elements of a list, array or map; ElemNullable says that they may be null where zero is not.
	Elem         *Node `json:"elem,omitempty"`
	ElemNullable bool  `json:"elemNullable,omitempty"`
}

// Field is a member of an object.
type Field struct {
	Name  string `json:"name"`
	Class string `json:"class"`
	// Nullable says that a zero value is present: the field is a pointer.
	Nullable  bool    `json:"nullable,omitempty"`
	Optional  bool    `json:"optional,omitempty"`
	Quoted    bool    `json:"quoted,omitempty"`
	Set       bool    `json:"set,omitempty"`
	Key       string  `json:"key,omitempty"`
	HotWhen   *When   `json:"hotWhen,omitempty"`
	Default   *string `json:"default,omitempty"`
	Presence  bool    `json:"presence,omitempty"`
	Sensitive string  `json:"sensitive,omitempty"`
	// Zero is the canonical text that counts as unset in an opaque leaf that is not nullable.
	Zero string `json:"zero,omitempty"`
	Type *Node  `json:"type"`
	// Inherited says that the class was not declared at the field.
	Inherited bool `json:"inherited,omitempty"`
	// GoField, Override and Source tell people where the field and its class come from; the fingerprint does not depend on them.
	GoField  string `json:"goField,omitempty"`
	Override bool   `json:"override,omitempty"`
	Source   string `json:"source,omitempty"`
}

// When is a hotwhen: the element is hot while its field Name has the text Value.
type When struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}
