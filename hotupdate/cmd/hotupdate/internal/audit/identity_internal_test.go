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
	seen, err := newIdentities(16)
	require.NoError(t, err)
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

// TestIdentitiesOfALostFile: a file that cannot be read or made is an error, not a verdict.
func TestIdentitiesOfALostFile(t *testing.T) {
	for grows, slots := range map[bool]uint64{false: 16, true: 2} {
		seen, err := newIdentities(slots)
		require.NoError(t, err)
		_, err = seen.add(identityNumbered(0))
		require.NoError(t, err)
		seen.close()
		_, err = seen.add(identityNumbered(1))
		require.ErrorIs(t, err, os.ErrClosed, grows)
	}
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	t.Setenv("TMP", os.Getenv("TMPDIR"))
	_, err := newIdentities(16)
	require.ErrorIs(t, err, os.ErrNotExist)
}
