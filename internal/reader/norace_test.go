//go:build !race

package reader_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hotupdate/providerconfig/examples/aws"
	"github.com/hotupdate/providerconfig/internal/reader"
)

// What is pooled is counted without the race detector, under which sync.Pool drops items at random.

// TestReadAllocatesForTheValueOnly: beyond the value's own memory a run takes none, but for the texts of two quantities. A passing value has a
// copy of the document for all texts, and one piece of memory for all that is optional.
func TestReadAllocatesForTheValueOnly(t *testing.T) {
	p := build(t, reflect.TypeFor[aws.WorkerConfig]())
	reading := func(life reader.Life) float64 {
		return testing.AllocsPerRun(100, func() { _, _ = reader.Read(p, awsConfig, life) })
	}
	decoding := testing.AllocsPerRun(100, func() { decoded(p, awsConfig) })
	assert.LessOrEqual(t, reading(reader.Lasting), 35.0)
	assert.LessOrEqual(t, reading(reader.Passing), 18.0)
	assert.Greater(t, decoding, 3*reading(reader.Passing))
}
