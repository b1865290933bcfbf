package engine

import (
	"cmp"
	"strconv"
	"strings"
)

// listKey identifies an element of a keyed list: by a text, or by an integer, mapped to an unsigned
// number of the same order.
type listKey struct {
	order uint64
	text  string
}

// keyOf reads the key of an element. It is false for an absent integer behind a pointer, which is a
// key before all others. An absent text is empty, and any other absent integer is 0. Whether a text is
// UTF-8 is seen elsewhere.
func (n *routine) keyOf(m memory) (key listKey, isSet bool) {
	if exists(m) {
		m = n.key.location.in(m)
	}
	switch {
	case !exists(m):
		return n.absentKey()
	case n.kind == textKeyedKind:
		key.text = textAt(m)
	case n.key.routine.kind == uintKind:
		key.order = uintAt(m, n.key.routine.bits)
	default:
		key.order = orderOf(intAt(m, n.key.routine.bits))
	}
	return key, true
}

func (n *routine) absentKey() (key listKey, isSet bool) {
	isText := n.kind == textKeyedKind
	isNumber := !isText && !n.key.field.Pointer
	if isNumber && n.key.routine.kind != uintKind {
		key.order = orderOf(0)
	}
	return key, isText || isNumber
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

// directionOf finds the direction of a keyed list. In a list that is not mixed every key is unique.
func (n *routine) directionOf(elements *elements) direction {
	var before listKey
	found := ascending
	for i := range elements.len {
		key, isSet := n.keyOf(elements.at(i, n.elemPointers))
		if !isSet {
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

// keyAt returns element i of the keyed list at m, with its key.
func (n *routine) keyAt(m memory, i int) Element {
	elements := elementsAt(m, n)
	key, isSet := n.keyOf(elements.at(i, n.elemPointers))
	e := Element{Key: key.text, order: key.order, At: i}
	switch {
	case n.kind == textKeyedKind, !isSet:
	case n.key.routine.kind == uintKind:
		e.Key = strconv.FormatUint(e.order, 10)
	default:
		e.Key = strconv.FormatInt(int64(e.order^1<<63), 10) //nolint:gosec // as it was
	}
	return e
}
