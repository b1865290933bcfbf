package audit_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/audit"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/report"
)

// TestPageHasRowsOfEveryCause: the page had the first 5,000 rows, all of one verdict, and those of the others seemed to be none.
func TestPageHasRowsOfEveryCause(t *testing.T) {
	t.Parallel()
	var former strings.Builder
	for verdict, n := range map[string]int{"forbidden": 6000, "roll": 7000, "indeterminate": 3} {
		for i := range n {
			fmt.Fprintf(&former,
				`{"kind":"Shoot","name":%q,"state":"kept","verdict":%q,"pools":[{"name":"a","state":"kept","strategy":"AutoRollingUpdate",`+
					`"verdict":%[2]q,"reasons":[{"text":"because"}]}]}`+"\n", strconv.Itoa(i), verdict)
		}
	}
	former.WriteString(`{"report":{"formatVersion":4,"command":"audit","objects":{"read":13003,"judged":13003,"skipped":{}},` +
		`"sum":[{"verdict":"forbidden","pools":6000,"machines":0},{"verdict":"roll","pools":7000,"machines":0},{"verdict":"indeterminate","pools":3,"machines":0}],` +
		`"causes":[{"verdict":"forbidden","text":"because","pools":6000},{"verdict":"roll","text":"because","pools":7000},{"verdict":"indeterminate","text":"because","pools":3}]}}`)
	file := write(t, former.String())
	var pools []*audit.JudgedPool
	merged, err := audit.Merge([]string{file}, &audit.Known{}, func(p *audit.JudgedPool) error {
		pools = append(pools, p)
		return nil
	})
	require.NoError(t, err)
	audit.List(merged, pools)
	var page strings.Builder
	require.NoError(t, report.HTML(&page, merged, report.Shown{Limit: -1}))
	text := page.String()
	assert.Contains(t, text, "forbidden: 13,003 manifests, 13,003 pools: 6,000 forbidden, 7,000 roll, 3 indeterminate")
	for _, want := range []string{`forbidden</b>`, "and 4,000 more", `roll</b>`, "and 5,000 more", `indeterminate</b>`} {
		_, after, ok := strings.Cut(text, want)
		require.True(t, ok, want)
		text = after
	}
	assert.NotContains(t, text, " more", "all of the three")
}
