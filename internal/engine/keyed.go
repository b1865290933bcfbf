package engine

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

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
	if !exists(m) {
		return "", false
	}
	if m = n.key.location.in(m); !exists(m) {
		return "", false
	}
	s := textAt(m)
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
		count = r.index(n, m)
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

// index adds the elements of a keyed list to the entries, in order, and returns how many they are. Those without a key, and further ones of
// the same key, are reported and left out.
func (r *run) index(n *node, m memory) int {
	first, elements, byText := len(r.entries), elementsAt(m, n), n.kind == textKeyedKind
	r.entries = withRoom(r.entries, elements.len)
	for i := range elements.len {
		var ok bool
		e := entry{at: i}
		if at := elements.at(i, n.elemPointers); byText {
			_, ok = validTextOf(n, at)
		} else {
			e.order, ok = numberOf(n, at)
		}
		if ok {
			r.entries = append(r.entries, e)
		} else {
			r.reportKey(n, m, i)
		}
	}
	own := r.entries[first:]
	keyOf := func(at int) string { return textAt(n.key.location.in(elements.at(at, n.elemPointers))) }
	if byText {
		sortByText(own, keyOf)
	} else {
		sortByOrder(own)
	}
	distinct := own[:0]
	for i, e := range own {
		if i > 0 && own[i-1].order == e.order && (!byText || keyOf(own[i-1].at) == keyOf(e.at)) {
			r.at(n, m, e.at)
			r.report(&fault.Error{Kind: fault.Duplicate, Code: "duplicate-list-key", What: "is the key of two elements", Hint: "give each element a key of its own"})
			continue
		}
		distinct = append(distinct, e)
	}
	r.entries = r.entries[:first+len(distinct)]
	return len(distinct)
}

// reportKey reports the key of an element that has none, or one that is not UTF-8.
func (r *run) reportKey(n *node, m memory, i int) {
	if r.traced {
		r.goTo(fieldpath.Step{Kind: fieldpath.Index, At: i})
	}
	elements := elementsAt(m, n)
	if _, ok := textOf(n, elements.at(i, n.elemPointers)); ok && n.kind == textKeyedKind {
		r.report(invalidUTF8Key())
		return
	}
	r.report(&fault.Error{Kind: fault.Missing, Code: "missing-list-key", What: "has no " + n.plan.Key.Name + ", by which the element is found", Hint: "set it"})
}

// keyAt returns the element of the keyed list at m that stands at i, with its key.
func (n *node) keyAt(m memory, i int) Element {
	elements := elementsAt(m, n)
	e, at := Element{At: i}, elements.at(i, n.elemPointers)
	switch {
	case n.kind == textKeyedKind:
		e.Key, _ = textOf(n, at)
	case n.key.node.kind == uintKind:
		e.order, _ = numberOf(n, at)
		e.Key = strconv.FormatUint(e.order, 10)
	default:
		e.order, _ = numberOf(n, at)
		e.Key = strconv.FormatInt(int64(e.order^1<<63), 10) //nolint:gosec // as it was
	}
	return e
}

// keyed returns the elements of keyed list v, which n describes, as [run.index] orders them. An invalid v has no elements.
func (p *Program) keyed(t *Trail, n *fieldplan.Node, v reflect.Value) []Element {
	if length(v) == 0 {
		return nil
	}
	r := start()
	defer r.end()
	r.trail.Path, r.traced = append(slices.Clip(t.Path), fieldpath.Step{}), true
	v = leaf.Addressable(v)
	list, m := p.whole.nodes[n], memoryOf(v)
	elements := make([]Element, r.index(list, m))
	for i := range elements {
		elements[i] = list.keyAt(m, r.entries[i].at)
		elements[i].Value = v.Index(elements[i].At)
	}
	r.trail.MoveTo(t)
	return elements
}

// elements returns the elements of a map or keyed list in canonical order.
func (p *Program) elements(t *Trail, n *fieldplan.Node, v reflect.Value) []Element {
	if n.Kind == fieldplan.Map {
		return Entries(t, n, v)
	}
	return p.keyed(t, n, v)
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
	elem, presence := n.elem, n.writesPresence
	if n.when != nil && r.selects(n.when, m) {
		elem, presence = n.when.hot, n.when.writesPresence
	}
	if presence {
		r.element(elem, m)
	} else if !r.traces(elem, m) {
		r.cut(start)
		return false
	}
	r.commit()
	return true
}

// selects is [ElementNode] for an element in memory.
func (r *run) selects(s *selector, m memory) bool {
	if exists(m) {
		m = s.op.location.in(m)
	}
	if !exists(m) {
		return s.when.Holds(nil, nil)
	}
	start := len(r.buf)
	text, problem := appendLeaf(r.buf, s.op.node, m)
	r.buf = text[:start]
	return s.when.Holds(text[start:], problem)
}
