package program

import (
	"cmp"
	"slices"
	"strings"
)

// entry is an element of a keyed list or map in an index that is sorted.
type entry struct {
	order uint64 // integer keys, or eight bytes of a text from where the texts of an index differ
	key   string
	at    int // among the elements, or the values that were read from the map
}

// keyOf reads the key of an element. It is false if there is none that package document would take.
func keyOf(n *node, m memory) (entry, bool) {
	if !there(m) {
		return entry{}, false
	}
	key := n.key.place.in(m)
	switch {
	case !there(key):
		return entry{}, false
	case n.kind == keyedByText:
		s := textAt(key)
		return entry{key: s}, s != "" && isText(s)
	default:
		return entry{order: orderOf(n, key)}, true
	}
}

// orderOf reads an integer key as a number of the same order.
func orderOf(n *node, key memory) uint64 {
	if n.key.node.kind == unsigned {
		return uintAt(key, n.key.node.bits)
	}
	return uint64(intAt(key, n.key.node.bits)) ^ 1<<63 //nolint:gosec // keeps the order
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
	if n.kind == keyedByText {
		return directionOfTexts(n, elements)
	}
	before, ok := keyOf(n, elements.at(0, n.elemPointers))
	found := ascending
	for i := 1; i < elements.len && ok; i++ {
		var key entry
		key, ok = keyOf(n, elements.at(i, n.elemPointers))
		next := direction(cmp.Compare(key.order, before.order))
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
		m := elements.at(i, n.elemPointers)
		if there(m) {
			m = n.key.place.in(m)
		}
		if !there(m) {
			return mixed, false
		}
		key := textAt(m)
		if key == "" {
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
	r.drop(first)
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
	r.entries = room(r.entries, elements.len)
	for i := range elements.len {
		e, ok := keyOf(n, elements.at(i, n.elemPointers))
		if !ok {
			r.giveUp()
			r.drop(first)
			return false
		}
		e.at = i
		r.entries = append(r.entries, e)
	}
	if n.kind == keyedByText {
		return r.sortTexts(first)
	}
	sortByOrder(r.entries[first:], mostSplits)
	return r.distinct(first)
}

// sortTexts sorts the entries from first on by their texts. It is false, and the run over, if one stands twice.
func (r *run) sortTexts(first int) bool {
	sortByText(r.entries[first:], 0)
	return r.distinct(first)
}

// sortByText sorts texts that are alike in their first so many bytes. From where they begin to differ, eight bytes are compared as one
// number; texts that are still alike are sorted by what follows.
func sortByText(own []entry, alike int) {
	if len(own) < 2 {
		return
	}
	common := len(own[0].key)
	for i := range own {
		common = commonPrefix(own[0].key, own[i].key, alike, common)
	}
	for i := range own {
		own[i].order = eightBytes(own[i].key[common:])
	}
	sortByOrder(own, mostSplits)
	for from := 0; from < len(own); {
		to, whole := from+1, len(own[from].key) >= common+8
		for ; to < len(own) && own[to].order == own[from].order; to++ {
			whole = whole && len(own[to].key) >= common+8
		}
		switch group := own[from:to]; {
		case len(group) == 1:
		case whole:
			sortByText(group, common+8)
		default: // some of the eight bytes are behind a text's end
			slices.SortFunc(group, compareKey)
		}
		from = to
	}
}

const (
	fewEntries = 12 // are sorted by insertion
	mostSplits = 32 // that do not halve what is sorted, before a sort takes over that cannot be slow
)

// sortByOrder sorts by the number alone, which is most of the work for large maps: without a function call for each comparison. Those
// below, at and above a pivot go their own ways.
func sortByOrder(own []entry, splits int) {
	for ; len(own) > fewEntries; splits-- {
		if splits == 0 {
			slices.SortFunc(own, compareOrder)
			return
		}
		pivot := median(own[0].order, own[len(own)/2].order, own[len(own)-1].order)
		low, high := 0, len(own)
		for i := 0; i < high; {
			switch order := own[i].order; {
			case order < pivot:
				own[low], own[i] = own[i], own[low]
				low++
				i++
			case order > pivot:
				high--
				own[high], own[i] = own[i], own[high]
			default:
				i++
			}
		}
		sortByOrder(own[:low], splits-1)
		own = own[high:]
	}
	for i := range own {
		for j := i; j > 0 && own[j].order < own[j-1].order; j-- {
			own[j], own[j-1] = own[j-1], own[j]
		}
	}
}

func median(a, b, c uint64) uint64 { return max(min(a, b), min(max(a, b), c)) }

func compareOrder(a, b entry) int { return cmp.Compare(a.order, b.order) }

func compareKey(a, b entry) int { return strings.Compare(a.key, b.key) }

// distinct reports whether sorted entries from first on have different keys. If not, the run is over.
func (r *run) distinct(first int) bool {
	own := r.entries[first:]
	for i := 1; i < len(own); i++ {
		if own[i-1].order == own[i].order && own[i-1].key == own[i].key {
			r.giveUp()
			r.drop(first)
			return false
		}
	}
	return true
}

// drop takes entries off the stack, and the texts out of them.
func (r *run) drop(first int) {
	if len(r.entries) == first {
		return
	}
	clear(r.entries[first:])
	r.entries = r.entries[:first]
}

// commonPrefix is the length of what two texts begin with, which is from alike to most.
func commonPrefix(a, b string, alike, most int) int {
	most = min(most, len(b))
	for i := alike; i < most; i++ {
		if a[i] != b[i] {
			return i
		}
	}
	return most
}

// eightBytes are the first bytes of a text, so that comparing them as a number compares the texts.
func eightBytes(s string) uint64 {
	if len(s) >= 8 {
		return uint64(s[7]) | uint64(s[6])<<8 | uint64(s[5])<<16 | uint64(s[4])<<24 | uint64(s[3])<<32 | uint64(s[2])<<40 | uint64(s[1])<<48 | uint64(s[0])<<56
	}
	var order uint64
	for i := range len(s) {
		order |= uint64(s[i]) << (56 - 8*i)
	}
	return order
}

// keyedElement writes an element of a keyed list or map, whose key, if it is written, is name. Where the element's presence is not
// written, it is only if something in it is.
func (r *run) keyedElement(n *node, m memory, name, separator string) bool {
	start := r.position()
	r.buf = append(r.buf, separator...)
	if n.kind == mapOfAny {
		r.text(name)
		r.buf = append(r.buf, ':')
	}
	hot := n.when != nil && r.selects(n.when, m)
	if n.kept && !hot {
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
	if !there(m) || n.kind.isLeaf() || !r.enter() {
		return false
	}
	written := r.composite(n, m, ifSome)
	r.leave()
	return written
}

// selects reports whether hotwhen holds for an element.
func (r *run) selects(s *selector, m memory) bool {
	if there(m) {
		m = s.op.place.in(m)
	}
	if !there(m) {
		return s.zero
	}
	start := len(r.buf)
	r.leaf(s.op.node, m)
	selected := string(r.buf[start:]) == s.value
	r.buf = r.buf[:start]
	return selected
}
