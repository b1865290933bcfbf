package workerpool_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/workerpool"
)

// The triggers of version 1 mean the same for ever: another meaning needs another version. Never change a fingerprint here.
func TestGoldenFingerprints(t *testing.T) {
	t.Parallel()
	for provider, want := range map[string]string{} {
		schema, err := workerpool.Schema(provider)
		require.NoError(t, err)
		got, err := schema.Fingerprint()
		require.NoError(t, err)
		assert.Equal(t, want, got, provider)
	}
}
