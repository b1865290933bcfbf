package crds_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"iter"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/crds"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
)

// record has drawn CRDs of two releases, and the specs of objects as they were sent, and as an API server with each
// release returned them. The objects were stored under the old one. internal/integration/crd writes them.
type record struct {
	Old, New json.RawMessage
	Objects  []struct{ Sent, Old, New json.RawMessage }
}

// TestReturned: an object is pruned and filled in as an API server does it, when it is stored and when a newer release
// of the CRD returns it.
func TestReturned(t *testing.T) {
	t.Parallel()
	objects := 0
	changed := 0
	for r := range records(t) {
		old, of := read(t, r.Old)
		updated, _ := read(t, r.New)
		for _, o := range r.Objects {
			stored := old.Returned(of, o.Sent)
			require.JSONEq(t, string(o.Old), string(stored), "%s\n%s", r.Old, o.Sent)
			require.JSONEq(t, string(o.New), string(updated.Returned(of, stored)), "%s\n%s", r.New, stored)
			objects++
			if !bytes.Equal(o.Old, o.New) {
				changed++
			}
		}
	}
	assert.Greater(t, objects, 500)
	assert.Greater(t, changed, 50)
}

// records are the records of the file.
func records(t *testing.T) iter.Seq[record] {
	t.Helper()
	return func(yield func(record) bool) {
		packed, err := os.ReadFile("testdata/returned.jsonl.gz")
		require.NoError(t, err)
		unpacked, err := gzip.NewReader(bytes.NewReader(packed))
		require.NoError(t, err)
		lines := json.NewDecoder(unpacked)
		for {
			var r record
			err := lines.Decode(&r)
			if err == io.EOF {
				return
			}
			require.NoError(t, err)
			if !yield(r) {
				return
			}
		}
	}
}

func read(t *testing.T, definition []byte) (*crds.Set, facts.TypeMeta) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "crd.json")
	require.NoError(t, os.WriteFile(file, definition, 0o600))
	set, err := crds.Read(file, "", nil)
	require.NoError(t, err)
	types := crds.AllTypes(set)
	require.Len(t, types, 1)
	return set, types[0]
}
