package limit_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/internal/benchmarks/fixture"
	"github.com/hotupdate/providerconfig/internal/benchmarks/limit"
)

// BenchmarkSum sets the library beside the limit.
func BenchmarkSum(b *testing.B) {
	s := schema(b)
	for _, size := range fixture.Sizes() {
		c := size.New()
		b.Run(size.Name+"/limit", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, err := limit.Sum(c)
				if err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(size.Name+"/library", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, err := s.Hash(c)
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkRaw hashes raw JSON.
func BenchmarkRaw(b *testing.B) {
	s := schema(b)
	for _, size := range fixture.Sizes() {
		raw, err := json.Marshal(size.New())
		require.NoError(b, err)
		b.Run(size.Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, err := s.HashRaw(raw)
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
