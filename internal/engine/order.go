package engine

import (
	"cmp"
	"math/bits"
	"slices"
)

// entry is an element in an index, which is sorted by a number: an integer key, or eight bytes of a text from where the texts of the
// index begin to differ. It holds no pointer, so that moving it costs nothing more.
type entry struct {
	order uint64
	at    int // among the elements, or what was read from the map
}

const (
	fewEntries = 32 // are sorted by insertion
	perSample  = 16 // entries, of which one text is looked at to guess what all begin with
	maxSamples = 8
)

// sortByOrder sorts entries by their numbers. More than a few are dealt into piles by the first byte that differs, and each pile is sorted
// likewise: at most eight times, whatever the numbers, and without comparisons that a processor cannot foresee.
func (r *run) sortByOrder(own []entry) {
	differ, sorted := uint64(0), true
	for i := 1; i < len(own); i++ {
		differ |= own[i].order ^ own[0].order
		sorted = sorted && own[i-1].order <= own[i].order
	}
	switch {
	case sorted:
	case len(own) <= fewEntries:
		for i := range own {
			for j := i; j > 0 && own[j].order < own[j-1].order; j-- {
				own[j], own[j-1] = own[j-1], own[j]
			}
		}
	default:
		r.sortBuffer = withRoom(r.sortBuffer[:0], len(own))
		ends := deal(own, r.sortBuffer[:len(own)], (bits.Len64(differ)-1)&^7)
		from := 0
		for _, to := range ends {
			if to-from > 1 {
				r.sortByOrder(own[from:to])
			}
			from = to
		}
	}
}

// deal moves entries into piles by one byte of their numbers, and returns where each pile ends.
func deal(own, spare []entry, shift int) (ends [256]int) {
	for i := range own {
		ends[byte(own[i].order>>shift)]++
	}
	next := 0
	for i, n := range ends {
		ends[i] = next
		next += n
	}
	for _, e := range own {
		b := byte(e.order >> shift)
		spare[ends[b]] = e
		ends[b]++
	}
	copy(own, spare)
	return ends
}

// sortByText sorts entries by their texts, which are alike in their first so many bytes. Texts that are still alike in the eight bytes from
// where they begin to differ are sorted by what follows.
func sortByText[T string | []byte](r *run, own []entry, textOf func(at int) T, alike int) {
	if len(own) < 2 {
		return
	}
	common := setOrder(own, textOf, alike)
	r.sortByOrder(own)
	for from := 0; from < len(own); {
		to := from + 1
		for to < len(own) && own[to].order == own[from].order {
			to++
		}
		if group := own[from:to]; len(group) > 1 {
			sortAlike(r, group, textOf, common+8)
		}
		from = to
	}
}

// sortAlike sorts entries whose texts are alike in their first so many bytes, as far as they are that long.
func sortAlike[T string | []byte](r *run, group []entry, textOf func(at int) T, alike int) {
	for _, e := range group {
		if len(textOf(e.at)) < alike { // what is missing looked like zero bytes
			slices.SortFunc(group, func(a, b entry) int { return compareTexts(textOf(a.at), textOf(b.at)) })
			return
		}
	}
	sortByText(r, group, textOf, alike)
}

// setOrder sets the numbers of entries whose texts are alike in their first so many bytes, and returns where they begin to differ. A few
// texts show where that should be; if it turns out to be earlier, it is found by looking at all.
func setOrder[T string | []byte](own []entry, textOf func(at int) T, alike int) int {
	first := textOf(own[0].at)
	common := len(first)
	samples := min(1+len(own)/perSample, maxSamples)
	for i := range samples {
		common = commonPrefix(first, textOf(own[(i+1)*(len(own)-1)/samples].at), alike, common)
	}
	for i := range own {
		text := textOf(own[i].at)
		if common == alike {
			own[i].order = eightBytes(text, common)
			continue
		}
		if n := commonPrefix(first, text, alike, common); n < common {
			for _, e := range own[i+1:] {
				n = commonPrefix(first, textOf(e.at), alike, n)
			}
			for j := range own {
				own[j].order = eightBytes(textOf(own[j].at), n)
			}
			return n
		}
		own[i].order = eightBytes(text, common)
	}
	return common
}

func compareTexts[T string | []byte](a, b T) int {
	n := commonPrefix(a, b, 0, len(a))
	if n == len(a) || n == len(b) {
		return cmp.Compare(len(a), len(b))
	}
	return cmp.Compare(a[n], b[n])
}

// commonPrefix is the length of what two texts begin with, which is from alike to most.
func commonPrefix[T string | []byte](a, b T, alike, most int) int {
	most = min(most, len(a), len(b))
	i := alike
	for i+8 <= most {
		if differ := load(a, i) ^ load(b, i); differ != 0 {
			return i + bits.TrailingZeros64(differ)/8
		}
		i += 8
	}
	for i < most && a[i] == b[i] {
		i++
	}
	return i
}

// eightBytes are the bytes of a text from a place on, so that comparing them as a number compares the texts.
func eightBytes[T string | []byte](s T, from int) uint64 {
	if len(s) >= from+8 {
		return bits.ReverseBytes64(load(s, from))
	}
	var order uint64
	for i := from; i < len(s); i++ {
		order |= uint64(s[i]) << (56 - 8*(i-from))
	}
	return order
}
