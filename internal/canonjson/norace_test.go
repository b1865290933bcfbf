//go:build !race

package canonjson_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hotupdate/providerconfig/internal/canonjson"
)

// What is pooled is counted without the race detector, under which sync.Pool drops items at random.

func TestValuesDoNotAllocate(t *testing.T) {
	dst := make([]byte, 0, 1024)
	raw := []byte(workerConfig)
	assert.Zero(t, testing.AllocsPerRun(100, func() { _, _ = canonjson.AppendValue(dst, raw) }))
}
