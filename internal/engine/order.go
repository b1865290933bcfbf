package engine

import (
	"cmp"
	"slices"
	"strings"
)

// entry is an element of an index that is sorted by a number or a text. It is small and holds no
// pointer, so that moving it is cheap.
type entry struct {
	order uint64 // an integer key
	at    int    // index of the element or of the copied value
}

func sortByOrder(own []entry) {
	slices.SortFunc(own, func(a, b entry) int { return cmp.Compare(a.order, b.order) })
}

func sortByText(own []entry, textOf func(at int) string) {
	slices.SortFunc(own, func(a, b entry) int { return strings.Compare(textOf(a.at), textOf(b.at)) })
}
