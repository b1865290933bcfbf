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

// BenchmarkRun prints how fast JSON and YAML are audited, and beside JSON plain decoding of the same text: pools and megabytes in a second of
// one processor, with everything that the process does. On a machine with other work the time on the clock says little.
func BenchmarkRun(b *testing.B) {
	both := releases(b)
	for name, form := range map[string]string{"JSON": asLines, "YAML": asDocuments} {
		f := newFleet(500)
		var text bytes.Buffer
		_, err := f.write(&text, form)
		require.NoError(b, err)
		b.Run("audit/"+name, func(b *testing.B) {
			measure(b, f.pools, text.Len(), func() {
				_, err := both.Run(b.Context(), manifest.Documents([]string{manifest.Stdin}, bytes.NewReader(text.Bytes())), audit.Options{
					Each: func(*audit.JudgedPool) error { return nil },
				})
				require.NoError(b, err)
			})
		})
		if form != asLines {
			continue
		}
		lines := bytes.Split(text.Bytes(), []byte("\n"))
		b.Run("decode/"+name, func(b *testing.B) {
			measure(b, f.pools, text.Len(), func() {
				for _, line := range lines {
					var value any
					_ = json.UnmarshalCaseSensitivePreserveInts(line, &value) // some lines are broken
				}
			})
		})
	}
}

// measure reports how many pools and bytes work gets through.
func measure(b *testing.B, pools, size int, work func()) {
	b.Helper()
	before := processorTime(b)
	for b.Loop() {
		work()
	}
	seconds := processorTime(b) - before
	b.ReportMetric(float64(pools*b.N)/seconds, "pools/s/core")
	b.ReportMetric(float64(size*b.N)/seconds/1e6, "MB/s/core")
}

// processorTime is what the process has used so far, in seconds.
func processorTime(b *testing.B) float64 {
	b.Helper()
	var usage syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}
