// Package kindstest walks the Schemas of Gardener's manifests, for tests that visit every member.
package kindstest

import (
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/kinds"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// Type describes the values of a member. The zero Type describes none.
type Type struct{ node *fieldplan.Node }

// At returns the type at a path of members in a manifest. An element of a list or map may have any name.
func At(k kinds.Kind, path ...string) Type {
	t := Type{k.Schema().Plan().Root}
	return t.At(path...)
}

// At returns the type at a path below. It has no members if there is none, and below free JSON.
func (t Type) At(path ...string) Type {
	for _, name := range path {
		if elem := t.Elem(); elem != (Type{}) {
			t = elem
			continue
		}
		if t.Leaf() == Any {
			return t
		}
		t = t.Members()[name]
	}
	return t
}

// Members returns the types of an object's members by their names, and nil for others.
func (t Type) Members() map[string]Type {
	if t.node == nil || t.node.Kind != fieldplan.Object {
		return nil
	}
	all := map[string]Type{}
	for _, f := range t.node.Fields {
		all[f.Name] = Type{f.Node}
	}
	return all
}

// IsList and IsMap report what kind of collection the values are.
func (t Type) IsList() bool { return t.node != nil && t.node.Kind == fieldplan.List }

// IsMap reports whether the values are maps.
func (t Type) IsMap() bool { return t.node != nil && t.node.Kind == fieldplan.Map }

// Elem returns the type of the elements of a list or map.
func (t Type) Elem() Type {
	if t.node == nil {
		return t
	}
	return Type{t.node.Elem}
}

// Any is free JSON.
const Any = "any"

// Leaf names the values that have no members and elements.
func (t Type) Leaf() string {
	if t.node == nil || t.node.Kind != fieldplan.Leaf {
		return ""
	}
	names := map[leaf.Kind]string{
		leaf.Bool: "bool", leaf.Int: "int", leaf.Uint: "int", leaf.Float: "number", leaf.String: "string",
		leaf.Bytes: "bytes", leaf.Quantity: "quantity", leaf.IntOrString: "intOrString", leaf.MetaTime: "time",
		leaf.MicroTime: "time", leaf.Duration: "duration", leaf.RawMessage: Any,
	}
	return names[t.node.Leaf]
}
