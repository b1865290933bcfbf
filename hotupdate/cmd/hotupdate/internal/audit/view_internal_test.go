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
	for verdict, n := range map[string]int{"forbidden": 6000, "roll": 7000, "indeterminate": 3} {
		for i := range n {
			pools = append(pools, &JudgedPool{Name: strconv.Itoa(i), Pool: "a", Verdict: verdict})
		}
	}
	r := newReport("old", "new")
	for _, p := range pools {
		r.add(p)
	}
	r.finish(&Known{})
	r.List(pools)
	var page strings.Builder
	require.NoError(t, r.HTML(&page, View{By: ByCause, Limit: -1}))
	text := page.String()
	assert.Contains(t, text, "13003 pools: 6000 forbidden, 7000 roll, 3 indeterminate")
	for _, want := range []string{`forbidden pools</b>`, "and 4000 more", `roll pools</b>`, "and 5000 more", `indeterminate pools</b>`} {
		_, after, ok := strings.Cut(text, want)
		require.True(t, ok, want)
		text = after
	}
	assert.NotContains(t, text, " more", "all of the three")
}
