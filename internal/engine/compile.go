package engine

import (
	"reflect"
	"sync"

	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// Program is a compiled plan. It is immutable and safe for concurrent use.
type Program struct {
	pointer reflect.Type // to the configuration's type
	example any          // a pointer of that type

	canonical *node                     // what the canonical document keeps
	whole     map[*fieldplan.Node]*node // everything, by what it was compiled from
	root      *node                     // of whole
	open      bool                      // the plan has something that only package document can write, such as unknown members
}

// Of returns the program of a plan. It is compiled once and kept with the plan.
func Of(p *fieldplan.Plan) *Program {
	return p.Derived(fieldplan.Running, func() any { return compile(p) }).(*Program)
}

// kind is the shape of a node, with what decides how it is run.
type kind uint8

const (
	objectKind kind = iota
	listKind        // in its own order
	arrayKind
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
	leafKind
)

// isLeaf reports whether values of the kind are leaves.
func (k kind) isLeaf() bool { return k >= boolKind }

// node is a compiled fieldplan.Node.
type node struct {
	kind          kind
	bits          uint8 // of a number
	keepsElements bool  // the presence of elements is written
	ops           []op  // of an object, in the order of the document

	steps []step // of an object: how two are compared

	elem         *node
	elemPointers int // from an element to its value
	elemSize     uintptr
	len          int        // of an array
	zero         []byte     // array: its text if nobody has set it
	key          *op        // of a keyed list
	when         *selector  // nil if elements are all alike
	values       *sync.Pool // mapOfAny: memory for what it holds

	plan *fieldplan.Node
}

// op is what is done about one member of an object. It is as long as a line of the processor's cache, with what is needed most in front.
type op struct {
	location location
	node     *node
	kind     kind  // of node
	bits     uint8 // of node

	always     bool // part of an element's identity: written whatever its value, and no reason for the element to stay
	zero       bool // the zero value is written
	hasDefault bool // a value that equals the field's default is not
	presence   bool // an empty object is written

	header string // a comma, the name and a colon
	field  *fieldplan.Field
}

// step is what a comparison does about one member of an object: an op without what only writing needs.
type step struct {
	offset  offset
	move    move
	pointer bool // leads from there to the value
	op      *op
}

// move is how two members are compared.
type move uint8

const (
	otherMember move = iota
	textMember
	fourMember  // a number of so many bytes
	eightMember // likewise
	objectMember
	collectionMember
)

// stepOf finds the step of an op.
func stepOf(o *op) step {
	near, pointer, ok := o.location.direct()
	if !ok {
		return step{op: o}
	}
	s := step{offset: near, pointer: pointer, op: o}
	switch o.kind {
	case textKind:
		s.move = textMember
	case intKind, uintKind:
		switch o.bits {
		case 32:
			s.move = fourMember
		case 64:
			s.move = eightMember
		}
	case objectKind:
		s.move = objectMember
	case listKind, arrayKind, setKind, textKeyedKind, intKeyedKind, textMapKind, quantityMapKind, mapKind:
		s.move = collectionMember
	case boolKind, floatKind, bytesKind, quantityKind, intOrStringKind, leafKind:
	}
	return s
}

// selector is a compiled hotwhen.
type selector struct {
	op    op
	value string
	zero  bool // a missing element is selected
	hot   *node
}

type compiler struct {
	program *Program
	whole   bool
	nodes   map[context]*node
}

// context is what a node is compiled in: an element's identity depends on its collection.
type context struct{ node, in *fieldplan.Node }

func compile(p *fieldplan.Plan) *Program {
	pointer := reflect.PointerTo(p.Type)
	program := &Program{pointer: pointer, example: reflect.Zero(pointer).Interface(), open: p.Open, whole: map[*fieldplan.Node]*node{}}
	kept := &compiler{program: program, nodes: map[context]*node{}}
	program.canonical = kept.node(p.Root, nil)
	whole := &compiler{program: program, whole: true, nodes: map[context]*node{}}
	program.root = whole.node(p.Root, nil)
	for ctx, n := range whole.nodes {
		program.whole[ctx.node] = n
	}
	kept.zeroArrays()
	return program
}

// zeroArrays computes the texts of arrays that nobody has set, until those of arrays within arrays are known, too.
func (c *compiler) zeroArrays() {
	for changed := !c.program.open; changed; {
		changed = false
		for _, n := range c.nodes {
			if n.kind != arrayKind {
				continue
			}
			if zero := zeroArray(n); string(zero) != string(n.zero) {
				n.zero, changed = zero, true
			}
		}
	}
}

func (c *compiler) node(from, in *fieldplan.Node) *node {
	ctx := context{from, in}
	if c.whole {
		ctx.in = nil
	}
	if n, ok := c.nodes[ctx]; ok {
		return n
	}
	n := &node{plan: from, keepsElements: c.whole || fieldplan.IsKept(from.Class)}
	c.nodes[ctx] = n
	switch from.Kind {
	case fieldplan.Leaf:
		n.kind, n.bits = kindOfLeaf(from)
	case fieldplan.Object:
		c.object(n, from, in)
	case fieldplan.List:
		n.kind = kindOfList(from)
		c.elements(n, from)
	case fieldplan.Array:
		n.kind, n.len = arrayKind, from.Type.Len()
		c.elements(n, from)
	case fieldplan.Map:
		n.kind = kindOfMap(from.Type, from.Elem)
		n.values = valuesOf(from.Type)
		c.program.open = c.program.open || leaf.MapKeyKind(from.Type.Key()) != leaf.String
		c.elements(n, from)
	}
	return n
}

func kindOfLeaf(n *fieldplan.Node) (kind, uint8) {
	switch n.Leaf {
	case leaf.Bool:
		return boolKind, 0
	case leaf.Int:
		return intKind, uint8(n.Type.Bits()) //nolint:gosec // at most 64
	case leaf.Uint:
		return uintKind, uint8(n.Type.Bits()) //nolint:gosec // at most 64
	case leaf.Float:
		return floatKind, uint8(n.Type.Bits()) //nolint:gosec // at most 64
	case leaf.String:
		return textKind, 0
	case leaf.Bytes:
		return bytesKind, 0
	case leaf.Quantity:
		return quantityKind, 0
	case leaf.IntOrString:
		return intOrStringKind, 0
	case leaf.Number, leaf.Time, leaf.MetaTime, leaf.MicroTime, leaf.Duration, leaf.RawExtension, leaf.RawMessage, leaf.Interface,
		leaf.JSONMarshaler, leaf.TextMarshaler, leaf.Opaque, leaf.NotALeaf:
	}
	return leafKind, 0
}

func kindOfList(n *fieldplan.Node) kind {
	switch n.Pairing {
	case fieldplan.ByValue:
		return setKind
	case fieldplan.ByKey:
		if n.Key.Node.Leaf == leaf.String {
			return textKeyedKind
		}
		return intKeyedKind
	case fieldplan.ByPosition:
	}
	return listKind
}

func (c *compiler) object(n *node, from, in *fieldplan.Node) {
	for _, f := range from.Fields {
		always := in != nil && in.Identity(f) && (c.whole || fieldplan.IsKept(in.Class) || in.Key != nil && in.Key.Name == f.Name)
		presence := f.KeepsPresence() && (c.whole || fieldplan.IsKept(f.Node.Class))
		if c.whole || always || presence || f.Node.Classes.Any(fieldplan.Kept) {
			o := c.op(from, f)
			o.always, o.zero, o.presence = always, o.zero || always, presence
			n.ops = append(n.ops, o)
		}
	}
	n.steps = make([]step, len(n.ops))
	for i := range n.ops {
		n.steps[i] = stepOf(&n.ops[i])
	}
}

func (c *compiler) op(owner *fieldplan.Node, f *fieldplan.Field) op {
	n := c.node(f.Node, nil)
	return op{
		location: locationOf(owner.Type, f.Index, pointers(memberType(owner.Type, f.Index))), node: n, kind: n.kind, bits: n.bits,
		zero: f.Pointer, hasDefault: f.Default != nil, header: "," + f.Header, field: f,
	}
}

// memberType is the Go type of a field, with its pointers.
func memberType(t reflect.Type, index []int) reflect.Type {
	for i, at := range index {
		if i > 0 && t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		t = t.Field(at).Type
	}
	return t
}

func pointers(t reflect.Type) int {
	n := 0
	for ; t.Kind() == reflect.Pointer; t = t.Elem() {
		n++
	}
	return n
}

// elements compiles what a collection holds.
func (c *compiler) elements(n *node, from *fieldplan.Node) {
	elem := from.Type.Elem()
	n.elemPointers, n.elemSize = pointers(elem), elem.Size()
	n.elem = c.node(from.Elem, identifying(from))
	if from.Key != nil {
		key := c.op(from.Elem, from.Key)
		n.key = &key
	}
	if from.When == nil {
		return
	}
	if c.whole { // whose elements are all alike
		c.node(from.When.Hot, nil)
	} else {
		n.when = &selector{op: c.op(from.Elem, from.When.Field), value: from.When.Value, hot: c.node(from.When.Hot, from)}
		zero, problem := leaf.Append(nil, from.When.Field.Node.Leaf, reflect.Zero(from.When.Field.Node.Type))
		n.when.zero = problem == nil && string(zero) == from.When.Value
	}
}

// identifying is the collection, if its elements have an identity.
func identifying(n *fieldplan.Node) *fieldplan.Node {
	if n.Key != nil || n.When != nil {
		return n
	}
	return nil
}

// zeroArray is the text of an array that nobody has set, or nil if its elements cannot be written.
func zeroArray(n *node) []byte {
	w := &run{}
	w.places(n, memoryOf(reflect.New(n.plan.Type).Elem()))
	if w.gaveUp {
		return nil
	}
	return w.buf
}
