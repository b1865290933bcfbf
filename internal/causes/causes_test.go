package causes_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/internal/causes"
)

// bitsOf is a set of positions as a number.
func bitsOf(applied []int) (bits int) {
	for _, i := range applied {
		bits |= 1 << i
	}
	return bits
}

// TestFind has a row for each rule. Of three differences, the effect of each set is at the number whose bits are the set.
func TestFind(t *testing.T) {
	for _, test := range []struct {
		name     string
		effects  [8]int
		want     []int
		together []int
	}{
		{"nothing changes", [8]int{}, []int{0, 0, 0}, nil},
		{"one is the cause", [8]int{0, 0, 1, 1, 0, 0, 1, 1}, []int{0, 1, 0}, nil},
		{"each of two is a cause", [8]int{0, 1, 1, 1, 0, 1, 1, 1}, []int{1, 1, 0}, nil},
		{"two cancel out", [8]int{0, 1, 1, 0, 0, 1, 1, 0}, []int{0, 0, 0}, nil},
		{"only two together", [8]int{0, 0, 0, 1, 0, 0, 0, 1}, []int{1, 1, 0}, []int{0, 1}},
		{"the first with either of the others", [8]int{0, 0, 0, 1, 0, 1, 0, 1}, []int{1, 1, 0}, []int{0, 1}},
		{"only all together", [8]int{7: 1}, []int{1, 1, 1}, []int{0, 1, 2}},
		{"alone graver than all", [8]int{0, 2, 0, 1, 0, 2, 0, 1}, []int{1, 0, 0}, nil},
		{"one alone milder than all", [8]int{0, 1, 0, 1, 0, 1, 2, 2}, []int{1, 2, 2}, []int{1, 2}},
	} {
		t.Run(test.name, func(t *testing.T) {
			found := causes.Find(3, func(applied []int) int { return test.effects[bitsOf(applied)] })
			assert.Equal(t, test.want, found.Effects)
			assert.Equal(t, test.together, found.Together)
		})
	}
}

// TestFindForAnyFunction: whatever the function is, a cause of the effect of all is found, each effect is one that the
// function has given, and none of a set can be left out.
func TestFindForAnyFunction(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(t, "differences")
		effects := rapid.SliceOfN(rapid.SampledFrom([]int{0, 0, 0, 1, 2}), 1<<n, 1<<n).Draw(t, "effects")
		effects[0] = 0 // nothing is applied
		effect := func(applied []int) int {
			assert.True(t, slices.IsSorted(applied))
			return effects[bitsOf(applied)]
		}
		found := causes.Find(n, effect)
		all := effects[len(effects)-1]
		require.Equal(t, all, slices.Max(found.Effects))
		for i, got := range found.Effects {
			want := min(all, effects[1<<i])
			if slices.Contains(found.Together, i) {
				want = all
			}
			require.Equal(t, want, got)
		}
		if len(found.Together) == 0 {
			return
		}
		require.Greater(t, len(found.Together), 1, "one alone does it")
		require.GreaterOrEqual(t, effect(found.Together), all)
		for i := range found.Together {
			require.Less(t, effect(slices.Delete(slices.Clone(found.Together), i, i+1)), all, "it can be left out")
		}
		require.Equal(t, found, causes.Find(n, effect), "the same each time")
	})
}

// TestFindMany: beyond the limit, the function is called once.
func TestFindMany(t *testing.T) {
	calls := 0
	found := causes.Find(causes.Max+1, func([]int) int {
		calls++
		return 3
	})
	assert.Equal(t, 1, calls)
	assert.Len(t, found.Together, causes.Max+1)
	assert.Equal(t, slices.Repeat([]int{3}, causes.Max+1), found.Effects)
	assert.Empty(t, causes.Find(0, func([]int) int { panic("nothing to try") }).Effects)
}
