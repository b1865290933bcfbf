package engine

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
)

// entry is an element of an index that is sorted by a number or a text. It holds no pointer, so
// moving it needs no write barrier.
type entry struct {
	order uint64 // an integer key, or bytes of a text
	at    int    // index of the element or of the copied value
}

const (
	fewEntries = 32 // up to this number, entries are sorted by comparing their texts
	// deals per text; each deal reads all texts of a group, which may be long and differ only at
	// their ends
	maxDeals = 4
	// bytesOfText is how many bytes of an order a deal by text has, bytesOfOrder how many there are
	bytesOfText  = 4
	bytesOfOrder = 8
)

// sortByOrder sorts entries by their numbers, and those of one number as they are given.
func sortByOrder(own []entry) {
	slices.SortFunc(own, func(a, b entry) int {
		if order := cmp.Compare(a.order, b.order); order != 0 {
			return order
		}
		return cmp.Compare(a.at, b.at)
	})
}

// sortByText sorts entries whose texts have a common prefix of at least alike bytes. Entries of one
// text stand as they are given, by their index. More than
// fewEntries are dealt by the three bytes after their common prefix, which needs no branches that a
// processor mispredicts. Groups with the same three bytes are sorted by the bytes after them, until
// no deals are left.
func (r *run) sortByText(own []entry, alike, deals int, textOf func(at int) string) {
	if len(own) <= fewEntries || deals == 0 {
		slices.SortFunc(own, func(a, b entry) int {
			if order := strings.Compare(textOf(a.at), textOf(b.at)); order != 0 {
				return order
			}
			return cmp.Compare(a.at, b.at)
		})
		return
	}
	first := textOf(own[0].at)
	last := ""
	for _, e := range own {
		first = min(first, textOf(e.at))
		last = max(last, textOf(e.at))
	}
	for alike < len(first) && first[alike] == last[alike] {
		alike++
	}
	for i := range own {
		var order [bytesOfText]byte
		order[3] = byte(copy(order[:3], textOf(own[i].at)[alike:])) // a text that ends here sorts before a longer one
		own[i].order = uint64(binary.BigEndian.Uint32(order[:]))
	}
	r.deal(own, bytesOfText)
	for from, to := 0, 0; from < len(own); from = to {
		for to < len(own) && own[to].order == own[from].order {
			to++
		}
		if byte(own[from].order) == 3 {
			r.sortByText(own[from:to], alike+3, deals-1, textOf)
		}
	}
}

// deal is a radix sort of entries by numbers of a few bytes, from the last byte to the first.
func (r *run) deal(own []entry, few int) {
	r.dealt = withRoom(r, r.dealt[:0], len(own))[:len(own)]
	for shift := 0; shift < 8*few; shift += 8 {
		var next [256]int
		for _, e := range own {
			next[byte(e.order>>shift)]++
		}
		if next[byte(own[0].order>>shift)] == len(own) {
			continue
		}
		at := 0
		for b, n := range next {
			next[b] = at
			at += n
		}
		for _, e := range own {
			r.dealt[next[byte(e.order>>shift)]] = e
			next[byte(e.order>>shift)]++
		}
		copy(own, r.dealt)
	}
}
