package gardener_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/gardener/internal/gardenerplugin"
)

// TestPairs: what Gardener does with the pairs that once were answered wrongly. The first lines of the
// files say which edit it is, and which of Gardener's functions decides.
func TestPairs(t *testing.T) {
	const admitted = ""
	type answer struct {
		refusal string            // the field; admitted if empty
		changes map[string]effect // of the pools that are not the same
	}
	want := map[string]answer{
		"FALSE-NONE-machine-image-without-name":                {admitted, map[string]effect{"cpu": roll}},
		"error-aborts-directory-unknown-provider-config":       {admitted, nil},
		"false-refusal-encryption-config-removed":              {admitted, nil},
		"false-refusal-ip-families-empty":                      {admitted, nil},
		"false-refusal-partial-image-version":                  {admitted, map[string]effect{"auto": inPlace}},
		"indeterminate-own-kubelet-though-reserved-is-written": {admitted, map[string]effect{"rolling": roll}},
		"missed-refusal-empty-strategy":                        {"spec.provider.workers[0].updateStrategy", nil},
		"missed-refusal-label-key":                             {"metadata.labels", nil},
		"missed-refusal-maxEmptyBulkDelete-differs":            {"spec.kubernetes.clusterAutoscaler.maxEmptyBulkDelete", nil},
		"missed-refusal-nginx-range-kept-neighbour":            {"spec.addons.nginxIngress.loadBalancerSourceRanges[1]", nil},
		"missed-refusal-taint-without-effect":                  {"spec.provider.workers[0].taints[0].effect", nil},
		"missed-refusal-time-window-incomplete":                {"spec.maintenance.timeWindow", nil},
	}
	files, err := filepath.Glob(filepath.Join("testdata", "pairs", "*.old.yaml"))
	require.NoError(t, err)
	require.Len(t, files, len(want))
	judge := newJudge(t)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".old.yaml")
		old := readYAML(t, filepath.Join("pairs", name+".old.yaml"))
		updated := readYAML(t, filepath.Join("pairs", name+".new.yaml"))
		answered := judge.Judge(gardenerplugin.Question{ID: name, Old: toJSON(t, old), New: toJSON(t, updated), Apply: "client"})
		require.Empty(t, answered.Error, name)
		got := ofGardener(answered)
		assert.Equal(t, want[name].refusal, got.field, "%s: %s", name, got.text)
		for pool, e := range got.pools {
			wanted, is := want[name].changes[pool]
			if !is {
				wanted = none
			}
			assert.Equal(t, wanted, e, "%s: pool %s", name, pool)
		}
	}
}
