package hotupdate_test

import (
	"encoding/json"
	"errors"
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

func TestParseFails(t *testing.T) {
	digits := strings.Repeat("0123456789abcdef", 4)
	for _, tc := range []struct {
		text   string
		want   string
		reason string
	}{
		{"", "malformed-sum", "nothing"},
		{digits, "malformed-sum", "a bare digest could be of any format"},
		{"v1", "malformed-sum", "the colon belongs to the name"},
		{"v2:" + digits, "malformed-sum", "a later format"},
		{"v10:" + digits, "malformed-sum", "a later format whose name begins alike"},
		{"V1:" + digits, "malformed-sum", "no other case"},
		{" v1:" + digits, "malformed-sum", "no white space"},
		{"v1:", "malformed-sum", "no digits"},
		{"v1:" + digits[:63], "malformed-sum", "a digit is missing"},
		{"v1:" + digits + "0", "malformed-sum", "a digit too many"},
		{"v1:" + digits + "\n", "malformed-sum", "no white space"},
		{"v1:v1:" + digits, "malformed-sum", "the name twice"},
		{"v1:" + digits[:62] + "\u00e9"[:1], "malformed-sum", "bytes are counted"},
		{"v1:" + strings.ToUpper(digits), "malformed-sum", "no other case"},
		{"v1:" + digits[:63] + "g", "malformed-sum", "not hexadecimal"},
		{"v1:" + digits[:63] + " ", "malformed-sum", "no white space"},
		{"v1:" + digits[:62] + "\u00e9", "malformed-sum", "two bytes, one character"},
		{"v1:0x" + digits[:62], "malformed-sum", "no other spelling"},
		{"v1:" + digits[:30] + "\x00\xff" + digits[:32], "malformed-sum", "any byte"},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			sum := hotupdate.Sum{7: 7}
			err := sum.UnmarshalText([]byte(tc.text))
			var parse *fault.Error
			require.ErrorAs(t, err, &parse, "%q", tc.text)
			assert.Equal(t, tc.want, parse.Code, "%q", tc.text)
			assert.Equal(t, hotupdate.Sum{7: 7}, sum, "what cannot be read changes nothing")
			assert.Regexp(t, "^hotupdate: .*; write v1: ", err.Error(), "the text ends with the hint")
			assert.NotContains(t, err.Error(), digits[:8], "and does not quote the input")
		})
	}
}

// FuzzParse compares UnmarshalText with a regular expression.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"", "v1:", hotupdate.Sum{}.String(), hotupdate.Sum{1, 2}.String() + " ", strings.ToUpper(hotupdate.Sum{0xab}.String()), "v2:" + hotupdate.Sum{}.String()} {
		f.Add(seed)
	}
	valid := regexp.MustCompile(`\Av1:[0-9a-f]{64}\z`)
	f.Fuzz(func(t *testing.T, text string) {
		var sum hotupdate.Sum
		err := sum.UnmarshalText([]byte(text))
		if valid.MatchString(text) {
			require.NoError(t, err)
			assert.Equal(t, text, sum.String())
			return
		}
		var parse *fault.Error
		assert.True(t, errors.As(err, &parse), "%q", text)
		assert.Zero(t, sum)
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
