package audit

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
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

// TestIdentities: the set agrees with a map, also where no temporary file can be written, and leaves no file behind.
func TestIdentities(t *testing.T) {
	directory := t.TempDir()
	for name, tmp := range map[string]string{"in a file": directory, "in memory": filepath.Join(directory, "missing")} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("TMPDIR", tmp)
			t.Setenv("TMP", tmp)
			random := rand.New(rand.NewPCG(1, 2))
			seen, all := newIdentities(), map[identity]bool{}
			seen.limit = 100
			for range 60_000 {
				one := identityNumbered(random.Uint64N(30_000))
				isNew, err := seen.add(one)
				require.NoError(t, err)
				require.Equal(t, !all[one], isNew)
				all[one] = true
			}
			assert.Equal(t, tmp == directory, seen.file != nil)
			seen.close()
			left, err := os.ReadDir(directory)
			require.NoError(t, err)
			assert.Empty(t, left)
		})
	}
}

// TestIdentitiesOfALostFile: a file that cannot be read is an error, not a verdict.
func TestIdentitiesOfALostFile(t *testing.T) {
	seen := newIdentities()
	for n := range uint64(maxFew + 1) {
		_, err := seen.add(identityNumbered(n))
		require.NoError(t, err)
	}
	seen.close()
	_, err := seen.add(identityNumbered(maxFew + 1))
	assert.ErrorIs(t, err, os.ErrClosed)
}

// TestIdentitiesInLittleMemory: what a set holds in memory does not grow with it.
func TestIdentitiesInLittleMemory(t *testing.T) {
	seen := newIdentities()
	defer func() { seen.close() }()
	held := func(until uint64) uint64 {
		for n := seen.used + uint64(len(seen.few)); n < until; n++ {
			isNew, err := seen.add(identityNumbered(n))
			require.True(t, isNew && err == nil)
		}
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	const many = 300_000
	few := held(many / 10)
	assert.Less(t, held(many), few+256<<10, "a map of them would take 10 MB more")
}
