package extension_test

import (
	"testing"

	library "github.com/evanphx/json-patch/v5"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/internal/jsonpatch"
)

// TestPatchesApply: Cluster API applies patches with a library. For any two values, this library
// turns one into the other by the patch between them. The main module must not depend on this
// library, and tests the patches with the library of Kubernetes.
func TestPatchesApply(t *testing.T) {
	values := []string{
		`null`, `true`, `1`, `1.0`, `123456789012345678901`, `"a"`, `"<é\u0000"`,
		`[]`, `[null]`, `[1,2,3]`, `[[1],{"a":1}]`, `[{"a":1},[1,2]]`,
		`{}`, `{"a":null}`, `{"a":1}`, `{"":1}`, `{"":{"a":1},"a":[]}`, `{"a/b":{"c~d":1}}`, `{"a/b":{"c~d":[1,{"~1":2}]}}`,
		`{"-":1,"0":2}`,
	}
	for _, old := range values {
		for _, updated := range values {
			whole := `{"spec":` + old + `,"kept":1.0}`
			wanted := `{"spec":` + updated + `,"kept":1.0}`
			written, err := jsonpatch.Diff(treeOf(t, whole), treeOf(t, wanted))
			require.NoError(t, err)
			patch, err := library.DecodePatch(written)
			require.NoError(t, err)
			patched, err := patch.Apply([]byte(whole))
			require.NoError(t, err, "%s to %s: %s", old, updated, written)
			require.Equal(t, treeOf(t, wanted), treeOf(t, string(patched)), "%s", written)
		}
	}
}

func treeOf(t *testing.T, raw string) any {
	t.Helper()
	tree, err := jsonpatch.Parse([]byte(raw))
	require.NoError(t, err)
	return tree
}
