package leaf_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/internal/leaf"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// textAs is the canonical text of a string with a meaning.
func textAs(tb testing.TB, m structtag.Meaning, text string) string {
	tb.Helper()
	out, problem := leaf.Append(nil, leaf.TextKind(m), reflect.ValueOf(text))
	require.Nil(tb, problem)
	var normal string
	require.NoError(tb, json.Unmarshal(out, &normal))
	return normal
}

// TestMeaning: texts of one meaning have one spelling, and a text that has not the form stands for itself.
func TestMeaning(t *testing.T) {
	long := strings.Repeat("9", 65)
	for _, tc := range []struct {
		as     structtag.Meaning
		texts  []string
		want   string
		reason string
	}{
		{structtag.AsText, []string{"1Gi"}, "1Gi", ""},
		{structtag.AsQuantity, []string{"1Gi", "1024Mi", "1073741824", "1.0Gi", "+1Gi"}, "1073741824", "as a resource.Quantity is written"},
		{structtag.AsQuantity, []string{"100m", "0.1", "1e-1", ".1"}, "0.1", ""},
		{structtag.AsQuantity, []string{"0", "-0", "0Gi"}, "0", ""},
		{structtag.AsQuantity, []string{"5%"}, "5%", "a share is no quantity"},
		{structtag.AsQuantity, []string{" 1Gi"}, " 1Gi", "nor is a text with a space"},
		{structtag.AsQuantity, []string{"1e2147483647"}, "1e2147483647", "nor one that Kubernetes' parser needs minutes for"},
		{structtag.AsQuantity, []string{long}, long, "nor one that has no canonical text"},
		{structtag.AsDuration, []string{"720h", "43200m", "720h0m0s", "719h60m"}, "720h0m0s", "as a metav1.Duration is written"},
		{structtag.AsDuration, []string{"0", "0s", "-0s"}, "0s", ""},
		{structtag.AsDuration, []string{"Never"}, "Never", "a word"},
		{structtag.AsDuration, []string{"1d"}, "1d", "a unit that Go does not have"},
		{structtag.AsCIDR, []string{"10.0.0.0/8", "10.1.2.3/8"}, "10.0.0.0/8", "without the bits of the host"},
		{structtag.AsCIDR, []string{"FD00:0:0::1/16", "fd00::/16"}, "fd00::/16", "in the spelling of RFC 5952"},
		{structtag.AsCIDR, []string{"10.0.0.1"}, "10.0.0.1", "an address without a length is no network"},
		{structtag.AsCIDR, []string{"10.0.0.0/33"}, "10.0.0.0/33", ""},
		{structtag.AsCIDR, []string{"010.0.0.0/8"}, "010.0.0.0/8", "octal to some, decimal to others"},
		{structtag.AsDNS, []string{"Example.COM", "example.com", "example.com."}, "example.com", ""},
		{structtag.AsDNS, []string{"*.A_b."}, "*.a_b", "what is not a host may be a name"},
		{structtag.AsDNS, []string{"."}, ".", "the root"},
		{structtag.AsDNS, []string{"a.."}, "a..", "an empty label"},
		{structtag.AsDNS, []string{"É.com."}, "É.com.", "only ASCII: versions of Unicode differ in the rest"},
		{structtag.AsTime, []string{"2026-01-02T03:04:05Z", "2026-01-02T04:04:05.000+01:00"}, "2026-01-02T03:04:05Z", "in UTC"},
		{structtag.AsTime, []string{"2026-01-02T03:04:05.120Z"}, "2026-01-02T03:04:05.12Z", "without trailing zeros"},
		{structtag.AsTime, []string{"0001-01-01T00:00:00Z"}, "0001-01-01T00:00:00Z", "a text is never nil"},
		{structtag.AsTime, []string{"0000-01-01T00:00:00+01:00"}, "0000-01-01T00:00:00+01:00", "in UTC it has no year of four digits"},
		{structtag.AsTime, []string{"2026-01-02"}, "2026-01-02", "a date"},
		{structtag.AsTime, []string{"2026-01-02T3:04:05Z"}, "2026-01-02T3:04:05Z", "not RFC 3339"},
		{
			structtag.AsTime,
			[]string{"2026-01-02T03:04:05.0000000001Z"},
			"2026-01-02T03:04:05.0000000001Z",
			"more digits than a time of Go has",
		},
		{structtag.AsTime, []string{"2026-02-30T03:04:05Z"}, "2026-02-30T03:04:05Z", "no day"},
		{structtag.AsTime, []string{""}, "", ""},
	} {
		for _, text := range tc.texts {
			assert.Equal(t, tc.want, textAs(t, tc.as, text), "%s %s: %s", tc.as, text, tc.reason)
		}
	}
}

// FuzzMeaning: the normal spelling is its own, so that no text without the form can equal one with it.
func FuzzMeaning(f *testing.F) {
	for _, text := range []string{
		"1Gi", "5%", "43200m", "10.1.2.3/8", "::ffff:1.2.3.4/100", "A.b.", "..", "2026-01-02T04:04:05+01:00", "9999-12-31T23:59:59-01:00",
		"", "0x1p4", "1_000h", "-1ns",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "")
		for m := structtag.AsText; m <= structtag.AsTime; m++ {
			normal := textAs(t, m, text)
			require.Equal(t, normal, textAs(t, m, normal), "%s %q", m, text)
			require.Equal(t, text == "", normal == "", "%s %q", m, text)
		}
	})
}
