//go:build !race

package hotupdate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
		`}},"dataVolumes":[` + strings.Join(volumes, ",") + `],"iamInstanceProfile":{"name":"a","arn":"b"},"tags":{"vm":{` + strings.Join(tags, ",") +
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
