package openapi_test

import (
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/gardener/internal/openapi"
)

var update = flag.Bool("update", false, "write the file that hotupdate plan embeds")

// TestDocument: the command merges Shoots by the schemas of the Gardener that this module requires.
func TestDocument(t *testing.T) {
	t.Parallel()
	const file = "../../../cmd/hotupdate/internal/apply/openapi.json"
	document, err := openapi.Document()
	require.NoError(t, err)
	again, err := openapi.Document()
	require.NoError(t, err)
	assert.Equal(t, string(document), string(again), "the text differs from call to call")
	if *update {
		require.NoError(t, os.WriteFile(file, document, 0o600))
	}
	embedded, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(document), string(embedded), "run go test ./internal/openapi -update in hotupdate/gardener")
}
