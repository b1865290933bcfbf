package hash_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// TestRawNumbersAreNotRounded holds two raw configs that differ in a number which the decoder would round to one and the same value.
func TestRawNumbersAreNotRounded(t *testing.T) {
	type free struct {
		Any  any             `json:"any,omitempty"`
		List []any           `json:"list,omitempty"`
		Raw  json.RawMessage `json:"raw,omitempty"`
	}
	schema, err := hotupdate.SchemaOf[free]()
	require.NoError(t, err)
	for _, tc := range []struct{ raw, path, reason string }{
		{`{"any":18446744073709551615}`, "any", "beyond int64 it becomes a float64"},
		{`{"any":{"a":[1,9007199254740993.0]}}`, "any", "a point makes it a float64"},
		{`{"list":[1,123456789012345678901234567890]}`, "list[1]", "an element"},
		{`{"any":0.1234567890123456789}`, "any", "more digits than a float64 has"},
	} {
		_, err := schema.HashRaw([]byte(tc.raw))
		problems := fault.All(err)
		require.Len(t, problems, 1, tc.reason)
		assert.Equal(t, "number-range", problems[0].Code, tc.reason)
		assert.Equal(t, tc.path, problems[0].Path, tc.reason)
	}
	for raw, want := range map[string]string{
		`{"any":9223372036854775807}`:                         `{"any":9223372036854775807}`,
		`{"any":[0.1,1e3,-0.0,1.50]}`:                         `{"any":[0.1,1000,0,1.5]}`,
		`{"raw":18446744073709551616,"any":{"z":1,"a":null}}`: `{"any":{"a":null,"z":1},"raw":18446744073709551616}`,
	} {
		document, err := schema.DocumentRaw([]byte(raw))
		require.NoError(t, err)
		assert.Equal(t, want, string(document))
	}
}
