package rawjson_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// wide has everything that is read in a way of its own.
type wide struct {
	metav1.TypeMeta `json:",inline"`
	inner           `json:",inline"`
	*Far            `json:",inline"`

	Text      string                       `json:"text"`
	TextP     *string                      `json:"textP"`
	TextPP    **word                       `json:"textPP"`
	Word      word                         `json:"word"`
	WordP     *word                        `json:"wordP"`
	Bool      bool                         `json:"bool"`
	BoolP     *bool                        `json:"boolP"`
	Int       int                          `json:"int"`
	Int8      int8                         `json:"int8"`
	Int16     *int16                       `json:"int16"`
	Int32     *int32                       `json:"int32"`
	Int64     int64                        `json:"int64"`
	Int64P    *int64                       `json:"int64P"`
	Nanos     time.Duration                `json:"nanos"`
	Uint8     uint8                        `json:"uint8"`
	Uint16    uint16                       `json:"uint16"`
	Uint32    *uint32                      `json:"uint32"`
	Uint64    uint64                       `json:"uint64"`
	Float32   float32                      `json:"float32"`
	Float64   *float64                     `json:"float64"`
	Bytes     []byte                       `json:"bytes"`
	Quantity  resource.Quantity            `json:"quantity"`
	QuantityP *resource.Quantity           `json:"quantityP"`
	Mixed     intstr.IntOrString           `json:"mixed"`
	MixedP    *intstr.IntOrString          `json:"mixedP"`
	Duration  metav1.Duration              `json:"duration"`
	Time      metav1.Time                  `json:"time"`
	TimeP     *metav1.Time                 `json:"timeP"`
	Micro     metav1.MicroTime             `json:"micro"`
	Clock     time.Time                    `json:"clock"`
	Raw       runtime.RawExtension         `json:"raw"`
	RawP      *runtime.RawExtension        `json:"rawP"`
	RawMsg    json.RawMessage              `json:"rawMsg"`
	Number    json.Number                  `json:"number"`
	Any       any                          `json:"any"`
	Stringer  fmt.Stringer                 `json:"stringer"`
	Panics    panicking                    `json:"panics"`
	PanicsP   *panicking                   `json:"panicsP"`
	Level     level                        `json:"level"`
	LevelP    *level                       `json:"levelP"`
	Only      onlyWrites                   `json:"only"`
	Quoted    int64                        `json:"quoted,string"`
	QuotedP   *bool                        `json:"quotedP,string"`
	QuotedL   []int                        `json:"quotedL,string"`
	Texts     []string                     `json:"texts"`
	TextsP    *[]string                    `json:"textsP"`
	Words     []word                       `json:"words"`
	TextPs    []*string                    `json:"textPs"`
	Lists     [][]string                   `json:"lists"`
	Maps      []map[string]string          `json:"maps"`
	Kids      []*wide                      `json:"kids"`
	Next      *wide                        `json:"next"`
	Place     *location                    `json:"place"`
	Nothing   *struct{}                    `json:"nothing"`
	Array     [2]location                  `json:"array"`
	Nested    [1][2]int                    `json:"nested"`
	Hash      [3]byte                      `json:"hash"`
	Small     []int8                       `json:"small"`
	Tags      map[string]string            `json:"tags"`
	TagsP     *map[string]string           `json:"tagsP"`
	Named     labels                       `json:"named"`
	WordMap   map[word]word                `json:"wordMap"`
	LevelMap  map[level]string             `json:"levelMap"`
	Ints      map[int]string               `json:"ints"`
	Capacity  map[string]resource.Quantity `json:"capacity"`
	Limits    limits                       `json:"limits"`
	Counts    map[string]int               `json:"counts"`
	Tree      map[string]location          `json:"tree"`
	Pointers  map[string]*location         `json:"pointers"`
	Deep      map[string]map[string][]word `json:"deep"`
	Frees     map[string]any               `json:"frees"`
	Odd       string                       `json:"an <odd> name"`
	Umlaut    string                       `json:"größe"`
}

type (
	word   string
	labels map[string]string
	limits map[string]resource.Quantity
)

// level is read from a text, also as the key of a map.
type level string

func (l *level) UnmarshalText(text []byte) error {
	*l = level("level " + string(text))
	return nil
}

// onlyWrites is a leaf that the decoder reads as a struct.
type onlyWrites struct {
	A string `json:"a"`
	B []int  `json:"b"`
}

func (onlyWrites) MarshalJSON() ([]byte, error) { return []byte("{}"), nil }

type inner struct {
	Inner string `json:"inner"`
	*Near
}

// Near is reached through a struct that is not exported, and a pointer.
type Near struct {
	NearText *string `json:"nearText"`
}

// Far is reached through a pointer.
type Far struct {
	FarText  string    `json:"farText"`
	FarPlace *location `json:"farPlace"`
}

type location struct {
	Zone  string    `json:"zone"`
	Rank  int       `json:"rank"`
	Below *location `json:"below,omitempty"`
}

// speller writes JSON for a type, and makes one mistake in so many values, or none if it is 0.
type speller struct {
	*rand.Rand

	mistakes int
}

func (s speller) chance(n int) bool { return s.IntN(n) == 0 }

func (s speller) slip() bool { return s.mistakes > 0 && s.chance(s.mistakes) }

func pick[T any](s speller, values ...T) T { return values[s.IntN(len(values))] }

// strange are values that seldom are what is expected.
var strange = []string{
	"null", "true", "false", "0", "-0", "-1", "1.0", "1e2", "01", "-", "127", "128", "-128", "-129", "255", "256", "32768", "65536",
	"2147483647", "2147483648",
	"-2147483649", "4294967296", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
	"18446744073709551615",
	"18446744073709551616", "000", "00000000000000000000001", "1e400", "1e-400", "1e1000", "1e-1000", "0e1000", "3.4e39", "1.5.", "+1",
	".5", "0x1", "nul", "tru", "NaN",
	`""`, `"a"`, `"1"`, `"null"`, `"true"`, "\"\x00\"", "\"\n\"", `"\n"`, `"\u0061"`, `"\ud83d\ude00"`, `"\ud800"`, `"\udc00\ud800"`,
	`"\x"`, `"\u00"`, `"\`, `"`, "\"\xff\"", "\"\xc3\"",
	"\"\u00e9\u2028\U0001f600\"", `"eight by"`, `"eight by\t"`, `"eight bytes and "`, "\"eight by\x7f\"", `"1Gi "`, `" 1"`, `"\u0031"`,
	`"1e3"`, `"YQ=="`,
	"[]", "{}", "[null]", "[[]]", "[1,]", "[,]", "[1 2]", "{,}", `{"a"}`, `{"a":}`, `{"a":1,}`, `{"a":1 "b":2}`, `{"a":1,"a":2}`,
	`{"a":[{"b":1,"b":1}]}`, `{]`, "[}", "[", "{", "",
	`{"a":"\ud800"}`, "[1e1000]", "{\"a\":\"\xff\"}", `{"zone":"z","rank":1,"below":{"zone":null}}`, "\ufeff", "[\v]", "\u00a0",
	`"2026-11-20T16:09:00Z"`, `"1h"`, `"1.5"`, "1.5", "16777217", "0.1", "1e-46", "[1]", "[1,2,3,4]", `["a",null]`, `[null,{"a":"b"}]`,
	`{"a":null}`, `{"a":"b","b":"c"}`, `{"1":"a"}`,
	`{"1":"a","01":"b"}`, `{"a":{}}`, `{"a":{"a":["b"]},"b":{}}`, `{"zone":1}`, `{"Zone":"z"}`, `{"zone":"a","z\u006fne":"b"}`,
	`{"text":"a","kids":[null,{}]}`, "true1", "nullx", "[truex]",
}

// value writes a value of type t, so many levels below the first.
func (s speller) value(t reflect.Type, level int) string {
	switch {
	case s.slip():
		return pick(s, strange...)
	case s.chance(12):
		return "null"
	}
	if known := s.known(t); known != "" {
		return known
	}
	switch t.Kind() {
	case reflect.Pointer:
		return s.value(t.Elem(), level)
	case reflect.Struct:
		return s.object(t, level)
	case reflect.Slice, reflect.Array:
		count := s.IntN(4)
		if t.Kind() == reflect.Array && s.mistakes == 0 {
			count = min(count, t.Len())
		}
		elements := make([]string, 0, 8)
		for range count {
			elements = append(elements, s.value(t.Elem(), level+1))
		}
		return s.brackets("[", "]", elements)
	case reflect.Map:
		var members []string
		for i := range s.IntN(5) {
			members = append(members, s.name(s.key(t.Key(), i))+s.space()+":"+s.space()+s.value(t.Elem(), level+1))
		}
		return s.brackets("{", "}", s.repeat(members))
	default:
		return s.scalar(t.Kind())
	}
}

// key is the text of the i-th key of a map.
func (s speller) key(t reflect.Type, i int) string {
	if t.Kind() != reflect.String {
		return strconv.Itoa(i)
	}
	return fmt.Sprint(pick(s, "", "a key", "é", `"`), i)
}

// known writes values of types that read themselves.
func (s speller) known(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[resource.Quantity]():
		return pick(
			s, `"0"`, `"1Gi"`, `"1024Mi"`, `"100m"`, `"-3"`, `"1e20"`, `"0.5"`, `"1n"`, "8", "1.5", `"12345678901234567890"`, `"1.000"`,
			`" 7 "`,
		)
	case reflect.TypeFor[intstr.IntOrString]():
		return pick(s, `"25%"`, "4", "-1", `""`, `"\u0034"`)
	case reflect.TypeFor[metav1.Time](), reflect.TypeFor[time.Time]():
		return pick(s, `"2024-01-01T01:00:00+01:00"`, `"2026-11-20T16:09:00Z"`)
	case reflect.TypeFor[metav1.MicroTime]():
		return pick(s, `"2024-01-01T01:00:00.000001Z"`, `"2026-11-20T16:09:00.100000+02:00"`)
	case reflect.TypeFor[metav1.Duration]():
		return pick(s, `"1h"`, `"60m"`, `"1.5s"`)
	case reflect.TypeFor[runtime.RawExtension](), reflect.TypeFor[json.RawMessage](), reflect.TypeFor[any]():
		return pick(s, `{"b" : 1, "a":[{}, "\u00e9"]}`, "1.0", "12", `"]}"`, `"\"]\\"`, "[ ]", "true", `{"]":"}"}`, "9007199254740993")
	case reflect.TypeFor[json.Number]():
		return pick(s, "1.50", `"7"`, "1e3")
	case reflect.TypeFor[[]byte]():
		return pick(s, `"YQ=="`, `""`, `[1,2]`, `"YQ\u003d="`)
	case reflect.TypeFor[panicking]():
		return "true"
	case reflect.TypeFor[onlyWrites]():
		return `{"a":"x","b":[1]}`
	case reflect.TypeFor[fmt.Stringer]():
		return "null"
	case reflect.TypeFor[struct{ metav1.Time }]():
		return "{}"
	}
	return ""
}

func (s speller) scalar(k reflect.Kind) string {
	//exhaustive:ignore
	switch k {
	case reflect.Bool:
		return pick(s, "true", "false")
	case reflect.String:
		return s.text()
	case reflect.Float32, reflect.Float64:
		return pick(s, "0", "-0.0", "1.5", "1e30", "3", "0.1", "16777217", "1E-5")
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Int:
		return pick(s, "0", "7", "-1", "127", "-128", strconv.Itoa(s.IntN(100)), "-0")
	default:
		return pick(s, "0", "7", "255", strconv.Itoa(s.IntN(100)))
	}
}

func (s speller) text() string {
	text := pick(
		s, "", "a", "usual", "eight by", "a longer text of ASCII", "quote \" and \\ and /", "é", "世界 😀\u2028", "\x01\n\t\x7f",
		"a longer text and then é", "0123456789abcdef",
	)
	return s.name(text)
}

// name writes a text in one of its spellings.
func (s speller) name(text string) string {
	spelled, _ := json.Marshal(text)
	if !s.chance(12) {
		return string(spelled)
	}
	var b strings.Builder
	for _, r := range text {
		if s.chance(2) && r < 0x10000 {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			one, _ := json.Marshal(string(r))
			b.Write(one[1 : len(one)-1])
		}
	}
	return `"` + b.String() + `"`
}

func (s speller) space() string {
	if !s.chance(15) {
		return ""
	}
	return pick(s, " ", "\n", "\t\r ", "\n        ")
}

func (s speller) brackets(opening, closing string, parts []string) string {
	comma := s.space() + "," + s.space()
	return opening + s.space() + strings.Join(parts, comma) + s.space() + closing
}

// repeat repeats a member now and then.
func (s speller) repeat(members []string) []string {
	if len(members) > 0 && s.slip() {
		members = append(members, members[s.IntN(len(members))])
	}
	return members
}

// object writes a struct, in one of three orders.
func (s speller) object(t reflect.Type, level int) string {
	var members []string
	leftOut := pick(s, 2, 3, 6)
	if t.NumField() > 30 {
		leftOut = pick(s, 2, 10, 20, 40)
	}
	for _, f := range fieldsOf(t) {
		recurses := f.Type.Kind() != reflect.Struct && strings.Contains(f.Type.String(), t.String())
		if !s.chance(leftOut) || recurses && level > 3 {
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if s.slip() {
			name = pick(s, strings.ToUpper(name), f.Name, name+"x", "")
		}
		value := s.value(f.Type, level+1)
		if strings.HasSuffix(f.Tag.Get("json"), ",string") && f.Type.Kind() != reflect.Slice && !s.slip() {
			value = s.name(value)
		}
		members = append(members, s.name(name)+s.space()+":"+s.space()+value)
	}
	switch s.IntN(4) {
	case 0:
		slices.Sort(members)
	case 1:
		s.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	}
	return s.brackets("{", "}", s.repeat(members))
}

// fieldsOf lists the fields of t and of what it embeds.
func fieldsOf(t reflect.Type) (fields []reflect.StructField) {
	for _, f := range reflect.VisibleFields(t) {
		if tag, _, _ := strings.Cut(f.Tag.Get("json"), ","); tag != "" && tag != "-" {
			fields = append(fields, f)
		}
	}
	return fields
}

// damage changes some bytes.
func (s speller) damage(text string) string {
	for range s.IntN(3) {
		at := s.IntN(len(text) + 1)
		end := min(at+s.IntN(6), len(text))
		text = text[:at] + pick(
			s, "", text[at:end], text[at:end]+text[at:end], pick(s, strange...), string(rune(s.IntN(300))),
			string([]byte{byte(s.IntN(256))}),
		) + text[end:]
	}
	return text
}
