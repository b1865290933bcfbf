package strip_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/rawjson"
	"github.com/hotupdate/providerconfig/internal/strip"
)

// The rules are tested at hotupdate.Schema.StripRaw. Here are selectors of every type, and plans that differ from what a config's are.

type byInt struct {
	When  int    `json:"when"`
	Other string `json:"other"`
}

type byQuotedInt struct {
	When  int    `json:"when,string"`
	Other string `json:"other"`
}

type byQuotedBool struct {
	When  bool   `json:"when,string"`
	Other string `json:"other"`
}

type byQuotedText struct {
	When  string `json:"when,string"`
	Other string `json:"other"`
}

type selectors struct {
	Zero  map[string]byInt        `json:"zero"  hotupdatable:"false,hotwhen=when:0"`
	Seven map[string]byInt        `json:"seven" hotupdatable:"false,hotwhen=when:7"`
	Int   map[string]byQuotedInt  `json:"int"   hotupdatable:"false,hotwhen=when:7"`
	Bool  map[string]byQuotedBool `json:"bool"  hotupdatable:"false,hotwhen=when:true"`
	Text  map[string]byQuotedText `json:"text"  hotupdatable:"false,hotwhen=when:a\"b"`
}

func compile[T any](t *testing.T) *fieldplan.Plan {
	t.Helper()
	p, err := fieldplan.Compile(reflect.TypeFor[T](), nil, rawjson.ReadPart)
	require.NoError(t, err)
	return p
}

func stripped(t *testing.T, p *fieldplan.Plan, raw string) string {
	t.Helper()
	got, err := strip.Strip(p, []byte(raw), strip.StripNulls)
	require.Nil(t, err)
	return string(got)
}

func TestSelectors(t *testing.T) {
	p := compile[selectors](t)
	for _, tc := range []struct {
		collection, value string
		holds             bool
		reason            string
	}{
		{"zero", `0`, true, "an integer"},
		{"zero", `-0`, true, "zero has no sign"},
		{"zero", `null`, true, "null is zero"},
		{"zero", `"0"`, false, "not quoted"},
		{"zero", `0.0`, false, "what an integer cannot hold"},
		{"zero", `00`, false, "no JSON"},
		{"seven", `7`, true, "an integer"},
		{"seven", `70`, false, "another"},
		{"seven", `-7`, false, "another"},
		{"seven", `[7]`, false, "another type"},
		{"seven", `null`, false, "null is zero"},
		{"int", `"7"`, true, "quoted"},
		{"int", `"\u0037"`, true, "and escaped"},
		{"int", `7`, true, "taken for what it says"},
		{"int", `"07"`, false, "no integer"},
		{"int", `"\"7\""`, false, "quoted twice"},
		{"bool", `"true"`, true, "quoted"},
		{"bool", `"false"`, false, "the other"},
		{"bool", `"`, false, "no JSON"},
		{"text", `"\"a\\\"b\""`, true, "a string in a string"},
		{"text", `"\u0022a\u005c\u0022b\u0022"`, true, "in another spelling"},
		{"text", `"a\"b"`, false, "not quoted"},
		{"text", `"\"a\\\""`, false, "cut short"},
		{"text", `""`, false, "empty"},
		{"text", `{}`, false, "another type"},
	} {
		t.Run(tc.collection+tc.value, func(t *testing.T) {
			raw := `{"` + tc.collection + `":{"a":{"when":` + tc.value + `,"other":"x"}}}`
			got, err := strip.Strip(p, []byte(raw), strip.StripNulls)
			switch {
			case tc.reason == "no JSON":
				require.NotNil(t, err)
			case tc.holds:
				assert.Equal(t, `{}`, string(got), tc.reason)
			default:
				assert.Equal(t, raw, string(got), tc.reason)
			}
		})
	}
}

func TestOnlyObjectsAreSelected(t *testing.T) {
	raw := `{"zero":{"a":null,"b":[],"c":7,"d":"when"}}`
	assert.Equal(t, raw, stripped(t, compile[selectors](t), raw))
}

type allHot struct {
	Kind string            `json:"kind"        hotupdatable:"true"`
	A    map[string]string `json:"a,omitempty" hotupdatable:"ignore"`
}

func TestWithoutTypeMetaKindIsAField(t *testing.T) {
	assert.Equal(t, `{"apiVersion":"v1"}`, stripped(t, compile[allHot](t), `{"kind":"K","apiVersion":"v1","a":{}}`))
}

type inner struct {
	Hot  int `json:"hot"  hotupdatable:"true"`
	Kept int `json:"kept"`
}

func TestNestedCollections(t *testing.T) {
	p := compile[struct {
		Umlaut string              `json:"ä/é"   hotupdatable:"true"`
		Fixed  [2]map[string]inner `json:"fixed"`
		Lists  [][]inner           `json:"lists"`
		Maps   map[string][]inner  `json:"maps"`
		Set    []string            `json:"set"   hotupdatable:"false,set"`
		Any    any                 `json:"any"`
		Empty  *struct{}           `json:"empty"`
		Hot    *struct{}           `json:"hot"   hotupdatable:"true"`
	}](t)
	for _, tc := range []struct{ raw, want, reason string }{
		{`{"\u00e4\/\u00E9":"x","any":1}`, `{"any":1}`, "a name with characters of two bytes, escaped"},
		{`{"ä/é":"x","any":1}`, `{"any":1}`, "and as it is"},
		{`{"fixed":[{"a":{"hot":1}},{"b":{"kept":1,"hot":1}}]}`, `{"fixed":[{"a":{}},{"b":{"kept":1}}]}`, "maps in an array"},
		{`{"lists":[[{"hot":1}],[],[{"hot":1,"kept":1},null]]}`, `{"lists":[[{}],[],[{"kept":1},null]]}`, "lists in a list"},
		{`{"maps":{"hot":[{"hot":1}],"b":{"hot":1}}}`, `{"maps":{"hot":[{}],"b":{"hot":1}}}`, "lists in a map"},
		{`{"any":{"hot":1},"set":["hot"]}`, `{"any":{"hot":1},"set":["hot"]}`, "leaves are not looked into"},
		{`{"empty":{},"hot":{}}`, `{"empty":{}}`, "a pointer to a type without fields"},
	} {
		assert.Equal(t, tc.want, stripped(t, p, tc.raw), tc.reason)
	}
}
