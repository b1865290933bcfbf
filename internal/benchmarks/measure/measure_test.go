package measure_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hotupdate/providerconfig/internal/benchmarks/measure"
)

var sink []byte

func TestInTurns(t *testing.T) {
	quick := &measure.Case{Name: "quick", Run: func() {}}
	slow := &measure.Case{Name: "slow", Run: func() {
		sink = make([]byte, 1<<10)
		time.Sleep(time.Millisecond)
	}}
	measure.InTurns(measure.Options{Turns: 2, Slice: time.Millisecond}, []*measure.Case{quick, slow})
	assert.Less(t, quick.PerOp, time.Millisecond)
	assert.GreaterOrEqual(t, slow.PerOp, time.Millisecond)
	assert.Zero(t, quick.Allocs)
	assert.NotZero(t, slow.Allocs)
	assert.GreaterOrEqual(t, measure.Allocated(slow.Run), uint64(1<<10))
}
