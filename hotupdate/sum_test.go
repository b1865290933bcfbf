package hotupdate_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// sums are arbitrary Sums.
func sums() *rapid.Generator[hotupdate.Sum] {
	return rapid.Custom(func(t *rapid.T) hotupdate.Sum {
		return hotupdate.Sum(rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "bytes"))
	})
}

func TestSumRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sum := sums().Draw(t, "sum")
		text := sum.String()
		assert.Regexp(t, `^v1:[0-9a-f]{64}$`, text)
		marshaled, err := sum.MarshalText()
		require.NoError(t, err)
		assert.Equal(t, text, string(marshaled))
		var unmarshaled hotupdate.Sum
		require.NoError(t, unmarshaled.UnmarshalText(marshaled))
		assert.Equal(t, sum, unmarshaled)
		assert.Equal(t, []string{text}, sum.AdditionalData())

		other := sums().Draw(t, "other")
		assert.Equal(t, sum == other, text == other.String(), "one text for one sum")
	})
}

// FuzzParse compares UnmarshalText with a regular expression. What cannot be read changes nothing, and is not quoted.
func FuzzParse(f *testing.F) {
	digits := strings.Repeat("0123456789abcdef", 4)
	for seed, reason := range map[string]string{
		"v1:" + digits: "", "": "nothing", digits: "a bare digest could be of any format", "v1" + digits: "the colon belongs to the name",
		"v2:" + digits: "a later format", "v10:" + digits: "a later format whose name begins alike", "V1:" + digits: "no other case",
		" v1:" + digits: "no white space", "v1:" + digits + "\n": "no white space", "v1:": "no digits",
		"v1:" + digits[:63]:  "a digit is missing",
		"v1:" + digits + "0": "a digit too many", "v1:v1:" + digits: "the name twice", "v1:" + strings.ToUpper(digits): "no other case",
		"v1:" + digits[:63] + "g": "not hexadecimal", "v1:" + digits[:62] + "\u00e9": "two bytes, one character",
		"v1:0x" + digits[:62]:                          "no other spelling",
		"v1:" + digits[:30] + "\x00\xff" + digits[:32]: "any byte",
	} {
		require.Equal(f, reason == "", new(hotupdate.Sum).UnmarshalText([]byte(seed)) == nil, "%q: %s", seed, reason)
		f.Add(seed)
	}
	valid := regexp.MustCompile(`\Av1:[0-9a-f]{64}\z`)
	f.Fuzz(func(t *testing.T, text string) {
		sum := hotupdate.Sum{7: 7}
		err := sum.UnmarshalText([]byte(text))
		if valid.MatchString(text) {
			require.NoError(t, err)
			assert.Equal(t, text, sum.String())
			return
		}
		var parse *fault.Error
		require.ErrorAs(t, err, &parse, "%q", text)
		assert.Equal(t, "malformed-sum", parse.Code, "%q", text)
		assert.Equal(t, hotupdate.Sum{7: 7}, sum)
		assert.Regexp(t, "^hotupdate: .*; write v1: ", err.Error(), "the text ends with the hint")
		assert.NotContains(t, err.Error(), digits[:8])
	})
}

func TestSumInJSON(t *testing.T) {
	type pool struct {
		Sums   map[string]hotupdate.Sum `json:"sums"`
		Names  map[hotupdate.Sum]string `json:"names"`
		Former *hotupdate.Sum           `json:"former,omitempty"`
	}
	sum := hotupdate.Sum{0: 0x01, 1: 0xfe, 31: 0xa0}
	assert.Equal(t, "v1:01fe"+strings.Repeat("00", 29)+"a0", sum.String())
	text, err := json.Marshal(pool{Sums: map[string]hotupdate.Sum{"a": sum}, Names: map[hotupdate.Sum]string{sum: "a"}})
	require.NoError(t, err)
	assert.JSONEq(t, `{"sums":{"a":"`+sum.String()+`"},"names":{"`+sum.String()+`":"a"}}`, string(text))

	var got pool
	require.NoError(t, json.Unmarshal(text, &got))
	assert.Equal(t, map[string]hotupdate.Sum{"a": sum}, got.Sums)
	assert.Equal(t, map[hotupdate.Sum]string{sum: "a"}, got.Names)
	assert.Nil(t, got.Former)
	var parse *fault.Error
	assert.ErrorAs(t, json.Unmarshal([]byte(`{"sums":{"a":"v2:"}}`), &got), &parse)
}
