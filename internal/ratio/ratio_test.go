package ratio_test

import (
	"crypto/sha256"
	"flag"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/internal/ratio"
)

// isProgram tells the binary of the tests that it is to work as a program that [TestReportOfPrograms] runs.
const isProgram = "RATIO_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(isProgram) == "" {
		_ = flag.Set("test.benchtime", "100ms") // unless go test -benchtime says otherwise, which is read later
		os.Exit(m.Run())
	}
	for range 200 {
		_ = sha256.Sum256(make([]byte, 1<<20))
	}
}

// TestReportOfPrograms: what a program costs that the work runs counts, as do the hashes that it makes. Without it, the
// work would cost less than one.
func TestReportOfPrograms(t *testing.T) {
	text := make([]byte, 1<<20)
	result := testing.Benchmark(func(b *testing.B) {
		b.Helper()
		ratio.Report(b, 1, func() {
			command := exec.CommandContext(b.Context(), os.Args[0])
			command.Env = append(os.Environ(), isProgram+"=1")
			require.NoError(b, command.Run())
		}, func() {
			for range 20 {
				_ = sha256.Sum256(text)
			}
		})
	})
	assert.Greater(t, result.Extra["×peer"], 2.0)
}

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
