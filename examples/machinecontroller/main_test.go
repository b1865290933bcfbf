package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestStory: everything in the story happens, and every record and resource is as the story expects it.
func TestStory(t *testing.T) {
	var told bytes.Buffer
	err := tell(t.Context(), &told)
	require.NoErrorf(t, err, "%s", &told)
	words := strings.Join(strings.Fields(told.String()), " ") // lines are wrapped where an address is longer
	for _, part := range []string{
		"took effect, after nobody waited", "is dead", "wakes up", "(FirstAdoption)", "cannot be read", "ModifyInstanceMetadataOptions HttpTokens=required i-2: ok", "has a node that is CandidateForUpdate, and httpTokens=optional",
		"(SpecChanged): hotupdate: Set vm i-1", "request send failed", "mcm_hot_update_reconciles_total", "(Unfinished)", "VolumeModificationRateExceeded", "takes over the key cost-center of vol-2",
		"selects the node of " + other, "had 3 machines at most, and 2 of them available at least",
	} {
		require.Contains(t, words, part)
	}
}
