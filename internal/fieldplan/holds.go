package fieldplan

import (
	"slices"

	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// Beside returns the classes of everything in a configuration outside of RFC 6901 pointers.
// Pointers that lead to no member have no effect.
func (p *Plan) Beside(pointers []string) (classes ClassSet) {
	if p.Root.Kind != Object {
		return p.Root.Classes
	}
	for _, f := range p.Root.Fields {
		if !slices.ContainsFunc(pointers,
			func(pointer string) bool { return slices.Equal(fieldpath.Names(pointer), []string{f.Name}) }) {
			classes |= f.Classes()
		}
	}
	return classes
}

// Shape says what the JSON at a pointer looks like.
type Shape uint8

// The shapes.
const (
	AnyShape Shape = iota // any JSON, or nothing
	ScalarShape
	ObjectShape
	ListShape
)

// ShapeOf returns the shape of JSON that begins with a byte; 0 stands for nothing. Null can stand for a
// value of any shape.
func ShapeOf(first byte) Shape {
	switch first {
	case 0, 'n':
		return AnyShape
	case '{':
		return ObjectShape
	case '[':
		return ListShape
	}
	return ScalarShape
}

// At returns the classes at and below an RFC 6901 pointer, if the JSON there has the shape. Elements
// of lists have no pointers. If elements of a map may be hot, the classes of both kinds of elements
// are included, and a selector has all of them.
func (p *Plan) At(pointer string, shape Shape) ClassSet {
	return p.Root.at(fieldpath.Names(pointer), shape, p.Root.Classes)
}

// at is At below a node whose own classes are given.
func (n *Node) at(names []string, shape Shape, classes ClassSet) ClassSet {
	switch {
	case n.IsFree():
		return classes
	case len(names) == 0 && n.takes(shape):
		return classes
	case len(names) == 0:
		return 0
	case n.Kind == Object:
		if f := n.Lookup(names[0]); f != nil {
			return f.Node.at(names[1:], shape, f.Classes())
		}
	case n.Kind == Map:
		return n.entryAt(names[0], names[1:], shape)
	}
	return 0
}

// entryAt is at below the element of a map with a key. A part of a configuration has the selector of each
// element of which it has something, so the selector counts as everything that its element may hold.
func (n *Node) entryAt(key string, names []string, shape Shape) ClassSet {
	entry := n.Entry(key)
	own := entry.Classes | Of(entry.Class)
	if n.When == nil {
		return entry.at(names, shape, own)
	}
	hot := n.When.Hot.Classes | Of(n.When.Hot.Class)
	isSelector := len(names) == 1 && names[0] == n.When.Field.Name
	switch {
	case !isSelector:
		return entry.at(names, shape, own) | n.When.Hot.at(names, shape, hot)
	case n.When.Field.Node.takes(shape):
		return own | hot
	}
	return 0
}

// takes reports whether the JSON of a value can have a shape.
func (n *Node) takes(shape Shape) bool {
	own := ScalarShape
	switch n.Kind {
	case Object, Map:
		own = ObjectShape
	case List, Array:
		own = ListShape
	case Leaf:
	}
	return shape == AnyShape || shape == own
}

// IsFree reports whether a value can be any JSON.
func (n *Node) IsFree() bool {
	return n.Kind == Leaf && slices.Contains(freeLeaves[:], n.Leaf)
}

var freeLeaves = [...]leaf.Kind{
	leaf.RawMessage, leaf.RawExtension, leaf.Interface, leaf.JSONMarshaler, leaf.TextMarshaler, leaf.Opaque,
}

// Find returns the node of the value at an RFC 6901 pointer. Elements of lists are found by any index.
// It is nil if the plan does not know the value; inside a leaf, it is that of the leaf.
func (p *Plan) Find(pointer string) *Node {
	n := p.Root
	for _, name := range fieldpath.Names(pointer) {
		switch n.Kind {
		case Leaf:
			return n
		case Object:
			f := n.Lookup(name)
			if f == nil {
				return nil
			}
			n = f.Node
		case Map:
			n = n.Entry(name)
		case List, Array:
			n = n.Elem
		}
	}
	return n
}
