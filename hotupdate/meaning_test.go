package hotupdate_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// meaningOfTexts is a row: texts that stand for the same, and texts of which each stands for something else.
type meaningOfTexts struct {
	as, reason string
	same       []string
	others     []string
}

func meaningsOfTexts() []meaningOfTexts {
	return []meaningOfTexts{
		{
			"dns", "a trailing dot and upper case (RFC 4343)",
			[]string{"ntp.example.com", "ntp.example.com.", "NTP.Example.COM", "ntp.example.COM."},
			[]string{
				"ntp.example.org", "ntp2.example.com", "*.example.com", ".ntp.example.com", "ntp.example.com..", "ntp..example.com",
				" ntp.example.com", ".",
			},
		},
		{
			"cidr", "bits of the host",
			[]string{"10.0.0.0/8", "10.1.2.3/8", "10.255.255.255/8"},
			[]string{"10.0.0.0/9", "11.0.0.0/8", "10.0.0.0", "10.0.0.0/33", "10.0.0.0/08", "010.0.0.0/8", "10.0.0.0/-1"},
		},
		{
			"cidr", "spellings of IPv6 (RFC 5952)",
			[]string{"2001:db8::/32", "2001:DB8:0:0::/32", "2001:0db8:ffff::1/32"},
			[]string{"2001:db8::/33", "2001:db9::/32", "2001:db8::", "2001:db8::%eth0/32"},
		},
		{
			"time", "offsets of RFC 3339, and fractions",
			[]string{
				"2026-01-02T03:04:05Z", "2026-01-02T04:04:05+01:00", "2026-01-01T22:04:05-05:00", "2026-01-02T03:04:05.000Z",
				"2026-01-02T03:04:05-00:00",
			},
			[]string{
				"2026-01-02T03:04:05+01:00", "2026-01-02T03:04:05.001Z", "2026-01-02T03:04:05", "2026-01-02", "2026-01-02 03:04:05Z",
				"2026-01-02T03:04:05z", "2026-01-02T3:04:05Z",
			},
		},
		{
			"quantity", "binary and decimal units",
			[]string{"1Gi", "1024Mi", "1073741824", "1.0Gi"},
			[]string{"1G", "1gi", "2Gi", "1 Gi", "1GiB", "100%"},
		},
		{
			"quantity", "fractions",
			[]string{"100m", "0.1", ".1", "1e-1"},
			[]string{"100M", "0.10001", "-0.1", "0,1"},
		},
		{
			"duration", "units of Go",
			[]string{"720h", "43200m", "720h0m0s", "2592000s", "719h60m"},
			[]string{"30d", "720H", "72h", "Never", "720", "-720h", "720 h"},
		},
		{"duration", "zero", []string{"0", "0s", "0h", "-0s"}, []string{"Never", "1ns"}},
		{"text", "every text", []string{"1Gi"}, []string{"1024Mi", "1gi", "1Gi "}},
	}
}

// texts has strings in all places that take the option as.
type texts struct {
	Alone  string            `json:"alone,omitempty"`
	Listed []string          `json:"listed,omitempty"`
	Mapped map[string]string `json:"mapped,omitempty"`
}

// textsAround are a text in each place, as JSON.
func textsAround(t *testing.T, text string) (raws []string) {
	t.Helper()
	for _, config := range []texts{{Alone: text}, {Listed: []string{text}}, {Mapped: map[string]string{"k": text}}} {
		raw, err := json.Marshal(config)
		require.NoError(t, err)
		raws = append(raws, string(raw))
	}
	return raws
}

// schemasOf are Schemas of texts with the option as: by the Go type, and by a CRD whose format and pattern say nothing of the meaning.
func schemasOf(t *testing.T, as string) map[string]*hotupdate.Schema {
	t.Helper()
	var options []hotupdate.Option
	for _, path := range []string{"alone", "listed", "mapped"} {
		options = append(options, hotupdate.WithTag(path, "false,as="+as))
	}
	byType, err := hotupdate.SchemaOf[texts](options...)
	require.NoError(t, err)
	spec := openAPI{"type": "object", "properties": openAPI{
		"alone":  openAPI{"type": "string"},
		"listed": openAPI{"type": "array", "items": openAPI{"type": "string", "format": "hostname"}},
		"mapped": openAPI{"type": "object", "additionalProperties": openAPI{"type": "string", "pattern": "^.*$"}},
	}}
	byCRD, err := hotupdate.SchemaOfCRD(crdOf(t, spec), "v1", options...)
	require.NoError(t, err)
	return map[string]*hotupdate.Schema{"by type": byType, "by CRD": byCRD}
}

// TestMeaningOfTexts: texts that stand for the same have one hash and no difference, by Go type and by CRD. A text that
// has not the form of its kind is no error: it stands for itself.
func TestMeaningOfTexts(t *testing.T) {
	for _, row := range meaningsOfTexts() {
		for name, schema := range schemasOf(t, row.as) {
			first := row.same[0]
			for _, text := range row.same {
				assert.True(t, meansTheSame(t, schema, first, text), "%s, as=%s, %s: %q and %q", name, row.as, row.reason, first, text)
			}
			for i, text := range row.others {
				for _, other := range append(row.others[i+1:], row.same...) {
					assert.False(t, meansTheSame(t, schema, text, other), "%s, as=%s, %s: %q and %q", name, row.as, row.reason, text, other)
				}
			}
		}
	}
}

// meansTheSame compares two texts in each place.
func meansTheSame(t *testing.T, schema *hotupdate.Schema, a, b string) bool {
	t.Helper()
	around := textsAround(t, b)
	same := 0
	for i, raw := range textsAround(t, a) {
		first, err := schema.HashRaw([]byte(raw))
		require.NoError(t, err)
		second, err := schema.HashRaw([]byte(around[i]))
		require.NoError(t, err)
		changes, err := schema.DiffRaw([]byte(raw), []byte(around[i]))
		require.NoError(t, err)
		require.Equal(t, first == second, len(changes) == 0, "%s and %s", raw, around[i])
		if first == second {
			same++
		}
	}
	require.Contains(t, []int{0, 3}, same, "%q and %q mean the same in some places only", a, b)
	return same == 3
}

// TestMeaningMalformed: a kind of texts that there is not, one without a kind, and a field that has no texts.
func TestMeaningMalformed(t *testing.T) {
	spec := openAPI{"type": "object", "properties": openAPI{
		"a": openAPI{"type": "string"}, "n": openAPI{"type": "integer"}, "e": openAPI{"x-kubernetes-int-or-string": true},
	}}
	for _, row := range []struct{ path, tag, code, hint string }{
		{"a", "false,as=ip", "malformed-option", "with one of quantity, duration, cidr, dns, time and text"},
		{"a", "false,as", "malformed-option", "with one of quantity, duration, cidr, dns, time and text"},
		{"a", "false,as=", "malformed-option", "with one of quantity, duration, cidr, dns, time and text"},
		{"a", "false,as=CIDR", "malformed-option", "with one of quantity, duration, cidr, dns, time and text"},
		{"n", "false,as=quantity", "misplaced-option", ""},
		{"e", "false,as=dns", "misplaced-option", ""},
	} {
		_, err := hotupdate.SchemaOfCRD(crdOf(t, spec), "v1", hotupdate.WithTag(row.path, row.tag))
		all := fault.All(err)
		require.Len(t, all, 1, row.tag)
		assert.Equal(t, []string{row.code, row.path}, []string{all[0].Code, all[0].Path}, row.tag)
		assert.Contains(t, all[0].Hint, row.hint, row.tag)
	}
}
