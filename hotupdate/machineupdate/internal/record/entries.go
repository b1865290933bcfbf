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
	var values, absences []object
	for _, l := range slices.SortedFunc(maps.Keys(e), leaf.compare) {
		if l.value == absent {
			absences = put(absences, leaf{l.place, "null"})
		} else {
			values = put(values, l)
		}
	}
	return documents(values), documents(absences)
}

// put adds a leaf to the first hot part that has room for it.
func put(parts []object, l leaf) []object {
	if slices.ContainsFunc(parts, func(o object) bool { return o.put(l) }) {
		return parts
	}
	o := object{}
	o.put(l)
	return append(parts, o)
}

func documents(parts []object) (all []string) {
	for _, o := range parts {
		all = append(all, o.document())
	}
	return all
}
