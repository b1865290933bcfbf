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

// textOf reads a key that is a text. It is false if there is none. Whether it is UTF-8 is seen elsewhere.
func textOf(n *node, m memory) (string, bool) {
	key := keyIn(n, m)
	if !exists(key) {
		return "", false
	}
	s := textAt(key)
	return s, s != ""
}

// validTextOf is textOf, and false if the key is not UTF-8.
func validTextOf(n *node, m memory) (string, bool) {
	key, ok := textOf(n, m)
	return key, ok && isText(key)
}

// direction is the order in which a keyed list stands.
type direction uint8

const (
	ascending direction = iota
	descending
	mixed
)

// directionOf finds the order of a keyed list. One that is not mixed has each key once. One with a missing key is mixed.
func directionOf[K cmp.Ordered](n *node, elements *elements, keyOf func(*node, memory) (K, bool)) direction {
	var before K
	found := ascending
	for i := range elements.len {
		key, ok := keyOf(n, elements.at(i, n.elemPointers))
		if !ok || !goesOn(&found, i, before, key) {
			return mixed
		}
		before = key
	}
	return found
}

// goesOn reports whether the i-th key goes on in the direction of those before it. The second decides which it is.
func goesOn[K cmp.Ordered](d *direction, i int, before, key K) bool {
	switch {
	case i == 0:
		return true
	case i == 1 && key < before:
		*d = descending
		return true
	case *d == ascending:
		return before < key
	default:
		return key < before
	}
}

// keyedList writes the elements in the order of their keys. Lists that stand in order, or in the opposite, need no index.
func (r *run) keyedList(n *node, m memory) bool {
	elements := elementsAt(m, n)
	if elements.len == 0 {
		return false
	}
	first, count := len(r.entries), elements.len
	var order direction
	if n.kind == textKeyedKind {
		order = directionOf(n, &elements, validTextOf)
	} else {
		order = directionOf(n, &elements, numberOf)
	}
	if order == mixed {
		count = r.indexOrExplain(n, m, &elements)
	}
	before := byte('[')
	for i := range count {
		at := i
		switch order {
		case descending:
			at = elements.len - 1 - i
		case mixed:
			at = r.entries[first+i].at
		case ascending:
		}
		r.at(n, m, at)
		if r.keyedElement(n, elements.at(at, n.elemPointers), "", before) {
			before = ','
		}
	}
	r.entries = r.entries[:first]
	if before == '[' {
		return false
	}
	r.buf = append(r.buf, ']')
	return true
}

// indexOrExplain adds the elements of a keyed list to the entries, in order, and returns how many they are. Those without a key, and
// further ones of the same key, are reported and left out.
func (r *run) indexOrExplain(n *node, m memory, elements *elements) int {
	if r.index(n, elements) {
		return elements.len
	}
	count := 0
	r.whole(func(t *Trail) {
		for _, e := range Elements(t, n.plan, valueAt(m, n.plan.Type)) {
			r.entries = append(r.entries, entry{at: e.At})
			count++
		}
	})
	return count
}

// index adds the elements of a keyed list to the entries, in order. It is false, and adds nothing, if a key stands twice or is missing.
func (r *run) index(n *node, elements *elements) bool {
	first := len(r.entries)
	r.entries = withRoom(r.entries, elements.len)
	byText, ok := n.kind == textKeyedKind, true
	for i := 0; i < elements.len && ok; i++ {
		m, e := elements.at(i, n.elemPointers), entry{at: i}
		if byText {
			_, ok = validTextOf(n, m)
		} else {
			e.order, ok = numberOf(n, m)
		}
		r.entries = append(r.entries, e)
	}
	own := r.entries[first:]
	keyOf := func(at int) string { return textAt(n.key.location.in(elements.at(at, n.elemPointers))) }
	switch {
	case !ok:
	case byText:
		sortByText(r, own, keyOf, 0)
	default:
		r.sortByOrder(own)
	}
	for i := 1; i < len(own) && ok; i++ {
		ok = own[i-1].order != own[i].order || byText && keyOf(own[i-1].at) != keyOf(own[i].at)
	}
	if !ok {
		r.entries = r.entries[:first]
	}
	return ok
}

// keyedElement writes an element of a keyed list or map, whose key, if it is written, is name, behind the byte that stands before it. Where
// the element's presence is not written, it is only if something in it is.
func (r *run) keyedElement(n *node, m memory, name string, before byte) bool {
	start := r.position()
	if n.kind != mapKind {
		r.buf = append(r.buf, before)
	} else if !r.key(n, before, name) {
		return false
	}
	elem, keeps := n.elem, n.keeps
	if n.when != nil && r.selects(n.when, m) {
		elem, keeps = n.when.hot, n.when.keeps
	}
	if keeps {
		r.element(elem, m)
	} else if !r.traces(elem, m) {
		r.cut(start)
		return false
	}
	r.commit()
	return true
}

func (r *run) selects(s *selector, m memory) bool {
	if exists(m) {
		m = s.op.location.in(m)
	}
	if !exists(m) {
		return s.zero
	}
	start := len(r.buf)
	text, problem := appendLeaf(r.buf, s.op.node, m)
	r.buf = text[:start]
	return problem == nil && string(text[start:]) == s.value
}
