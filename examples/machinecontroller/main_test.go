package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/controller"
)

// TestStory: everything in the story happens, and every record and resource is as the story expects it.
func TestStory(t *testing.T) {
	for name, transfer := range map[string]controller.Transfer{
		"a transferred machine keeps its class": controller.KeepClass, "it names the new class": controller.NameClass,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testStory(t, transfer)
		})
	}
}

func testStory(t *testing.T, transfer controller.Transfer) {
	t.Helper()
	var told bytes.Buffer
	err := tell(t.Context(), &told, transfer)
	require.NoErrorf(t, err, "%s", &told)
	words := strings.Join(strings.Fields(told.String()), " ") // lines are wrapped where an address is longer
	for _, part := range []string{
		"took effect after its caller had stopped waiting", "is dead", "wakes up", "(FirstAdoption)", "cannot be read",
		"ModifyInstanceMetadataOptions HttpTokens=required i-2: ok", "has a node that is CandidateForUpdate, and httpTokens=optional",
		"mcm_hot_update_reconciles_total", "(Unfinished)", "VolumeModificationRateExceeded", "takes over the key cost-center of vol-2",
		"selects the node of " + other, "had 3 machines at most, and 2 of them available at least",
	} {
		require.Contains(t, words, part)
	}
	// the kit makes a call without an answer again in the same update, so no event speaks of it
	require.Contains(t, words, "no answer; it will take effect in")
	require.NotContains(t, words, "request send failed")
}
