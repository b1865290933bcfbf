package side_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/examples/providers"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/side"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
)

// TestCompareInParallel: objects are read and compared on all processors, and the plans have the order
// of the new side. The race detector watches what they share.
func TestCompareInParallel(t *testing.T) {
	t.Parallel()
	shoot, err := os.ReadFile("../pool/testdata/pairs/aws.yaml")
	require.NoError(t, err)
	old := t.TempDir()
	updated := t.TempDir()
	const pairs = 40
	for i := range pairs {
		file := fmt.Sprintf("%02d.yaml", i)
		before := strings.ReplaceAll(string(shoot), "name: orders\n", fmt.Sprintf("name: orders-%02d\n", i))
		after := before
		if i%2 == 0 {
			after = strings.ReplaceAll(before, "m5.large", "m5.xlarge")
		}
		require.NotEqual(t, string(shoot), before)
		require.NoError(t, os.WriteFile(filepath.Join(old, file), []byte(before), 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(updated, file), []byte(after), 0o600))
	}
	schemas, err := side.NewCatalog("", providers.All())
	require.NoError(t, err)
	r := &side.Reader{Schemas: schemas, Options: judge.Options{
		Schema: schemas.Schema, Providers: providers.All(), Extension: judge.Both,
	}}
	plans, err := r.Compare(t.Context(), old, updated)
	require.NoError(t, err)
	require.Len(t, plans, pairs)
	for i, plan := range plans {
		assert.Equal(t, fmt.Sprintf("orders-%02d", i), plan.Name)
		assert.Equal(t, i%2 == 0, plan.Verdict() == verdict.Roll, plan.Name)
	}
}
