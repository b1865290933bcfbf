package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/admission"
)

// TestRecordedReviews: what is said about the reviews that an API server sent for changes by kubectl. In
// internal/integration, they are written by go test ./webhook -run TestRecord -update.
func TestRecordedReviews(t *testing.T) {
	t.Parallel()
	const (
		larger  = `pool cpu: roll, up to 3 machines: machine.type "m5.large" -> "m5.xlarge"`
		smaller = `pool cpu: roll, up to 3 machines: machine.type "m5.xlarge" -> "m5.large"`
	)
	want := map[string][]string{"apply": {larger}, "dry-run": {smaller}, "server-side": {smaller}, "annotate": nil, "replace": {larger}}
	folder := filepath.Join("testdata", "reviews")
	files, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, files, len(want))
	j, err := judgingBy(t, byDefault)
	require.NoError(t, err)
	for name, warnings := range want {
		text, err := os.ReadFile(filepath.Join(folder, name+".json"))
		require.NoError(t, err)
		review, err := admission.ParseReview(text)
		require.NoError(t, err, name)
		assert.Len(t, review.UID, 36, name)
		assert.Equal(t, "core.gardener.cloud/v1beta1 Shoot", review.Kind.Group+"/"+review.Kind.Version+" "+review.Kind.Kind)
		assert.Equal(t, "UPDATE garden-dev/recorded", review.Operation+" "+review.Namespace+"/"+review.Name)
		assert.Equal(t, name == "dry-run", review.DryRun, name)
		judged, err := j.judge(t.Context(), review.OldObject, review.Object)
		require.NoError(t, err, name)
		assert.Equal(t, warnings, judged.Warnings, name)
		assert.Empty(t, judged.Contrary, name)
	}
}
