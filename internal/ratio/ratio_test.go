package ratio_test

import (
	"crypto/sha256"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hotupdate/providerconfig/internal/ratio"
)

// TestReport: ten times the work costs some ten times as much. The bounds are wide, since no test may depend on the
// machine: an exchange of work and peer would report a tenth.
func TestReport(t *testing.T) {
	sum := func(times int) func() {
		text := make([]byte, 1<<20)
		return func() {
			for range times {
				_ = sha256.Sum256(text)
			}
		}
	}
	result := testing.Benchmark(func(b *testing.B) {
		b.Helper()
		ratio.Report(b, 12, sum(20), sum(2))
	})
	assert.Greater(t, result.Extra["×peer"], 2.0)
	assert.InDelta(t, 12, result.Extra["limit-×peer"], 0)
}
