package leaf_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"net/netip"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hotupdate/providerconfig/hotupdate"
)

type (
	port   int32
	region string
)

func TestLeafRawJSON(t *testing.T) {
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	extension := func(s string) runtime.RawExtension { return runtime.RawExtension{Raw: []byte(s)} }
	run(t, []row{
		written("null", "", "null is nil, and so is nothing", nil, json.RawMessage{}, json.RawMessage("null"), json.RawMessage(" null\n")),
		written(
			"null extension", "", "null is nil, and so is nothing", runtime.RawExtension{}, runtime.RawExtension{Raw: []byte{}},
			runtime.RawExtension{Raw: []byte("null")},
		),
		written(
			"pointer to null extension", "", "null is nil, and so is nothing", nil, &runtime.RawExtension{},
			&runtime.RawExtension{Raw: []byte("null")},
		),
		written("spelling", `{"a":[1,true,null,{}],"b":"<é/"}`, "canonical JSON, nothing left out",
			raw(
				`{"b":"<é/","a":[1,true,null,{}]}`,
			), raw(" {\n\t\"\\u0061\" : [1.0, true, null, { } ] , \"b\":\"\\u003c\\u00E9\\/\"}\r\n")),
		written("empty object", `{}`, "nothing is left out of raw JSON", raw(`{}`), raw(` { } `)),
		written("zeros", `[0,"",false,[],{}]`, "nothing is left out of raw JSON", raw(`[0,"",false,[],{}]`)),
		written("number", `0`, "raw JSON has no zero value but null", raw(`0`), raw(`-0.0`)),
		written("pointer", `1`, "a pointer has no text of its own", new(raw(`1`)), new(raw(`1e0`))),
		written("raw extension", `{"a":0,"b":[]}`, "canonical JSON, of Raw or of Object", extension(`{"b":[],"a":0}`),
			extension(` {"a" : 0.0, "b" : [ ]}`), runtime.RawExtension{Object: &extensionObject{B: []string{}}},
			runtime.RawExtension{Raw: []byte(`{"b":[],"a":0}`), Object: &extensionObject{A: 7}}),
		written("pointer to raw extension", `{}`, "nothing is left out of raw JSON", new(extension(`{}`))),

		refused("duplicate in an extension", "duplicate-member", "v[1]", "decoders disagree about it",
			[]runtime.RawExtension{{}, extension(`{"a":1,"a":2}`)}),
		refused("lone surrogate", "invalid-utf8", "v", "it is no character", raw(`"\ud83d"`)),
		refused("truncated", "invalid-json", "v", "malformed", raw(`{"a":`)),
		refused("deep", "too-deep", "v", "more than 1000 levels", raw(strings.Repeat("[", 1001)+strings.Repeat("]", 1001))),
	})
}

// extensionObject is an object as a RawExtension holds one once it was decoded.
type extensionObject struct {
	A int      `json:"a"`
	B []string `json:"b"`
}

func (*extensionObject) GetObjectKind() schema.ObjectKind { return schema.EmptyObjectKind }
func (o *extensionObject) DeepCopyObject() runtime.Object { return &extensionObject{A: o.A, B: o.B} }

func TestLeafInterfaces(t *testing.T) {
	type shown struct {
		B int    `json:"b"`
		A []any  `json:"a"`
		C string `json:"c,omitempty"`
		d int
	}
	cycle := map[string]any{}
	cycle["a"] = []any{cycle}
	run(t, []row{
		written[any]("object", `{"a":[true,null],"b":1}`, "its JSON, nothing left out",
			any(map[string]any{"b": 1, "a": []any{true, nil}}), json.RawMessage(`{"b":1.0, "a":[true,null]}`),
			shown{
				B: 1, A: []any{true, nil}, d: 5,
			}, &shown{B: 1, A: []any{true, (*int)(nil)}}, map[region]any{"b": port(1), "a": [2]any{true}}),
		written[any]("zeros", `{"a":null,"b":0}`, "nothing is left out of an interface", any(shown{}), map[string]any{"a": nil, "b": 0.0}),
		written[any]("number", `1`, "by exact decimal value", any(1), any(1.0), any(float32(1)), any(uint8(1)), any(json.Number("1.0")),
			any(json.Number("10e-1")),
			any(new(port(1))), any(json.RawMessage("1"))),
		written[any](
			"zero", `0`, "an interface has no zero value but nil", any(0), any(negativeZero), any(json.Number("-0")), any(json.Number("")),
		),
		written[any](
			"fraction", `0.1`, "the shortest digits that round-trip in their width", any(0.1), any(float32(0.1)), any(json.Number("0.10")),
		),
		written[any](
			"large integer", `18446744073709551615`, "exact at any size", any(uint64(math.MaxUint64)),
			any(json.Number("18446744073709551615")),
		),
		written[any]("large number", `1e+21`, "by exact decimal value", any(1e21), any(json.Number("1000000000000000000000"))),
		written[any]("string", `"<&>"`, "no HTML escaping", any("<&>"), any(region("<&>")), any(json.RawMessage(`"\u003c&>"`))),
		written[any]("separators", "\"\u2028\"", "no escaping without need", any("\u2028")),
		written[any]("bool", `false`, "an interface has no zero value but nil", any(false), any(new(false))),
		written[any]("bytes", `"AQ=="`, "base64, as encoding/json writes it", any([]byte{1}), any("AQ==")),
		written[any]("quantity", `"1Gi"`, "its JSON; what its meaning is, is not known", any(q("1Gi")), any("1Gi")),
		written[any](
			"integer keys", `{"-1":"a","10":"c","9":"b"}`, "by the bytes of the text", any(map[int]string{9: "b", 10: "c", -1: "a"}),
		),
		written("map", `{"a":{"b":0},"c":null}`, "interfaces as elements", map[string]any{"a": map[string]int{"b": 0}, "c": nil}),
		written("other interface", `"::1"`, "an interface with methods is one, too", fmt.Stringer(netip.IPv6Loopback())),

		refused[any]("NaN", "not-finite", "v", "NaN has no number", any(math.NaN())),
		refused("nested infinity", "not-finite", "v[a]", "an infinity has no number", map[string]any{"a": []any{math.Inf(1)}}),
		refused[any]("cycle", "too-deep", "v", "it would never end; behind an interface that is all one sees", any(cycle)),
		refused[any]("channel", "unsupported-value", "v", "it has no JSON", any(make(chan int))),
		refused[any]("invalid UTF-8", "invalid-utf8", "v", "encoding/json would replace it silently", any("a\xff")),
		refused[any]("nested invalid UTF-8", "invalid-utf8", "v", "encoding/json would replace it silently", any(shown{A: []any{"\xff"}})),
		refused[any](
			"invalid UTF-8 in a key", "invalid-utf8", "v", "encoding/json would replace it silently", any(map[string]any{"\xff": 1}),
		),
		refused[any]("large exponent", "number-range", "v", "the exponent is at most 999", any(json.Number("1e1000"))),
		refused[any]("failing marshaler", "marshal-failed", "v", "what cannot be written has no document", any([]any{failing{}})),
		refused[any]("panicking marshaler", "marshal-failed", "v", "input never panics", any(map[string]any{"a": &panicking{}})),
		refused[any]("keys with one text", "duplicate-member", "v", "decoders disagree about it", any(map[point]int{{1, 2}: 1, {1, 3}: 2})),
	})
}

func TestLeafMarshalers(t *testing.T) {
	zero := *new(big.Int).Sub(big.NewInt(5), big.NewInt(5)) // has capacity, which the zero value has not
	run(t, []row{
		written("text", `"a"`, "its text as a string", textOnValue{"a"}),
		written(
			"text on the pointer", `"a"`, "also where the method is on the pointer and the value is not addressable", textOnPointer{"a"},
		),
		written("text on the pointer in a map", `{"k":"a"}`, "map values are not addressable", map[string]textOnPointer{"k": {"a"}}),
		written("text on the pointer in lists", `["a",""]`, "a zero element is an element", []textOnPointer{{"a"}, {}}),
		written(
			"pointers to text", `[null,"a",""]`, "nil is null, whether or not the method could take it", []*textOnPointer{nil, {"a"}, {}},
		),
		written("zero text", "", "what the zero value returns is zero", textOnValue{}),
		written("pointer to zero text", `""`, "explicit zero is not unset", &textOnValue{}),
		written("pointer to zero text on the pointer", `""`, "explicit zero is not unset", &textOnPointer{}),
		written(
			"JSON", `{"a":[1,null],"b":"<"}`, "its output as canonical JSON", jsonOnValue{`{"b":"\u003c","a":[1.0,null]}`},
			jsonOnValue{` {"a":[1,null] , "b":"<"}`},
		),
		written("JSON on the pointer", `{}`, "nothing is left out of it", jsonOnPointer{`{ }`}),
		written("JSON on the pointer in a map", `{"k":1}`, "map values are not addressable", map[string]jsonOnPointer{"k": {`1e0`}}),
		written("JSON null", "", "JSON null is nil", jsonOnPointer{`null`}, jsonOnPointer{` null`}),
		written("JSON before text", `1`, "MarshalJSON or else MarshalText", jsonAndText{}.with(`1`)),
		written("named slice", `"a,b"`, "its text, not its elements", list{"a", "b"}),
		written("empty named slice", "", "what the zero value returns is zero", nil, list{}),
		written("named slices", `["","","a"]`, "a nil slice has a text", []list{nil, {}, {"a"}}),
		written(
			"zero with another value", "", "what the zero value returns is zero, whatever the Go value", zero, big.Int{},
			*new(big.Int).SetBits(make([]big.Word, 0, 4)),
		),
		written("big integer", `1.208925819614629174706176e+24`, "its output as canonical JSON", *new(big.Int).Lsh(big.NewInt(1), 80)),
		written("pointer to zero", `0`, "explicit 0 is not unset", &zero, new(big.Int)),
		written(
			"big integers in a map", `{"a":0,"b":7}`, "map values are not addressable", map[string]big.Int{"a": zero, "b": *big.NewInt(7)},
		),
		written("address", `"::1"`, "its text as a string", netip.MustParseAddr("::1"), netip.MustParseAddr("0:0:0:0:0:0:0:1")),
		written("zero address", "", "what the zero value returns is zero", netip.Addr{}),
		written(
			"prefixes", `{"10.0.0.0/8":"0.0.0.0"}`, "text marshalers as keys and values",
			map[netip.Prefix]netip.Addr{netip.MustParsePrefix("10.0.0.0/8"): netip.IPv4Unspecified()},
		),

		written("array with a text", `"07-00"`, "its text, not its elements", uuid{7}),
		written("zero array with a text", "", "what the zero value returns is zero, although it is not empty", uuid{}),
		written("zero arrays with a text", `["00-00"]`, "a zero element is an element", []uuid{{}}),

		refused("failing", "marshal-failed", "v", "what cannot be written has no document", failing{1}),
		refused("failing behind a pointer", "marshal-failed", "v", "what cannot be written has no document", &failing{}),
		refused("failing element", "marshal-failed", "v[a]", "what cannot be written has no document", map[string]failing{"a": {}}),
		refused("panicking", "marshal-failed", "v", "input never panics", panicking{1}),
		refused("panicking element", "marshal-failed", "v[0]", "input never panics", []*panicking{{}}),
		refused("no JSON", "invalid-json", "v", "its output must be JSON", jsonOnValue{`{`}),
		refused("no output", "invalid-json", "v", "its output must be JSON", jsonOnValue{` `}),
		refused("invalid UTF-8", "invalid-utf8", "v", "text must be UTF-8", textOnPointer{"\xff"}),
	})
}

// The cause of a failed marshaler is the error that it returned.
func TestLeafMarshalFailedUnwraps(t *testing.T) {
	s, err := hotupdate.SchemaOf[box[failing]]()
	require.NoError(t, err)
	_, err = s.Hash(box[failing]{failing{1}})
	assert.ErrorIs(t, err, errFailing)
}

type textOnValue struct{ text string }

func (v textOnValue) MarshalText() ([]byte, error) { return []byte(v.text), nil }

type textOnPointer struct{ text string }

func (v *textOnPointer) MarshalText() ([]byte, error) { return []byte(v.text), nil }

type jsonOnValue struct{ json string }

func (v jsonOnValue) MarshalJSON() ([]byte, error) { return []byte(v.json), nil }

type jsonOnPointer struct{ json string }

func (v *jsonOnPointer) MarshalJSON() ([]byte, error) { return []byte(v.json), nil }

type jsonAndText struct{ jsonOnValue }

func (jsonAndText) with(s string) jsonAndText { return jsonAndText{jsonOnValue{s}} }

func (jsonAndText) MarshalText() ([]byte, error) { return []byte("text"), nil }

type uuid [2]byte

func (u uuid) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%02x-%02x", u[0], u[1]), nil }

type list []string

func (l list) MarshalText() ([]byte, error) { return []byte(strings.Join(l, ",")), nil }

var errFailing = errors.New("no text")

type failing struct{ n int }

func (f failing) MarshalJSON() ([]byte, error) { return nil, errFailing }

type panicking struct{ n int }

func (p *panicking) MarshalText() ([]byte, error) { panic(p.n) }

// point is a map key whose text shows only one of its fields.
type point [2]int

func (p point) MarshalText() ([]byte, error) { return []byte(strconv.Itoa(p[0])), nil }

// shouted is a string with another text, which encoding/json ignores for keys.
type shouted string

func (s shouted) MarshalText() ([]byte, error) { return []byte(strings.ToUpper(string(s))), nil }

// digit is an integer with another text.
type digit int

func (d digit) MarshalText() ([]byte, error) { return []byte(fmt.Sprintf("d%d", int(d)%10)), nil }

func TestLeafKeysOfMaps(t *testing.T) {
	run(t, []row{
		written("strings", `{"a":1,"b":2}`, "strings of any name", map[region]int{"b": 2, "a": 1}),
		written(
			"integers", `{"-9223372036854775808":0,"9223372036854775807":1}`, "exact at any size",
			map[int64]int{math.MaxInt64: 1, math.MinInt64: 0},
		),
		written(
			"unsigned integers", `{"10":0,"18446744073709551615":1,"9":2}`, "by the bytes of the text",
			map[uint64]int{9: 2, 10: 0, math.MaxUint64: 1},
		),
		written("strings with a text", `{"a":"A"}`, "a string is its own key, as in encoding/json", map[shouted]shouted{"a": "a"}),
		written("integers with a text", `{"d3":1,"d7":0}`, "text marshalers as encoding/json writes them", map[digit]int{7: 0, 3: 1}),
		written("arrays with a text", `{"1":0,"2":1}`, "text marshalers as encoding/json writes them", map[point]int{{1, 0}: 0, {2, 9}: 1}),
		written("nil pointer", `{"":1}`, "a nil pointer has no text", map[*point]int{nil: 1}),

		refused(
			"two keys with one text", "duplicate-map-key", "v[1]", "one of the values would be lost",
			map[point]int{{1, 2}: 1, {1, 3}: 2, {2, 3}: 2},
		),
		refused("two integers with one text", "duplicate-map-key", "v[d1]", "one of the values would be lost", map[digit]int{1: 1, 11: 2}),
		refused("invalid UTF-8", "invalid-utf8", "v", "a key is text", map[region]int{"\xc0": 1}),
		refused("invalid UTF-8 alone", "invalid-utf8", "v", "a key is text", map[string]string{"\xc0": "a"}),
		refused("value of a key", "number-range", "v[cpu]", "the path names the key", map[string]resource.Quantity{"cpu": q("7e64")}),
	})
}

// holder embeds a struct whose own name is not exported, while its fields are.
type holder struct{ hidden }

type hidden struct {
	Text string `json:"text"`
}

// reticent marshals itself only if it is addressable, which a value in an interface or a map is not.
type reticent struct {
	Text string `json:"text"`
}

func (r *reticent) MarshalJSON() ([]byte, error) { return json.Marshal("at " + r.Text) }

// hexed is a string whose bytes need not be text.
type hexed string

func (h hexed) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%x", string(h)), nil }

// tagged has a struct tag that takes effect only if tagged is a field's own type.
type tagged struct {
	Text string `json:"text" hotupdatable:"true"`
}

// taggedText has a struct tag below its own marshaler.
type taggedText struct{ tagged }

func (t taggedText) MarshalText() ([]byte, error) { return []byte(t.Text), nil }

// A struct tag is never ignored silently.
func TestLeafInterfacesHoldNoStructTags(t *testing.T) {
	s, err := hotupdate.SchemaOf[box[any]]()
	require.NoError(t, err)
	for _, v := range []any{tagged{}, &tagged{}, []any{tagged{}}, taggedText{}, &taggedText{}} {
		assertProblems(t, s, box[any]{v}, []problem{{"below-interface", "v"}}, fmt.Sprintf("%T", v))
	}
}

// raw is a byte that is its own text.
type raw byte

func (r raw) MarshalText() ([]byte, error) { return []byte{byte(r)}, nil }

// Behind an interface encoding/json would write U+FFFD for every invalid byte, so different values would have the same hash.
func TestLeafInterfacesAreNotRepaired(t *testing.T) {
	run(t, []row{
		written[any]("text behind marshalers", `["ff","\"",{"text":"a"},"at b"]`, "a type that marshals itself is judged by its output",
			any([]any{hexed("\xff"), textOnValue{`"`}, reticent{"a"}, &reticent{"b"}})),
		written[any]("with an address", `["at a","at b"]`, "elements of a slice have an address", []reticent{{"a"}, {"b"}}),
		written[any]("embedded", `{"text":"a"}`, "a field of an embedded struct is a field", holder{hidden{"a"}}),
		written[any]("string keys", `{"a":1}`, "a string is its own key", map[hexed]int{"a": 1}),
		written[any]("keys with a text", `{"a":1}`, "text marshalers as encoding/json writes them", map[textOnValue]int{{"a"}: 1}),

		refused[any]("embedded field", "invalid-utf8", "v", "text must be UTF-8", holder{hidden{"\xff"}}),
		refused[any]("marshaler without an address", "invalid-utf8", "v", "text must be UTF-8", reticent{"\xff"}),
		refused[any](
			"marshaler without an address in a map", "invalid-utf8", "v", "text must be UTF-8", map[string]any{"a": reticent{"\xff"}},
		),
		refused[any]("text marshaler", "invalid-utf8", "v", "text must be UTF-8", textOnValue{"\xff"}),
		refused[any]("text marshaler behind a pointer", "invalid-utf8", "v", "text must be UTF-8", []any{&textOnPointer{"\xff"}}),
		refused[any]("text marshaler with an address", "invalid-utf8", "v", "text must be UTF-8", []textOnPointer{{"a"}, {"\xff"}}),
		refused[any]("text marshaler as key", "invalid-utf8", "v", "text must be UTF-8", map[textOnValue]int{{"\xff"}: 1}),
		refused[any]("string with a text as key", "invalid-utf8", "v", "a string is its own key", map[hexed]int{"\xff": 1}),
		refused[any]("text marshaler of a scalar", "invalid-utf8", "v", "text must be UTF-8", []raw{0xff}),
		refused[any]("failing text marshaler", "marshal-failed", "v", "input never panics", []any{&panicking{}}),
		refused(
			"object of an extension", "invalid-utf8", "v", "text must be UTF-8",
			runtime.RawExtension{Object: &extensionObject{B: []string{"\xff"}}},
		),
	})
}
