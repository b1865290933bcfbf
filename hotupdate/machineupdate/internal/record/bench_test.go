package record_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate/internal/record"
)

// BenchmarkPass reads a record, begins a pass and writes its marker, like each update of a machine.
func BenchmarkPass(b *testing.B) {
	for name, hot := range map[string]func(i int) string{
		"one tag":  func(i int) string { return []string{`{"tags":{"k":"1"}}`, `{"tags":{"k":"2"}}`}[i] },
		"150 tags": changed,
	} {
		b.Run(name, func(b *testing.B) {
			r := record.Record{}
			r = r.Create("m", target(hot(0), "vm", "disk"), start)
			annotation := r.Annotation()
			to := target(hot(1), "vm", "disk")
			b.ReportAllocs()
			for b.Loop() {
				r, err := record.Parse(annotation)
				require.NoError(b, err)
				marker := r.Begin(to, "i", start).Marker
				_ = marker.Annotation()
			}
		})
	}
}
