//go:build !race

package hotupdate_test

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/internal/effort"
)

// TestLargeHashesLeaveTheHeapSmall: of 10,000 hashes and comparisons of large configs, by more goroutines than there are
// processors, only the buffers that are kept for the next one stay: less than 2 MiB for each goroutine. A config of 1 MB
// needs several times that while it is hashed.
func TestLargeHashesLeaveTheHeapSmall(t *testing.T) {
	schema := schemaFor[workerConfig](t)
	const goroutines = 8
	configs := [][]byte{configOfLabels(1_000), configOfLabels(4_000), configOfLabels(40_000)}
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC() // once: what pools hold is still there
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	var all sync.WaitGroup
	for range goroutines {
		all.Go(func() {
			for i := range effort.Of(10_000) / goroutines {
				raw := configs[0]
				if i%100 == 0 { // the largest ones now and then, as in a fleet
					raw = configs[1+i/100%2]
				}
				_, err := schema.HashRaw(raw)
				assert.NoError(t, err)
				_, err = schema.DiffRaw(raw, configs[0])
				assert.NoError(t, err)
			}
		})
	}
	all.Wait()
	kept := int64(heap()) - int64(before) //nolint:gosec // no heap is that large
	require.Less(t, kept, int64(goroutines*2<<20))
	t.Logf("%d KiB for each goroutine", kept>>10/goroutines)
	runtime.KeepAlive(configs)
}
