// Package schemajson writes a field plan as JSON and reads it back without the Go type.
//
// It owns the JSON form of a Schema and its fingerprint. It is a front of the compiler in package
// fieldplan: the same code and the same rules apply to loaded and compiled plans.
package schemajson

import (
	"reflect"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/internal/structtag"
)

// The versions of the JSON form. A Schema is written in the lowest version that has all it says, so
// that releases which know no other version read most Schemas, and refuse the others by their
// version.
const (
	FormatVersion = 1
	// meaningsVersion also has kinds of strings with a meaning, and defaults of values other than
	// scalars.
	meaningsVersion = 2
	// keysVersion also has classes of single keys of maps.
	keysVersion = 3
	// hintsVersion also has kinds that hints of a CRD give.
	hintsVersion = 4

	lastVersion = hintsVersion
)

// version returns the lowest version that has all that a node says.
func (n *Node) version() int {
	if n == nil {
		return FormatVersion
	}
	lowest := n.Elem.version()
	if meaningOf(n.Kind) != structtag.Undeclared {
		lowest = max(lowest, meaningsVersion)
	}
	if len(n.KeyClasses) > 0 {
		lowest = max(lowest, keysVersion)
	}
	switch n.Kind {
	case kindHintedQuantity, kindHintedDuration, kindHintedTime:
		lowest = hintsVersion
	}
	for _, f := range n.Fields {
		if f == nil {
			continue
		}
		lowest = max(lowest, f.Type.version())
		isDefaulted := f.Default != nil && f.Type != nil && !f.Type.takesScalarDefault(*f.Default)
		if isDefaulted || f.Fills != "" {
			lowest = max(lowest, meaningsVersion)
		}
	}
	return lowest
}

// takesScalarDefault reports whether the lowest version has defaults of such values. It has no
// texts of integers as the default of what is an integer or a string.
func (n *Node) takesScalarDefault(text string) bool {
	switch n.Kind {
	case "bool", "int", "uint", "float", kindString, "quantity", "duration":
		return true
	case "intOrString":
		return !strings.HasPrefix(text, `"`)
	}
	return false
}

// Document is a Schema in JSON.
type Document struct {
	FormatVersion int      `json:"formatVersion"`
	Fingerprint   string   `json:"fingerprint"`
	TypeMeta      []string `json:"typeMeta,omitempty"` // the root's members that are neither hashed nor compared
	// the class of members that are not in the document: immutable; empty if they are an error
	Unknown string `json:"unknownMembers,omitempty"`
	Root    *Node  `json:"root"`
}

// Node describes the values of one field or element.
type Node struct {
	Kind    string   `json:"kind"`              // object, list, array, map, ref or the kind of a leaf
	Ref     string   `json:"ref,omitempty"`     // points at the node of a type that contains itself
	Bits    int      `json:"bits,omitempty"`    // the width of integers and floats
	Fields  []*Field `json:"fields,omitempty"`  // an object's members in the order of their names
	Keys    string   `json:"keys,omitempty"`    // the kind of a map's keys
	KeyBits int      `json:"keyBits,omitempty"` // the width of a map's keys
	Length  int      `json:"length,omitempty"`  // the length of an array
	// the classes of single keys of a map, in the order of the keys
	KeyClasses   []*KeyClass `json:"keyClasses,omitempty"`
	Elem         *Node       `json:"elem,omitempty"`         // the elements of a list, array or map
	ElemNullable bool        `json:"elemNullable,omitempty"` // null elements differ from zero elements

	// The Go types of an opaque leaf and of a map's keys, where AdmitUnknown knows them.
	goType, goKeys reflect.Type
}

// Lookup returns the member of an object with a name, or nil if there is none.
func (n *Node) Lookup(name string) *Field {
	i, found := slices.BinarySearchFunc(n.Fields, name,
		func(f *Field, name string) int { return strings.Compare(f.Name, name) })
	if !found {
		return nil
	}
	return n.Fields[i]
}

// Field is a member of an object. GoField, Override and Source tell people where its class comes
// from; the fingerprint ignores them.
type Field struct {
	Name      string  `json:"name"`
	Class     string  `json:"class"`
	Nullable  bool    `json:"nullable,omitempty"` // a zero value is present: the field is a pointer
	Optional  bool    `json:"optional,omitempty"`
	Quoted    bool    `json:"quoted,omitempty"`
	Set       bool    `json:"set,omitempty"`
	Key       string  `json:"key,omitempty"`
	HotWhen   *When   `json:"hotWhen,omitempty"`
	Default   *string `json:"default,omitempty"`
	Presence  bool    `json:"presence,omitempty"`
	Sensitive string  `json:"sensitive,omitempty"`
	// what an API server fills in below free JSON; the fingerprint ignores it
	Fills string `json:"fills,omitempty"`
	// the canonical text that counts as unset in an opaque leaf that is not nullable
	Zero      string `json:"zero,omitempty"`
	Type      *Node  `json:"type"`
	Inherited bool   `json:"inherited,omitempty"` // the class is not declared at the field
	GoField   string `json:"goField,omitempty"`
	Override  bool   `json:"override,omitempty"`
	Source    string `json:"source,omitempty"`
}

// KeyClass gives a class to a key of a map, or to all keys with a prefix if Key ends in "*". Override
// and Source tell people where the class comes from; the fingerprint ignores them.
type KeyClass struct {
	Key      string `json:"key"`
	Class    string `json:"class"`
	Override bool   `json:"override,omitempty"`
	Source   string `json:"source,omitempty"`
}

// When is a hotwhen: the element is hot while its field Name has the text Value.
type When struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}
