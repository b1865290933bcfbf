package audit

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPageHasRowsOfEveryVerdict: the page had the first 5,000 rows, all of one verdict, and those of the others seemed to be none.
func TestPageHasRowsOfEveryVerdict(t *testing.T) {
	var pools []*JudgedPool
	for verdict, n := range map[Verdict]int{Rejected: 6000, Rolled: 7000, Indeterminate: 3} {
		for i := range n {
			pools = append(pools, &JudgedPool{Name: strconv.Itoa(i), Pool: "a", Verdict: verdict})
		}
	}
	r := newReport("old", "new")
	for _, p := range pools {
		r.add(p)
	}
	r.finish(nil)
	r.List(pools)
	var page strings.Builder
	require.NoError(t, r.HTML(&page, View{By: ByCause}))
	text := page.String()
	assert.Contains(t, text, "rejected: 3331 of 6000 pools are shown")
	assert.Contains(t, text, "rolled: 1666 of 7000 pools are shown")
	assert.NotContains(t, text, "indeterminate: 3 of")
	assert.Contains(t, text, "13003 pools: 6000 rejected, 7000 rolled, 3 indeterminate")
	assert.Contains(t, text, "of 5000 rows")
}
