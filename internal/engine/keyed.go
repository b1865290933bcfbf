package engine

import "cmp"

// keyIn returns where the key of an element stands, none if there is none.
func keyIn(n *node, m memory) memory {
	if !exists(m) {
		return none
	}
	return n.key.location.in(m)
}

// numberOf reads an integer key as a number of the same order. It is false if there is none.
func numberOf(n *node, m memory) (uint64, bool) {
	key := keyIn(n, m)
	switch {
	case !exists(key):
		return 0, false
	case n.key.node.kind == uintKind:
		return uintAt(key, n.key.node.bits), true
	default:
		return uint64(intAt(key, n.key.node.bits)) ^ 1<<63, true //nolint:gosec // keeps the order
	}
}

// textOf reads a key that is a text. It is false if there is none that package document would take; that it is UTF-8 is seen elsewhere.
func textOf(n *node, m memory) (string, bool) {
	key := keyIn(n, m)
	if !exists(key) {
		return "", false
	}
	s := textAt(key)
	return s, s != ""
}

// direction is the order in which a keyed list stands.
type direction int8

const (
	descending direction = iota - 1
	mixed
	ascending
)

// directionOf finds the order of a keyed list. One that is not mixed has each key once. It is false if an element has no key.
func directionOf(n *node, elements *elements) (direction, bool) {
	if n.kind == textKeyedKind {
		return directionOfTexts(n, elements)
	}
	before, ok := numberOf(n, elements.at(0, n.elemPointers))
	found := ascending
	for i := 1; i < elements.len && ok; i++ {
		var key uint64
		key, ok = numberOf(n, elements.at(i, n.elemPointers))
		next := direction(cmp.Compare(key, before))
		if i == 1 {
			found = next
		}
		if next != found || next == mixed {
			return mixed, ok
		}
		before = key
	}
	return found, ok
}

// directionOfTexts is directionOf for keys that are texts. That they are UTF-8 is seen when they are written or compared.
func directionOfTexts(n *node, elements *elements) (direction, bool) {
	found, before := ascending, ""
	for i := range elements.len {
		key, ok := textOf(n, elements.at(i, n.elemPointers))
		if !ok {
			return mixed, false
		}
		if i == 1 && before > key {
			found = descending
		}
		if before == key || i > 0 && (before > key) != (found == descending) {
			return mixed, true
		}
		before = key
	}
	return found, true
}

// keyedList writes the elements in the order of their keys. Lists that stand in order, or in the opposite, need no index.
func (r *run) keyedList(n *node, m memory) bool {
	elements := elementsAt(m, n)
	if elements.len == 0 {
		return false
	}
	order, ok := directionOf(n, &elements)
	if !ok {
		r.giveUp()
		return false
	}
	first := len(r.entries)
	if order == mixed && !r.index(n, &elements) {
		return false
	}
	start, some, separator := r.position(), false, ""
	r.buf = append(r.buf, '[')
	for i := 0; i < elements.len && !r.gaveUp; i++ {
		at := i
		switch order {
		case descending:
			at = elements.len - 1 - i
		case mixed:
			at = r.entries[first+i].at
		case ascending:
		}
		if r.keyedElement(n, elements.at(at, n.elemPointers), "", separator) {
			some, separator = true, ","
		}
	}
	r.entries = r.entries[:first]
	if !some {
		r.cut(start)
		return false
	}
	r.buf = append(r.buf, ']')
	return true
}

// index adds the elements of a keyed list to the entries, in order. It is false, and the run over, if a key stands twice or is missing.
func (r *run) index(n *node, elements *elements) bool {
	first := len(r.entries)
	r.entries = withRoom(r.entries, elements.len)
	byText := n.kind == textKeyedKind
	for i := range elements.len {
		m, e, ok := elements.at(i, n.elemPointers), entry{at: i}, false
		if byText {
			var s string
			s, ok = textOf(n, m)
			ok = ok && isText(s)
		} else {
			e.order, ok = numberOf(n, m)
		}
		if !ok {
			r.giveUp()
			break
		}
		r.entries = append(r.entries, e)
	}
	own := r.entries[first:]
	switch {
	case r.gaveUp:
	case byText:
		keyOf := func(at int) string { return textAt(n.key.location.in(elements.at(at, n.elemPointers))) }
		sortByText(r, own, keyOf, 0)
		r.gaveUp = !distinctTexts(own, keyOf)
	default:
		r.sortByOrder(own)
		r.gaveUp = !distinctNumbers(own)
	}
	if r.gaveUp {
		r.entries = r.entries[:first]
	}
	return !r.gaveUp
}

// keyedElement writes an element of a keyed list or map, whose key, if it is written, is name. Where the element's presence is not
// written, it is only if something in it is.
func (r *run) keyedElement(n *node, m memory, name, separator string) bool {
	start := r.position()
	r.buf = append(r.buf, separator...)
	if n.kind == mapKind {
		r.text(name)
		r.buf = append(r.buf, ':')
	}
	hot := n.when != nil && r.selects(n.when, m)
	if n.keepsElements && !hot {
		r.placed(n.elem, m)
		r.commit()
		return true
	}
	elem := n.elem
	if hot {
		elem = n.when.hot
	}
	if r.traces(elem, m) {
		r.commit()
		return true
	}
	r.cut(start)
	return false
}

// traces writes what there is to write of an element whose presence is not written.
func (r *run) traces(n *node, m memory) bool {
	if !exists(m) || n.kind.isLeaf() || !r.enter() {
		return false
	}
	written := r.composite(n, m, ifSome)
	r.leave()
	return written
}

// selects reports whether hotwhen holds for an element.
func (r *run) selects(s *selector, m memory) bool {
	if exists(m) {
		m = s.op.location.in(m)
	}
	if !exists(m) {
		return s.zero
	}
	start := len(r.buf)
	r.leaf(s.op.node, m)
	selected := string(r.buf[start:]) == s.value
	r.buf = r.buf[:start]
	return selected
}
