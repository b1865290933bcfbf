//go:build !race

package hotupdate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// What is pooled is counted without the race detector, under which sync.Pool drops items at random.

func TestStripRawAllocatesTheResultOnly(t *testing.T) {
	s := cutSchema(t)
	elements := "[" + strings.Repeat(`{"deviceIndex":1},`, 5000) + "{}]"
	for _, tc := range []struct {
		raw    string
		want   float64
		reason string
	}{
		{stripTypical, 0, "nothing is hot"},
		{`{"networkInterfaces":` + elements + `}`, 0, "large, and nothing is hot"},
		{
			`{"kind":"` + strings.Repeat("x", 1<<20) + `","\u0041\ud800":1e9,"taints":{"a":{"effect":"\ud800"},"b":{"effect":1}}}`, 0,
			"escaped names and lone surrogates",
		},
		{strings.Replace(stripTypical, `"kind"`, `"tags":{"vm":{"a":"b"}},"kind"`, 1), 1, "one hot member"},
		{`{"networkInterfaces":[` + strings.Repeat(`{"deviceIndex":1,"description":"x"},`, 5000) + `{}]}`, 1, "many"},
	} {
		raw := []byte(tc.raw)
		assert.InDelta(t, tc.want, testing.AllocsPerRun(20, func() { _, _ = s.StripRaw(raw) }), 0.5, tc.reason)
	}
}
