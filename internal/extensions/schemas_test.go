package extensions_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/extensions"
)

// TestSchemas: each file can be loaded and has the fingerprint of what stands in it, which the command does not check
// again.
func TestSchemas(t *testing.T) {
	t.Parallel()
	want := map[string]string{} // fingerprints by names of providers
	files, err := filepath.Glob("schemas/*.json")
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		schema, err := hotupdate.LoadSchema(text)
		require.NoError(t, err, file)
		want[strings.TrimSuffix(filepath.Base(file), ".json")], err = schema.Fingerprint()
		require.NoError(t, err)
	}
	all := extensions.All()
	assert.Greater(t, len(files), len(all))
	for _, p := range all {
		schema, err := p.Schema()
		require.NoError(t, err, p.Name)
		again, err := p.Schema()
		require.NoError(t, err)
		assert.Same(t, schema, again, "it is compiled once")
		got, err := schema.Fingerprint()
		require.NoError(t, err)
		assert.Equal(t, want[p.Name], got, p.Name)
	}
}
