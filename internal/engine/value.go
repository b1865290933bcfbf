package engine

import (
	"reflect"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// Deref follows pointers. It is false for nil and for the zero reflect.Value, which is a missing
// value.
func Deref(v reflect.Value) (reflect.Value, bool) {
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return reflect.Value{}, false
		}
		v = v.Elem()
	}
	return v, v.IsValid()
}

// PointerTo turns a pointer to a plan's type into a pointer to T, which may have further pointers.
func PointerTo[T any](v reflect.Value) *T {
	for v.Type() != reflect.TypeFor[*T]() {
		pointer := reflect.New(v.Type())
		pointer.Elem().Set(v)
		v = pointer
	}
	return v.Interface().(*T)
}

// Member returns the value of field f in object v, with its pointers. It is the zero reflect.Value
// if v is missing or an embedded pointer on the way is nil.
func Member(v reflect.Value, f *fieldplan.Field) reflect.Value {
	for i, index := range f.Index {
		if i > 0 {
			v, _ = Deref(v)
		}
		if !v.IsValid() {
			return reflect.Value{}
		}
		v = v.Field(index)
	}
	return v
}

// IsNull reports whether an element is nil in Go, so that its JSON is null.
func IsNull(n *fieldplan.Node, v reflect.Value) bool {
	v, ok := Deref(v)
	if !ok {
		return true
	}
	switch n.Kind {
	case fieldplan.List, fieldplan.Map:
		return v.IsNil()
	case fieldplan.Leaf:
		if !n.Leaf.MayBeNull() {
			return false
		}
		text, problem := leaf.Append(nil, n.Leaf, v)
		return problem == nil && string(text) == leaf.Null
	case fieldplan.Object, fieldplan.Array:
	}
	return false
}

// emptyText is the text of an empty element: {} for objects and maps, also if nil; null for a nil
// list; [] otherwise.
func emptyText(k fieldplan.Kind, isNil bool) string {
	switch {
	case k == fieldplan.Object || k == fieldplan.Map:
		return "{}"
	case isNil:
		return leaf.Null
	default:
		return "[]"
	}
}

// ElementNode returns the node of one element of collection n: the hot node if the element's
// selector makes it hot.
func ElementNode(n *fieldplan.Node, elem reflect.Value) *fieldplan.Node {
	if n.When == nil {
		return n.Elem
	}
	object, _ := Deref(elem)
	var text []byte
	var problem *fault.Error
	if v, ok := Deref(Member(object, n.When.Field)); ok {
		text, problem = leaf.Append(nil, n.When.Field.Node.Leaf, v)
	}
	if n.When.Holds(text, problem) {
		return n.When.Hot
	}
	return n.Elem
}

func invalidUTF8Key() *fault.Error {
	return &fault.Error{
		Kind: fault.Malformed, Code: "invalid-utf8", What: "has a key that is not valid UTF-8", Hint: "correct the key",
	}
}
