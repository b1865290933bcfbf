//go:build !race

// Without the race detector, which makes the searches ten times slower and finds nothing in one goroutine.

package machineupdate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestNaiveFlows: each flow leaves one of the rules out, and looks right. The model finds a shortest trace to its failure.
func TestNaiveFlows(t *testing.T) {
	for _, tc := range []struct {
		flow            flow
		from            func(*model) []world
		changes, faults uint8
		want            string
		reason          string
	}{
		{
			flow{name: "no marker", noMarker: true},
			settled, 2, 1, "liveness",
			"what a crashed update has set is not known to be ours",
		},
		{
			flow{name: "LastOperation as state", lastOperation: true},
			settled, 2, 2, "liveness",
			"health checks overwrite it, and a migration drops it",
		},
		{
			flow{name: "marker without attempted specs", forgetAttempted: true},
			settled, 2, 1, "liveness",
			"an update is forced, but what the one before has set stays",
		},
		{
			flow{name: "ownership by key", keysOnly: true},
			settled, 2, 1, "safety",
			"a key that others have set anew is removed",
		},
		{
			flow{name: "writes without resourceVersion", blind: true},
			settled, 2, 2, "liveness",
			"a leader that lost its lease overwrites the record of the next one",
		},
		{
			flow{name: "clearing on failure", clearOnFailure: true},
			settled, 2, 1, "liveness",
			"a failed update may have set something",
		},
		{
			flow{name: "recording on adoption", recordFound: true},
			created, 2, 1, "liveness",
			"the VM that was found was made with another spec",
		},
		{
			flow{name: "content as marker", byContent: true},
			settled, 2, 1, "liveness",
			"a revert makes wanted and applied alike while the cloud is not",
		},
		{
			flow{name: "no confirmation", neverConfirm: true},
			settled, 2, 1, "liveness",
			"late requests land after the success",
		},
		{
			flow{name: "former applied forgotten", dropFormer: true},
			settled, 2, 2, "liveness",
			"a lagging read did not show a key that is then not known to be ours",
		},
	} {
		t.Run(tc.flow.name, func(t *testing.T) {
			m := newModel(t, tc.flow, tc.changes, tc.faults)
			m.from = tc.from
			found := explore(t, m, 3_000_000)
			t.Logf("%s\n%d states, depth %d\n%s", tc.reason, found.states, found.depth, strings.Join(found.trace, "\n"))
			assert.True(t, strings.HasPrefix(found.violation, tc.want), "%q", found.violation)
		})
	}
}
