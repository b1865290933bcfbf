package rawjson_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/engine"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/rawjson"
)

type (
	config struct {
		metav1.TypeMeta `json:",inline"`
		embedded        `json:",inline"`

		Any      any                   `json:"any"`
		Array    [2]int                `json:"array"`
		Bool     bool                  `json:"bool"`
		Bytes    []byte                `json:"bytes"`
		Duration *metav1.Duration      `json:"duration"`
		Float    float64               `json:"float"`
		Folded   map[folded]int        `json:"folded"`
		Int      int64                 `json:"int"`
		Int8     int8                  `json:"int8"`
		Ints     map[int]string        `json:"ints"`
		List     []item                `json:"list"           hotupdatable:"false,key=name"`
		Map      map[string]item       `json:"map"`
		Mixed    intstr.IntOrString    `json:"mixed"`
		Number   json.Number           `json:"number"`
		Panics   panicking             `json:"panics"`
		Pointer  **int64               `json:"pointer"`
		Quantity resource.Quantity     `json:"quantity"`
		Quoted   int64                 `json:"quoted,string"`
		QuotedB  *bool                 `json:"quotedB,string"`
		QuotedS  string                `json:"quotedS,string"`
		QuotedL  []int                 `json:"quotedL,string"`
		Raw      *runtime.RawExtension `json:"raw"            hotupdatable:"true"`
		RawMsg   json.RawMessage       `json:"rawMsg"`
		Secrets  map[string]string     `json:"secrets"        hotupdatable:"true,sensitive=keys"`
		Text     string                `json:"text"`
		Time     metav1.Time           `json:"time"`
		Uint     uint64                `json:"uint"`
	}
	embedded struct {
		Promoted string `json:"promoted"`
	}
	item struct {
		Name string `json:"name"`
		Size *int   `json:"size,omitempty"`
	}
)

// folded is a text that is read in lower case.
type folded string

func (f *folded) UnmarshalText(text []byte) error {
	*f = folded(strings.ToLower(string(text)))
	return nil
}

// panicking is a type whose unmarshaler panics for everything but true.
type panicking bool

func (p *panicking) UnmarshalJSON(raw []byte) error {
	if string(raw) != "true" {
		panic(string(raw))
	}
	*p = true
	return nil
}

func plan(tb testing.TB) *fieldplan.Plan {
	tb.Helper()
	p, err := fieldplan.Compile(reflect.TypeFor[config](), nil, rawjson.ReadPart)
	require.NoError(tb, err)
	return p
}

// problems writes each error as its code and path.
func problems(err error) []string {
	var all []string
	for _, p := range fault.All(err) {
		all = append(all, strings.TrimSpace(fmt.Sprint(p.Code, " ", p.Path)))
	}
	return all
}

func TestDecodeFails(t *testing.T) {
	deep := func(opening, closing string, levels int) string {
		return strings.Repeat(opening, levels) + strings.Repeat(closing, levels)
	}
	for _, tc := range []struct {
		name, raw string
		want      []string
		reason    string
	}{
		{
			"unknown members", `{"a":1,"list":[{"name":"x","b":2}],"map":{"k":{"c":3}}}`,
			[]string{"unknown-member a", "unknown-member list[0].b", "unknown-member map[k].c"},
			"at every level",
		},
		{
			"wrong case", `{"Text":"a","TEXT":"b","list":[{"Name":"x"}]}`,
			[]string{"unknown-member Text", "unknown-member TEXT", "unknown-member list[0].Name"},
			"names are case-sensitive",
		},
		{
			"Go name of an embedded struct", `{"TypeMeta":{},"embedded":{}}`,
			[]string{"unknown-member TypeMeta", "unknown-member embedded"},
			"its fields are promoted",
		},
		{
			"odd names", `{"a.b":1,"":2,"a\"]":3}`,
			[]string{`unknown-member ["a.b"]`, `unknown-member [""]`, `unknown-member ["a\"]"]`},
			"paths quote them",
		},
		{
			"duplicate members", `{"text":"a","text":"b","list":[{"name":"a","name":"a"}]}`,
			[]string{"duplicate-member text", "duplicate-member list[0].name"},
			"which one counts would be a guess",
		},
		{
			"duplicate member in another spelling", `{"text":"a","t\u0065xt":"a"}`,
			[]string{"duplicate-member text"},
			"escapes make no difference",
		},
		{
			"three times", `{"text":"a","text":"b","text":"c"}`,
			[]string{"duplicate-member text", "duplicate-member text"},
			"once for each member too many",
		},
		{"duplicate TypeMeta", `{"kind":"a","kind":"b"}`, []string{"duplicate-member kind"}, "also where nothing is hashed"},
		{"duplicate null", `{"text":null,"text":null}`, []string{"duplicate-member text"}, "null is a value"},
		{"duplicate map keys", `{"map":{"a/b":{},"a/b":{}}}`, []string{"duplicate-member map[a/b]"}, "spelled as a map key"},
		{
			"duplicate hidden map keys", `{"secrets":{"hunter2":"a","hunter2":"b"}}`,
			[]string{"duplicate-member secrets[(sensitive)]"},
			"the key is not shown",
		},
		{
			"duplicates in free JSON", `{"any":{"a":[{"b":1,"b":2}]}}`,
			[]string{"duplicate-member any"},
			"at the field: inside there are no fields",
		},
		{
			"duplicates in raw JSON", `{"raw":{"a":1,"a":2},"rawMsg":[{"a":1,"a":2}]}`,
			[]string{"duplicate-member raw", "duplicate-member rawMsg"},
			"also where the decoder does not look",
		},
		{
			"duplicates before a lone surrogate", `{"raw":{"a":1,"a":2},"text":"\ud800"}`,
			[]string{"duplicate-member raw", "invalid-utf8 text"},
			"one problem does not hide another",
		},
		{"duplicates before what is no JSON", `{"raw":{"a":1,"a":2},"list":[`, []string{"invalid-json"}, "what is no JSON has no members"},
		{
			"nulls beside a problem", `{"a":1,"array":null,"list":null,"map":null,"quoted":null,"raw":null,"text":null}`,
			[]string{"unknown-member a"},
			"null is no problem of its own",
		},
		{
			"wrong types", `{"any":1,"array":{},"bool":"true","bytes":[1],"float":"1","int":true,"list":{},"map":[],"text":1,"uint":{}}`,
			[]string{
				"wrong-json-type array", "wrong-json-type bool", "wrong-json-type float", "wrong-json-type int", "wrong-json-type list",
				"wrong-json-type map", "wrong-json-type text", "wrong-json-type uint",
			},
			"all at once; a list of numbers is read as bytes",
		},
		{"wrong types below", `{"list":[1,{"size":"a"}],"map":{"a":[],"b":{"name":{}}}}`, []string{
			"wrong-json-type list[0]", "wrong-json-type list[1].size", "wrong-json-type map[a]", "wrong-json-type map[b].name",
		}, "with their paths"},
		{"wrong texts", `{"bytes":"?","duration":"1","mixed":1.5,"quantity":"1Zi","time":"yesterday"}`, []string{
			"wrong-json-type bytes", "wrong-json-type duration", "wrong-json-type mixed", "wrong-json-type quantity",
			"wrong-json-type time",
		}, "the type's own unmarshaler says so"},
		{"unmarshaler that panics", `{"panics":false}`, []string{"wrong-json-type panics"}, "as if it had failed"},
		{"root of another type", `[]`, []string{"wrong-json-type"}, "a configuration is an object"},
		{"root that is a text", `"hunter2"`, []string{"wrong-json-type"}, "a configuration is an object"},
		{"root that is a number", ` 1 `, []string{"wrong-json-type"}, "a configuration is an object"},
		{"integers out of range", `{"int8":128,"uint":-1,"int":9223372036854775808,"pointer":-9223372036854775809}`, []string{
			"wrong-json-type int8", "wrong-json-type uint", "wrong-json-type int", "wrong-json-type pointer",
		}, "nothing is cut off"},
		{
			"integers with a fraction", `{"int":1.0,"int8":1e2,"array":[1,0.5]}`,
			[]string{"wrong-json-type int", "wrong-json-type int8", "wrong-json-type array[1]"},
			"as in Kubernetes",
		},
		{"float out of range", `{"float":1e400}`, []string{"wrong-json-type float"}, "no infinity"},
		{"huge exponent", `{"number":1e1000}`, []string{"number-range number"}, "beyond the bound"},
		{
			"quoted without quotes", `{"quoted":1,"quotedB":true}`,
			[]string{"wrong-json-type quoted", "wrong-json-type quotedB"},
			"json:\",string\" wants a string",
		},
		{
			"quoted with something else", `{"quoted":"a","quotedB":"","quotedS":"a"}`,
			[]string{"wrong-json-type quoted", "wrong-json-type quotedB", "wrong-json-type quotedS"},
			"a string that holds a value",
		},
		{"quoted list", `{"quotedL":["1",2]}`, []string{"wrong-json-type quotedL[0]"}, "json:\",string\" is for scalars"},
		{
			"map keys that are no integers", `{"ints":{"a":"","1":"","1.0":""}}`,
			[]string{"wrong-json-type ints[a]", "wrong-json-type ints[1.0]"},
			"the keys are integers",
		},
		{
			"map keys that become one", `{"folded":{"A":1,"a":2},"ints":{"1":"a","01":"b"}}`,
			[]string{"duplicate-map-key folded[a]", "duplicate-map-key ints[01]"},
			"which one counts would be a guess",
		},
		{
			"a name twice in a map whose keys are read", `{"ints":{"1":"a","1":"b"}}`,
			[]string{"duplicate-member ints[1]"},
			"not another name of the same key",
		},
		{"trailing data", `{} {}`, []string{"invalid-json"}, "one value"},
		{"trailing comma", `{"text":"a",}`, []string{"invalid-json"}, "no JSON"},
		{"cut short", `{"text":"a`, []string{"invalid-json"}, "no JSON"},
		{"YAML", "text: a\n", []string{"invalid-json"}, "no JSON"},
		{"byte-order mark", "\ufeff{}", []string{"invalid-json"}, "no JSON"},
		{"byte-order mark alone", "\ufeff", []string{"invalid-json"}, "no JSON"},
		{"no-break space alone", "\u00a0", []string{"invalid-json"}, "no white space of JSON"},
		{"vertical tab alone", "\v", []string{"invalid-json"}, "no white space of JSON"},
		{"lone surrogate", `{"text":"\ud800"}`, []string{"invalid-utf8 text"}, "encoding/json would repair it silently"},
		{"lone surrogate in a name", `{"map":{"\udc00":{}}}`, []string{"invalid-utf8"}, "encoding/json would repair it silently"},
		{"invalid UTF-8", "{\"text\":\"\xff\"}", []string{"invalid-utf8 text"}, "encoding/json would repair it silently"},
		{"invalid UTF-8 in raw JSON", "{\"raw\":{\"a\":\"\xff\"}}", []string{"invalid-utf8 raw"}, "also where the decoder does not look"},
		{"deep lists", `{"any":` + deep("[", "]", 1000) + `}`, []string{"too-deep"}, "beyond the bound"},
		{"deep lists that do not end", strings.Repeat("[", 1_000_000), []string{"too-deep"}, "beyond the bound"},
		{"deep objects", strings.Repeat(`{"any":`, 100_000), []string{"too-deep"}, "beyond the bound"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := rawjson.Decode(plan(t), []byte(tc.raw))
			assert.Equal(t, tc.want, problems(err), tc.reason)
			assert.True(t, got.Elem().IsZero(), "nothing half-read is returned")
			for _, p := range fault.All(err) {
				assert.NotContains(t, p.Error()+p.Path, "hunter2", "no value is shown")
			}
		})
	}
}

func TestDecode(t *testing.T) {
	one := int64(1)
	size := 3
	yes := true
	pointer := &one
	for _, tc := range []struct {
		name, raw string
		want      config
		reason    string
	}{
		{"nothing", "", config{}, "the empty configuration"},
		{"white space", " \t\r\n", config{}, "the empty configuration"},
		{"null", " null\n", config{}, "the empty configuration"},
		{"empty object", "{}", config{}, "the empty configuration"},
		{"nulls", `{"any":null,"array":null,"bool":null,"bytes":null,"duration":null,"float":null,"int":null,"ints":null,"list":null,"map":null,"mixed":null,
			"pointer":null,"quantity":null,"quoted":null,"quotedB":null,"quotedS":null,"raw":null,"text":null,"time":null,"kind":null}`, config{}, "null is absent"},
		{
			"null elements", `{"list":[null],"map":{"a":null},"array":[null,1]}`,
			config{List: []item{{}}, Map: map[string]item{"a": {}}, Array: [2]int{0, 1}},
			"zero elements",
		},
		{
			"TypeMeta and promoted fields", `{"apiVersion":"v1","kind":"K","promoted":"p"}`,
			config{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "K"}, embedded: embedded{"p"}},
			"as encoding/json resolves them",
		},
		{
			"integers at their bounds", `{"int":-9223372036854775808,"int8":-128,"uint":18446744073709551615,"pointer":1}`,
			config{Int: -1 << 63, Int8: -128, Uint: 1<<64 - 1, Pointer: &pointer},
			"exact",
		},
		{
			"integers in free JSON", `{"any":[9007199254740993,-9223372036854775808]}`,
			config{Any: []any{int64(9007199254740993), int64(-1 << 63)}},
			"exact",
		},
		{
			"quoted", `{"quoted":"-7","quotedB":"true","quotedS":"\"a\"","quotedL":[1]}`,
			config{Quoted: -7, QuotedB: &yes, QuotedS: "a", QuotedL: []int{1}},
			"json:\",string\" is for scalars",
		},
		{"escapes", `{"t\u0065xt":"\ud83d\ude00\u0000\/"}`, config{Text: "😀\x00/"}, "unescaped"},
		{"leaves", `{"bytes":"YQ==","duration":"60m","mixed":"50%","number":1.50,"panics":true,"time":"2024-01-01T01:00:00+01:00"}`, config{
			Bytes: []byte("a"), Duration: &metav1.Duration{Duration: time.Hour}, Mixed: intstr.FromString("50%"), Number: "1.50",
			Panics: true,
			Time:   metav1.NewTime(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).Local()),
		}, "read by their own rules"},
		{
			"raw JSON", `{"raw": {"b": 1, "a": 2}, "rawMsg": [ 1.0 ]}`,
			config{Raw: &runtime.RawExtension{Raw: []byte(`{"b": 1, "a": 2}`)}, RawMsg: json.RawMessage(`[ 1.0 ]`)},
			"kept as it is",
		},
		{"array of another length", `{"array":[1,2,3]}`, config{Array: [2]int{1, 2}}, "as in Kubernetes, which drops what does not fit"},
		{
			"duplicate list keys", `{"list":[{"name":"a","size":3},{"name":"a"}]}`,
			config{List: []item{{"a", &size}, {Name: "a"}}},
			"found when the value is walked",
		},
		{
			"maps whose keys are read", `{"folded":{"A":1,"b":2},"ints":{"1":"a","2":"b"}}`,
			config{Folded: map[folded]int{"a": 1, "b": 2}, Ints: map[int]string{1: "a", 2: "b"}},
			"different keys lose nothing",
		},
		{"deepest", `{"any":` + strings.Repeat("[", 999) + strings.Repeat("]", 999) + `}`, config{Any: nestedLists(999)}, "the bound"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := rawjson.Decode(plan(t), []byte(tc.raw))
			require.NoError(t, err, tc.reason)
			assert.Equal(t, &tc.want, got.Interface(), tc.reason)
		})
	}
}

func nestedLists(levels int) any {
	var list any = []any{}
	for range levels - 1 {
		list = []any{list}
	}
	return list
}

// FuzzDecode: what is read is what Kubernetes' decoder reads and what loses nothing.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		"", "null", `{"list":[{"name":"a","size":1},{"name":"b"}],"map":{"k":{"name":"n"}}}`,
		`{"any":{"a":[1,2.5,null,true,"\u00e9"]},"raw":{"a":1}}`,
		`{"quoted":"1","quotedB":"true","quotedS":"\"\""}`, `{"ints":{"1":"a","-2":"b","01":"c"}}`, `{"folded":{"A":1,"a":2}}`,
		`{"text":"\ud800","raw":{"a":1,"a":2}}`,
		`{"quantity":"1Gi","mixed":"50%","duration":"1h","time":"2024-01-01T00:00:00Z","bytes":"YQ=="}`,
		`{"array":[1],"float":1e3,"uint":1,"number":0}`,
		`{"text":1,"list":{},"Text":"a"}`, `{"rawMsg":{"a":"\udc00"}}`, "\u00a0", `{"secrets":{"hunter2":"a","hunter2":"b"}}`,
	} {
		f.Add([]byte(seed))
	}
	p := plan(f)
	f.Fuzz(func(t *testing.T, raw []byte) {
		value, err := rawjson.Decode(p, raw)
		_, good := decoded(p, raw)
		isEmpty := strings.Trim(string(raw), " \t\r\n") == ""
		if (err == nil) != (isEmpty || good && isLossless(raw)) {
			t.Fatalf("%q: %v", raw, err)
		}
		if err != nil {
			requireTyped(t, err)
			return
		}
		if _, err = engine.Of(p).Append(nil, value); err != nil {
			requireTyped(t, err)
		}
	})
}

// isLossless reports whether decoding the object raw loses neither digits of numbers in free JSON nor entries of the maps
// whose keys are read.
func isLossless(raw []byte) bool {
	var members struct {
		Any    json.RawMessage            `json:"any"`
		Folded map[string]json.RawMessage `json:"folded"`
		Ints   map[string]json.RawMessage `json:"ints"`
	}
	if json.Unmarshal(raw, &members) != nil {
		return true // null
	}
	foldedKeys := map[string]bool{}
	for name := range members.Folded {
		foldedKeys[strings.ToLower(name)] = true
	}
	keys := map[int64]bool{}
	for name := range members.Ints {
		key, _ := strconv.ParseInt(name, 10, 64)
		keys[key] = true
	}
	dec := json.NewDecoder(bytes.NewReader(members.Any))
	dec.UseNumber()
	var free any
	_ = dec.Decode(&free)
	return len(foldedKeys) == len(members.Folded) && len(keys) == len(members.Ints) && areNumbersExact(free)
}

// areNumbersExact reports whether each number is an int64, or what the shortest text of its float64 says.
func areNumbersExact(free any) bool {
	switch v := free.(type) {
	case json.Number:
		if _, err := v.Int64(); err == nil {
			return true
		}
		f, err := v.Float64()
		shortest, _ := new(big.Rat).SetString(strconv.FormatFloat(f, 'g', -1, 64))
		exact, ok := new(big.Rat).SetString(v.String())
		return err == nil && ok && exact.Cmp(shortest) == 0
	case []any:
		return !slices.ContainsFunc(v, func(e any) bool { return !areNumbersExact(e) })
	case map[string]any:
		return !slices.ContainsFunc(slices.Collect(maps.Values(v)), func(e any) bool { return !areNumbersExact(e) })
	default:
		return true
	}
}

// requireTyped checks that an error has nothing but typed problems.
func requireTyped(t *testing.T, err error) {
	t.Helper()
	found := fault.All(err)
	require.NotEmpty(t, found)
	for _, p := range found {
		require.NotEmpty(t, p.Code)
	}
}

// writing only writes itself, so that no plan shows what is in it.
type writing struct {
	Any   any            `json:"any,omitempty"`
	Below []*writing     `json:"below,omitempty"`
	Exact json.Number    `json:"exact,omitempty"`
	Reads map[string]raw `json:"reads,omitempty"`
}

// MarshalJSON has the receiver of a value, and calls no method of it.
func (w writing) MarshalJSON() ([]byte, error) {
	type plain writing
	return json.Marshal(plain(w))
}

// raw keeps what it reads.
type raw struct{ value any }

func (r raw) MarshalJSON() ([]byte, error) { return json.Marshal(r.value) }
func (r *raw) UnmarshalJSON(text []byte) error {
	r.value = json.RawMessage(bytes.Clone(text))
	return nil
}

// TestDigitsBelowATypeThatWritesItself: a number that an interface rounds is an error there, too: two numbers must not have one hash.
func TestDigitsBelowATypeThatWritesItself(t *testing.T) {
	p, err := fieldplan.Compile(reflect.TypeFor[struct {
		Self *writing `json:"self"`
		Read raw      `json:"read"`
	}](), nil, rawjson.ReadPart)
	require.NoError(t, err)
	for _, tc := range []struct {
		raw  string
		want []string
	}{
		{`{"self":{"any":0.12345678901234567890}}`, []string{"number-range self"}},
		{`{"self":{"below":[null,{"any":[18446744073709551617]}]}}`, []string{"number-range self"}},
		{`{"self":{"below":[{"any":[0.5,9007199254740993,-1e3]}]}}`, nil},
		{`{"self":{"exact":1.5}}`, nil},
		{`{"self":null}`, nil},
		{`{"read":0.12345678901234567890}`, nil},
	} {
		_, err := rawjson.Decode(p, []byte(tc.raw))
		assert.Equal(t, tc.want, problems(err), tc.raw)
	}
}
