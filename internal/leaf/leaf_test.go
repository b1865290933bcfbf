package leaf_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hotupdate/providerconfig/internal/leaf"
)

type (
	word     string
	upper    string             // marshals itself as text
	lines    []string           // marshals itself as JSON
	pair     struct{ A, B int } // is no leaf
	broken   struct{}           // has a marshaler that fails or panics
	reader   struct{ v any }    // unmarshals itself
	nested   struct{ L []map[string]*pair }
	holding  struct{ M map[string][]*any }
	storing  struct{ q []*resource.Quantity }
	closedIn struct{ R reader }
)

func (u upper) MarshalText() ([]byte, error) { return []byte("u:" + string(u)), nil }

func (u *upper) UnmarshalText(text []byte) error { *u = upper(text[2:]); return nil }

func (l lines) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]int{"b": len(l), "a": 0})
}

func (broken) MarshalJSON() ([]byte, error) { return nil, errors.New("a secret") }

func (r *reader) UnmarshalJSON(raw []byte) error { return json.Unmarshal(raw, &r.v) }

// TestAppend has what the documents of Schemas do not show.
func TestAppend(t *testing.T) {
	for _, tc := range []struct {
		value any
		kind  leaf.Kind
		want  string // text, or the code of the problem
	}{
		{uint64(math.MaxUint64), leaf.Uint, "18446744073709551615"},
		{leaf.OpaqueJSON(` 1.0 `), leaf.Opaque, "1"},
		{broken{}, leaf.JSONMarshaler, "marshal-failed"},
		{pair{}, leaf.NotALeaf, "type-mismatch"},
	} {
		v := reflect.ValueOf(tc.value)
		assert.Equal(t, tc.kind, leaf.KindOf(v.Type()), "%T", tc.value)
		text, problem := leaf.Append([]byte("before"), tc.kind, v)
		if problem != nil {
			assert.Equal(t, tc.want, problem.Code, "%T", tc.value)
			assert.NotContains(t, problem.Error(), "secret", "a marshaler's own text is not shown")
			continue
		}
		assert.Equal(t, "before"+tc.want, string(text), "%T", tc.value)
	}
}

// TestCopySharesNoMemory: a copy is equal, and stays so when the original is written.
func TestCopySharesNoMemory(t *testing.T) {
	for _, original := range []any{
		[]byte("a"), json.RawMessage("1"),
		lines{"a"},
		upper("a"), resource.MustParse("1e30"),
		runtime.RawExtension{Raw: []byte("1")},
		[]any{map[string]*pair{"a": {1, 2}}},
	} {
		from := reflect.ValueOf(original)
		kind := leaf.KindOf(from.Type())
		if kind == leaf.NotALeaf {
			kind = leaf.JSONMarshaler
		}
		to := reflect.New(from.Type()).Elem()
		require.Nil(t, leaf.Copy(to, from, kind))
		assert.Equal(t, original, to.Interface())
		if from.Kind() == reflect.Slice {
			from.Index(0).SetZero()
			assert.NotEqual(t, original, to.Interface(), "%T", original)
		}
	}
	for _, original := range []any{storing{q: []*resource.Quantity{{}}}, nested{L: []map[string]*pair{{}}}} {
		to := reflect.New(reflect.TypeOf(original)).Elem()
		problem := leaf.Copy(to, reflect.ValueOf(original), leaf.JSONMarshaler)
		require.NotNil(t, problem, "%T: a struct that holds references has to copy itself", original)
		assert.Equal(t, "not-copyable", problem.Code)
	}
}

// spelled keeps JSON or text as it is spelled, in memory that has to be copied.
type (
	spelledJSON struct{ raw []byte }
	spelledText struct{ text []byte }
)

func (s spelledJSON) MarshalJSON() ([]byte, error)     { return s.raw, nil }
func (s *spelledJSON) UnmarshalJSON(raw []byte) error  { s.raw = bytes.Clone(raw); return nil }
func (s spelledText) MarshalText() ([]byte, error)     { return s.text, nil }
func (s *spelledText) UnmarshalText(text []byte) error { s.text = bytes.Clone(text); return nil }

// TestCopyKeepsSpelling: hashstructure sees every byte of a copy. encoding/json would take out white space, escape "<", and mend text.
func TestCopyKeepsSpelling(t *testing.T) {
	for _, original := range []any{
		spelledJSON{[]byte(`{ "a": "<" }`)},
		&spelledJSON{[]byte(`[ "&" ]`)},
		spelledText{[]byte("<\xff>")},
		[]any{json.RawMessage(` [1, "<"]`)},
	} {
		from := reflect.ValueOf(original)
		to := reflect.New(from.Type()).Elem()
		require.Nil(t, leaf.Copy(to, from, leaf.Interface))
		assert.Equal(t, original, to.Interface())
	}
}

// Types that write JSON and read text, or write text and read JSON, in memory that has to be copied.
type (
	writesJSON struct{ text []byte }
	readsJSON  struct{ text []byte }
)

func (w writesJSON) MarshalJSON() ([]byte, error)     { return json.Marshal(string(w.text)) }
func (w *writesJSON) UnmarshalText(text []byte) error { w.text = bytes.Clone(text); return nil }
func (r readsJSON) MarshalText() ([]byte, error)      { return r.text, nil }
func (r *readsJSON) UnmarshalJSON(raw []byte) error {
	var text string
	err := json.Unmarshal(raw, &text)
	r.text = []byte(text)
	return err
}

// TestCopyGoesFromJSONToText: the text of a type that writes JSON and reads text, or the other way round, is a JSON string.
func TestCopyGoesFromJSONToText(t *testing.T) {
	for _, original := range []any{writesJSON{[]byte("a<\"\n\u2028")}, readsJSON{[]byte("a<\"\n\u2028")}} {
		from := reflect.ValueOf(original)
		to := reflect.New(from.Type()).Elem()
		require.Nil(t, leaf.Copy(to, from, leaf.KindOf(from.Type())))
		assert.Equal(t, original, to.Interface())
	}
}

// TestParseText: the default of a struct tag means what the value means.
func TestParseText(t *testing.T) {
	for _, tc := range []struct {
		value      any
		text, want string // no text if it is empty
	}{
		{true, "false", "false"},
		{true, "no", ""},
		{int8(0), "-128", "-128"},
		{int8(0), "128", ""},
		{uint(0), "-1", ""},
		{0.0, "1e3", "1000"},
		{word(""), "a", `"a"`},
		{resource.Quantity{}, "1024Mi", `"1073741824"`},
		{resource.Quantity{}, "1Zi", ""},
		{intstr.IntOrString{}, "50%", `"50%"`},
		{intstr.IntOrString{}, "5", "5"},
		{metav1.Duration{}, "60m", `"1h0m0s"`},
		{metav1.Duration{}, "1", ""},
		{intstr.IntOrString{}, `"5"`, `"5"`},
		{intstr.IntOrString{}, `"5`, ""},
		{[]byte{}, "YQ==", `"YQ=="`},
		{[]byte{}, "Y", ""},
		{time.Time{}, "2026-01-02T04:04:05+01:00", `"2026-01-02T03:04:05Z"`},
		{time.Time{}, "0001-01-01T00:00:00Z", ""},
		{metav1.Time{}, "2026-01-02T04:04:05.5+01:00", `"2026-01-02T03:04:05Z"`},
		{metav1.MicroTime{}, "2026-01-02T03:04:05.500Z", `"2026-01-02T03:04:05.5Z"`},
		{metav1.MicroTime{}, "today", ""},
		{json.Number(""), "1.50", "1.5"},
		{json.Number(""), "", ""},
		{json.RawMessage{}, `{"b":1.0,"a":null}`, `{"a":null,"b":1}`},
		{json.RawMessage{}, `"a"`, `"a"`},
		{json.RawMessage{}, "a", ""},
		{json.RawMessage{}, "null", ""},
		{runtime.RawExtension{}, "[1]", "[1]"},
		{upper(""), "a", ""},
	} {
		typ := reflect.TypeOf(tc.value)
		text, ok := leaf.ParseText(leaf.KindOf(typ), typ, tc.text)
		assert.Equal(t, tc.want != "", ok, "%T %s", tc.value, tc.text)
		assert.Equal(t, tc.want, string(text), "%T %s", tc.value, tc.text)
		if ok {
			again, _ := leaf.ParseText(leaf.KindOf(typ), typ, leaf.OptionText(leaf.KindOf(typ), string(text)))
			assert.Equal(t, tc.want, string(again), "%T %s", tc.value, tc.text)
		}
	}
}

// TestTypes has what is known of a type without a value.
func TestTypes(t *testing.T) {
	for _, tc := range []struct {
		typ                            reflect.Type
		key                            leaf.Kind
		plainKey, hasInterface, hasQty bool
	}{
		{reflect.TypeFor[word](), leaf.String, true, false, false},
		{reflect.TypeFor[upper](), leaf.String, false, false, false},
		{reflect.TypeFor[int8](), leaf.Int, false, false, false},
		{reflect.TypeFor[float64](), leaf.NotALeaf, false, false, false},
		{reflect.TypeFor[holding](), leaf.NotALeaf, false, true, false},
		{reflect.TypeFor[fmt.Stringer](), leaf.NotALeaf, false, true, false},
		{reflect.TypeFor[closedIn](), leaf.NotALeaf, false, false, false},
		{reflect.TypeFor[storing](), leaf.NotALeaf, false, false, true},
		{reflect.TypeFor[runtime.RawExtension](), leaf.NotALeaf, false, false, false},
	} {
		assert.Equal(t, tc.key, leaf.MapKeyKind(tc.typ), "%s", tc.typ)
		assert.Equal(t, tc.plainKey, leaf.IsPlainMapKey(tc.typ), "%s", tc.typ)
		assert.Equal(t, tc.hasInterface, leaf.HoldsInterface(tc.typ), "%s", tc.typ)
		assert.Equal(t, tc.hasQty, leaf.HoldsQuantity(tc.typ), "%s", tc.typ)
	}
}

// TestSpell: a micro time is read with all of its digits, and the option string puts quotes around numbers.
func TestSpell(t *testing.T) {
	for _, tc := range []struct {
		kind       leaf.Kind
		spelling   leaf.Spelling
		text, want string
	}{
		{leaf.MicroTime, leaf.Plain, `"2026-01-02T12:00:00.1Z"`, `"2026-01-02T12:00:00.100000Z"`},
		{leaf.MicroTime, leaf.Plain, `"2026-01-02T12:00:00Z"`, `"2026-01-02T12:00:00.000000Z"`},
		{leaf.MicroTime, leaf.Plain, `null`, `null`},
		{leaf.MetaTime, leaf.Plain, `"2026-01-02T12:00:00Z"`, `"2026-01-02T12:00:00Z"`},
		{leaf.Int, leaf.Quoted, `7`, `"7"`},
	} {
		assert.Equal(t, "before"+tc.want, string(leaf.Spell([]byte("before"+tc.text), len("before"), tc.kind, tc.spelling)))
	}
}

// TestHoldsNatural: a natural number fits into an integer exactly if the integer's parser accepts it.
func TestHoldsNatural(t *testing.T) {
	for bits := 8; bits <= 64; bits *= 2 {
		for shift := range 64 {
			for _, n := range []uint64{1<<shift - 1, 1 << shift, 1<<shift + 1} {
				for _, k := range []leaf.Kind{leaf.Int, leaf.Uint} {
					_, want := leaf.AppendNumber(nil, k, bits, strconv.FormatUint(n, 10))
					assert.Equal(t, want, leaf.HoldsNatural(k, bits, n), "%d bits of kind %d, %d", bits, k, n)
				}
			}
		}
	}
}
