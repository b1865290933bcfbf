package engine

import (
	"unicode/utf8"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
)

// keyedList writes the elements in the order of their keys. Lists in ascending or descending order
// need no index.
func (r *run) keyedList(n *routine, m memory) bool {
	elements := elementsAt(m, n)
	if elements.len == 0 {
		return false
	}
	first := len(r.entries)
	count := elements.len
	order := mixed
	if !r.traced { // building an index reports invalid keys
		order = n.directionOf(&elements)
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

// index appends the elements of a keyed list to the entries, in order, and returns their number.
// Elements without a key, and all but the first of several elements with one key, are reported and
// left out, see [routine.mayLackKey].
func (r *run) index(n *routine, m memory) int {
	first := len(r.entries)
	elements := elementsAt(m, n)
	r.entries = withRoom(r, r.entries, elements.len)
	for i := range elements.len {
		elem := elements.at(i, n.elemPointers)
		key, ok := n.keyOf(elem)
		if (ok || n.mayLackKey(&elements, elem)) && utf8.ValidString(key.text) {
			r.entries = append(r.entries, entry{order: key.order, at: i})
		} else {
			r.reportKey(n, i, key)
		}
	}
	own := r.entries[first:]
	textOf := func(at int) string {
		key, _ := n.keyOf(elements.at(at, n.elemPointers))
		return key.text
	}
	if n.kind == textKeyedKind {
		r.sortByText(own, 0, maxDeals, textOf)
	} else {
		sortByOrder(own)
	}
	distinct := own[:0]
	for i, e := range own {
		if i > 0 && own[i-1].order == e.order && textOf(own[i-1].at) == textOf(e.at) {
			r.at(n, m, e.at)
			r.report(&fault.Error{
				Kind: fault.Duplicate, Code: "duplicate-list-key", What: "is the key of two elements",
				Hint: "give each element a key of its own",
			})
			continue
		}
		distinct = append(distinct, e)
	}
	r.entries = r.entries[:first+len(distinct)]
	return len(distinct)
}

// reportKey reports an element whose key is missing or not valid UTF-8.
func (r *run) reportKey(n *routine, i int, key listKey) {
	if r.traced {
		r.goTo(fieldpath.Step{Kind: fieldpath.Index, At: i})
	}
	if key.text != "" {
		r.report(invalidUTF8Key())
		return
	}
	r.report(&fault.Error{
		Kind: fault.Missing, Code: "missing-list-key",
		What: "has no " + n.plan.Key.Name + ", by which the element is found", Hint: "set it",
	})
}

// keyedElement writes an element of a keyed list, or an entry of a map with key name, after the
// byte before. If the presence of the element is not written, the element is written only if it has
// content to write. It reports whether it wrote anything.
func (r *run) keyedElement(n *routine, m memory, name string, before byte) bool {
	start := r.position()
	if n.kind != mapKind {
		r.buf = append(r.buf, before)
	} else if !r.key(n, before, name) {
		return false
	}
	elem, presence := n.entry(name)
	if n.when != nil && n.when.holds(r.buf, m) {
		elem = n.when.hot
		presence = n.when.writesPresence
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
