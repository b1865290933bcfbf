package record

import (
	"maps"
	"slices"
)

// entries are the values of leaves that may be live beside the base, sorted; [absent] is one of them.
type entries map[place][]string

func (e entries) has(p place, value string) bool {
	_, ok := slices.BinarySearch(e[p], value)
	return ok
}

func (e entries) clone() entries {
	copied := make(entries, len(e))
	for p, values := range e {
		copied[p] = slices.Clone(values)
	}
	return copied
}

func (e entries) add(p place, value string) {
	if i, ok := slices.BinarySearch(e[p], value); !ok {
		e[p] = slices.Insert(e[p], i, value)
	}
}

func (e entries) remove(p place, value string) {
	if i, ok := slices.BinarySearch(e[p], value); ok {
		e[p] = slices.Delete(e[p], i, i+1)
	}
	if len(e[p]) == 0 {
		delete(e, p)
	}
}

// send adds what a pass desires where it is not the base.
func (e entries) send(base, desired leaves) {
	for p, value := range desired {
		if base[p] != value {
			e.add(p, value)
		}
	}
	for p := range base {
		if _, stays := desired[p]; !stays {
			e.add(p, absent)
		}
	}
}

// rebase replaces the base of leaves: the former one may still be live, the new one needs no entry.
func (e entries) rebase(former, base leaves) {
	for p, value := range former {
		if base[p] != value {
			e.add(p, value)
		}
		if _, has := base[p]; !has {
			e.remove(p, absent)
		}
	}
	for p, value := range base {
		e.remove(p, value)
	}
}

// lack adds that leaves of the new base may still be absent, as they were in the former one.
func (e entries) lack(former, base leaves) {
	for p := range base {
		if _, had := former[p]; !had {
			e.add(p, absent)
		}
	}
}

// frozen splits the entries into those that are Hot and the others.
func (e entries) frozen(isHot IsHot) (hot, frozen entries) {
	hot, frozen = entries{}, entries{}
	for p, values := range e {
		for _, value := range values {
			if isHot(p.pointer, p.shape(value)) {
				hot.add(p, value)
			} else {
				frozen.add(p, value)
			}
		}
	}
	return hot, frozen
}

// cost is how many bytes of the bound an entry takes: about as many as in the record.
func cost(p place, value string) int {
	const punctuation = 8
	return len(p.pointer) + max(len(value), len("null")) + punctuation
}

func (e entries) cost() int {
	total := 0
	for p, values := range e {
		for _, value := range values {
			total += cost(p, value)
		}
	}
	return total
}

// hotParts lays the entries out as few hot parts: sent have all values, removed all absences, as null, or as the element.
func (e entries) hotParts() (sent, removed []string) {
	var sentParts, removedParts []*node
	for _, p := range slices.SortedFunc(maps.Keys(e), place.compare) {
		for _, value := range e[p] {
			if value == absent {
				removedParts = put(removedParts, p, "null")
			} else {
				sentParts = put(sentParts, p, value)
			}
		}
	}
	return documents(sentParts), documents(removedParts)
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

func documents(parts []*node) []string {
	var all []string
	for _, n := range parts {
		all = append(all, n.document())
	}
	return all
}

// read is the inverse of hotParts.
func (e entries) read(sent, removed []string) {
	for _, hot := range sent {
		for p, value := range leavesOf(hot) {
			e.add(p, value)
		}
	}
	for _, hot := range removed {
		for p := range leavesOf(hot) {
			e.add(p, absent)
		}
	}
}
