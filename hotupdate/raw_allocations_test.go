//go:build !race

package hotupdate_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/internal/effort"
)

// TestHashRawAllocatesLittle: no Go value is made of a usual configuration. What is pooled is counted without the race detector.
func TestHashRawAllocatesLittle(t *testing.T) {
	schema := schemaFor[workerConfig](t)
	var volumes, tags []string
	for i := range 9 {
		volumes = append(volumes, fmt.Sprintf(`{"name":"data-volume-%d","snapshotID":"snap-%d","iops":3000}`, 9-i, i))
		tags = append(tags, fmt.Sprintf(`"key-%d":"value \"%d\""`, i, i))
	}
	raw := []byte(`{"apiVersion":"a/v1","kind":"WorkerConfig","volume":{"iops":10000,"size":"20Gi","labels":{` + strings.Join(tags, ",") +
		`}},"dataVolumes":[` + strings.Join(
		volumes, ",",
	) + `],"iamInstanceProfile":{"name":"a","arn":"b"},"tags":{"vm":{` + strings.Join(tags, ",") +
		`}},"securityGroups":["b","a"]}`)
	require.True(t, schema.Transcribes(raw))
	assert.LessOrEqual(t, testing.AllocsPerRun(100, func() {
		_, err := schema.HashRaw(raw)
		require.NoError(t, err)
	}), 20.0)
}

// TestDiffRawOfOneSpellingAllocatesLittle: what two configurations spell alike becomes no values.
func TestDiffRawOfOneSpellingAllocatesLittle(t *testing.T) {
	schema := schemaFor[workerConfig](t)
	old := []byte(`{"volume":{"iops":3},"tags":{"vm":{"a":"b"}}}`)
	updated := []byte(`{ "volume" : {"iops":3},  "tags":{"vm":{"a":"b"}} }`)
	assert.LessOrEqual(t, testing.AllocsPerRun(100, func() {
		changes, err := schema.DiffRaw(old, updated)
		require.NoError(t, err)
		require.Empty(t, changes)
	}), 5.0)
}

// TestLongConfigsAllocateLittle: the memory for a long config is kept, as that for a short one. It was not above 16 KiB
// or 512 entries: 32 KiB were hashed at a fifth of the speed. 2,000 hashes leave little behind.
func TestLongConfigsAllocateLittle(t *testing.T) {
	schema := schemaFor[workerConfig](t)
	var labels []string
	for i := range 3000 {
		labels = append(labels, fmt.Sprintf(`"key-%06d":"value \"%d\""`, i*7919%3000, i))
	}
	raw := []byte(`{"apiVersion":"a/v1","kind":"WorkerConfig","volume":{"labels":{` + strings.Join(labels, ",") + `}}}`)
	respelled := append([]byte(" "), raw...)
	require.Greater(t, len(raw), 64<<10)
	require.True(t, schema.Transcribes(raw))
	operation := func() {
		_, err := schema.HashRaw(raw)
		require.NoError(t, err)
		changes, err := schema.DiffRaw(raw, respelled)
		require.NoError(t, err)
		require.Empty(t, changes)
	}
	assert.LessOrEqual(t, testing.AllocsPerRun(100, operation), 20.0)
	before := heapOf(t)
	for range effort.Of(2_000) {
		operation()
	}
	assert.Less(t, heapOf(t), before+4<<20)
}

// heapOf returns the bytes of the heap that are in use.
func heapOf(t *testing.T) uint64 {
	t.Helper()
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}
