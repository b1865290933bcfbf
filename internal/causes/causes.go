// Package causes finds which of the differences between two sides change an answer, such as the name of a worker pool.
//
// It knows neither the differences nor the answer: a caller applies differences to the old side, by their positions.
package causes

import (
	"cmp"
	"slices"
)

// Max is the number of differences up to which each is tried. If there are more, each counts as a cause, so that the
// time is linear.
const Max = 64

// Causes says what each of several differences does to an answer.
type Causes[E cmp.Ordered] struct {
	// Effects has the effect of each difference. At least one of them has the effect of all.
	Effects []E
	// Together are the positions of the differences that have the effect of all only together, in order. It is empty if
	// a difference has that effect alone.
	Together []int
}

// Find returns the effect of each of n differences between an old side and a new one. The function says what becomes of
// the answer if the differences at some positions, in order, are applied to the old side: its least value means that
// the answer stays, and a greater one is graver.
//
//   - A difference has the effect that it has alone, and at most the effect of all: if the others undo it, nothing
//     changes.
//   - If none has the effect of all alone, the differences of a set have it, from which none can be left out. There may
//     be several such sets: it is one of them, the same each time.
//   - With more than [Max] differences, all of them are that set.
//
// The function is called once for all differences, once for each, and at most n times n times for the set.
func Find[E cmp.Ordered](n int, effect func(applied []int) E) (c Causes[E]) {
	if n == 0 {
		return c
	}
	every := positions(n)
	all := effect(every)
	if n > Max {
		return Causes[E]{slices.Repeat([]E{all}, n), every}
	}
	for _, i := range every {
		c.Effects = append(c.Effects, min(all, effect([]int{i})))
	}
	if slices.Max(c.Effects) == all {
		return c
	}
	c.Together = smallest(every, func(applied []int) bool { return effect(applied) >= all })
	for _, i := range c.Together {
		c.Effects[i] = all
	}
	return c
}

func positions(n int) (list []int) {
	for i := range n {
		list = append(list, i)
	}
	return list
}

// smallest leaves out positions as long as the others suffice, from the last one on.
func smallest(all []int, suffice func(applied []int) bool) []int {
	for i := range slices.Backward(all) {
		if others := slices.Delete(slices.Clone(all), i, i+1); suffice(others) {
			return smallest(others, suffice)
		}
	}
	return all
}
