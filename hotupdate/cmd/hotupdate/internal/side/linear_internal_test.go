package side

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/kinds"
	manifests "github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
)

// TestUnknownMembersAreLocatedTogether: the text of an object was once parsed for every unknown member.
// 4,000 took a minute.
func TestUnknownMembersAreLocatedTogether(t *testing.T) {
	checking := func(n int) float64 {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf(`"quite-unknown-%06d":1`, i))
		}
		text := []byte(`{` + strings.Join(all, ",") + `}`)
		o := &manifests.Object{Tree: tree.Of(text)}
		found, err := kinds.Worker.Examine(o.Tree)
		require.NoError(t, err)
		m := &Input{Manifest: &facts.Manifest{Kind: facts.Worker, Findings: found}}
		return testing.AllocsPerRun(1, func() {
			unknown := unknownOf(m)
			require.NoError(t, unknown.errors.Err())
			require.Len(t, unknown.warnings(o), n)
		})
	}
	require.Less(t, checking(200), 3*checking(100))
}
