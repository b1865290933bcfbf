package engine

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// listKey identifies an element of a keyed list: by a text, or by an integer, mapped to an unsigned
// number of the same order.
type listKey struct {
	order uint64
	text  string
}

// keyOf reads the key of an element. It is false if there is none. Whether a text is UTF-8 is seen
// elsewhere.
func (n *routine) keyOf(m memory) (key listKey, ok bool) {
	if !exists(m) {
		return key, false
	}
	if m = n.key.location.in(m); !exists(m) {
		return key, false
	}
	switch {
	case n.kind == textKeyedKind:
		key.text = textAt(m)
		return key, key.text != ""
	case n.key.routine.kind == uintKind:
		key.order = uintAt(m, n.key.routine.bits)
	default:
		key.order = orderOf(intAt(m, n.key.routine.bits))
	}
	return key, true
}

// orderOf maps an integer to an unsigned number of the same order.
func orderOf(i int64) uint64 { return uint64(i) ^ 1<<63 } //nolint:gosec // keeps the order

// direction is the order of a keyed list: what comparing each key with the next gives.
type direction int

const (
	ascending  direction = -1
	descending direction = +1
	mixed      direction = 0
)

// directionOf finds the direction of a keyed list. In a list that is not mixed every key is unique
// and present.
func (n *routine) directionOf(elements *elements) direction {
	var before listKey
	found := ascending
	for i := range elements.len {
		key, ok := n.keyOf(elements.at(i, n.elemPointers))
		if !ok {
			return mixed
		}
		if i > 0 {
			order := direction(cmp.Or(cmp.Compare(before.order, key.order), strings.Compare(before.text, key.text)))
			if i == 1 && order == descending {
				found = descending
			}
			if order != found {
				return mixed
			}
		}
		before = key
	}
	return found
}

// mayLackKey reports whether the element at m may be without a key: it is the only one of its list,
// and not null. Where elements may be hot, each needs a key, since a hot element can be laid beside
// it.
func (n *routine) mayLackKey(elements *elements, m memory) bool {
	isOnlyText := n.kind == textKeyedKind && elements.len == 1
	if !isOnlyText || !exists(m) {
		return false
	}
	mayBeHot := n.plan.When != nil || !fieldplan.IsProjected(n.plan.Class)
	return !mayBeHot
}

// keyAt returns element i of the keyed list at m, with its key.
func (n *routine) keyAt(m memory, i int) Element {
	elements := elementsAt(m, n)
	key, _ := n.keyOf(elements.at(i, n.elemPointers))
	e := Element{Key: key.text, order: key.order, At: i}
	switch {
	case n.kind == textKeyedKind:
	case n.key.routine.kind == uintKind:
		e.Key = strconv.FormatUint(e.order, 10)
	default:
		e.Key = strconv.FormatInt(int64(e.order^1<<63), 10) //nolint:gosec // as it was
	}
	return e
}
