package hotupdate_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// BenchmarkKeyClasses prints how much longer a map of 50 keys takes with five rules for single keys than without. The bound is 1.3.
func BenchmarkKeyClasses(b *testing.B) {
	type plain struct {
		Labels  map[string]string  `json:"labels"`
		Numbers map[string]*int    `json:"numbers"`
		Parts   map[string]keyPart `json:"parts"`
	}
	type ruled struct {
		Labels  map[string]string  `json:"labels"  hotupdatable:"false,keyclass=true:label-07,keyclass=true:label-3*,keyclass=inplace:label-31,keyclass=ignore:other,keyclass=true:billing/*"`
		Numbers map[string]*int    `json:"numbers" hotupdatable:"false,keyclass=true:label-07,keyclass=true:label-3*,keyclass=inplace:label-31,keyclass=ignore:other,keyclass=true:billing/*"`
		Parts   map[string]keyPart `json:"parts"   hotupdatable:"false,keyclass=true:label-07,keyclass=true:label-3*,keyclass=inplace:label-31,keyclass=ignore:other,keyclass=true:billing/*"`
	}
	without, err := hotupdate.SchemaOf[plain]()
	require.NoError(b, err)
	with, err := hotupdate.SchemaOf[ruled]()
	require.NoError(b, err)
	labels := map[string]string{}
	numbers := map[string]*int{}
	parts := map[string]keyPart{}
	for i := range 50 {
		key := fmt.Sprintf("label-%02d", i)
		labels[key] = "a value of a label"
		numbers[key] = &i
		parts[key] = keyPart{Size: i + 1, Type: "a"}
	}
	for _, tc := range []struct {
		name  string
		plain plain
	}{
		{"strings", plain{Labels: labels}}, {"numbers", plain{Numbers: numbers}}, {"objects", plain{Parts: parts}},
	} {
		changed := tc.plain
		if changed.Labels != nil {
			changed.Labels = maps.Clone(labels)
			changed.Labels["label-00"] = "another"
		}
		raw, err := json.Marshal(tc.plain)
		require.NoError(b, err)
		withRules := ruled(tc.plain)
		changedRules := ruled(changed)
		for _, op := range []struct {
			name          string
			plain, ruling func() error
		}{
			{
				"Hash", func() error { _, err := without.Hash(&tc.plain); return err },
				func() error { _, err := with.Hash(&withRules); return err },
			},
			{
				"HashRaw", func() error { _, err := without.HashRaw(raw); return err },
				func() error { _, err := with.HashRaw(raw); return err },
			},
			{
				"Diff", func() error { _, err := without.Diff(&tc.plain, &changed); return err },
				func() error { _, err := with.Diff(&withRules, &changedRules); return err },
			},
		} {
			b.Run(tc.name+"/"+op.name, func(b *testing.B) {
				one := math.Inf(+1)
				other := math.Inf(+1)
				for b.Loop() { // the fastest of many times, in turn, since other programs disturb
					one = min(one, timeOf(b, op.plain))
					other = min(other, timeOf(b, op.ruling))
				}
				b.ReportMetric(other/one, "ratio")
			})
		}
	}
}

// timeOf is the time of a few calls in nanoseconds.
func timeOf(b *testing.B, do func() error) float64 {
	b.Helper()
	start := time.Now()
	for range 20 {
		if err := do(); err != nil {
			b.Fatal(err)
		}
	}
	return float64(time.Since(start)) / 20
}
