package fieldplan

import (
	"encoding/json"
	"reflect"
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

// admitsUnknown reports whether there may be unknown members in configurations of struct type t.
func admitsUnknown(t reflect.Type) bool {
	return slices.ContainsFunc(slices.Collect(t.Fields()), func(f reflect.StructField) bool { return f.Type == reflect.TypeFor[Unknown]() })
}

// closes reports whether there must be no unknown members in the elements of n. Unknown members are Immutable. Everything below a list that is
// paired by position and is Hot or Ignored, and below a set, whose elements are shown as a whole, must be of one class: there they cannot be
// told from those of another element. Raw JSON is read before it is known whether an element is hot.
func (n *Node) closes(ctx context) bool {
	return n.Pairing == ByValue || n.isUnprojectedList() || ctx.maybeHot && n.isPositional()
}
