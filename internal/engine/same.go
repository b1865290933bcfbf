package engine

import (
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hotupdate/providerconfig/internal/leaf"
)

// isSameAt reports whether two values, at a depth below the root, are spelled alike in Go, so that
// they have one canonical text, and have no faults. It may be false for values with one text: then
// a diff looks into them. It is always false for types that contain themselves.
//
// It writes no texts, but for leaves of less frequent kinds.
func (n *routine) isSameAt(depth int, a, b memory) bool {
	return !n.recursive && depth+n.height <= MaxDepth && n.isSame(a, b)
}

func (n *routine) isSame(a, b memory) bool {
	switch {
	case !exists(a) || !exists(b):
		return !exists(a) && !exists(b)
	case n.kind.isLeaf():
		return n.isSameLeaf(a, b)
	case n.recursive || isNone(n.kind, a) != isNone(n.kind, b):
		return false
	}
	//exhaustive:ignore
	switch n.kind {
	case objectKind:
		return n.hasSameMembers(a, b)
	case textMapKind:
		return isSameMap(textsAt(a), textsAt(b), isSameText)
	case quantityMapKind:
		return isSameMap(quantitiesAt(a), quantitiesAt(b), leaf.IsSameQuantity)
	case mapKind:
		return isNone(n.kind, a)
	default:
		return n.hasSameElements(a, b)
	}
}

func (n *routine) hasSameMembers(a, b memory) bool {
	hasUnknown := n.rest != nil && (!isEmptyMap(n.rest, a) || !isEmptyMap(n.rest, b))
	if hasUnknown {
		return false
	}
	for i := range n.ops {
		o := &n.ops[i]
		if !o.routine.isSame(o.location.in(a), o.location.in(b)) {
			return false
		}
	}
	return true
}

func isEmptyMap(o *op, object memory) bool {
	return valueAt(o.location.in(object), o.routine.plan.Type).Len() == 0
}

// hasSameElements compares lists and arrays. The keys of a list in order are unique.
func (n *routine) hasSameElements(a, b memory) bool {
	one := elementsAt(a, n)
	other := elementsAt(b, n)
	if one.len != other.len || n.key != nil && n.directionOf(&one) == mixed {
		return false
	}
	for i := range one.len {
		if !n.elem.isSame(one.at(i, n.elemPointers), other.at(i, n.elemPointers)) {
			return false
		}
	}
	return true
}

func isSameMap[V any](a, b map[string]V, isSame func(a, b V) bool) bool {
	if len(a) != len(b) {
		return false
	}
	for key, value := range a {
		other, ok := b[key]
		if !ok || !utf8.ValidString(key) || !isSame(value, other) {
			return false
		}
	}
	return true
}

func isSameText(a, b string) bool { return a == b && utf8.ValidString(a) }

func (n *routine) isSameLeaf(a, b memory) bool {
	//exhaustive:ignore
	switch n.kind {
	case textKind:
		return isSameText(textAt(a), textAt(b))
	case intKind:
		return intAt(a, n.bits) == intAt(b, n.bits)
	case uintKind:
		return uintAt(a, n.bits) == uintAt(b, n.bits)
	case boolKind:
		return boolAt(a) == boolAt(b)
	case quantityKind:
		return leaf.IsSameQuantity(*at[resource.Quantity](a), *at[resource.Quantity](b))
	case intOrStringKind:
		one := at[intstr.IntOrString](a)
		return one.Type == intstr.Int && *one == *at[intstr.IntOrString](b)
	}
	text, problem := appendLeaf(nil, n, a)
	other, otherProblem := appendLeaf(nil, n, b)
	return problem == nil && otherProblem == nil && string(text) == string(other)
}
