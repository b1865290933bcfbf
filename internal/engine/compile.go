package engine

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
	"github.com/hotupdate/providerconfig/internal/rawjson"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// Program is a compiled plan. It is immutable and safe for concurrent use.
type Program struct {
	pointer   reflect.Type                        // to the configuration's type
	canonical *writing                            // the canonical document
	whole     *writing                            // everything
	readable  map[structtag.Class]func() *writing // the fields of a class, as JSON that decodes into the type
	levels    *levels                             // of the elements of keyed lists

	canonicalJSON func() *document // the canonical document of raw JSON
	wholeJSON     func() *document // everything in raw JSON
}

// writing is a plan compiled for writing the fields of some classes.
type writing struct {
	root     *routine
	routines map[context]*routine
	deep     bool // a value may be nested too deeply or contain itself
	hides    bool // a value may be sensitive
}

// of returns the routine of a node, and element that of an element of collection in.
func (w *writing) of(n *fieldplan.Node) *routine { return w.routines[context{node: n}] }

func (w *writing) element(n, in *fieldplan.Node) *routine { return w.routines[contextOf(n, in)] }

// Of returns the program of a plan. It is compiled once and kept with the plan.
func Of(p *fieldplan.Plan) *Program {
	return p.Derived(fieldplan.Running, func() any { return compile(p) }).(*Program)
}

func compile(p *fieldplan.Plan) *Program {
	pointer := reflect.PointerTo(p.Type)
	levels := &levels{}
	program := &Program{
		pointer:   pointer,
		readable:  map[structtag.Class]func() *writing{},
		canonical: levels.compile(p.Root, fieldplan.Projected, leaf.Plain),
		whole:     levels.compile(p.Root, fieldplan.All, leaf.Plain),
		levels:    levels,
	}
	levels.views = viewsOf(p.Root, levels, program.canonical)
	program.canonicalJSON = sync.OnceValue(func() *document { return compileJSON(p, program.canonical, program.whole) })
	program.wholeJSON = sync.OnceValue(func() *document { return compileJSON(p, program.whole, program.whole) })
	for _, class := range []structtag.Class{structtag.Hot, structtag.InPlace} {
		program.readable[class] = sync.OnceValue(func() *writing {
			return levels.compile(p.Root, fieldplan.Of(class), leaf.Quoted)
		})
	}
	return program
}

// kind says how a routine writes.
type kind uint8

const (
	objectKind kind = iota
	arrayKind
	listKind // keeps its order; values of the kinds from here to mapKind may be nil
	setKind
	textKeyedKind
	intKeyedKind
	textMapKind
	quantityMapKind
	mapKind
	boolKind
	intKind
	uintKind
	floatKind
	textKind
	bytesKind
	quantityKind
	intOrStringKind
	leafKind // any other leaf
)

func (k kind) isLeaf() bool { return k >= boolKind }

// routine writes the values of one fieldplan.Node. Variables named n are nodes and routines.
type routine struct {
	kind           kind
	bits           uint8 // of a number
	recursive      bool  // values may contain themselves
	height         int   // of the tree of routines, unless it is recursive
	writesPresence bool  // the presence of elements is written
	writes         bool  // something at or below the value can be written
	plainKeys      bool  // the keys of the map are strings
	spelled        bool  // the leaf's canonical text does not decode into its type

	ops   []op   // of an object, in the order of the document
	rest  *op    // of an object: the field of its unknown members, if they are written
	empty string // text of a nil element that is an object: its identity

	identified bool // the object has an identity

	elem         *routine
	elemPointers int // from an element to its value
	elemSize     uintptr
	len          int           // of an array
	zero         func() []byte // of an array: the text of the zero array
	key          *op           // of a keyed list
	refusesTies  bool          // elements of one key in a keyed list are reported
	levels       *levels       // of a keyed list whose elements may differ in their class as projected; otherwise nil
	when         *selector     // nil if all elements are written alike
	selector     *selector     // the same, also if all elements are written alike
	values       *sync.Pool    // of a map: memory for its values
	constant     string        // of a leaf: written in place of its text

	ruled []entryRoutine // of a map: those of the rules for single keys; nil if all keys are written alike

	plan *fieldplan.Node
}

// entryRoutine writes the entries of a map for which there is a rule.
type entryRoutine struct {
	elem           *routine
	writesPresence bool // the presence of the entry is written
}

// op writes one member of an object.
type op struct {
	location location
	routine  *routine
	kind     kind  // of routine; leafKind if the member is quoted or a constant
	bits     uint8 // of routine

	always     bool            // part of an element's identity: always written, but does not make the element non-empty
	zero       bool            // the zero value is written
	hasDefault bool            // a value that equals the declared default is not written
	presence   bool            // an empty value is written
	quoted     bool            // the value is written as a string
	unknownIn  *fieldplan.Node // of an unknown member: the node of all of them; nil otherwise
	spelled    []byte          // a leaf's default, if its canonical text is spelled in another way
	fallback   func() fallback // of an object, list or map with a default; nil if there is none

	header header
	field  *fieldplan.Field
}

// fallback is the default of a member that is an object, list or map.
type fallback struct {
	value reflect.Value
	text  []byte // as the value is written; nil if nothing of it is written
}

// fallbackOf returns a function that finds the default of a member. The default was checked when the
// plan was compiled.
func fallbackOf(o *op) func() fallback {
	return sync.OnceValue(func() fallback {
		value, err := rawjson.ReadPart(o.field.Node, o.field.Default)
		if err != nil {
			return fallback{value: reflect.New(o.field.Node.Type).Elem()}
		}
		r := start()
		defer r.end()
		d := fallback{value: value}
		if r.composite(o.routine, memoryOf(value), omitted) {
			d.text = slices.Clone(r.buf)
		}
		return d
	})
}

// Defaults returns what the canonical document would have of each default of an object, list or map.
// It is nil if nothing of the default is hashed.
func (p *Program) Defaults() map[*fieldplan.Field][]byte {
	all := map[*fieldplan.Field][]byte{}
	for _, n := range p.canonical.routines {
		for i := range n.ops {
			if o := &n.ops[i]; o.fallback != nil {
				all[o.field] = o.fallback().text
			}
		}
	}
	return all
}

// FillsIn reports whether field f, an object, list or map, needs no default to have a value in JSON
// counted as unset: all parts of the value are defaults of fields within f.
func (p *Program) FillsIn(f *fieldplan.Field, value []byte) bool {
	n := p.canonical.of(f.Node)
	v, err := rawjson.ReadPart(f.Node, value)
	if n == nil || err != nil || f.HasPresenceOf(fieldplan.Projected) {
		return false
	}
	r := start()
	defer r.end()
	r.deep = p.canonical.deep
	return !r.composite(n, memoryOf(v), omitted) && !r.trail.Failed()
}

// header stands before the value of a member: a byte for the comma or brace, the quoted name and a
// colon.
type header struct {
	text  string
	short [24]byte // the first bytes of text
}

func headerOf(name string) header {
	h := header{text: "," + name}
	copy(h.short[:], h.text)
	return h
}

// selector is a compiled hotwhen.
type selector struct {
	when           *fieldplan.Selector
	op             op
	hot            *routine // of hot elements
	writesPresence bool     // the presence of hot elements is written
}

type compiler struct {
	want     fieldplan.ClassSet // the classes that are written
	spelling leaf.Spelling      // of the leaves
	routines map[context]*routine
	levels   *levels
}

// context is a node with the collection that it is an element of, if the collection decides which
// fields identify the element.
type context struct{ node, in *fieldplan.Node }

func contextOf(n, in *fieldplan.Node) context {
	if in == nil || in.Key == nil && in.When == nil {
		return context{node: n}
	}
	return context{n, in}
}

func (l *levels) compile(root *fieldplan.Node, want fieldplan.ClassSet, spelling leaf.Spelling) *writing {
	c := &compiler{want: want, spelling: spelling, routines: map[context]*routine{}, levels: l}
	w := &writing{root: c.routine(root, nil), routines: c.routines}
	w.hides = root.HidesBelow || root.Rest != nil // nobody says that an unknown member may be shown
	w.deep = w.root.height > MaxDepth
	for _, n := range c.routines {
		w.deep = w.deep || n.recursive
	}
	return w
}

// zeroArray is the text of a zero array, or nil if its elements cannot be written.
func zeroArray(n *routine) []byte {
	r := start()
	defer r.end()
	r.list(n, memoryOf(reflect.New(n.plan.Type).Elem()))
	if r.trail.Failed() {
		return nil
	}
	return slices.Clone(r.buf)
}

// writesPresence reports whether the presence of n, or of its elements, is written.
func (c *compiler) writesPresence(n *fieldplan.Node) bool { return c.want.Any(fieldplan.Of(n.Class)) }

func (c *compiler) routine(from, in *fieldplan.Node) *routine {
	ctx := contextOf(from, in)
	if n, ok := c.routines[ctx]; ok {
		return n
	}
	n := &routine{
		plan: from, recursive: from.Recursive, writesPresence: c.writesPresence(from), writes: from.Classes.Any(c.want),
	}
	c.routines[ctx] = n
	switch from.Kind {
	case fieldplan.Leaf:
		n.kind, n.bits = kindOfLeaf(from)
		n.spelled = c.spelling == leaf.Quoted && from.Leaf == leaf.MicroTime
	case fieldplan.Object:
		c.object(n, from, in)
	case fieldplan.List:
		n.kind = kindOfList(from)
		c.elements(n, from)
	case fieldplan.Array:
		n.kind = arrayKind
		n.len = from.Type.Len()
		n.zero = sync.OnceValue(func() []byte { return zeroArray(n) })
		c.elements(n, from)
	case fieldplan.Map:
		n.kind = kindOfMap(from.Type, from.Elem)
		n.plainKeys = from.Type.Key().Kind() == reflect.String
		n.values = valuesOf(from.Type)
		c.elements(n, from)
	}
	n.height++
	return n
}

// leafKinds are the kinds of leaves that a run writes without reflection.
var leafKinds = map[leaf.Kind]kind{
	leaf.Bool: boolKind, leaf.Int: intKind, leaf.Uint: uintKind, leaf.Float: floatKind, leaf.String: textKind,
	leaf.Bytes:    bytesKind,
	leaf.Quantity: quantityKind, leaf.IntOrString: intOrStringKind,
}

func kindOfLeaf(n *fieldplan.Node) (kind, uint8) {
	switch k, ok := leafKinds[n.Leaf]; {
	case !ok:
		return leafKind, 0
	case k == intKind, k == uintKind, k == floatKind:
		return k, uint8(n.Type.Bits()) //nolint:gosec // at most 64
	default:
		return k, 0
	}
}

func kindOfList(n *fieldplan.Node) kind {
	switch {
	case n.Pairing == fieldplan.ByValue:
		return setKind
	case n.Pairing == fieldplan.ByKey && n.Key.Node.Leaf == leaf.String:
		return textKeyedKind
	case n.Pairing == fieldplan.ByKey:
		return intKeyedKind
	default:
		return listKind
	}
}

func (c *compiler) object(n *routine, from, in *fieldplan.Node) {
	for _, f := range from.Fields {
		always := c.identifies(in, f)
		presence := f.HasPresenceOf(c.want)
		if !always && !presence && !f.Node.Classes.Any(c.want) {
			continue
		}
		o := c.op(from, f)
		o.always = always
		o.zero = o.zero || always
		o.presence = presence
		if always && c.isUnselected(in, from, f) {
			o.kind = leafKind
			o.routine = &routine{kind: leafKind, plan: f.Node, constant: unselected(in.When)}
			if o.routine.constant == "" {
				continue
			}
		}
		n.ops = append(n.ops, o)
		n.height = max(n.height, o.routine.height)
		n.identified = n.identified || always
	}
	n.empty = n.emptyText()
	if from.Rest != nil && from.Rest.Node.Classes.Any(c.want) {
		rest := c.op(from, from.Rest)
		n.rest = &rest
	}
}

// memberOp returns the op of a field of an object, or nil if the field is not written.
func (n *routine) memberOp(f *fieldplan.Field) *op {
	i, found := slices.BinarySearchFunc(n.ops, f.Name, func(o op, name string) int {
		return strings.Compare(o.field.Name, name)
	})
	if !found {
		return nil
	}
	return &n.ops[i]
}

// identifies reports whether f is written in every written element of collection in. The key always
// is; the selector is if the collection's own class is written. JSON that is decoded again needs
// both.
func (c *compiler) identifies(in *fieldplan.Node, f *fieldplan.Field) bool {
	if in == nil || !in.Identity(f) {
		return false
	}
	return isKey(in, f) || c.writesPresence(in) || c.spelling == leaf.Quoted
}

// isKey reports whether f is the key of elements of collection in.
func isKey(in *fieldplan.Node, f *fieldplan.Field) bool {
	return in.Key != nil && in.Key.Name == f.Name
}

// isUnselected reports whether f is the selector of an element that is not hot, in an ignored
// collection, and not the key as well. The selector's value does not belong to the hot part, but
// the element must not become hot when it is decoded.
func (c *compiler) isUnselected(in, elem *fieldplan.Node, f *fieldplan.Field) bool {
	isSelector := in.When != nil && in.When.Field.Name == f.Name
	if !isSelector || isKey(in, f) {
		return false
	}
	isHot := in.When.Hot == elem
	return !isHot && in.Class == structtag.Ignored && !c.writesPresence(in)
}

// unselected is the text of a selector value that does not make an element hot. It is empty if the
// zero value is such a value.
func unselected(s *fieldplan.Selector) string {
	switch k := s.Field.Node.Leaf; {
	case !s.Holds(nil, nil):
		return ""
	case k == leaf.Bool:
		return "true"
	case k == leaf.String:
		return `"-"`
	default:
		return "1"
	}
}

// emptyText is the text of a nil object: its identity, with zero values.
func (n *routine) emptyText() string {
	r := run{}
	before := byte('{')
	for i := range n.ops {
		if o := &n.ops[i]; o.always {
			r.zeroIdentity(o, before)
			before = ','
		}
	}
	if before == '{' {
		return "{}"
	}
	return string(append(r.buf, '}'))
}

func (c *compiler) op(owner *fieldplan.Node, f *fieldplan.Field) op {
	n := c.routine(f.Node, nil)
	o := op{
		location: locationOf(owner.Type, f.Index, pointers(owner.Type.FieldByIndex(f.Index).Type)), routine: n,
		kind: n.kind, bits: n.bits,
		zero: f.Pointer, hasDefault: f.Default != nil, quoted: f.Quoted && c.spelling == leaf.Quoted,
		header: headerOf(f.Header), field: f,
	}
	if o.quoted {
		o.kind = leafKind
	}
	if f.Default != nil && f.Node.Kind != fieldplan.Leaf {
		copied := o
		o.fallback = fallbackOf(&copied)
	}
	if f.Default != nil && n.spelled {
		o.spelled = leaf.Spell(slices.Clone(f.Default), 0, f.Node.Leaf, leaf.Plain)
	}
	return o
}

func pointers(t reflect.Type) int {
	n := 0
	for ; t.Kind() == reflect.Pointer; t = t.Elem() {
		n++
	}
	return n
}

func (c *compiler) elements(n *routine, from *fieldplan.Node) {
	elem := from.Type.Elem()
	n.elemPointers = pointers(elem)
	n.elemSize = elem.Size()
	n.elem = c.element(from.Elem, from)
	n.height = n.elem.height
	if from.Key != nil {
		key := c.op(from.Elem, from.Key)
		n.key = &key
		n.refusesTies = c.spelling == leaf.Quoted
		if mayDiffer(from) {
			n.levels = c.levels
		}
	}
	c.entries(n, from)
	if from.When == nil {
		return
	}
	hot := c.element(from.When.Hot, from)
	n.height = max(n.height, hot.height)
	n.selector = &selector{
		when: from.When, op: c.op(from.Elem, from.When.Field), hot: hot,
		writesPresence: c.writesPresence(from.When.Hot),
	}
	// In a comparison of all fields the class of an element makes no difference.
	if c.want != fieldplan.All {
		n.when = n.selector
	}
}

// element compiles a node as an element of collection in, and without a collection.
func (c *compiler) element(from, in *fieldplan.Node) *routine {
	c.routine(from, nil)
	return c.routine(from, in)
}
