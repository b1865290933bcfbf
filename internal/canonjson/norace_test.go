//go:build !race

package canonjson_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hotupdate/providerconfig/internal/canonjson"
)

// What is pooled is counted without the race detector, under which sync.Pool drops items at random.

func TestValuesDoNotAllocate(t *testing.T) {
	dst, raw := make([]byte, 0, 1024), []byte(workerConfig)
	assert.Zero(t, testing.AllocsPerRun(100, func() { _, _ = canonjson.AppendValue(dst, raw) }))
}

func TestComparisonsDoNotAllocate(t *testing.T) {
	raw, spaced, shuffled := []byte(workerConfig), []byte(" "+workerConfig), []byte(canonical(t, workerConfig))
	shuffled = []byte(strings.Replace(string(shuffled), "0.5", "0.50", 1))
	assert.Zero(t, testing.AllocsPerRun(100, func() { assert.True(t, canonjson.Same(raw, spaced)) }))
	assert.Zero(t, testing.AllocsPerRun(100, func() { assert.True(t, canonjson.Same(raw, shuffled)) }))
}
