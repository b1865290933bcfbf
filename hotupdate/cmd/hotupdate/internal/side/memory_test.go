//go:build !race

package side_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/side"
	"github.com/hotupdate/providerconfig/internal/extensions"
)

// TestMemoryOfObjects: of each object its text is held, once if both sides have it, and of each pair its plan. The
// bounds are half as much again as what was measured in bytes for a pair, whose two texts have 2,635.
func TestMemoryOfObjects(t *testing.T) {
	for _, tc := range []struct {
		name, machine     string
		atRead, atCompare int
	}{
		{"unchanged", "m5.large", 4100, 5100},
		{"changed", "m5.xlarge", 6900, 8500},
	} {
		t.Run(tc.name, func(t *testing.T) {
			const (
				few  = 100
				many = 300
			)
			heldBytes(t, few, tc.machine) // what is held once for all comparisons
			fewRead, fewCompared := heldBytes(t, few, tc.machine)
			manyRead, manyCompared := heldBytes(t, many, tc.machine)
			read := (manyRead - fewRead) / (many - few)
			compared := (manyCompared - fewCompared) / (many - few)
			t.Logf("%d bytes for a pair after it was read, %d after it was compared", read, compared)
			assert.Less(t, read, tc.atRead)
			assert.Less(t, compared, tc.atCompare)
		})
	}
}

// heldBytes returns how much more memory is held once all objects have been read, and once all were compared.
func heldBytes(t *testing.T, pairs int, machine string) (read, compared int) {
	t.Helper()
	shoot, err := os.ReadFile("../pool/testdata/pairs/aws.yaml")
	require.NoError(t, err)
	old := t.TempDir()
	updated := t.TempDir()
	for i := range pairs {
		file := fmt.Sprintf("%05d.yaml", i)
		before := strings.ReplaceAll(string(shoot), "name: orders\n", fmt.Sprintf("name: orders-%05d\n", i))
		after := strings.ReplaceAll(before, "m5.large", machine)
		require.NoError(t, os.WriteFile(filepath.Join(old, file), []byte(before), 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(updated, file), []byte(after), 0o600))
	}
	schemas, err := side.NewCatalog("", extensions.All())
	require.NoError(t, err)
	options := judge.Options{Schema: schemas.Schema, Providers: extensions.All(), Extension: judge.Both}
	start := liveBytes()
	r := &side.Reader{Schemas: schemas, Options: options, Progress: func(did string, done, _ int) {
		switch {
		case did == "read" && done == 2*pairs:
			read = liveBytes() - start
		case did == "compared" && done == pairs:
			compared = liveBytes() - start
		}
	}}
	plans, err := r.Compare(t.Context(), old, updated)
	require.NoError(t, err)
	require.Len(t, plans, pairs)
	return read, compared
}

// liveBytes is the memory that is reachable.
func liveBytes() int {
	var m runtime.MemStats
	runtime.GC() // twice, to empty the pools
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc) //nolint:gosec // no heap is that large
}
