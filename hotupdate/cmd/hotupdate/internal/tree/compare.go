package tree

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
)

// Difference is a path of members at which two values differ. A nil Node is absent.
type Difference struct {
	Path     []string
	Old, New *Node
}

// Differences finds the paths at which two values differ, in the order of the names. Objects are
// compared member by member, also with an absent one unless both are empty. Other values are compared
// as a whole. Members that are null are absent, as in a manifest.
func Differences(old, updated *Node) []Difference { return manifests.differences(old, updated, nil) }

// ExactDifferences is [Differences] for values in which null members count, such as a provider config
// that is hashed as it is written.
func ExactDifferences(old, updated *Node) []Difference {
	return asWritten.differences(old, updated, nil)
}

// Equal reports whether two values are the same. Members that are null are absent, numbers are
// compared by their spelling, and the order of members does not count.
func Equal(a, b *Node) bool { return manifests.equal(a, b) }

// comparer says which members of an Object count.
type comparer struct {
	member func(n *Node, name string) *Node
}

var (
	manifests = comparer{func(n *Node, name string) *Node { return n.At(name) }}
	asWritten = comparer{(*Node).member}
)

// names returns the names of the members of two objects that count, sorted.
func (c comparer) names(objects ...*Node) (names []string) {
	for _, n := range objects {
		for name := range n.Members() {
			if c.member(n, name) != nil {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (c comparer) differences(old, updated *Node, path []string) (found []Difference) {
	if old == updated {
		return nil
	}
	mayBeObject := func(n *Node) bool { return n == nil || n.kind == Object }
	mayBeObjects := mayBeObject(old) && mayBeObject(updated)
	names := c.names(old, updated)
	if !mayBeObjects || len(names) == 0 {
		if c.equal(old, updated) {
			return nil
		}
		return []Difference{{path, old, updated}}
	}
	for _, name := range names {
		below := append(slices.Clip(path), name)
		found = append(found, c.differences(c.member(old, name), c.member(updated, name), below)...)
	}
	return found
}

func (c comparer) equal(a, b *Node) bool {
	if a == b || a == nil || b == nil {
		return a == b
	}
	if a.kind != b.kind || a.text != b.text {
		return false
	}
	switch a.kind {
	case List:
		return slices.EqualFunc(a.below, b.below, func(x, y Node) bool { return c.equal(&x, &y) })
	case Object:
		for _, name := range c.names(a, b) {
			if !c.equal(c.member(a, name), c.member(b, name)) {
				return false
			}
		}
	case Null, Bool, Number, Text:
	}
	return true
}

// With returns a copy with another value at a path of members. A nil Node removes the member.
func (n *Node) With(path []string, other *Node) *Node {
	if len(path) == 0 {
		return other
	}
	changed := &Node{kind: Object}
	if n.Kind() == Object {
		changed.line = n.line
		changed.name = n.name
	}
	var members []Node
	for name, member := range n.Members() {
		if name != path[0] {
			members = append(members, *member)
		}
	}
	if below := n.member(path[0]).With(path[1:], other); below != nil {
		member := *below
		member.name = path[0]
		members = append(members, member)
	}
	changed.hold(members)
	return changed
}

// Mapped applies a function to each member of an object or element of a list, and returns the
// results in a new value; a nil Node removes the part. Elements have an empty name.
func (n *Node) Mapped(part func(name string, below *Node) *Node) *Node {
	changed := &Node{kind: n.kind, line: n.line, name: n.name}
	var kept []Node
	for i := range n.below {
		if below := part(n.below[i].name, &n.below[i]); below != nil {
			one := *below
			one.name = n.below[i].name
			kept = append(kept, one)
		}
	}
	changed.hold(kept)
	return changed
}

// IsZero reports whether the value is the zero value of its type: absent, null, false, 0, or empty.
func (n *Node) IsZero() bool {
	switch n.Kind() {
	case Null:
		return true
	case Bool:
		return n.text == "false"
	case Number:
		return n.text == "0"
	case Text:
		return n.text == ""
	case List, Object:
		return len(n.below) == 0
	}
	return false
}

// TextOf and BoolOf return values that do not come from a parsed text.
func TextOf(text string) *Node { return &Node{kind: Text, text: text} }

// BoolOf returns true or false.
func BoolOf(is bool) *Node { return &Node{kind: Bool, text: strconv.FormatBool(is)} }

// Compact returns the value in JSON without white space, with the members in the order of their
// names, and without those that are null. It is empty for an absent value.
func (n *Node) Compact() []byte {
	if n == nil {
		return nil
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(n.Value(nil)) // every value of a node can be encoded
	return bytes.TrimSpace(text.Bytes())
}
