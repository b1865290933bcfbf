package schemadiff

import (
	"reflect"
	"strconv"

	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

const kindString = "string"

// describe says in a word what a node is.
func describe(n *fieldplan.Node) string {
	switch n.Kind {
	case fieldplan.Object:
		return "object"
	case fieldplan.List:
		return "list"
	case fieldplan.Array:
		return "array"
	case fieldplan.Map:
		return "map"
	case fieldplan.Leaf:
	}
	if isInteger(n) || n.Leaf == leaf.Float {
		return kindName(n) + strconv.Itoa(bitsOf(n.Type))
	}
	return kindName(n)
}

// kindName names a kind of leaf. Kinds that a loaded Schema cannot tell apart have one name.
func kindName(n *fieldplan.Node) string {
	switch n.Leaf {
	case leaf.Bool:
		return "bool"
	case leaf.Int:
		return "int"
	case leaf.Uint:
		return "uint"
	case leaf.Float:
		return "float"
	case leaf.String:
		return kindString
	case leaf.Number:
		return "number"
	case leaf.Bytes:
		return "bytes"
	case leaf.Quantity:
		return "quantity"
	case leaf.IntOrString:
		return "integer or string"
	case leaf.Time, leaf.MetaTime, leaf.MicroTime:
		return timeName(n.Leaf)
	case leaf.Duration:
		return "duration"
	case leaf.RawExtension, leaf.RawMessage, leaf.Interface:
		return "free JSON"
	case leaf.JSONMarshaler, leaf.TextMarshaler, leaf.Opaque, leaf.NotALeaf:
	}
	return "a type that marshals itself"
}

func timeName(k leaf.Kind) string {
	//exhaustive:ignore
	switch k {
	case leaf.Time:
		return "time in nanoseconds"
	case leaf.MicroTime:
		return "time in microseconds"
	default:
		return "time in seconds"
	}
}

func isInteger(n *fieldplan.Node) bool {
	return n.Kind == fieldplan.Leaf && (n.Leaf == leaf.Int || n.Leaf == leaf.Uint)
}

// bitsOf is the same on every machine.
func bitsOf(t reflect.Type) int {
	switch t.Kind() {
	case reflect.Int, reflect.Uint, reflect.Uintptr:
		return 64
	default:
		return t.Bits()
	}
}

// keyName names the keys of a map. Keys that marshal themselves are strings in JSON.
func keyName(t reflect.Type) string {
	//exhaustive:ignore
	switch leaf.MapKeyKind(t) {
	case leaf.Int:
		return "int" + strconv.Itoa(bitsOf(t))
	case leaf.Uint:
		return "uint" + strconv.Itoa(bitsOf(t))
	default:
		return kindString
	}
}

func pairing(n *fieldplan.Node) string {
	switch n.Pairing {
	case fieldplan.ByValue:
		return "a set"
	case fieldplan.ByKey:
		return "found by " + n.Key.Name
	case fieldplan.ByPosition:
	}
	return "found by position"
}

func hotWhen(n *fieldplan.Node) string {
	if n.When == nil {
		return "never"
	}
	return "when " + n.When.Field.Name + " is " + n.When.Value
}
