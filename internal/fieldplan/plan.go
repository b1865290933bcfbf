// Package fieldplan compiles the description of a configuration into its field plan, which
// classification, canonical document, diff and split use.
//
// The description is a Go type, an exported Schema or a CRD. Each is a front of the compiler: it says
// through [Values] what values are, one level at a time, and the compiler makes each node once. The
// package owns the front of Go types.
//
// It owns the rules that depend on descriptions only: the fields in JSON and their names, the class
// of each field after struct tags, inheritance and overrides, the pairing of elements of collections,
// and which types are leaves. It finds every mistake in a description, so that walkers get a valid
// plan and cannot fail on struct tags. It must not look at values.
package fieldplan

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"sync"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/leaf"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// Plan is the field plan of a configuration's type under a set of overrides. It is immutable and
// safe for concurrent use.
type Plan struct {
	Type reflect.Type // the configuration's struct type
	Root *Node        // its node; TypeMeta of the root is not among its fields
	Meta []*Field     // TypeMeta of the root: neither hashed nor compared

	Open       bool // some object has a Rest
	OfResource bool // it is of the spec of a custom resource, as its CRD has it

	derived [Opening + 1]struct {
		once sync.Once
		made any
	}
}

// Use names what is derived from a plan.
type Use uint8

// The uses, one for each package that derives something.
const (
	Running Use = iota // package engine
	Reading            // package rawjson
	Opening            // package schemajson
)

// Derived returns the result of compile for a use. It is computed once and kept with the plan.
func (p *Plan) Derived(use Use, compile func() any) any {
	d := &p.derived[use]
	d.once.Do(func() { d.made = compile() })
	return d.made
}

// Kind is the kind of a node.
type Kind uint8

// The kinds of nodes.
const (
	Leaf   Kind = iota // compared as a whole; read by package leaf
	Object             // a struct
	List               // a slice
	Array              // an array of fixed length
	Map
)

// Pairing says how elements of two lists are paired.
type Pairing uint8

// The pairings: without an option, with set, and with key=NAME.
const (
	ByPosition Pairing = iota
	ByValue
	ByKey
)

// Node describes values of one type in one context: with the inherited class and sensitivity.
type Node struct {
	Type       reflect.Type // without pointers
	Kind       Kind
	Leaf       leaf.Kind
	Class      structtag.Class       // inherited; the class of the node itself and of its elements' presence
	Sensitive  structtag.Sensitivity // inherited
	Classes    ClassSet              // every class at or below this node
	HidesBelow bool                  // a value at or below this node must not be shown
	Recursive  bool                  // values may contain themselves; walkers check them for cycles

	Fields []*Field // Object: in the order of their JSON names' bytes
	Rest   *Field   // Object: a map of the unknown members; nil if they are not admitted

	Elem        *Node // List, Array, Map
	ElemPointer bool  // elements are pointers: null differs from zero
	Pairing     Pairing
	Key         *Field    // List paired by key: the field of Elem that is the key
	When        *Selector // makes elements hot; nil if none
	Keys        *KeyRules // Map: the classes of single keys; nil if none

	// Recognized is what gave a leaf its meaning, if the plan was made without Go types: for people.
	Recognized string

	takesAs bool // see [Outline]
}

// Field is a member of an object.
type Field struct {
	Name     string // JSON name
	Header   string // the name as canonical JSON and a colon
	Index    []int  // reflect index path through embedded structs
	GoField  string // such as aws.WorkerConfig.Tags
	Node     *Node
	Declared Declaration // where the node's class was declared; Inherited if it was not declared at this field
	Source   string      // what declared the class: a Go field, or the path of an override
	Pointer  bool        // the field is a pointer, so that a zero value behind it is present
	Presence bool        // the presence of an empty object, list or map carries meaning
	Zero     []byte      // canonical text of a leaf's zero value; nil for pointers, or if the zero value has no text
	Default  []byte      // what counts as unset: a leaf's canonical text, or other canonical JSON; nil if none
	Filled   ClassSet    // the classes of what the default of an object, list or map fills in
	Optional bool        // omitempty or omitzero
	Quoted   bool        // numbers and bools are spelled as strings in JSON

	// Fills is what an API server fills in below free JSON, in canonical JSON. It counts as any other
	// part of free JSON.
	Fills      string
	place      string // where mistakes are reported
	optionPath string // path of the override that gives the options; empty if the struct tag gives them
	asPath     string // path of the override that gives the option as; likewise
}

// Unset reports whether a leaf with this canonical text counts as unset in f.
func (f *Field) Unset(text []byte) bool {
	return string(text) == leaf.Null || f.isNoBytes(text) || f.isZeroOrDefault(text)
}

// isNoBytes reports whether text is empty bytes that mean the same as nil ones.
func (f *Field) isNoBytes(text []byte) bool {
	tellsNil := f.Default != nil && f.Pointer
	return string(text) == `""` && f.Node.Leaf == leaf.Bytes && !tellsNil
}

func (f *Field) isZeroOrDefault(text []byte) bool {
	if f.Default != nil && bytes.Equal(text, f.Default) {
		return true
	}
	return !f.Pointer && f.Zero != nil && bytes.Equal(text, f.Zero)
}

// Selector is a compiled hotwhen: an element whose Field has the canonical text Value has node Hot
// instead of Elem.
type Selector struct {
	Field  *Field
	Value  string // canonical text
	Hot    *Node
	Source string // Go field with the struct tag

	place string // where mistakes are reported
}

// Holds reports whether an element is hot whose selector has this canonical text. A selector whose
// text is a problem never matches. An empty text is a missing selector, because the element or an
// embedded pointer is nil, and counts as zero.
func (s *Selector) Holds(text []byte, problem *fault.Error) bool {
	if len(text) == 0 {
		text = s.Field.Zero
	}
	return problem == nil && string(text) == s.Value
}

// HoldsJSON is [Selector.Holds] for a selector in JSON of any spelling, other than null. A value
// that the selector's type cannot hold never matches.
func (s *Selector) HoldsJSON(value []byte) bool {
	isString := value[0] == '"'
	switch {
	case s.Field.Quoted && isString:
		quoted, _ := canonjson.AppendString(nil, s.Value) // canonical text is valid UTF-8
		return canonjson.SameText(unquoted(value), unquoted(string(quoted)))
	case isString != (s.Value[0] == '"'):
		return false
	case isString:
		return canonjson.SameText(unquoted(value), unquoted(s.Value))
	default:
		return string(value) == s.Value || string(value) == "-0" && s.Value == "0"
	}
}

// unquoted is a text without its quotes.
func unquoted[T string | []byte](text T) T { return text[1 : len(text)-1] }

// Declaration says where a class comes from.
type Declaration uint8

// The origins of a class.
const (
	Inherited Declaration = iota
	StructTag
	Overridden
)

// ClassSet is a set of classes.
type ClassSet uint8

// Of returns the set of one class.
func Of(c structtag.Class) ClassSet { return 1 << c }

// Projected are the classes that are hashed, which are those in the canonical document.
const Projected = ClassSet(1<<structtag.Immutable | 1<<structtag.InPlace)

// Unprojected are the other classes, which are those in the hot half of a split.
const Unprojected = ClassSet(1<<structtag.Hot | 1<<structtag.Ignored)

// All are all classes.
const All = Projected | Unprojected

// Any reports whether the sets have a class in common.
func (s ClassSet) Any(o ClassSet) bool { return s&o != 0 }

// IsProjected reports whether values of class c are hashed.
func IsProjected(c structtag.Class) bool { return Projected.Any(Of(c)) }

// Identity reports whether f is the key or the selector of elements of n. Such fields are in both
// halves of a split, and in every element of the canonical document.
func (n *Node) Identity(f *Field) bool {
	return n.isKey(f) || n.isSelector(f)
}

func (n *Node) isKey(f *Field) bool { return n.Key != nil && n.Key.Name == f.Name }

func (n *Node) isSelector(f *Field) bool { return n.When != nil && n.When.Field.Name == f.Name }

// Nearest returns the field of an object that was probably meant by a name, or nil if no name is
// similar.
func (n *Node) Nearest(name string) string {
	names := make([]string, len(n.Fields))
	for i, f := range n.Fields {
		names[i] = f.Name
	}
	return fieldpath.Nearest(name, names)
}

// HidesValues reports whether values below n must not be shown.
func (n *Node) HidesValues() bool { return n.Sensitive != structtag.Shown }

// HidesKeys reports whether not even the map keys below n may be shown.
func (n *Node) HidesKeys() bool { return n.Sensitive == structtag.HideKeys }

// Step returns a step from a value of node n to a part of it, as it may be shown. It alone decides what a
// path hides: keys of maps and names of unknown members below sensitive=keys, keys of lists that are
// sensitive, and texts in sensitive sets.
func (n *Node) Step(s fieldpath.Step) fieldpath.Step {
	switch s.Kind {
	case fieldpath.Member:
		s.Hidden = n.HidesKeys() && n.Kind == Object && n.Lookup(s.Name) == nil
	case fieldpath.MapKey:
		s.Hidden = n.HidesKeys()
	case fieldpath.ListKey:
		s.Hidden = n.Key.Node.HidesValues()
	case fieldpath.SetElem:
		s.Hidden = n.Elem.HidesValues()
	case fieldpath.Index:
	}
	return s
}

// TypeName is the name of the node's type in messages: its Go name, or its kind if it has none, as
// in a loaded Schema.
func (n *Node) TypeName() string {
	switch {
	case n == nil:
		return ""
	case n.Type.Name() != "" || n.Kind == Leaf:
		return leaf.TypeName(n.Type)
	case n.Kind == Object:
		return "this object"
	case n.Kind == Map:
		return "this map"
	default:
		return "this list"
	}
}

// Unknown is the type of the field that holds an object's unknown members. Only types that the
// compiler makes have such a field. In JSON, its entries are members of the object itself.
type Unknown map[string]json.RawMessage

// Parts are the fields of an object and, if unknown members are admitted, the field that holds
// them.
func (n *Node) Parts() []*Field {
	if n.Rest == nil {
		return n.Fields
	}
	return append(slices.Clip(n.Fields), n.Rest)
}
