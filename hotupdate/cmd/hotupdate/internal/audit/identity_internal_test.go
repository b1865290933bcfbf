package audit

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// identityNumbered spreads the numbers over all identities but the one of zeros, which no hash returns.
func identityNumbered(n uint64) (one identity) {
	n++
	binary.BigEndian.PutUint64(one[:], n*0x9e3779b97f4a7c15)
	binary.LittleEndian.PutUint64(one[8:], n)
	return one
}

// TestIdentities: the set agrees with a map, and leaves no file behind.
func TestIdentities(t *testing.T) {
	directory := t.TempDir()
	t.Setenv("TMPDIR", directory)
	t.Setenv("TMP", directory)
	random := rand.New(rand.NewPCG(1, 2))
	seen := newIdentities(16)
	all := map[identity]bool{}
	for range 60_000 {
		one := identityNumbered(random.Uint64N(30_000))
		isNew, err := seen.add(one)
		require.NoError(t, err)
		require.Equal(t, !all[one], isNew)
		all[one] = true
	}
	seen.close()
	left, err := os.ReadDir(directory)
	require.NoError(t, err)
	assert.Empty(t, left)
}

// TestFewIdentitiesNeedNoFile: a fleet of usual size is audited where no file can be made.
func TestFewIdentitiesNeedNoFile(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	t.Setenv("TMP", os.Getenv("TMPDIR"))
	seen := newIdentities(16)
	for n := range uint64(8) {
		isNew, err := seen.add(identityNumbered(n))
		require.NoError(t, err)
		require.True(t, isNew)
	}
	for n := range uint64(8) {
		isNew, err := seen.add(identityNumbered(n))
		require.NoError(t, err)
		require.False(t, isNew)
	}
	_, err := seen.add(identityNumbered(8))
	require.ErrorIs(t, err, os.ErrNotExist, "a file is needed, and cannot be made")
	require.ErrorContains(t, err, "more than 8 objects need a temporary file, and none can be made; set TMPDIR")
	seen.close()
}

// TestIdentitiesOfALostFile: a file that cannot be read is an error, not a verdict.
func TestIdentitiesOfALostFile(t *testing.T) {
	for name, inFile := range map[string]uint64{"the table in use": 1, "the next table": 9} {
		seen := newIdentities(2)
		for n := range 1 + inFile {
			_, err := seen.add(identityNumbered(n))
			require.NoError(t, err)
		}
		seen.close()
		_, err := seen.add(identityNumbered(100))
		require.ErrorIs(t, err, os.ErrClosed, name)
	}
}
