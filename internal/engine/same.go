package engine

import (
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// isSame reports whether two values are spelled alike in Go, so that they have one canonical text,
// and have no faults. It may be false for values with one text: then a diff looks into them. It is
// always false for types that contain themselves, and does not know how deep a value is nested.
//
// It writes no texts, but for leaves of less frequent kinds.
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
		return n.sameMembers(a, b) == len(n.ops)
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

// sameMembers returns the number of an object's first ops whose members are the same: that of all ops
// if the objects are the same. It is negative if there are unknown members, which it does not compare.
func (n *routine) sameMembers(a, b memory) int {
	hasUnknown := n.rest != nil && (!isEmptyMap(n.rest, a) || !isEmptyMap(n.rest, b))
	if hasUnknown {
		return -1
	}
	for i := range n.ops {
		o := &n.ops[i]
		if !o.routine.isSame(o.location.in(a), o.location.in(b)) {
			return i
		}
	}
	return len(n.ops)
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
		if !ok || !canonjson.IsUTF8(key) || !isSame(value, other) {
			return false
		}
	}
	return true
}

func isSameText(a, b string) bool { return a == b && canonjson.IsUTF8(a) }

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
