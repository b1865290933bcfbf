package hotupdate_test

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/schemabridge"
)

// hostile has a field for every fault of a value.
type hostile struct {
	Any       any                               `json:"any"`
	Copied    badCopy                           `json:"copied"`
	Dynamic   map[encoding.TextMarshaler]string `json:"dynamic"`
	Fails     failing                           `json:"fails"`
	Float     float64                           `json:"float"`
	Floats    []float32                         `json:"floats"`
	FloatMap  map[string]*float64               `json:"floatMap"`
	Keys      map[messyKey]string               `json:"keys"`
	Kids      []hostile                         `json:"kids"`
	List      []optionItem                      `json:"list"            hotupdatable:"false,key=name"`
	MetaTime  *metav1.Time                      `json:"metaTime"`
	MicroTime metav1.MicroTime                  `json:"microTime"`
	Mixed     intstr.IntOrString                `json:"mixed"`
	Next      *hostile                          `json:"next"`
	Number    json.Number                       `json:"number"`
	Panics    panicking                         `json:"panics"`
	Pointers  ***string                         `json:"pointers"`
	Quantity  resource.Quantity                 `json:"quantity"`
	Raw       runtime.RawExtension              `json:"raw"`
	RawMsg    json.RawMessage                   `json:"rawMsg"`
	Set       []string                          `json:"set"             hotupdatable:"false,set"`
	Shared    *unshareable                      `json:"shared"`
	Text      string                            `json:"text"`
	TextMap   map[string]string                 `json:"textMap"`
	Texts     []string                          `json:"texts"`
	Time      time.Time                         `json:"time"`
	Tree      map[string]hostile                `json:"tree"`
	Writes    badJSON                           `json:"writes,omitzero"`
}

// panicking and failing are marshalers that work for zero values only.
type panicking struct{ text string }

func (p panicking) MarshalJSON() ([]byte, error) {
	if p.text != "" {
		panic(p.text)
	}
	return []byte("null"), nil
}

type failing struct{ text string }

func (f *failing) MarshalText() ([]byte, error) {
	if f.text != "" {
		return nil, errors.New(f.text)
	}
	return nil, nil
}

// badJSON writes its content as JSON.
type badJSON struct{ Text string }

func (b badJSON) MarshalJSON() ([]byte, error) { return []byte(b.Text), nil }

// badCopy has a method DeepCopy that panics, and other ways to be copied.
type badCopy struct {
	Text string
	More []string
}

func (b badCopy) MarshalText() ([]byte, error) { return []byte(b.Text), nil }

func (b badCopy) DeepCopy() badCopy {
	if b.Text != "" {
		panic(b.Text)
	}
	return b
}

// badObject cannot be copied at all.
type badObject struct {
	metav1.TypeMeta
	Text string
}

func (o *badObject) DeepCopyObject() runtime.Object { panic(o.Text) }

// unshareable cannot be copied without sharing memory.
type unshareable struct{ shared []string }

func (u unshareable) MarshalJSON() ([]byte, error) { return json.Marshal(u.shared) }

// messyKey is a type of map keys. Many keys have the same text.
type messyKey struct{ text, more string }

func (k messyKey) MarshalText() ([]byte, error) {
	if k.text == "panic" {
		panic(k.more)
	}
	return []byte(k.text), nil
}

// valueProblem is the stable part of an error of a value.
func valueProblem(code string, path string) problem { return problem{Code: code, Path: path} }

// hostileRow is a value with the problems that hashing and comparing find, and those that copying finds.
type hostileRow struct {
	name   string
	config *hostile
	walked []problem
	copied []problem
	reason string
}

func TestHostileValues(t *testing.T) {
	for _, row := range hostileRows() {
		t.Run(row.name, func(t *testing.T) { checkHostile(t, row) })
	}
}

func hostileRows() []hostileRow {
	return slices.Concat(cyclicRows(), textRows(), numberRows(), marshalerValueRows(), dynamicRows(), collectionRows())
}

// TestValueErrorsAreComplete fails when a code of value problems is produced neither by a hostile value nor otherwise.
func TestValueErrorsAreComplete(t *testing.T) {
	produced := map[string]bool{}
	note := func(err error) {
		for _, p := range fault.All(err) {
			produced[p.Code] = true
			for _, cause := range fault.All(p.Cause) {
				produced[cause.Code] = true
			}
		}
	}
	s := schemaFor[hostile](t)
	for _, row := range hostileRows() {
		_, err := s.Hash(row.config)
		note(err)
		_, _, err = hotupdate.Split(s, row.config)
		note(err)
	}
	_, err := s.Hash("another type")
	note(err)
	_, err = (*hotupdate.Schema)(nil).Hash(nil)
	note(err)
	_, err = s.HashRaw([]byte(`{"text":1,"Text":"a"}`))
	note(err)
	_, err = s.Hash(hostile{Texts: slices.Repeat([]string{strings.Repeat("x", 1<<20)}, 129)})
	note(err)
	_, err = hotupdate.Merge(schemaFor[family](t), &family{Kids: []family{{Name: "a"}}}, nil)
	note(err)
	_, err = hotupdate.LoadSchema([]byte("{}"))
	note(err)
	_, err = hotupdate.SchemaOfCRD([]byte("{}"), "v1")
	note(err)
	_, err = s.Cover(nil, nil, "spec")
	note(err)
	_, err = (*schemabridge.Schema)(schemaFor[onlyElements](t)).HotPart(&onlyElements{Hot: make([]volumeByName, 2)})
	note(err)
	findings, _ := (*schemabridge.Schema)(schemaFor[onlyElements](t)).Examine([]byte(`{"hot":[{"name":"a"},{"name":"a"}]}`))
	for _, found := range findings {
		note(found.Problem)
	}
	note(new(hotupdate.Sum).UnmarshalText(nil))
	_, err = hotupdate.ParseStrategy("unknown")
	note(err)
	for _, code := range knownCodes(t, func(kind, folder string) bool {
		isOthers := folder == "hash" || folder == "tags" || folder == "kubeminor"
		isInternal := !strings.Contains(folder, "/") && !isOthers
		return kind != string(fault.Declaration) && (folder == "hotupdate" || isInternal)
	}) {
		assert.True(t, produced[code], "nothing produces the code %s", code)
	}
}

func checkHostile(t *testing.T, row hostileRow) {
	t.Helper()
	s := schemaFor[hostile](t)
	_, err := s.Hash(row.config)
	checkProblems(t, row.walked, err, row.reason)
	_, err = s.Document(*row.config)
	checkProblems(t, row.walked, err, row.reason)
	_, err = s.Diff(nil, row.config)
	checkProblems(t, row.walked, err, row.reason)
	_, err = s.Diff(row.config, nil)
	checkProblems(t, row.walked, err, row.reason)
	_, err = s.Diff(row.config, row.config)
	assert.Equal(t, row.walked == nil, err == nil, row.reason)
	_, _, err = hotupdate.Split(s, row.config)
	checkProblems(t, row.copied, err, row.reason)
	_, err = hotupdate.Merge(s, row.config, nil)
	checkProblems(t, row.copied, err, row.reason)
}

// checkProblems also checks that no error shows a value: every secret of the rows contains secretValue.
func checkProblems(t *testing.T, want []problem, err error, reason string) {
	t.Helper()
	assert.Equal(t, want, problemsOf(err), reason)
	if err == nil {
		return
	}
	assertDiscreet(t, renderings(t, err))
	for _, e := range fault.All(err) {
		assertDiscreet(t, renderings(t, e))
	}
}

func cyclicRows() []hostileRow {
	cycle := func(path string) []problem { return []problem{valueProblem("pointer-cycle", path)} }
	tooDeep := []problem{valueProblem("too-deep", "any")}
	pointer := &hostile{}
	distant := &hostile{Next: &hostile{Kids: []hostile{{}}}}
	pointer.Next = pointer
	distant.Next.Kids[0].Next = distant
	slice := []hostile{{}, {}}
	tree := map[string]hostile{}
	slice[1].Kids = slice
	tree["a"] = hostile{Tree: tree}
	anyMap := map[string]any{}
	anySlice := []any{nil}
	anyPointer := selfPointer(nil)
	anyMap["a"] = anyMap
	anySlice[0] = anySlice
	anyPointer = &anyPointer
	deepAny := any(secretValue)
	for range 10_000 {
		deepAny = []any{deepAny}
	}
	return []hostileRow{
		{"cycle through a pointer", &hostile{Next: pointer}, cycle("next.next"), cycle("next.next"), "where it closes"},
		{
			"cycle over several types", &hostile{Next: distant}, cycle("next.next.kids[0].next"), cycle("next.next.kids[0].next"),
			"wherever it closes",
		},
		{"cycle through a slice", &hostile{Kids: slice}, cycle("kids[1].kids"), cycle("kids[1].kids"), "a slice that holds itself"},
		{"cycle through a map", &hostile{Tree: tree}, cycle("tree[a].tree"), cycle("tree[a].tree"), "a map that holds itself"},
		{"cycle through a map of interfaces", &hostile{Any: anyMap}, tooDeep, tooDeep, "inside interfaces a cycle is endless nesting"},
		{"cycle through a slice of interfaces", &hostile{Any: anySlice}, tooDeep, tooDeep, "inside interfaces a cycle is endless nesting"},
		{"pointer to itself in an interface", &hostile{Any: anyPointer}, tooDeep, tooDeep, "inside interfaces a cycle is endless nesting"},
		{
			"one value in two places", &hostile{Kids: []hostile{{Next: &hostile{}}, {Next: &hostile{}}}, Next: &hostile{}}, nil, nil,
			"no cycle",
		},
		{"10,000 interfaces deep", &hostile{Any: deepAny}, tooDeep, tooDeep, "reported once"},
	}
}

// TestCycleThroughTheRoot: a configuration that contains itself is reported at its first member, for every way to reach it.
func TestCycleThroughTheRoot(t *testing.T) {
	pointer := &hostile{Text: secretValue}
	list := &hostile{Kids: []hostile{{}}}
	far := &hostile{Tree: map[string]hostile{}}
	pointer.Next = pointer
	list.Kids[0].Next = list
	far.Tree["a"] = hostile{Next: far}
	for path, config := range map[string]*hostile{"next": pointer, "kids[0].next": list, "tree[a].next": far} {
		want := []problem{valueProblem("pointer-cycle", path)}
		found := failures(schemaFor[hostile](t), config)
		assert.Empty(t, found["Merge hot"], "nothing but hot fields are read there")
		delete(found, "Merge hot")
		for call, got := range found {
			assert.Equal(t, want, got, "%s: %s", call, path)
		}
	}
	_, err := schemaFor[hostile](t).Document(*pointer)
	checkProblems(t, []problem{valueProblem("pointer-cycle", "next.next")}, err, "a copy of the root only leads to the cycle")

	shared := &heating{Name: "a"}
	merged, err := hotupdate.Merge(schemaFor[heating](t), shared, &heating{Then: shared})
	require.NoError(t, err, "one half holds the other, but nothing holds itself")
	assert.Equal(t, &heating{Name: "a", Then: &heating{Name: "a"}}, merged)
	shared.Then = shared
	_, err = hotupdate.Merge(schemaFor[heating](t), nil, shared)
	checkProblems(t, []problem{valueProblem("pointer-cycle", "then")}, err, "in the hot half")
}

// endless has only members of its own type.
type endless struct {
	Next *endless `json:"next"`
	Text string   `json:"text"`
}

func TestDepth(t *testing.T) {
	s := schemaFor[endless](t)
	nested := func(depth int) *endless {
		config := &endless{Text: secretValue}
		for range depth {
			config = &endless{Next: config}
		}
		return config
	}
	_, err := s.Hash(nested(1000))
	require.NoError(t, err, "the limit")
	tooDeep := []problem{valueProblem("too-deep", strings.Repeat(".next", 1001)[1:])}
	for _, depth := range []int{1001, 10_000} {
		_, err = s.Hash(nested(depth))
		checkProblems(t, tooDeep, err, "reported once, where the limit is")
		_, err = s.Diff(nested(depth), nil)
		checkProblems(t, tooDeep, err, "reported once, where the limit is")
		_, err = s.Diff(nested(depth), nested(depth))
		checkProblems(t, tooDeep, err, "reported once for both sides")
		_, _, err = hotupdate.Split(s, nested(depth))
		checkProblems(t, tooDeep, err, "reported once, where the limit is")
		_, err = hotupdate.Merge(s, nested(depth), nested(depth))
		checkProblems(t, tooDeep, err, "reported once, where the limit is")
	}
}

func textRows() []hostileRow {
	const bad = secretValue + "\xff"
	at := func(path string) []problem { return []problem{valueProblem("invalid-utf8", path)} }
	pp := new(new(new(bad)))
	return []hostileRow{
		{"text", &hostile{Text: bad}, at("text"), nil, "not UTF-8"},
		{"text behind pointers", &hostile{Pointers: pp}, at("pointers"), nil, "not UTF-8"},
		{"texts", &hostile{Texts: []string{"a", bad}, Text: bad}, append(at("text"), at("texts[1]")...), nil, "all errors at once"},
		{"text in a set", &hostile{Set: []string{"a", bad}}, at("set[1]"), nil, "by its place: its text cannot be shown"},
		{"map value", &hostile{TextMap: map[string]string{"a": bad}}, at("textMap[a]"), nil, "not UTF-8"},
		{
			"map key", &hostile{TextMap: map[string]string{bad: "a", "b": "c"}}, at("textMap"), at("textMap"),
			"at the map: the key cannot be shown",
		},
		{
			"map key from a marshaler", &hostile{Keys: map[messyKey]string{{bad, ""}: "a"}}, at("keys"), at("keys"),
			"at the map: the key cannot be shown",
		},
		{"list key", &hostile{List: []optionItem{{Name: "a"}, {Name: bad}}}, at("list[1]"), nil, "by its place: the key cannot be shown"},
		{"text in an interface", &hostile{Any: []any{map[string]any{"a": bad}}}, at("any"), nil, "encoding/json would repair it silently"},
		{"map key in an interface", &hostile{Any: map[string]int{bad: 1}}, at("any"), nil, "encoding/json would repair it silently"},
		{"text from a marshaler", &hostile{Writes: badJSON{`"` + bad + `"`}}, at("writes"), nil, "not UTF-8"},
		{"lone surrogate", &hostile{RawMsg: json.RawMessage(`["hunter2\ud800"]`)}, at("rawMsg"), nil, "no Unicode text"},
	}
}

func numberRows() []hostileRow {
	notFinite := func(path string) problem { return valueProblem("not-finite", path) }
	nan := math.NaN()
	nans := slices.Repeat([]float32{float32(nan)}, 1000)
	hundred := make([]problem, 100)
	for i := range hundred {
		hundred[i] = notFinite(fmt.Sprintf("floats[%d]", i))
	}
	huge := resource.MustParse("7")
	tiny := resource.MustParse("7")
	huge.AsDec().SetScale(-1_000_000_000)
	tiny.AsDec().SetScale(1_000_000_000)
	distant := metav1.NewTime(time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC))
	return []hostileRow{
		{"NaN", &hostile{Float: nan}, []problem{notFinite("float")}, nil, "JSON has no NaN"},
		{"infinities", &hostile{
			Floats: []float32{1, float32(math.Inf(1)), float32(math.Inf(-1))}, FloatMap: map[string]*float64{"a": &nan, "b": nil},
		}, []problem{
			notFinite("floatMap[a]"), notFinite("floats[1]"), notFinite("floats[2]"),
		}, nil, "all errors at once"},
		{"NaN in an interface", &hostile{Any: map[string]any{"a": []float64{nan}}}, []problem{notFinite("any")}, nil, "JSON has no NaN"},
		{"a thousand NaNs", &hostile{Floats: nans}, hundred, nil, "a hundred errors are enough"},
		{
			"huge quantity", &hostile{Quantity: huge},
			[]problem{valueProblem("number-range", "quantity")},
			nil,
			"it would take a gigabyte to write",
		},
		{
			"tiny quantity", &hostile{Quantity: tiny},
			[]problem{valueProblem("number-range", "quantity")},
			nil,
			"it would take a gigabyte to write",
		},
		{
			"number that is none", &hostile{Number: secretValue},
			[]problem{valueProblem("invalid-json", "number")},
			nil,
			"encoding/json refuses it as well",
		},
		{
			"huge number", &hostile{Number: "1e1000000000"},
			[]problem{valueProblem("number-range", "number")},
			nil,
			"beyond the exponent's bound",
		},
		{
			"int or string of neither type", &hostile{Mixed: intstr.IntOrString{Type: 2, StrVal: secretValue}},
			[]problem{valueProblem("invalid-int-or-string", "mixed")},
			nil, "no JSON for it",
		},
		{"year 10000", &hostile{Time: distant.Time, MetaTime: &distant, MicroTime: metav1.NewMicroTime(distant.Time)}, []problem{
			valueProblem("invalid-time", "metaTime"), valueProblem("invalid-time", "microTime"), valueProblem("invalid-time", "time"),
		}, nil, "RFC 3339 has four digits"},
		{
			"year -1", &hostile{Time: time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC)},
			[]problem{valueProblem("invalid-time", "time")},
			nil,
			"RFC 3339 has no sign",
		},
	}
}

func marshalerValueRows() []hostileRow {
	failed := func(path string) []problem { return []problem{valueProblem("marshal-failed", path)} }
	invalid := func(path string) []problem { return []problem{valueProblem("invalid-json", path)} }
	return []hostileRow{
		{"marshaler that panics", &hostile{Panics: panicking{secretValue}}, failed("panics"), nil, "its message is not shown"},
		{"marshaler that fails", &hostile{Fails: failing{secretValue}}, failed("fails"), nil, "its message is not shown"},
		{
			"map key that panics", &hostile{Keys: map[messyKey]string{{"panic", secretValue}: "a"}}, failed("keys"), failed("keys"),
			"its message is not shown",
		},
		{
			"map key that is nil", &hostile{Dynamic: map[encoding.TextMarshaler]string{nil: secretValue}}, failed("dynamic"),
			failed("dynamic"), "it has no text",
		},
		{
			"map key that is a nil pointer", &hostile{Dynamic: map[encoding.TextMarshaler]string{(*failing)(nil): secretValue}},
			failed("dynamic"), failed("dynamic"), "its marshaler panics",
		},
		{
			"DeepCopy that panics", &hostile{Copied: badCopy{Text: secretValue}}, nil,
			[]problem{valueProblem("not-copyable", "copied")},
			"its message is not shown",
		},
		{
			"DeepCopyObject that panics", &hostile{Raw: runtime.RawExtension{Object: &badObject{Text: secretValue}}}, nil,
			[]problem{valueProblem("not-copyable", "raw")},
			"its message is not shown",
		},
		{
			"not copyable", &hostile{Shared: &unshareable{[]string{secretValue}}}, nil,
			[]problem{valueProblem("not-copyable", "shared")},
			"only the type knows what it holds",
		},
		{"marshaler that writes nothing", &hostile{Writes: badJSON{" "}}, invalid("writes"), nil, "no JSON"},
		{"marshaler that writes half", &hostile{Writes: badJSON{`{"hunter2":`}}, invalid("writes"), nil, "no JSON"},
		{
			"marshaler that writes duplicates", &hostile{Writes: badJSON{`{"hunter2":1,"hunter2":2}`}},
			[]problem{valueProblem("duplicate-member", "writes")},
			nil, "which one counts would be a guess",
		},
		{"broken raw extension", &hostile{Raw: runtime.RawExtension{Raw: []byte(`{"hunter2"}`)}}, invalid("raw"), nil, "no JSON"},
		{"broken raw message", &hostile{RawMsg: json.RawMessage("hunter2")}, invalid("rawMsg"), nil, "no JSON"},
		{
			"raw extension with a broken object",
			&hostile{Raw: runtime.RawExtension{Object: &runtime.Unknown{Raw: []byte("hunter2"), ContentType: runtime.ContentTypeJSON}}},
			failed("raw"), nil, "its marshaler fails",
		},
		{"raw extension with a nil object", &hostile{Raw: runtime.RawExtension{Object: (*runtime.Unknown)(nil)}}, nil, nil, "it is null"},
	}
}

func dynamicRows() []hostileRow {
	at := func(code string) []problem { return []problem{valueProblem(code, "any")} }
	text := secretValue
	return []hostileRow{
		{"channel in an interface", &hostile{Any: []any{make(chan int)}}, at("unsupported-value"), at("not-copyable"), "no JSON for it"},
		{
			"func in an interface", &hostile{Any: map[string]any{"a": func() {}}}, at("unsupported-value"), at("not-copyable"),
			"no JSON for it",
		},
		{"complex number in an interface", &hostile{Any: complex(1, 2)}, at("unsupported-value"), at("not-copyable"), "no JSON for it"},
		{
			"map with bool keys in an interface", &hostile{Any: map[bool]string{true: secretValue}}, at("marshal-failed"), nil,
			"encoding/json refuses it",
		},
		{
			"marshaler that panics in an interface", &hostile{Any: []any{&panicking{secretValue}}}, at("marshal-failed"), nil,
			"its message is not shown",
		},
		{
			"marshaler that fails in an interface", &hostile{Any: &failing{secretValue}}, at("marshal-failed"), nil,
			"its message is not shown",
		},
		{"nil pointer in an interface", &hostile{Any: (*string)(nil)}, nil, nil, "it is null"},
		{"nil error in an interface", &hostile{Any: error(nil)}, nil, nil, "it is null"},
		{"pointer in an interface", &hostile{Any: &text}, nil, nil, "it is its text"},
	}
}

func collectionRows() []hostileRow {
	return []hostileRow{
		{
			"list key twice", &hostile{List: []optionItem{{Name: "a"}, {Name: "b"}, {Name: "a", On: true}, {Name: "a"}}}, nil, nil,
			"elements of one key have an order",
		},
		{"list key missing", &hostile{List: []optionItem{{On: true}, {Name: "a"}, {}}}, nil, nil, "a key like any other"},
		{
			"two map keys with one text",
			&hostile{Keys: map[messyKey]string{{"a", "1"}: secretValue, {"a", "2"}: secretValue, {"b", ""}: "c"}},
			[]problem{
				valueProblem("duplicate-map-key", "keys[a]"),
			},
			[]problem{valueProblem("duplicate-map-key", "keys[a]")},
			"JSON has one member for both",
		},
		{"problems all over", &hostile{
			Text: "\xff", Float: math.Inf(1), List: []optionItem{{}, {Name: "a"}},
			Kids: []hostile{{Raw: runtime.RawExtension{Raw: []byte("x")}}},
		}, []problem{
			valueProblem("not-finite", "float"), valueProblem("invalid-json", "kids[0].raw"),
			valueProblem("invalid-utf8", "text"),
		}, nil, "all errors at once"},
	}
}
