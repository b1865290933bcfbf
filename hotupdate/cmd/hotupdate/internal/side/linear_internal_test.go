package side

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	manifests "github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
)

// TestUnknownMembersAreLocatedTogether: the text of an object was parsed for every unknown member.
// 4,000 took a minute.
func TestUnknownMembersAreLocatedTogether(t *testing.T) {
	checking := func(n int) float64 {
		var members []string
		for i := range n {
			members = append(members, fmt.Sprintf(`"quite-unknown-%06d":1`, i))
		}
		text := []byte(`{` + strings.Join(members, ",") + `}`)
		o := &manifests.Object{Raw: text, Text: text}
		m := &Input{Manifest: &pool.Manifest{Kind: pool.Worker, Raw: text}}
		return testing.AllocsPerRun(1, func() {
			r := Reader{}
			r.checkMembers(m, o)
			require.Len(t, r.Warnings, n)
		})
	}
	require.Less(t, checking(200), 3*checking(100))
}
