package rawjson_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/rawjson"
)

// texts is a type that sees nothing of how its JSON is spelled.
type texts struct {
	Text string `json:"text"`
}

// checkSame compares with what encoding/json makes of the documents without white space, if they are JSON.
func checkSame(t require.TestingT, p *fieldplan.Plan, a, b string) bool {
	same := rawjson.Same(p, []byte(a), []byte(b))
	require.Equal(t, same, rawjson.Same(p, []byte(b), []byte(a)), "%q\n%q", a, b)
	if same {
		require.Equal(t, json.Valid([]byte(a)), json.Valid([]byte(b)), "%q\n%q", a, b)
	}
	var first, second bytes.Buffer
	if json.Compact(&first, []byte(a)) == nil && json.Compact(&second, []byte(b)) == nil {
		require.Equal(t, first.String() == second.String(), same, "%q\n%q", a, b)
	}
	return same
}

func TestSame(t *testing.T) {
	p := build(t, reflect.TypeFor[texts]())
	for _, tc := range []struct {
		a, b   string
		want   bool
		reason string
	}{
		{`{"a":[1,{"b":"x y"}],"c":null}`, " {\n\t\"a\" : [ 1 , { \"b\" :\r\"x y\" } ] , \"c\" : null } ", true, "white space between tokens"},
		{`"x y"`, `"x  y"`, false, "white space in a text"},
		{`"a\" b"`, `"a\"  b"`, false, "a quote that does not end the text"},
		{`"a\\" `, `"a\\"`, true, "a backslash before the quote that does"},
		{"1", "12", false, "another number"},
		{"1 2", "12", false, "two tokens and one"},
		{"1 2", "1\n2", true, "no JSON, whatever stands between"},
		{`1"a"`, `1 "a"`, true, "likewise"},
		{"1", "1.0", false, "another spelling"},
		{`"a"`, `"\u0061"`, false, "another spelling"},
		{`{"a":1,"b":2}`, `{"b":2,"a":1}`, false, "another order"},
		{"true", "tru e", false, "two tokens and one"},
		{"[]", "{}", false, "other brackets"},
		{"[1]", "[1,2]", false, "longer"},
		{"", " \n", true, "nothing"},
		{"", "1", false, "something"},
		{`"a`, `"a `, false, "the text does not end"},
		{`"a\`, `"a\`, true, "equal bytes"},
		{`"a\`, ` "a\`, true, "a text cut short behind a backslash"},
		{"\v1", "1", false, "no white space in JSON"},
		{"\ufeff{}", "{}", false, "a byte-order mark"},
	} {
		assert.Equal(t, tc.want, checkSame(t, p, tc.a, tc.b), "%q, %q: %s", tc.a, tc.b, tc.reason)
	}
}

// TestSameOfTokens draws documents of few tokens, with white space between them or not, most of them no JSON.
func TestSameOfTokens(t *testing.T) {
	p := build(t, reflect.TypeFor[texts]())
	tokens := []string{"{", "}", "[", "]", ",", ":", `"a"`, `"a b"`, `"\""`, `"\\"`, `"` + strings.Repeat("é", 9) + `"`, "1", "1.0", "true", "nul", "\\"}
	var found, not int
	rapid.Check(t, func(t *rapid.T) {
		drawn := rapid.SliceOfN(rapid.SampledFrom(tokens), 0, 6).Draw(t, "tokens")
		spell := func(tokens []string) string {
			var b strings.Builder
			for _, token := range tokens {
				b.WriteString(rapid.SampledFrom([]string{" ", "\n\t", "  "}).Draw(t, "space") + token)
			}
			return b.String()
		}
		a := spell(drawn)
		require.True(t, checkSame(t, p, a, spell(drawn)), "the same tokens")
		if checkSame(t, p, a, spell(rapid.Permutation(drawn).Draw(t, "shuffled"))) {
			found++
		} else {
			not++
		}
		checkSame(t, p, a, strings.ReplaceAll(a, " ", ""))
	})
	assert.NotZero(t, found)
	assert.NotZero(t, not)
}

func FuzzSame(f *testing.F) {
	for _, seed := range []string{string(awsConfig), `{"a":1,"a":1}`, `[1,1.0,-0,1e1000]`, `{"b":1,"a":"\u0061"}`, "\"\xff\"", `"\`} {
		f.Add(seed, seed+" ")
		f.Add(seed, `{"a":"a", "b":1}`)
	}
	p := build(f, reflect.TypeFor[texts]())
	f.Fuzz(func(t *testing.T, a, b string) {
		checkSame(t, p, a, b)
		assert.True(t, checkSame(t, p, a, " "+a))
	})
}
