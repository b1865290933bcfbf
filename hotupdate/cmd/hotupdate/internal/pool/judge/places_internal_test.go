package judge

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// TestPlaces: places find the findings that going through all of them finds.
func TestPlaces(t *testing.T) {
	t.Parallel()
	pointer := rapid.StringMatching(`(/(a|b|aa|)){0,4}`)
	rapid.Check(t, func(t *rapid.T) {
		at := placesOf(nil)
		var all []Finding
		for i, one := range rapid.SliceOfN(pointer, 0, 12).Draw(t, "findings") {
			all = append(all, Finding{Change: hotupdate.Change{Pointer: one}})
			at.add(i, one)
		}
		sought := pointer.Draw(t, "sought")
		var want []int
		for i := range all {
			if isBelow(all[i].Pointer, sought) || isBelow(sought, all[i].Pointer) {
				want = append(want, i)
			}
		}
		assert.Equal(t, want, append([]int(nil), at.around(sought)...))
		assert.Equal(t, len(want) > 0, at.touches(sought))
		assert.Equal(t, at, placesOf(slices.Clone(all)))
	})
}
