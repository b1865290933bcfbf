package gardener_test

import (
	"testing"

	"github.com/hotupdate/providerconfig/hotupdate/gardener/internal/gardenerplugin"
)

// BenchmarkJudge answers for another old Shoot each time, as plan asks.
func BenchmarkJudge(b *testing.B) {
	judge := newJudge(b)
	for _, of := range bases(b, judge) {
		b.Run(of.name, func(b *testing.B) {
			edited := edit{path: []any{"metadata", "labels", "a"}, value: "b"}.apply(of.shoot)
			one := toJSON(b, of.shoot)
			other := toJSON(b, edited)
			b.ReportAllocs()
			for b.Loop() {
				judge.Judge(gardenerplugin.Question{Old: one, New: other})
				one, other = other, one
			}
		})
	}
}
