package canonjson_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/effort"
)

func TestAppendValue(t *testing.T) {
	for _, tc := range []struct{ name, in, want, reason string }{
		{
			"null and empty members", `{"z":null,"y":{},"x":[],"w":"","v":false,"u":0}`,
			`{"u":0,"v":false,"w":"","x":[],"y":{},"z":null}`, "nothing is dropped",
		},
		{"prefix", `{"a!":1,"a":2,"a\"":3}`, `{"a":2,"a!":1,"a\"":3}`, "the closing quote is no part of the name: a < a! < a\""},
		{
			"unescaped order", `{"a":1,"\u0062":2,"\n":3,"Z":4,"\"":5,"\\":6,"!":7,"#":8}`,
			`{"\n":3,"!":7,"\"":5,"#":8,"Z":4,"\\":6,"a":1,"b":2}`, "bytes 0a 21 22 23 5a 5c 61 62; escaped, the backslash would decide",
		},
		{
			"UTF-8 order", `{"\ufb33":1,"\ud83d\ude00":2,"\u20ac":3,"\u00f6":4,"\r":5,"1":6,"\u0080":7}`,
			"{\"\\r\":5,\"1\":6,\"\u0080\":7,\"ö\":4,\"€\":3,\"\ufb33\":1,\"😀\":2}",
			"the names of RFC 8785 section 3.2.3; U+FB33 before U+1F600, where UTF-16 order has it behind",
		},
		{
			"nested", `{"b":{"d":1,"c":[{"f":1,"e":2}]},"a":[{"z":{},"y":{"x":1,"w":2}}]}`,
			`{"a":[{"y":{"w":2,"x":1},"z":{}}],"b":{"c":[{"e":2,"f":1}],"d":1}}`, "every object is sorted, also inside arrays",
		},
		{"composed and decomposed", `{"\u00e9":1,"e\u0301":2}`, "{\"e\u0301\":2,\"\u00e9\":1}", "two names: no normalisation"},
		{
			"escapes", `"\"\\\/\b\f\n\r\t\u002F\u003c\u007F\u2028\u0000\u001F"`, "\"\\\"\\\\/\\b\\f\\n\\r\\t/<\u007f\u2028\\u0000\\u001f\"",
			"only what must be escaped is",
		},
		{"short escapes spelled long", `"\u0008\u0009\u000A\u000c\u000D\u0022\u005C"`, `"\b\t\n\f\r\"\\"`, "only the short form"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := canonjson.AppendValue([]byte(`{"dst" `), []byte(tc.in))
			require.Nil(t, err)
			assert.Equal(t, `{"dst" `+tc.want, string(got), tc.reason)
			checkValue(t, tc.in)
		})
	}
}

func TestAppendValueFails(t *testing.T) {
	for _, tc := range []struct {
		in     string
		want   string
		offset string
		reason string
	}{
		{" \n", "invalid-json", "offset 2:", "white space only"},
		{"\ufeff1", "invalid-json", "offset 0: a byte-order mark", "a byte-order mark"},
		{"\v1", "invalid-json", "offset 0:", "a vertical tab is no white space"},
		{"1\x00", "invalid-json", "offset 1:", "NUL is not the end"},
		{"1 2", "invalid-json", "offset 2:", "trailing data"},
		{"nul", "invalid-json", "offset 0:", "cut short"},
		{"nullx", "invalid-json", "offset 4:", "no such literal"},
		{"NaN", "invalid-json", "offset 0:", "no such literal"},
		{"-Infinity", "invalid-json", "offset 1:", "no such literal"},
		{"[-01]", "invalid-json", "offset 3:", "a leading zero"},
		{"[1.]", "invalid-json", "offset 3:", "no digits behind the point"},
		{"[1e]", "invalid-json", "offset 3:", "no exponent"},
		{"[", "invalid-json", "offset 1:", "cut short"},
		{"[1", "invalid-json", "offset 2:", "cut short"},
		{"[1,]", "invalid-json", "offset 3:", "a trailing comma"},
		{"[1 2]", "invalid-json", "offset 3:", "no comma"},
		{"[1}", "invalid-json", "offset 2:", "the wrong bracket"},
		{"{", "invalid-json", "offset 1:", "cut short"},
		{`{"a"`, "invalid-json", "offset 4:", "cut short"},
		{`{"a":`, "invalid-json", "offset 5:", "cut short"},
		{`{"a":1,}`, "invalid-json", "offset 7:", "a trailing comma"},
		{`{"a":1 "b":2}`, "invalid-json", "offset 7:", "no comma"},
		{`{"a" 1}`, "invalid-json", "offset 5:", "no colon"},
		{`{1:1}`, "invalid-json", "offset 1:", "a number for a name"},
		{`"`, "invalid-json", "offset 1:", "no closing quote"},
		{`"a\"`, "invalid-json", "offset 4:", "no closing quote"},
		{`"a\`, "invalid-json", "offset 2:", "the backslash escapes nothing"},
		{"\"a\nb\"", "invalid-json", "offset 2:", "a control character"},
		{`"ab\x41"`, "invalid-json", "offset 3:", "no such escape"},
		{`"\u004"`, "invalid-json", "offset 1:", "three digits"},
		{`"\u+041"`, "invalid-json", "offset 1:", "strconv would take the sign"},
		{`{"\q":1}`, "invalid-json", "offset 2:", "no such escape, in a name"},
		{"\"ab\x80\"", "invalid-utf8", "offset 3", "invalid UTF-8"},
		{"{\"a\xff\":1}", "invalid-utf8", "offset 3", "invalid UTF-8, in a name"},
		{"\"\xc3\\u00a9\"", "invalid-utf8", "offset 1", "half a character before an escape"},
		{`"a\ud800"`, "invalid-utf8", "offset 2", "a lone high surrogate"},
		{`"a\udc00"`, "invalid-utf8", "offset 2", "a lone low surrogate"},
		{`"\ud800\ud800"`, "invalid-utf8", "offset 1", "two high surrogates"},
		{`"\ud800\ndc00"`, "invalid-utf8", "offset 1", "followed by another escape and four digits"},
		{`"\ud800xudc00"`, "invalid-utf8", "offset 1", "followed by what lacks its backslash"},
		{`{"\udfff":1}`, "invalid-utf8", "offset 2", "in a name"},
		{`{"a":1,"b":2,"\u0061":3}`, "duplicate-member", "offset 13", "the same name unescaped"},
		{`{"\u0062":1,"a":2,"b":3}`, "duplicate-member", "offset 18", "the second, also where sorting moves them"},
		{`{"":1,"":2}`, "duplicate-member", "offset 6", "the empty name"},
		{`[{"x":{"a":1,"b":{},"a":2}}]`, "duplicate-member", "offset 20", "further down"},
		{`[1, 1e1000]`, "number-range", "offset 4", "too large"},
		{`{"a":-1e-1000}`, "number-range", "offset 5", "too small"},
	} {
		t.Run(tc.in, func(t *testing.T) {
			got, err := canonjson.AppendValue([]byte("dst "), []byte(tc.in))
			requireFault(t, err, tc.want)
			assert.Contains(t, err.What+":", tc.offset, tc.reason)
			assert.Equal(t, "dst ", string(got), "dst keeps its length")
			checkValue(t, tc.in)
		})
	}
}

func TestProblemsQuoteNoValues(t *testing.T) {
	for _, in := range []string{
		`{"secret":1,"secret":2}`, `"secret\x"`, `"secret`, `secret`, `{"a":secret}`, `"secret` + "\xff\"", `{"secret" 1}`,
		`"secret\ud800"`, `{"secret":1e1000}`, `[1]secret`, `{"secret":"secret"`,
	} {
		_, err := canonjson.AppendValue(nil, []byte(in))
		require.NotNil(t, err, in)
		assert.NotContains(t, err.Error(), "secret")
		assert.NoError(t, err.Cause)
	}
}

func nest(opening, closing string, depth int) string {
	return strings.Repeat(opening, depth) + strings.Repeat(closing, depth)
}

func TestDepth(t *testing.T) {
	for _, tc := range []struct{ name, opening, inner, closing string }{
		{"arrays", "[", "", "]"},
		{"objects", `{"b":0,"a":`, "[]", "}"},
		{"both", `[{"b":0,"a":`, "1", "}]"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			per := strings.Count(tc.opening, "[") + strings.Count(tc.opening, "{")
			levels := (canonjson.MaxDepth - strings.Count(tc.inner, "[")) / per
			fits := strings.Repeat(tc.opening, levels) + tc.inner + strings.Repeat(tc.closing, levels)
			checkValue(t, fits)
			_, err := canonjson.AppendValue(nil, []byte("["+fits+"]"))
			requireFault(t, err, "too-deep")
			checkValue(t, "["+fits+"]")
		})
	}
	checkValue(t, "["+nest("[", "]", 999)+","+nest("[", "]", 999)+"]")
	_, err := canonjson.AppendValue(nil, []byte(strings.Repeat("[", 10<<20)))
	requireFault(t, err, "too-deep")
	assert.Contains(t, err.What, "offset 1000")
}

// TestLargeValuesAreWritten has inputs that would take minutes if a step were quadratic.
func TestLargeValuesAreWritten(t *testing.T) {
	wide := make([]string, 100_000)
	for i := range wide {
		wide[i] = fmt.Sprintf(`"%s%d":%d`, strings.Repeat("k", 20), (i*7919)%len(wide), i)
	}
	payload := `"` + strings.Repeat("x", effort.Of(4<<20)) + `"`
	for name, raw := range map[string]string{
		"many members":       "{" + strings.Join(wide, ",") + "}",
		"many elements":      "[" + strings.Repeat("{},", 500_000) + "{}]",
		"deep and unsorted":  strings.Repeat(`{"b":0,"a":`, 1000) + payload + strings.Repeat("}", 1000),
		"many escapes":       `"` + strings.Repeat(`\ud83d\ude00`, 300_000) + `"`,
		"many strings":       "[" + strings.Repeat(`"\n",`, 500_000) + `""]`,
		"many short numbers": "[" + strings.Repeat(`1e5,`, 500_000) + `1]`,
	} {
		_, err := canonjson.AppendValue(nil, []byte(raw))
		require.Nil(t, err, name)
	}
}

func TestDstMayOverlapRaw(t *testing.T) {
	raw := []byte(`{"b": 1e20, "c":1e20, "d":1e20,"a": "\u0061"}  `)
	want := canonical(t, string(raw))
	got, err := canonjson.AppendValue(raw[:0], raw)
	require.Nil(t, err)
	require.Equal(t, want, string(got))
}

// TestCallsAreIndependent mixes good and bad values of all sizes: pooled memory must not show.
func TestCallsAreIndependent(t *testing.T) {
	texts := []string{
		`{"b":1,"a":{"d":1,"c":2}}`, `{"a":{"b":1,"a":`, `[]`, `"x"`, `{"a":1,"a":2}`, `{"x":[1,2,{"z":1,"y":"\n"}]}`, `{"":"\ud800"}`,
		`{"z":"` + strings.Repeat("long", 20_000) + `","a":1}`, `{}`, nest("[", "]", 1001), nest(`{"b":[],"a":[`, "]}", 400),
	}
	want := make([]string, len(texts))
	for i, raw := range texts {
		checkValue(t, raw)
		got, err := canonjson.AppendValue(nil, []byte(raw))
		want[i] = fmt.Sprint(string(got), err)
	}
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			for i := range 50 {
				at := (i*(worker+1) + worker) % len(texts)
				got, err := canonjson.AppendValue(nil, []byte(texts[at]))
				assert.Equal(t, want[at], fmt.Sprint(string(got), err))
			}
		})
	}
	group.Wait()
}

// genTree draws a tree of the oracle's nodes.
func genTree(depth int) *rapid.Generator[any] {
	scalars := []*rapid.Generator[any]{
		rapid.Just[any](nil),
		rapid.Bool().AsAny(),
		rapid.Map(genLiteral(), func(s string) any { return json.Number(s) }),
		genText().AsAny(),
	}
	if depth == 0 {
		return rapid.OneOf(scalars...)
	}
	arrays := rapid.Custom(func(t *rapid.T) any { return rapid.SliceOfN(genTree(depth-1), 0, 4).Draw(t, "elements") })
	objects := rapid.Custom(func(t *rapid.T) any {
		members := []pair{}
		for _, name := range rapid.SliceOfNDistinct(genText(), 0, 5, rapid.ID[string]).Draw(t, "names") {
			members = append(members, pair{name, genTree(depth-1).Draw(t, "value")})
		}
		return members
	})
	return rapid.OneOf(append(scalars, arrays, objects, objects)...)
}

// genText draws text, most of it short and from characters whose order or escapes are easily got wrong.
func genText() *rapid.Generator[string] {
	alphabet := []rune{
		'a', 'b', '"', '!', '#', '\\', '/', 'u', '\n', 0, 0x1f, 0x7f, 'é', 0x2028, 0xd7ff, 0xe000, 0xfb33, 0xffff, 0x1f600, 0x10ffff,
	}
	return rapid.OneOf(rapid.StringOfN(rapid.SampledFrom(alphabet), 0, 3, -1), rapid.String())
}

// spell writes a tree with every freedom that JSON gives.
func spell(t *rapid.T, node any) string {
	space := rapid.SampledFrom([]string{"", "", "", " ", "\n\t", "\r\n  "})
	gap := func() string { return space.Draw(t, "space") }
	switch node := node.(type) {
	case string:
		return gap() + spellString(t, node) + gap()
	case json.Number:
		return gap() + respell(t, string(node)) + gap()
	case []any:
		items := make([]string, len(node))
		for i, element := range node {
			items[i] = spell(t, element)
		}
		return gap() + "[" + strings.Join(items, ",") + gap() + "]" + gap()
	case []pair:
		items := make([]string, len(node))
		for i, m := range rapid.Permutation(node).Draw(t, "order") {
			items[i] = gap() + spellString(t, m.name) + gap() + ":" + spell(t, m.value)
		}
		return gap() + "{" + strings.Join(items, ",") + gap() + "}" + gap()
	default:
		return gap() + naiveValue(node) + gap()
	}
}

// spellString escapes what must be escaped, and some more.
func spellString(t *rapid.T, s string) string {
	var b strings.Builder
	for _, r := range s {
		switch style := rapid.IntRange(0, 3).Draw(t, "style"); {
		case style == 0:
			b.WriteString(spellRune(`\u%04x`, r))
		case style == 1:
			b.WriteString(spellRune(`\u%04X`, r))
		case style == 2 && r == '/':
			b.WriteString(`\/`)
		default:
			quoted := naiveString(string(r))
			b.WriteString(quoted[1 : len(quoted)-1])
		}
	}
	return `"` + b.String() + `"`
}

func spellRune(format string, r rune) string {
	if high, low := utf16.EncodeRune(r); high != 0xfffd {
		return fmt.Sprintf(format+format, high, low)
	}
	return fmt.Sprintf(format, r)
}

func TestSpellingMakesNoDifference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tree := genTree(3).Draw(t, "tree")
		want := naiveValue(tree)
		for _, raw := range []string{spell(t, tree), spell(t, tree)} {
			require.Equal(t, want, canonical(t, raw), "%q", raw)
			checkValue(t, raw)
		}
	})
}

// TestShortAndLongObjectsAreSorted: short objects are sorted where they end, and long ones with everything in them at
// the end of the text: in each other in every way.
func TestShortAndLongObjectsAreSorted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkValue(t, nestedObjects(t, 4)) })
}

func nestedObjects(t *rapid.T, depth int) string {
	if depth == 0 || rapid.IntRange(0, 5).Draw(t, "ends") == 0 {
		return `"` + strings.Repeat("x", rapid.IntRange(0, 300).Draw(t, "length")) + `"`
	}
	var members []string
	for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c", "d"}), 0, 3, rapid.ID).Draw(t, "names") {
		members = append(members, `"`+name+`":`+nestedObjects(t, depth-1))
	}
	return "{" + strings.Join(members, ",") + "}"
}

// TestScrapsAgainstOracle puts pieces of JSON together, mostly wrongly.
func TestScrapsAgainstOracle(t *testing.T) {
	pieces := []string{
		"{", "}", "[", "]", ",", ":", " ", `"a"`, `"b"`, `"\u0061"`, `"\ud800"`, `"\ud83d\ude00"`, `"`, `\`, `{"a":`, "1", "-0", "1e5",
		"01", "null",
		"true", "\x00", "\xff", "\ufeff", "1e1000",
	}
	rapid.Check(t, func(t *rapid.T) {
		checkValue(t, strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "pieces"), ""))
	})
}

const workerConfig = `{"volume":{"iops":10000,"type":"gp3"},"tags":{"vm":{"team":"a","cost-center":"42"}},"dataVolumes":[{"name":"kubelet-dir",
	"snapshotID":"snap-13234"}],"iamInstanceProfile":{"name":"my-profile","arn":"my-instance-profile-arn"},"path":"\/dev\/sda","ratio":0.50}`

func BenchmarkAppendValue(b *testing.B) {
	sorted, err := canonjson.AppendValue(nil, []byte(workerConfig))
	require.Nil(b, err)
	for _, bc := range []struct {
		name string
		raw  []byte
	}{
		{"scalar", []byte(`"kubelet-dir"`)},
		{"unsorted", []byte(workerConfig)},
		{"sorted", sorted},
		{"large", []byte("[" + strings.Repeat(workerConfig+",", 999) + workerConfig + "]")},
	} {
		b.Run(bc.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(bc.raw)))
			dst := make([]byte, 0, 2*len(bc.raw))
			for b.Loop() {
				_, _ = canonjson.AppendValue(dst, bc.raw)
			}
		})
	}
}

func FuzzAppendValue(f *testing.F) {
	for _, seed := range []string{
		workerConfig, "", "null", "[]", "{}", " [1, 2.50 ,-0] ", `{"b":{"d":1,"c":[{"f":1,"e":2}]},"a":[{"z":{},"y":{}}]}`,
		`{"a":1,"\u0061":2}`, `"\ud83d\ude00"`, `"\ud800"`, "\"\xff\"", `{"\n":1,"!":2,"\"":3}`, "1e999", "1e-1000", "01", "\ufeff1",
		"null", " \t\r\n true \t\r\n ", "false", "1.50e1", `"\u0041"`, `""`, "[ ]", "{\n}", `[ 3 , 1 , [ ] , null ]`, `{"a":1,"b":2}`,
		`{ "b" : 2 , "a" : 1 }`,
		`{"a":1,"":2}`, `{"a":{"c":1,"b":2},"d":[{"f":1,"e":2},{"h":1,"g":2}]}`, `{"b":{"x":1,"y":2},"a":{"x":[],"y":{}}}`,
		`{"a":{"a":{"a":1}},"b":[{"a":1},{"a":1}]}`,
		`"\uD83D\uDE00\ud83d\ude00"`, `"\ud800\udc00\udbff\udfff"`, `"\ud7ff\ue000\ufffd\uffff"`, `"\\ud800"`, "\"\ufeff\"",
		`{"volume": {"iops": 10000}, "iamInstanceProfile": {"name": "my-profile", "arn": "my-instance-profile-arn"}, "dataVolumes": [{"name": "kubelet-dir", "snapshotID": "snap-13234"}]}`,
		"", "\u00a01", "\x00", "[\x00]", "{}}", "null,", "True", "tru\u00e9", "'a'", "// c\n1", "01", "[.5]", "[+1]", "[0x1]", "[1,",
		"[,1]", "[1,,2]", `{"a":1`,
		`{"a":1,`, `{,"a":1}`, `{"a"=1}`, `{"a":}`, `{"a":1]`, `{a:1}`, `{null:1}`, "\"a\x00b\"", "\"a\x1fb\"", `"\U0041"`, `"\'"`, `"\u"`,
		`"\u00g0"`, `"\u0x41"`,
		"\"\\u004\u00e9\"", "\"\xed\xa0\x80\"", `"\udc00\ud800"`, `"\ud800\u0041"`, `"\ud800\ufffd"`, `"\ud800x"`, `"\ud800\n"`,
		`{"a":1,"a":1}`, `{"/":1,"\/":2}`,
		nest("[", "]", 1001), `{"b":0,"a":{"b":0,"a":{}}}`, `{"a":[[{"c":1,"b":[{}]}],{}],"A":{}}`, `"\/\b\f\n\r\t\u001f"`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) { checkValue(t, raw) })
}
