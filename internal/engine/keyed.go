package engine

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// keyedList writes the elements in the order of their keys. Lists in ascending or descending order
// need no index. Elements of one key cannot be told apart by what applies a readable part, so such an
// element in it is reported.
func (r *run) keyedList(n *routine, m memory) bool {
	elements := elementsAt(m, n)
	if elements.len == 0 {
		return false
	}
	first := len(r.entries)
	count := elements.len
	order := mixed
	ordinal := 0
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
		if r.traced {
			ordinal = r.goToKeyed(n, m, first, first+i, ordinal)
		}
		if !r.keyedElement(n, elements.at(at, n.elemPointers), "", before) {
			continue
		}
		before = ','
		if n.refusesTies && order == mixed && r.isTie(n, &elements, first, first+i) {
			r.report(&fault.Error{
				Kind: fault.Invalid, Code: fault.DuplicateListKey,
				What: "is one of several elements with this key, which cannot be updated apart from each other",
				Hint: "give each element a key of its own",
			})
		}
	}
	r.entries = r.entries[:first]
	if before == '[' {
		return false
	}
	r.buf = append(r.buf, ']')
	return true
}

// index appends the elements of a keyed list to the entries, in order, and returns their number:
// sorted by key, elements of one key by their class as projected, see [levels], and those of one class
// as they are given. Elements whose key is not valid UTF-8 are reported and left out.
func (r *run) index(n *routine, m memory) int {
	first := len(r.entries)
	elements := elementsAt(m, n)
	r.entries = withRoom(r, r.entries, elements.len)
	for i := range elements.len {
		key, _ := n.keyOf(elements.at(i, n.elemPointers))
		if utf8.ValidString(key.text) {
			r.entries = append(r.entries, entry{order: key.order, at: i})
			continue
		}
		if r.traced {
			r.goTo(fieldpath.Step{Kind: fieldpath.Index, At: i})
		}
		r.report(leaf.InvalidUTF8Key())
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
	for from, to := 0, 1; from < len(own); to++ {
		isTied := to < len(own) && own[from].order == own[to].order && textOf(own[from].at) == textOf(own[to].at)
		if isTied {
			continue
		}
		if to-from > 1 && !r.probes {
			n.arrange(&elements, own[from:to])
		}
		from = to
	}
	return len(own)
}

// arrange orders elements of one key by their class as projected. Integers that are absent sort before
// the smallest one.
func (n *routine) arrange(elements *elements, own []entry) {
	ranks := make(map[int]int, len(own))
	for _, e := range own {
		elem := elements.at(e.at, n.elemPointers)
		if n.levels != nil {
			ranks[e.at] = int(n.levels.of(n.plan, elem))
		}
		if _, isSet := n.keyOf(elem); isSet {
			ranks[e.at] += absentFirst
		}
	}
	slices.SortStableFunc(own, func(a, b entry) int { return cmp.Compare(ranks[a.at], ranks[b.at]) })
}

// absentFirst is above the number of classes.
const absentFirst = 8

// isTie reports whether an element of a keyed list has the key of one beside it in an index that begins
// at first.
func (r *run) isTie(n *routine, elements *elements, first, i int) bool {
	isLikeBefore := i > first && r.haveOneKey(n, elements, i-1)
	return isLikeBefore || i+1 < len(r.entries) && r.haveOneKey(n, elements, i)
}

// haveOneKey reports whether an entry of an index and the next one have one key.
func (r *run) haveOneKey(n *routine, elements *elements, i int) bool {
	key, isSet := n.keyOf(elements.at(r.entries[i].at, n.elemPointers))
	next, isNextSet := n.keyOf(elements.at(r.entries[i+1].at, n.elemPointers))
	return key == next && isSet == isNextSet
}

// goToKeyed records the current element of the keyed list at m, by its entry in an index that begins at
// first. It gets the ordinal of the entry before, and returns that of this one.
func (r *run) goToKeyed(n *routine, m memory, first, i, before int) (ordinal int) {
	e := n.keyAt(m, r.entries[i].at)
	elements := elementsAt(m, n)
	if i > first && r.haveOneKey(n, &elements, i-1) {
		e.ordinal = before + 1
	}
	r.goTo(e.Step(n.plan))
	return e.ordinal
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
	elem, presence := n.elementAs(r.buf, name, m)
	if presence {
		r.element(elem, m)
	} else if !r.traces(elem, m) {
		r.cut(start)
		return false
	}
	r.commit()
	return true
}
