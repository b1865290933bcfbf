package engine

import (
	"cmp"
	"slices"
)

// entry is an element in an index, which is sorted by an integer key or by a text. It holds no pointer, so that moving it costs nothing more.
type entry struct {
	order uint64 // an integer key
	at    int    // among the elements, or what was read from the map
}

// sortEntries sorts entries by their integer keys, and those with the same by the bytes of their texts.
func sortEntries[T string | []byte](own []entry, textOf func(at int) T) {
	slices.SortFunc(own, func(a, b entry) int {
		if a.order != b.order {
			return cmp.Compare(a.order, b.order)
		}
		switch x, y := textOf(a.at), textOf(b.at); {
		case string(x) < string(y):
			return -1
		case string(x) > string(y):
			return +1
		default:
			return 0
		}
	})
}
