//go:build unix

package audit_test

import (
	"bytes"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/json"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/audit"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
)

// BenchmarkRun prints how fast JSON is audited, beside plain decoding of the same text: pools and megabytes in a second of one processor, with
// everything that the process does. On a machine with other work the time on the clock says little.
func BenchmarkRun(b *testing.B) {
	both := releases(b)
	f := newFleet(2000)
	var text bytes.Buffer
	_, err := f.write(&text, asLines)
	require.NoError(b, err)
	lines := bytes.Split(text.Bytes(), []byte("\n"))
	measure := func(b *testing.B, work func()) {
		b.Helper()
		before := processorTime(b)
		for b.Loop() {
			work()
		}
		seconds := processorTime(b) - before
		b.ReportMetric(float64(f.pools*b.N)/seconds, "pools/s/core")
		b.ReportMetric(float64(text.Len()*b.N)/seconds/1e6, "MB/s/core")
	}
	b.Run("audit", func(b *testing.B) {
		measure(b, func() {
			_, err := both.Run(b.Context(), manifest.Documents([]string{manifest.Stdin}, bytes.NewReader(text.Bytes())), audit.Options{
				Each: func(*audit.JudgedPool) error { return nil },
			})
			require.NoError(b, err)
		})
	})
	b.Run("decode", func(b *testing.B) {
		measure(b, func() {
			for _, line := range lines {
				var value any
				_ = json.UnmarshalCaseSensitivePreserveInts(line, &value) // some lines are broken
			}
		})
	})
}

// processorTime is what the process has used so far, in seconds.
func processorTime(b *testing.B) float64 {
	b.Helper()
	var usage syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}
