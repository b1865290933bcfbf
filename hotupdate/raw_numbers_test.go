package hotupdate_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// TestRawNumbersAreNotRounded: numbers that Kubernetes' decoder would round in an interface are hashed exactly, under
// the Schema of a Go type and under its export. A Go value cannot hold them, and so they cannot be decoded.
func TestRawNumbersAreNotRounded(t *testing.T) {
	type free struct {
		Any  any             `json:"any,omitempty"`
		List []any           `json:"list,omitempty"`
		Raw  json.RawMessage `json:"raw,omitempty"`
	}
	schema, err := hotupdate.SchemaOf[free]()
	require.NoError(t, err)
	exported, err := json.Marshal(schema)
	require.NoError(t, err)
	loaded, err := hotupdate.LoadSchema(exported)
	require.NoError(t, err)
	for _, tc := range []struct{ raw, want, path, reason string }{
		{`{"any":18446744073709551615}`, `{"any":18446744073709551615}`, "any", "beyond int64 it becomes a float64"},
		{`{"any":{"a":[1,9007199254740993.0]}}`, `{"any":{"a":[1,9007199254740993]}}`, "any", "a point makes it a float64"},
		{`{"list":[1,123456789012345678901234567890]}`, `{"list":[1,1.2345678901234567890123456789e+29]}`, "list[1]", "an element"},
		{`{"any":0.1234567890123456789}`, `{"any":0.1234567890123456789}`, "any", "more digits than a float64 has"},
		{`{"any":123456789012345678901234567890.5e-10}`, `{"any":12345678901234567890.12345678905}`, "any", "digits on both sides"},
		{`{"any":1e400}`, `{"any":1e+400}`, "any", "beyond float64"},
		{`{"any":9223372036854775807}`, `{"any":9223372036854775807}`, "", "an int64"},
		{`{"any":[0.1,1e3,-0.0,1.50]}`, `{"any":[0.1,1000,0,1.5]}`, "", "shortest texts of float64"},
		{
			`{"raw":18446744073709551616,"any":{"z":1,"a":null}}`, `{"any":{"a":null,"z":1},"raw":18446744073709551616}`, "",
			"raw JSON is not decoded",
		},
	} {
		for _, s := range []*hotupdate.Schema{schema, loaded} {
			document, err := s.DocumentRaw([]byte(tc.raw))
			require.NoError(t, err, tc.reason)
			assert.Equal(t, tc.want, string(document), tc.reason)
			changes, err := s.DiffRaw([]byte(`{}`), []byte(tc.raw))
			require.NoError(t, err, tc.reason)
			assert.NotEmpty(t, changes, tc.reason)
		}
		_, err = schema.Decode([]byte(tc.raw))
		problems := fault.All(err)
		if tc.path == "" {
			require.NoError(t, err, tc.reason)
			continue
		}
		require.Len(t, problems, 1, tc.reason)
		assert.Equal(t, tc.path, problems[0].Path, tc.reason)
		assert.Contains(t, []string{"number-range", "wrong-json-type"}, problems[0].Code, tc.reason)
	}
}
