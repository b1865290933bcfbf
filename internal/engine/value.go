package engine

import (
	"reflect"

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
	if v.IsValid() {
		v, _ = v.FieldByIndexErr(f.Index)
	}
	return v
}

// isNull reports whether an element is nil in Go, so that its JSON is null.
func (n *routine) isNull(m memory) bool {
	switch {
	case !exists(m):
		return true
	case !n.kind.isLeaf():
		return isNone(n.kind, m)
	case !n.plan.Leaf.MayBeNull():
		return false
	}
	text, problem := appendLeaf(nil, n, m)
	return problem == nil && string(text) == leaf.Null
}

// isAbsent reports whether an element of map n means that its key is absent: null under a Hot or
// Ignored key, as in a JSON merge patch.
func (n *routine) isAbsent(key string, m memory) bool {
	class := n.plan.Class
	if n.plan.Keys != nil {
		if !n.elem.plan.Leaf.MayBeNull() && !n.elem.isNull(m) { // is found faster than a rule
			return false
		}
		class = n.plan.Entry(key).Class
	}
	return !fieldplan.IsProjected(class) && n.elem.isNull(m)
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

// ElementNode returns the node of one element of collection n, which is under a key if n is a map:
// the node of the rule for this key, or the hot node if the element's selector makes it hot.
func (p *Program) ElementNode(n *fieldplan.Node, key string, elem reflect.Value) *fieldplan.Node {
	if rule := n.RuleOf(key); rule != nil {
		return rule.Node
	}
	if n.When != nil && p.whole.of(n).selector.holds(nil, valueOf(elem)) {
		return n.When.Hot
	}
	return n.Elem
}

// holds reports whether an element is hot. It writes the selector's text behind dst.
func (s *selector) holds(dst []byte, m memory) bool {
	if exists(m) {
		m = s.op.location.in(m)
	}
	if !exists(m) {
		return s.when.Holds(nil, nil)
	}
	text, problem := appendLeaf(dst, s.op.routine, m)
	return s.when.Holds(text[len(dst):], problem)
}
