//go:build !race

package hash_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// What is pooled is counted without the race detector, under which sync.Pool drops items at random.

// TestWarmCallsDoNotAllocate: machines are examined by the hundred thousand.
func TestWarmCallsDoNotAllocate(t *testing.T) {
	s, err := hotupdate.SchemaOf[awsConfig]()
	require.NoError(t, err)
	for _, size := range sizes {
		config := awsLike(size.items, size.tags)
		same := clone(t, config)
		tagged := clone(t, config)
		tagged.Tags.VM["vm.example.com/key-00"] = "changed"
		raw, err := json.Marshal(config)
		require.NoError(t, err)
		for name, tc := range map[string]struct {
			run  func() error
			want float64
		}{
			"Of":                        {func() error { _, err := s.Hash(config); return err }, 0},
			"Diff without a change":     {func() error { _, err := s.Diff(config, same); return err }, 0},
			"Diff with one changed tag": {func() error { _, err := s.Diff(config, tagged); return err }, 8},
			"DiffRaw of equal bytes":    {func() error { _, err := s.DiffRaw(raw, raw); return err }, 0},
		} {
			require.NoError(t, tc.run())
			assert.LessOrEqual(t, testing.AllocsPerRun(50, func() { _ = tc.run() }), tc.want, "%s, %s", name, size.name)
		}
	}
}
