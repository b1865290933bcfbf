package fieldplan

import (
	"encoding/json"
	"slices"
)

// Unknown is the type of the field that holds an object's unknown members. Only types that are made for the purpose have such a field;
// in JSON its entries are members of the object itself.
type Unknown map[string]json.RawMessage

// Parts are all that an object consists of: its fields and, where there may be unknown members, the field that holds them.
func (n *Node) Parts() []*Field {
	if n.Rest == nil {
		return n.Fields
	}
	return append(slices.Clip(n.Fields), n.Rest)
}

// closeLists takes unknown members, which are Immutable, out of what must be of one class: everything below a list that is paired by
// position and is Hot or Ignored, and below a set, whose elements are shown as a whole. There they cannot be told from those of another
// element.
func (c *compiler) closeLists() {
	for _, n := range c.order {
		if n.isUnprojectedList() || n.Pairing == ByValue {
			closeBelow(n.Elem, map[*Node]bool{})
		}
	}
	for changed := true; changed; {
		changed = false
		for _, n := range c.order {
			if n.When != nil {
				changed = closeTwins(n.Elem, n.When.Hot, map[*Node]bool{}) || changed
			}
		}
	}
}

func closeBelow(n *Node, seen map[*Node]bool) {
	if n == nil || seen[n] {
		return
	}
	seen[n] = true
	n.Rest = nil
	for _, f := range n.Fields {
		closeBelow(f.Node, seen)
	}
	closeBelow(n.Elem, seen)
	if n.When != nil {
		closeBelow(n.When.Hot, seen)
	}
}

// closeTwins closes what is closed in one of two nodes of one type in the other: raw JSON is read before it is known whether an element
// is hot.
func closeTwins(a, b *Node, seen map[*Node]bool) (changed bool) {
	if a == nil || a == b || seen[a] {
		return false
	}
	seen[a] = true
	if (a.Rest == nil) != (b.Rest == nil) {
		a.Rest, b.Rest, changed = nil, nil, true
	}
	for i, f := range a.Fields {
		changed = closeTwins(f.Node, b.Fields[i].Node, seen) || changed
	}
	return closeTwins(a.Elem, b.Elem, seen) || changed
}
