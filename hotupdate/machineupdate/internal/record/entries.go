package record

import (
	"maps"
	"slices"
	"strings"
)

// leaf is a place with a value, or [absent].
type leaf struct {
	place

	value string
}

func (l leaf) compare(other leaf) int {
	if c := strings.Compare(l.pointer, other.pointer); c != 0 {
		return c
	}
	if c := strings.Compare(l.element, other.element); c != 0 {
		return c
	}
	return strings.Compare(l.value, other.value)
}

// entries are leaves that may be live beside the base.
type entries map[leaf]bool

// send adds what a pass desires where it is not the base.
func (e entries) send(base, desired leaves) {
	for p, value := range desired {
		if base[p] != value {
			e[leaf{p, value}] = true
		}
	}
	e.lack(desired, base)
}

// rebase replaces the base of leaves: the former one may still be live, the new one needs no entry.
func (e entries) rebase(former, base leaves) {
	for p, value := range former {
		e[leaf{p, value}] = true
		delete(e, leaf{p, base[p]})
	}
	for p, value := range base {
		delete(e, leaf{p, value})
	}
}

// lack adds that leaves of one hot part may be absent, as they are in another.
func (e entries) lack(without, with leaves) {
	for p := range with {
		if _, has := without[p]; !has {
			e[leaf{p, absent}] = true
		}
	}
}

// frozen splits the entries likewise.
func (e entries) frozen(isHot IsHot) (hot, frozen entries) {
	return split(e, func(l leaf, _ bool) bool { return isHot(l.pointer, l.shape(l.value)) })
}

// cost is how many bytes of the bound an entry takes: about as many as in the record.
func (l leaf) cost() int {
	const punctuation = 8
	return len(l.pointer) + max(len(l.value), len("null")) + punctuation
}

func (e entries) cost() (total int) {
	for l := range e {
		total += l.cost()
	}
	return total
}

// hotParts lays the entries out as few hot parts: sent have all values, removed all absences, as null, or as the element.
func (e entries) hotParts() (sent, removed []string) {
	var values, absences []*node
	for _, l := range slices.SortedFunc(maps.Keys(e), leaf.compare) {
		if l.value == absent {
			absences = put(absences, l.place, "null")
		} else {
			values = put(values, l.place, l.value)
		}
	}
	return documents(values), documents(absences)
}

// put adds a leaf to the first hot part that has room for it.
func put(parts []*node, p place, value string) []*node {
	if slices.ContainsFunc(parts, func(n *node) bool { return n.put(p, value) }) {
		return parts
	}
	n := &node{}
	n.put(p, value)
	return append(parts, n)
}

func documents(parts []*node) (all []string) {
	for _, n := range parts {
		all = append(all, string(n.appendTo(nil)))
	}
	return all
}
