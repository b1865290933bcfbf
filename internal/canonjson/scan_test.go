package canonjson_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/canonjson"
)

// scanAll steps through a whole document.
func scanAll(raw string) *fault.Error {
	s := canonjson.NewScanner([]byte(raw))
	if err := s.Begin(); err != nil {
		return err
	}
	if err := scanOne(&s); err != nil {
		return err
	}
	return s.End()
}

func scanOne(s *canonjson.Scanner) *fault.Error {
	closing, ok := map[byte]byte{'{': '}', '[': ']'}[s.Peek()]
	if !ok {
		return s.Scalar()
	}
	last, err := s.Open(closing)
	for !last && err == nil {
		if closing == '}' {
			if _, _, err = s.Name(); err != nil {
				return err
			}
		}
		if err = scanOne(s); err == nil {
			last, err = s.Next(closing)
		}
	}
	return err
}

// TestScannerAcceptsWhatEncodingJSONDoes puts pieces of JSON together, mostly wrongly.
func TestScannerAcceptsWhatEncodingJSONDoes(t *testing.T) {
	pieces := []string{
		"{", "}", "[", "]", ",", ":", " ", "\n", `"a"`, `"b":`, `"\u0061"`, `"\ud800"`, `"\ud83d\ude00"`, `"`, `\`, `{"a":`, "1", "-0",
		"1e5", "01", "null", "tru",
		"true", "\x00", "\xff", "\"\xff\"", "\ufeff", "1e1000", `"\u00"`, `"\x"`, "-", "1.", ".1", "1E+2",
	}
	rapid.Check(t, func(t *rapid.T) {
		raw := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "pieces"), "")
		err := scanAll(raw)
		require.Equal(t, json.Valid([]byte(raw)), err == nil, "%q", raw)
		if err != nil {
			requireFault(t, err, "invalid-json")
		}
	})
}

func TestScannerAgreesWithAppendValue(t *testing.T) {
	for _, raw := range []string{
		"", "{", "[1,]", `{"a":1,}`, `{"a" 1}`, `"\q"`, `{"a":01}`, `{"a":1}}`, nest("[", "]", 1001), "nul", `"a`, `{a:1}`,
	} {
		_, want := canonjson.AppendValue(nil, []byte(raw))
		assert.Equal(t, want, scanAll(raw), raw)
	}
	assert.Nil(t, scanAll(nest("[", "]", 1000)))
	assert.Nil(t, scanAll("["+nest("[", "]", 999)+","+nest("[", "]", 999)+"]"))
}

// TestSameText compares spellings of two texts, which are equal now and then.
func TestSameText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom([]string{"", "a", "ab", "\"", `\`, "a\"\\b", "é", "😀", "😀x", "\x00", "\n", "/", "�", " "})
		a := text.Draw(t, "a")
		b := text.Draw(t, "b")
		spelled := spellString(t, a)
		canonical, err := canonjson.AppendString(nil, b)
		require.Nil(t, err)
		got := canonjson.SameText([]byte(spelled[1:len(spelled)-1]), string(canonical[1:len(canonical)-1]))
		require.Equal(t, a == b, got, "%s, %s", spelled, canonical)
	})
}

func TestSameTextOfWhatIsNoText(t *testing.T) {
	for _, tc := range []struct{ body, canonical, reason string }{
		{`\ud800`, "�", "a lone surrogate"},
		{`\ud800\ud800`, "�", "two high ones"},
		{`\ude00`, "�", "a low one"},
		{"\xff", "�", "invalid UTF-8"},
		{`a\`, "a", "cut short"},
		{`a\u00`, "a", "cut short"},
		{`\x`, "x", "no escape"},
		{`a`, "", "longer"},
		{``, "a", "shorter"},
		{`\u0061`, "", "longer"},
	} {
		assert.False(t, canonjson.SameText([]byte(tc.body), tc.canonical), tc.reason)
	}
}

// TestSameTokens: a value that differs in white space alone is valid and means the same.
func TestSameTokens(t *testing.T) {
	for _, tc := range []struct {
		value, text string
		want        bool
	}{
		{`{"a":[1,2]}`, "{ \"a\" :\t[ 1 ,\r2 ] }", true},
		{`{ "a" : [ 1 , 2 ] }`, `{"a":[1,2]}`, true},
		{`{"a b":1}`, `{"a b": 1}`, true},
		{`{"a b":1}`, `{"ab":1}`, false},
		{`["a"]`, `["a "]`, false},
		{`["a\" b"]`, `[ "a\" b"]`, true},
		{`["a\\"]`, `["a\\"]`, true},
		{`["a\n"]`, `["a\t"]`, false},
		{`12`, `1 2`, false},
		{`12`, `123`, false},
		{`12`, `1`, false},
		{`[true]`, `[tr ue]`, false},
		{`1`, `1 `, true},
		{`1`, `1,`, true},
		{`1`, `1x`, false},
		{`1`, ` 1`, true},
		{`[1]`, `[1`, false},
		{`[1,2]`, `[1,3]`, false},
		{`["a"]`, `["b"]`, false},
		{`["abc"]`, `["ab"]`, false},
		{`["abcdefgh"]`, `["abcdefgx"]`, false},
		{`["abcdefgh"]`, `["abcdefgh`, false},
		{`["abcdefgh\u00e9é"]`, `[ "abcdefgh\u00e9é" ]`, true},
		{`["a"]`, `[ "a`, false},
		{"[1]", "[\v1]", false},
		{`{"a":"b","c":"d"}`, "{\n  \"a\": \"b\",\n  \"c\": \"d\"\n}", true},
	} {
		size, ok := canonjson.SameTokens([]byte(tc.value), []byte(tc.text+","))
		assert.Equal(t, tc.want, ok, "%s %s", tc.value, tc.text)
		if !tc.want {
			continue
		}
		one, problem := canonjson.AppendValue(nil, []byte(tc.value))
		assert.Nil(t, problem)
		other, problem := canonjson.AppendValue(nil, []byte(tc.text[:size]))
		assert.Nil(t, problem)
		assert.Equal(t, string(one), string(other))
	}
}

// FuzzSameTokens: what has the tokens of a value has its canonical text.
func FuzzSameTokens(f *testing.F) {
	f.Add([]byte(`{"a":["\u00e9",12,null]}`), []byte("{ \"a\" :[\"\\u00e9\",\n12,null] },"))
	f.Add([]byte(`"plain text, read by eight"`), []byte(`"plain text, read by eight"`))
	f.Fuzz(func(t *testing.T, value, text []byte) {
		want, problem := canonjson.AppendValue(nil, value)
		if problem != nil || len(bytes.Trim(value, " \t\r\n")) != len(value) {
			return
		}
		if size, ok := canonjson.SameTokens(value, text); ok {
			got, problem := canonjson.AppendValue(nil, text[:size])
			if problem != nil || !bytes.Equal(want, got) {
				t.Fatalf("%q %q", value, text)
			}
		}
		spaced := bytes.ReplaceAll(bytes.ReplaceAll(value, []byte(":"), []byte(": ")), []byte("]"), []byte("\n]"))
		if got, problem := canonjson.AppendValue(nil, spaced); problem != nil || !bytes.Equal(want, got) {
			return // it was within a string
		}
		if _, ok := canonjson.SameTokens(value, spaced); !ok {
			t.Fatalf("%q %q", value, spaced)
		}
	})
}
