//go:build !race

package rawjson_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hotupdate/providerconfig/examples/aws"
	"github.com/hotupdate/providerconfig/internal/rawjson"
)

// What is pooled is counted without the race detector, under which sync.Pool drops items at random.

// TestReadAllocatesForTheValueOnly: beyond the value's own memory a run takes none.
func TestReadAllocatesForTheValueOnly(t *testing.T) {
	p := build(t, reflect.TypeFor[aws.WorkerConfig]())
	reading := testing.AllocsPerRun(100, func() { _, _ = rawjson.Read(p, awsConfig) })
	decoding := testing.AllocsPerRun(100, func() { decoded(p, awsConfig) })
	assert.LessOrEqual(t, reading, 35.0)
	assert.Greater(t, decoding, reading)
}
