package engine_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/internal/effort"
	"github.com/hotupdate/providerconfig/internal/engine"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/rawjson"
)

// checkRaw writes raw JSON without a value, and expects what is written of its value. It reports whether the JSON is
// written so, and whether it has a document.
func checkRaw(t require.TestingT, p *fieldplan.Plan, raw []byte) (isWritten, isValid bool) {
	program := engine.Of(p)
	before := bytes.Clone(raw)
	got, isWritten := program.AppendRaw([]byte("before "), raw)
	sum, hasSum := program.SumRaw(raw)
	require.Equal(t, isWritten, hasSum)
	require.True(t, bytes.Equal(before, raw), "raw is left as it is")
	value, err := rawjson.Read(p, raw)
	var want []byte
	if err == nil {
		want, err = program.Append([]byte("before "), value)
	}
	if !isWritten {
		require.Equal(t, "before ", string(got))
		return false, err == nil
	}
	require.NoError(t, err, "%.200q", raw)
	require.True(t, bytes.Equal(want, got), "%.200q: %.200q, not %.200q", raw, got, want)
	wantSum, err := program.Sum(value)
	require.NoError(t, err)
	require.Equal(t, wantSum, sum)
	return true, true
}

// checkRawDiff compares raw JSON, and expects the changes of its values.
func checkRawDiff(t require.TestingT, p *fieldplan.Plan, old, updated []byte) {
	changes, ok := engine.DiffRaw(p, old, updated)
	if !ok {
		return
	}
	before, err := rawjson.Read(p, old)
	require.NoError(t, err, "%.200q", old)
	after, err := rawjson.Read(p, updated)
	require.NoError(t, err, "%.200q", updated)
	want, err := engine.Diff(p, before, after)
	require.NoError(t, err)
	require.Equal(t, want, changes, "%.200q %.200q", old, updated)
}

// usualRaw has every shape.
var usualRaw = []string{
	"", " null ", "{}", `{"farText":"a","farPlace":{"zone":"z","kept":1,"below":{"kept":-0}}}`,
	`{"text":"\u0061\n","textP":"b","default":"usual","int64":-12}`,
	`{"bytes":"YQ==","quantity":"1Gi","texts":["b","a",null],"lists":[["a"],[],null]}`,
	`{"kids":[{"text":"x"},null,{}],"next":{"next":{"text":"deep"}}}`,
	`{"array":[{"zone":"a"}],"set":["b","a","b"]}`, `{"named":[{"name":"b","extra":null},{"place":{"kept":1},"name":"a","extra":""}]}`,
	`{"named":[{"name":"c"},{"name":"b"},{"name":"a"}]}`, `{"named":[{"name":"c"},{"name":"a"},{"name":"\u0062"}]}`,
	`{"named":[{"extra":"x"}]}`,
	`{"ranked":[{"rank":2},{"rank":-1,"text":"x"},{"rank":1}]}`, `{"ranked":[{"text":"zero"},{"rank":1}]}`,
	`{"ranked":[{"rank":1},{"rank":1}]}`,
	`{"tags":{"b":"1","a":"\"","\u0001":null,"é":"é"},"words":{"b":"c","a":"b"},"capacity":{"memory":"1.5Gi","cpu":"100m"}}`,
	`{"counts":{"b":0,"a":null}}`,
	`{"tree":{"b":{"zone":"x"},"a":{},"c":null},"hotTree":{"b":{"zone":"x","kept":2},"a":null}}`,
	`{"hotNamed":[{"name":"b","place":{"kept":1}},{"name":"a"}]}`,
	`{"hot":{"trees":{"b":[{"name":"z"},{"name":"y"}],"a":[]}},"ignored":"x"}`, `{"text":"a","text":"a"}`, `{"tags":{"a":"b","a":"b"}}`,
	`{"tags":{"b":"","a":"","\u0062":""}}`,
	`{"Text":"a"}`, `{"other":1}`, `{"int64":1.0}`, `{"int64":9223372036854775808}`, `{"quantity":"1Zi"}`, `{"quantity":" 7 "}`,
	`{"quantity":"\u0031"}`, `{"text":"` + "\xff" + `"}`,
	`{"text":"\ud800"}`, `{"text":null,"tags":null,"named":null}`, `{"ignored":"` + "\xff" + `"}`,
	`{"hot":{"trees":{"a":[{"name":"x"},{"name":"x"}]}}}`, `{"text":"a"}x`, `{`, `[]`, `{"text":"a",}`,
}

// TestRawJSONIsWrittenLikeItsValue: what a transcript writes is what a run writes of the value, and it writes nearly
// everything that is valid.
func TestRawJSONIsWrittenLikeItsValue(t *testing.T) {
	p := plan(t)
	// a missing integer, a repeated key
	left := map[string]bool{`{"ranked":[{"text":"zero"},{"rank":1}]}`: true, `{"ranked":[{"rank":1},{"rank":1}]}`: true}
	for _, raw := range usualRaw {
		isWritten, isValid := checkRaw(t, p, []byte(raw))
		assert.Equal(t, isValid && !left[raw], isWritten, "%s", raw)
		for _, other := range usualRaw {
			checkRawDiff(t, p, []byte(raw), []byte(other))
		}
	}
}

// TestManyRawEntriesAreSorted: entries of maps and elements of keyed lists, so many that they are dealt, whatever their
// keys begin and end with.
func TestManyRawEntriesAreSorted(t *testing.T) {
	p := plan(t)
	rapid.Check(t, func(rt *rapid.T) {
		prefix := rapid.SampledFrom([]string{"", "a", "node.kubernetes.io/"}).Draw(rt, "prefix")
		end := rapid.OneOf(
			rapid.StringMatching(`[ab]{0,12}`), rapid.StringMatching(`a{8}[a-c\x00]{0,3}`), rapid.StringMatching(`[a-z\x{1}é]{1,4}`),
		)
		names := rapid.SliceOfNDistinct(end, 33, 90, rapid.ID).Draw(rt, "names")
		ranks := rapid.SliceOfNDistinct(rapid.Int16(), 33, 90, rapid.ID).Draw(rt, "ranks")
		var entries, named, ranked []string
		for _, name := range names {
			quoted, err := json.Marshal(prefix + name)
			require.NoError(t, err)
			entries = append(entries, string(quoted)+`:"x"`)
			named = append(named, `{"name":`+string(quoted)+`}`)
		}
		for _, rank := range ranks {
			ranked = append(ranked, fmt.Sprintf(`{"rank":%d}`, rank))
		}
		raw := fmt.Sprintf(
			`{"tags":{%s},"named":[%s],"ranked":[%s]}`, strings.Join(entries, ","), strings.Join(named, ","), strings.Join(ranked, ","),
		)
		isWritten, isValid := checkRaw(t, p, []byte(raw))
		require.True(rt, isValid)
		require.True(rt, isWritten)
	})
}

// nestedRaw has parts that differ deep inside, or not at all, and are added, removed, null or empty.
func nestedRaw() []string {
	deep := func(inner string) string {
		return strings.Repeat(`{"int64":1,"next":`, 12) + inner + strings.Repeat(`,"text":"a"}`, 12)
	}
	return []string{
		`{}`, `{"tags":null}`, `{"tags":{}}`, `{"tags":{"a":"1"}}`, `{"tags":{"a":"2"}}`, `{"tags":{"a":"1","b":"2","c":"3"}}`,
		`{"tags":{"b":"2","c":"3"}}`, `{"tags":{"a":"1","b":"2"}}`,
		`{"tags":{"c":"3","b":"2","a":"1"}}`, `{"tags":{"a":"1","b":"x","c":"3"}}`, `{"tags":{"a":"1","b":"2","bb":"x","c":"3"}}`,
		`{ "tags" : { "a" : "1", "b":"2", "c":"3" } }`, `{"tags":{"a":"1","b":null,"c":"3"}}`,
		`{"tree":{"a":{"zone":"x","kept":1},"b":{"kept":2}}}`, `{"tree":{"a":{"zone":"y","kept":1},"b":{"kept":2}}}`,
		`{"tree":{"b":{"kept":2}}}`, `{"hotTree":{"a":{"zone":"x"},"b":null}}`, `{"hotTree":{"a":null,"b":{"kept":2}}}`,
		`{"hotTree":{"b":null}}`,
		`{"farPlace":{"zone":"a","below":{"kept":1,"below":{"zone":"b"}}}}`,
		`{"farPlace":{"zone":"a","below":{"kept":1,"below":{"zone":"c"}}}}`, `{"farPlace":{"zone":"a","below":{"kept":2}}}`,
		`{"farPlace":{"zone":"a","below":null}}`, `{"farPlace":{}}`,
		`{"next":{"tags":{"a":"1","b":"2"},"capacity":{"cpu":"1","memory":"1Gi"}}}`,
		`{"next":{"tags":{"a":"1","b":"3"},"capacity":{"cpu":"1","memory":"1024Mi"}}}`, `{"next":{"capacity":{"memory":"1Gi","cpu":"2"}}}`,
		`{"next":{"default":"usual"}}`, `{"next":{"default":"other"}}`,
		`{"hot":{"trees":{"a":[{"name":"x"},{"name":"y"}],"b":[]}}}`,
		`{"hot":{"trees":{"a":[{"name":"y"},{"name":"x","extra":"z"}],"b":[]}}}`, `{"hot":{"trees":{"b":[]}}}`,
		`{"named":[{"name":"a","place":{"kept":1}},{"name":"b"}]}`, `{"named":[{"name":"b"},{"name":"a","place":{"kept":2}}]}`,
		`{"array":[{"zone":"a"},{"zone":"b"}]}`, `{"array":[{"zone":"a"}]}`, `{"set":["a","b"]}`, `{"set":["b","c"]}`, `{"ignored":"a"}`,
		`{"ignored":"b"}`, deep(`{"text":"x"}`), deep(`{"text":"y"}`), deep(`{"text":"y","tags":{"a":"b"}}`), deep(`null`),
	}
}

// TestRawDiffDescends: parts that differ within are compared alone, and have the differences of the whole values.
func TestRawDiffDescends(t *testing.T) {
	p := plan(t)
	for _, old := range nestedRaw() {
		for _, updated := range nestedRaw() {
			checkRawDiff(t, p, []byte(old), []byte(updated))
			_, ok := engine.DiffRaw(p, []byte(old), []byte(updated))
			assert.True(t, ok, "%s %s", old, updated)
		}
	}
}

// Reached holds fields that are reached through an embedded pointer.
type Reached struct {
	Text    string            `json:"text"`
	Number  int               `json:"number"  hotupdatable:"false,default=7"`
	Struct  place             `json:"struct"`
	Pointer *place            `json:"pointer" hotupdatable:"false,presence"`
	Array   [2]int            `json:"array"`
	Map     map[string]string `json:"map"`
}

type reaching struct {
	*Reached `json:",inline"`
}

type reachingTwice struct {
	*Reached `json:",inline"`

	Inner *reaching `json:"inner"`
}

// TestRawDiffThroughEmbeddedPointers: an embedded pointer may be nil in the values that are compared because what it
// leads to is left out on both sides. Where that could be told from zero, the plan refuses the struct tag.
func TestRawDiffThroughEmbeddedPointers(t *testing.T) {
	p, err := fieldplan.Build(reflect.TypeFor[reachingTwice](), nil, rawjson.ReadPart)
	require.NoError(t, err)
	var all []string
	for _, members := range []string{
		``, `"text":null`, `"text":"x"`, `"text":"x","number":1`, `"number":0`, `"number":7`, `"text":"x","struct":{"zone":"a"}`,
		`"struct":{}`, `"text":"x","pointer":{}`,
		`"pointer":{"zone":"a"}`, `"text":"x","array":[1]`, `"array":[0,0]`, `"text":"x","map":{"a":"b"}`, `"map":{}`,
	} {
		all = append(all, "{"+members+"}", `{"inner":{`+members+"}}")
	}
	for _, old := range all {
		for _, updated := range all {
			checkRawDiff(t, p, []byte(old), []byte(updated))
		}
	}
}

// TestRawDiffOfOneLeafReadsIt: the values that are compared hold little but what differs.
func TestRawDiffOfOneLeafReadsIt(t *testing.T) {
	p := plan(t)
	allocated := func(entries int) float64 {
		var tags strings.Builder
		for i := range entries {
			fmt.Fprintf(&tags, `,"key-%06d":"value"`, i)
		}
		old := []byte(`{"next":{"next":{"tags":{` + tags.String()[1:] + "}}}}")
		updated := bytes.Replace(old, []byte(`0":"value"`), []byte(`0":"other"`), 1)
		return testing.AllocsPerRun(10, func() {
			changes, ok := engine.DiffRaw(p, old, updated)
			assert.True(t, ok)
			assert.Len(t, changes, 1)
		})
	}
	assert.Less(t, allocated(1000), allocated(2)+100)
}

// hostile is JSON of a megabyte, or of a quarter, that takes long where a step is not linear.
func hostile() map[string]string {
	size := 1 << 18
	if effort.All() {
		size = 1 << 20
	}
	many := func(opening, item, closing string) string {
		return opening + strings.Repeat(item+",", size/len(item)) + item + closing
	}
	var keys, unknown, backwards strings.Builder
	for i := range size / 16 {
		fmt.Fprintf(&keys, `,"key-%08x":""`, uint32(i)*2654435761) //nolint:gosec // wraps around on purpose
		fmt.Fprintf(&unknown, `,"other%d":1`, i)
		fmt.Fprintf(&backwards, `,{"name":"%08d"}`, size-i)
	}
	deep := strings.Repeat(`{"next":`, 990)
	wide := strings.Repeat(
		`{"text":"a","next":`, 500,
	) + `{"texts":["` + strings.Repeat("x", size) + `"]}` + strings.Repeat(`,"default":"b"}`, 500)
	return map[string]string{
		"deep":                                deep + `{"text":"` + strings.Repeat("x", size) + `"}` + strings.Repeat("}", 990),
		"members out of order on every level": wide,
		"too deep":                            strings.Repeat(`{"next":`, size/8),
		"lists too deep":                      `{"lists":` + strings.Repeat("[", size), "duplicates": many("{", `"text":"a"`, "}"),
		"duplicate keys": many(`{"tags":{`, `"a":"b"`, "}}"), "keys in no order": `{"tags":{` + keys.String()[1:] + "}}",
		"the same, hot":   `{"hotTree":{` + strings.ReplaceAll(keys.String()[1:], `""`, "{}") + "}}",
		"unknown members": "{" + unknown.String()[1:] + "}", "names": `{"named":[` + backwards.String()[1:] + "]}",
		"a set":    many(`{"set":[`, `"a"`, "]}"),
		"a number": `{"int64":` + strings.Repeat("9", size) + "}", "zeros": `{"int64":` + strings.Repeat("0", size) + "}",
		"a quantity":  `{"quantity":"` + strings.Repeat("9", size) + `"}`,
		"an exponent": `{"quantity":1e` + strings.Repeat("9", size) + "}", "escapes": `{"text":"` + strings.Repeat(`\u0061`, size/6) + `"}`,
		"open strings": strings.Repeat(`{"text":"`, size/9),
		"kids":         many(`{"kids":[`, `{"text":"a"}`, "]}"), "nulls": many(`{"kids":[`, "null", "]}"),
		"arrays": many(`{"array":[`, `{}`, "]}"), "space": strings.Repeat(" ", size) + "{}",
	}
}

// TestHostileRawJSONTakesLinearTime: anything is written, or left to the value, at once.
func TestHostileRawJSONTakesLinearTime(t *testing.T) {
	for _, p := range []*fieldplan.Plan{plan(t), openPlan(t)} {
		program := engine.Of(p)
		for _, raw := range hostile() {
			program.SumRaw([]byte(raw))
			engine.DiffRaw(p, []byte(raw), []byte(" "+raw))
			engine.DiffRaw(p, []byte(raw), []byte(strings.Replace(raw, `"a"`, `"c"`, 1)))
			engine.DiffRaw(p, []byte(raw), []byte(`{"text":"differs",`+strings.TrimPrefix(raw, "{")))
		}
	}
}

// TestMovesAreBounded: members out of order on hundreds of levels are left to the value.
func TestMovesAreBounded(t *testing.T) {
	p := plan(t)
	for levels, want := range map[int]bool{20: true, 500: false} {
		raw := strings.Repeat(
			`{"text":"a","next":`, levels,
		) + `{"text":"` + strings.Repeat("x", 1<<20) + `"}` + strings.Repeat(`,"default":"b"}`, levels)
		isWritten, isValid := checkRaw(t, p, []byte(raw))
		assert.True(t, isValid)
		assert.Equal(t, want, isWritten, "%d levels", levels)
	}
}

// TestLongJSONIsLeftToTheValue: offsets in documents are bounded.
func TestLongJSONIsLeftToTheValue(t *testing.T) {
	p := plan(t)
	raw := []byte(`{"text":"` + strings.Repeat("x", 1<<26) + `"}`)
	_, isWritten := engine.Of(p).SumRaw(raw)
	assert.False(t, isWritten)
	_, isWritten = engine.DiffRaw(p, raw, []byte("{}"))
	assert.False(t, isWritten)
	_, isWritten = engine.Of(p).SumRaw(raw[:len(raw)-1])
	assert.False(t, isWritten)
	_, isWritten = engine.Of(p).SumRaw(append(raw[:len(raw)-100], `"}`...))
	assert.True(t, isWritten)
}

// TestDocumentsAreNotMuchLonger: what has a long text beside its JSON is a quantity.
func TestDocumentsAreNotMuchLonger(t *testing.T) {
	p := plan(t)
	const count = 10_000
	for _, token := range []string{"1e63", `"1Ei"`, "1e-64", `"9Ei"`} {
		var entries strings.Builder
		for i := range count {
			fmt.Fprintf(&entries, `,"%x":%s`, i, token)
		}
		raw := []byte(`{"capacity":{` + entries.String()[1:] + "}}")
		document, isWritten := engine.Of(p).AppendRaw(nil, raw)
		require.True(t, isWritten, token)
		assert.Less(t, len(document), 16*len(raw))
		checkRaw(t, p, raw)
	}
}

// FuzzRaw: raw JSON is written like its value, or left to it.
func FuzzRaw(f *testing.F) {
	for i, raw := range usualRaw {
		f.Add([]byte(raw), []byte(usualRaw[(i+7)%len(usualRaw)]))
	}
	nested := nestedRaw()
	for i, raw := range nested {
		f.Add([]byte(raw), []byte(nested[(i+1)%len(nested)]))
	}
	if effort.All() && !testing.Short() { // a megabyte each
		for _, raw := range hostile() {
			f.Add([]byte(raw), []byte("{}"))
		}
	}
	p := plan(f)
	f.Fuzz(func(t *testing.T, raw, other []byte) {
		checkRaw(t, p, raw)
		checkRaw(t, p, other)
		checkRawDiff(t, p, raw, other)
		checkRawDiff(t, p, other, raw)
	})
}

// open admits unknown members on every level.
type open struct {
	B      string               `json:"b"`
	D      *openPlace           `json:"d"`
	List   []openPlace          `json:"list"`
	Keyed  []openPlace          `json:"keyed"  hotupdatable:"false,key=name"`
	Hot    *openPlace           `json:"hot"    hotupdatable:"true"`
	HotMap map[string]openPlace `json:"hotMap" hotupdatable:"true"`
	Set    []openPlace          `json:"set"    hotupdatable:"false,set"`
	Rest   fieldplan.Unknown    `json:"rest"`
}

type openPlace struct {
	Name string            `json:"name"`
	Kept int               `json:"kept" hotupdatable:"false"`
	Rest fieldplan.Unknown `json:"rest"`
}

func openPlan(t require.TestingT) *fieldplan.Plan {
	p, err := fieldplan.Build(reflect.TypeFor[open](), nil, rawjson.ReadPart)
	require.NoError(t, err)
	require.True(t, p.Open)
	return p
}

var openRaw = []string{
	`{}`, `{"a":1}`, `{"e":1,"c":[2],"a":{"z":1,"y":2},"b":"x"}`, `{"z":1,"b":"x","d":{"zz":1,"name":"n","a":null}}`, `{"d":{"o":1}}`,
	`{"d":{"o":null}}`, `{"":1,"\u0041":2,"é":"\u00e9"}`,
	`{"a":1,"b":"x","a":1}`, `{"a":null,"b":"x","\u0061":1}`, `{"a":1,"c":2,"e":3,"c":2}`, `{"d":{"o":1,"p":2,"o":3}}`, `{"rest":1}`,
	`{"B":"x","D":1}`, `{"a":[1,{"b":1,"b":2}]}`, `{"a":"` + "\xff" + `"}`,
	`{"list":[{"o":1,"name":"x","b":2},null,{}]}`, `{"keyed":[{"name":"b","z":1,"a":2},{"z":1,"name":"a","kept":3}]}`,
	`{"keyed":[{"z":1}]}`, `{"keyed":[{"name":"a","z":1,"z":1}]}`, `{"set":[{"z":1},{"a":1},{"z":1.0}]}`,
	`{"hot":{"name":"x","o":1}}`, `{"hot":{"o":1,"kept":2}}`, `{"hot":{"o":1,"o":1}}`,
	`{"hotMap":{"b":{"o":1},"a":{"kept":1,"z":2,"o":3}}}`, `{"hotMap":{"b":{"o":1,"o":2}}}`, `{"a":1e400,"b":"x"}`, `{"a":1e4000}`,
	`{"a":1,}`, `{"a":{}`,
	`{"a":{"x":1,"y":[2,3]},"c":4}`, `{ "c" : 4, "a":{"y":[2, 3],"x":1.0} }`, `{"a":0,"d":{"name":"","x":0}}`, `{"a":true}x`,
}

// TestUnknownMembersAreWrittenLikeTheValue: where unknown members are admitted, raw JSON that has some is written without a value.
func TestUnknownMembersAreWrittenLikeTheValue(t *testing.T) {
	p := openPlan(t)
	for _, raw := range openRaw {
		isWritten, isValid := checkRaw(t, p, []byte(raw))
		assert.Equal(t, isValid, isWritten, "%s", raw)
		for _, other := range openRaw {
			checkRawDiff(t, p, []byte(raw), []byte(other))
		}
	}
}

// FuzzRawUnknown is FuzzRaw for a plan that admits unknown members.
func FuzzRawUnknown(f *testing.F) {
	for i, raw := range openRaw {
		f.Add([]byte(raw), []byte(openRaw[(i+7)%len(openRaw)]))
	}
	p := openPlan(f)
	f.Fuzz(func(t *testing.T, raw, other []byte) {
		checkRaw(t, p, raw)
		checkRawDiff(t, p, raw, other)
		checkRawDiff(t, p, other, raw)
	})
}

// chain is deep by itself, and has a part that is not.
type chain struct {
	Next  *chain     `json:"next"`
	Lists [][]string `json:"lists"`
}

// TestTooDeepIsNotTheSame: a part below the bound is a fault, also if both sides have it.
func TestTooDeepIsNotTheSame(t *testing.T) {
	p, err := fieldplan.Build(reflect.TypeFor[chain](), nil, rawjson.ReadPart)
	require.NoError(t, err)
	var refused int
	for levels := 990; levels <= 1000; levels++ {
		long := func() reflect.Value {
			c := &chain{Lists: [][]string{{"a"}}}
			for range levels {
				c = &chain{Next: c}
			}
			return reflect.ValueOf(c)
		}
		_, want := engine.Of(p).Append(nil, long())
		_, err := engine.Diff(p, long(), long())
		assert.Equal(t, want == nil, err == nil, "%d levels", levels)
		if err != nil {
			refused++
		}
	}
	assert.NotZero(t, refused)
}
