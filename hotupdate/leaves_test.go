package hotupdate_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"pgregory.net/rapid"
)

// leafType draws values of a leaf's type, and other spellings with the same meaning.
type leafType struct {
	typ       reflect.Type
	draw      func(t *rapid.T) reflect.Value
	respell   func(t *rapid.T, v reflect.Value) reflect.Value
	fallbacks []string // texts for default=
}

func leafOf[T any](draw func(t *rapid.T) T, respell func(t *rapid.T, x T) T, fallbacks ...string) leafType {
	return leafType{
		typ: reflect.TypeFor[T](), fallbacks: fallbacks,
		draw: func(t *rapid.T) reflect.Value { return valueOf(draw(t)) },
		respell: func(t *rapid.T, v reflect.Value) reflect.Value {
			return valueOf(respell(t, v.Interface().(T)))
		},
	}
}

// anyLeaf is the leaf of type any. Reflect cannot distinguish its values from their contents.
var anyLeaf = leafType{
	typ:  reflect.TypeFor[any](),
	draw: func(t *rapid.T) reflect.Value { x := drawAny(t); return reflect.ValueOf(&x).Elem() },
	respell: func(t *rapid.T, v reflect.Value) reflect.Value {
		x := respellAny(t, v.Interface())
		return reflect.ValueOf(&x).Elem()
	},
}

// valueOf returns an addressable copy.
func valueOf[T any](x T) reflect.Value { return reflect.ValueOf(&x).Elem() }

func same[T any](_ *rapid.T, x T) T { return x }

type (
	namedString string
	namedInt    int16
	namedBytes  []byte
)

// textValue writes its text in lower case, so two values may have the same meaning. Its method has a value receiver.
type textValue struct{ Text string }

func (x textValue) MarshalText() ([]byte, error) { return []byte(strings.ToLower(x.Text)), nil }

func (x *textValue) UnmarshalText(written []byte) error {
	x.Text = string(written)
	return nil
}

// textPointer is the same with a pointer receiver, and its zero value does not write the empty text.
type textPointer struct{ text string }

func (x *textPointer) MarshalText() ([]byte, error) {
	return []byte("t:" + strings.ToLower(x.text)), nil
}

func (x *textPointer) UnmarshalText(written []byte) error {
	x.text = strings.TrimPrefix(string(written), "t:")
	return nil
}

// jsonValue writes an object, so that its zero value has members.
type jsonValue struct {
	Size   int
	Labels map[string]string
}

func (x jsonValue) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, `{ "size" : %d, "labels" : %d, "first" : %q }`, x.Size, len(x.Labels), x.Labels["first"]), nil
}

func (x *jsonValue) UnmarshalJSON(raw []byte) error {
	var read struct {
		Size, Labels int
		First        string
	}
	if err := json.Unmarshal(raw, &read); err != nil {
		return err
	}
	*x = jsonValue{Size: read.Size}
	for i := range read.Labels {
		if x.Labels == nil {
			x.Labels = map[string]string{"first": read.First}
			continue
		}
		x.Labels[strconv.Itoa(i)] = ""
	}
	return nil
}

// jsonPointer writes a number, or null if it has none. Its method has a pointer receiver.
type jsonPointer struct{ digits []byte }

func (x *jsonPointer) MarshalJSON() ([]byte, error) {
	if len(x.digits) == 0 {
		return []byte("null"), nil
	}
	return x.digits, nil
}

func (x *jsonPointer) UnmarshalJSON(raw []byte) error {
	x.digits = bytes.Clone(raw)
	if string(raw) == "null" {
		x.digits = nil
	}
	return nil
}

func (x *jsonPointer) DeepCopy() *jsonPointer { return &jsonPointer{bytes.Clone(x.digits)} }

// leafTypes are all leaves that generated types have, the plainest first.
var leafTypes = []leafType{
	leafOf(drawString, same, "gp2", "'a, b'", "'it''s'", "0", "1024Mi", "60m"),
	leafOf(drawBool, same),
	leafOf(drawInt[int], same, "5", "-1"),
	leafOf(drawInt[int8], same, "5"),
	leafOf(drawInt[int16], same, "-5"),
	leafOf(drawInt[int32], same, "5"),
	leafOf(drawInt[int64], same, "5"),
	leafOf(drawInt[uint], same, "5"),
	leafOf(drawInt[uint8], same, "7"),
	leafOf(drawInt[uint16], same, "7"),
	leafOf(drawInt[uint32], same, "7"),
	leafOf(drawInt[uint64], same, "18446744073709551615"),
	leafOf(drawInt[namedInt], same, "3"),
	leafOf(drawInt[time.Duration], same),
	leafOf(drawFloat[float32], negateZero, "0.1"),
	leafOf(drawFloat[float64], negateZero, "0.1", "1e21"),
	leafOf(func(t *rapid.T) namedString { return namedString(drawString(t)) }, same, "gp2"),
	leafOf(drawBytes, same, "YQ=="),
	leafOf(func(t *rapid.T) namedBytes { return drawBytes(t) }, same),
	leafOf(drawQuantity, respellQuantity, "20Gi", "1500m"),
	leafOf(drawTime, moveZone, "2023-11-15T03:43:20+05:30"),
	leafOf(func(t *rapid.T) metav1.Time { return metav1.Time{Time: drawTime(t)} }, respellMetaTime, "2023-11-14T22:13:20Z"),
	leafOf(
		func(t *rapid.T) metav1.MicroTime { return metav1.MicroTime{Time: drawTime(t)} }, respellMicroTime, "2023-11-14T22:13:20.000000Z",
	),
	leafOf(drawDuration, same, "30m"),
	leafOf(drawIntOrString, respellIntOrString, "5", "25%", `"5"`),
	leafOf(drawNumber, respellNumber, "1.5", "1"),
	leafOf(drawRawMessage, func(t *rapid.T, raw json.RawMessage) json.RawMessage { return respellJSON(t, raw) }, "{}", `'{"a":[1,"b"]}'`),
	leafOf(drawRawExtension, respellRawExtension, `'{"a":1}'`),
	leafOf(func(t *rapid.T) textValue { return textValue{drawString(t)} }, respellTextValue),
	leafOf(func(t *rapid.T) textPointer { return textPointer{drawString(t)} }, respellTextPointer),
	leafOf(drawJSONValue, same),
	leafOf(func(t *rapid.T) jsonPointer { return jsonPointer{digits(t)} }, respellJSONPointer),
	anyLeaf,
}

var leafByType = func() map[reflect.Type]leafType {
	all := map[reflect.Type]leafType{}
	for _, l := range leafTypes {
		all[l.typ] = l
	}
	return all
}()

// textsAs are texts for each kind of the option as: in each list, all mean the same.
var textsAs = map[string][][]string{
	"text": {{"1Gi"}, {"1024Mi"}, {""}},
	"quantity": {
		{"1Gi", "1024Mi", "1073741824", "1073741824.0", "1048576Ki"},
		{"100m", "0.1", ".1", "100e-3"},
		{"-0", "0", "0Ki"},
		{"1.5", "1500m"},
		{"5%"},
		{"1 Gi"},
		{""},
		{"1e1000"},
	},
	"duration": {{"1h", "60m", "3600s", "1h0m0s", "0.5h30m"}, {"0", "0s", "-0h"}, {"1d"}, {"Never"}, {"never"}, {"90s", "1m30s"}, {""}},
	"cidr": {
		{"10.0.0.0/8", "10.1.2.3/8"},
		{"fd00::/16", "FD00:0::1/16", "fd00:0:0:0:0:0:0:0/16"},
		{"10.0.0.0"},
		{"10.0.0.0/33"},
		{"0.0.0.0/0", "1.2.3.4/0"},
		{""},
	},
	"dns": {
		{"a.example.com", "A.Example.com.", "a.example.com."},
		{"."},
		{".."},
		{"*.a", "*.A."},
		{"\u00c9.example.com"},
		{"\u00e9.example.com"},
		{""},
	},
	"time": {
		{"2026-01-02T03:04:05Z", "2026-01-02T04:04:05+01:00", "2026-01-02T03:04:05.000Z"},
		{"2026-01-02T03:04:05.5Z", "2026-01-01T23:34:05.50-03:30"},
		{"0000-01-01T00:00:00+01:00"},
		{"2026-01-02"},
		{""},
	},
}

// drawLeaf draws the value of a leaf. A text of the option as is often in the form of its kind.
func (p modelNode) drawLeaf(t *rapid.T) reflect.Value {
	if p.as == "" || p.typ.Kind() != reflect.String || chance(t, 5) {
		return leafByType[p.typ].draw(t)
	}
	return reflect.ValueOf(among(t, among(t, textsAs[p.as]...)...)).Convert(p.typ)
}

// respellText draws another text with the same meaning.
func respellText(t *rapid.T, as string, v reflect.Value) reflect.Value {
	for _, alike := range textsAs[as] {
		if slices.Contains(alike, v.String()) {
			return reflect.ValueOf(among(t, alike...)).Convert(v.Type())
		}
	}
	return v
}

// pick draws a number below n. Zero is the simplest, to which failures shrink.
func pick(t *rapid.T, n int) int { return rapid.IntRange(0, n-1).Draw(t, "pick") }

// chance is true in one of n draws.
func chance(t *rapid.T, n int) bool { return pick(t, n) == n-1 }

func among[T any](t *rapid.T, all ...T) T { return all[pick(t, len(all))] }

func drawBool(t *rapid.T) bool { return rapid.Bool().Draw(t, "bool") }

func drawString(t *rapid.T) string {
	if chance(t, 6) {
		return rapid.StringN(0, 5, -1).Draw(t, "string")
	}
	return among(
		t, "a", "b", "", "gp2", "a, b", "it's", "0", "null", "A", "e\u0301", "\u00e9", "<&>", "\"\\/", "\u2028\x00\x7f\t", "\U0001f600",
		"\uffff", "1Gi",
	)
}

func drawInt[T int | int8 | int16 | int32 | int64 | uint | uint8 | uint16 | uint32 | uint64 | namedInt | time.Duration](t *rapid.T) T {
	if chance(t, 4) {
		return T(rapid.Int64().Draw(t, "int")) //nolint:gosec // any number will do
	}
	return T(rapid.IntRange(0, 7).Draw(t, "int"))
}

func drawFloat[T float32 | float64](t *rapid.T) T {
	if chance(t, 4) {
		return T(rapid.Float32().Draw(t, "float"))
	}
	return among[T](t, 0, 1, 0.1, 1e21, 1e-7, 16777217, -2.5, T(math.Copysign(0, -1)))
}

func negateZero[T float32 | float64](_ *rapid.T, x T) T {
	if x == 0 {
		return T(math.Copysign(0, -1))
	}
	return x
}

func drawBytes(t *rapid.T) []byte { return []byte(among(t, "a", "", "b", "\xff\x00", "longer text")) }

func drawQuantity(t *rapid.T) resource.Quantity {
	return resource.MustParse(among(
		t, "1Gi", "0", "1024Mi", "1", "1000m", "100m", "-3", "1e3", "1k", "0.5", "1n", "1500u", "7Ei", "12345678901234567890123",
		"0.000000001", "1.5Gi",
	))
}

// respellQuantity writes the same number with another suffix, if that is exact, or stores it in another form.
func respellQuantity(t *rapid.T, q resource.Quantity) resource.Quantity {
	q = q.DeepCopy()
	factor := among(t, "", "m:1/1000", "k:1000", "Ki:1024", "Mi:1048576", "e3:1000", "n:1/1000000000")
	if factor == "" {
		q.AsDec()
		return q
	}
	suffix, unit, _ := strings.Cut(factor, ":")
	of, _ := new(big.Rat).SetString(unit)
	written := plainDecimal(new(big.Rat).Quo(quantityValue(q), of)) + suffix
	if parsed, err := resource.ParseQuantity(written); err == nil && parsed.Cmp(q) == 0 {
		return parsed
	}
	return q
}

func drawTime(t *rapid.T) time.Time {
	seconds := among[int64](t, 1700000000, 0, -1, 253370764800, -62135596800, 1700000001)
	nanos := among[int64](t, 0, 500000000, 1, 1000, 123456789)
	if pick(t, 6) == 1 {
		return time.Time{}
	}
	return moveZone(t, time.Unix(seconds, nanos).UTC())
}

func moveZone(t *rapid.T, x time.Time) time.Time {
	if x.Year() == 1 {
		return x
	}
	return x.In(among(t, time.UTC, time.FixedZone("", 5*3600+1800), time.FixedZone("west", -7200)))
}

func respellMetaTime(t *rapid.T, x metav1.Time) metav1.Time {
	return metav1.Time{Time: moveZone(t, x.Truncate(time.Second).Add(time.Duration(among(t, 0, 999999999))))}
}

func respellMicroTime(t *rapid.T, x metav1.MicroTime) metav1.MicroTime {
	return metav1.MicroTime{Time: moveZone(t, x.Truncate(time.Microsecond).Add(time.Duration(among(t, 0, 999))))}
}

func drawDuration(t *rapid.T) metav1.Duration {
	return metav1.Duration{Duration: among(t, time.Hour, 0, 30*time.Minute, time.Nanosecond, -time.Second)}
}

func drawIntOrString(t *rapid.T) intstr.IntOrString {
	return among(
		t, intstr.FromInt32(1), intstr.FromInt32(0), intstr.FromString(""), intstr.FromString("25%"), intstr.FromString("1"),
		intstr.FromInt32(5),
	)
}

func respellIntOrString(t *rapid.T, x intstr.IntOrString) intstr.IntOrString {
	if x.Type == intstr.Int {
		x.StrVal = among(t, "", "stale")
		return x
	}
	x.IntVal = among[int32](t, 0, 7)
	return x
}

func drawNumber(t *rapid.T) json.Number {
	return json.Number(among(t, "1", "0", "5", "-0", "1.50", "1e2", "0.5", "12345678901234567890", "1e-9", "-3", "1E+400", ""))
}

func respellNumber(t *rapid.T, x json.Number) json.Number {
	value, ok := new(big.Rat).SetString(cmp.Or(string(x), "0"))
	if !ok || len(x) > 8 || strings.ContainsAny(string(x), "E") {
		return x
	}
	switch pick(t, 4) {
	case 0:
		return json.Number(plainDecimal(value))
	case 1:
		return json.Number(plainDecimal(value) + "e0")
	case 2:
		return json.Number(plainDecimal(new(big.Rat).Mul(value, big.NewRat(1000, 1))) + "E-3")
	}
	return json.Number(value.FloatString(12))
}

func drawAny(t *rapid.T) any { return drawAnyWithin(t, 2) }

func drawAnyWithin(t *rapid.T, depth int) any {
	switch n := pick(t, 9); {
	case n == 0:
		return among[any](t, "a", "", "<&>\u2028")
	case n == 1:
		return nil
	case n == 2:
		return among[any](t, true, false)
	case n == 3:
		return among[any](t, 1.0, 0.0, 0.1, int64(1), uint8(0), json.Number("1"), json.Number("0.10"), json.Number("-0e5"), float32(0.1))
	case n == 4 && depth > 0:
		return []any{drawAnyWithin(t, depth-1), drawAnyWithin(t, depth-1)}
	case n == 5 && depth > 0:
		return map[string]any{"b": drawAnyWithin(t, depth-1), among(t, "a", "\u00e9", ""): drawAnyWithin(t, depth-1)}
	case n == 6:
		return among[any](t, []any{}, map[string]any{}, []string{"x"}, map[string]int{"k": 1}, struct{}{}, json.RawMessage(`{"b":[1.0]}`))
	case n == 7:
		x := 1
		return among[any](t, &x, (*int)(nil), time.Second, resource.MustParse("1Gi"))
	}
	return "text"
}

// respellAny writes the same JSON in another way: as raw JSON, or as what decoding it gives.
func respellAny(t *rapid.T, x any) any {
	written, err := json.Marshal(x)
	if err != nil {
		panic(err)
	}
	if chance(t, 2) {
		return json.RawMessage(respellJSON(t, written))
	}
	decoder := json.NewDecoder(bytes.NewReader(written))
	decoder.UseNumber()
	if err := decoder.Decode(&x); err != nil {
		panic(err)
	}
	return x
}

func drawRawMessage(t *rapid.T) json.RawMessage {
	return json.RawMessage(
		among(t, `{"a":1}`, `{}`, `null`, `0`, `""`, `false`, `[1, {"b":null,"a":[]}]`, `{"b":1.0,"a":"\u003c"}`, `[1e3]`, `{"":{"x":-0}}`),
	)
}

func drawRawExtension(t *rapid.T) runtime.RawExtension {
	if chance(t, 4) {
		return runtime.RawExtension{}
	}
	return runtime.RawExtension{Raw: drawRawMessage(t)}
}

// respellRawExtension writes the JSON differently, or carries it in an object.
func respellRawExtension(t *rapid.T, x runtime.RawExtension) runtime.RawExtension {
	if x.Raw == nil {
		return x
	}
	raw := respellJSON(t, x.Raw)
	if chance(t, 3) {
		return runtime.RawExtension{Object: &runtime.Unknown{Raw: raw}}
	}
	return runtime.RawExtension{Raw: raw}
}

func respellTextValue(t *rapid.T, x textValue) textValue {
	return textValue{among(t, x.Text, strings.ToLower(x.Text))}
}

func respellTextPointer(t *rapid.T, x textPointer) textPointer {
	return textPointer{among(t, x.text, strings.ToLower(x.text))}
}

func drawJSONValue(t *rapid.T) jsonValue {
	x := jsonValue{Size: pick(t, 3)}
	if chance(t, 2) {
		x.Labels = map[string]string{"first": among(t, "", "a")}
	}
	return x
}

func digits(t *rapid.T) []byte { return []byte(among(t, "7", "", "1.0", "0")) }

func respellJSONPointer(t *rapid.T, x jsonPointer) jsonPointer {
	if len(x.digits) == 1 {
		return jsonPointer{append(bytes.Clone(x.digits), among(t, "", ".0", "e0")...)}
	}
	return x
}

// respellJSON writes JSON with its members in another order, other white space, other escapes and other spellings of numbers.
func respellJSON(t *rapid.T, raw []byte) []byte { return jsonSpelling{t, true}.rewrite(raw) }

// reencode does the same like another YAML or JSON encoder, which keeps numbers.
func reencode(t *rapid.T, raw []byte) []byte { return jsonSpelling{t, false}.rewrite(raw) }

// jsonSpelling writes JSON in unusual ways.
type jsonSpelling struct {
	t    *rapid.T
	free bool // also other spellings of numbers and letters
}

func (s jsonSpelling) rewrite(raw []byte) []byte {
	if raw == nil {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var decoded any
	if err := decoder.Decode(&decoded); err != nil {
		panic(fmt.Sprintf("%v in %s", err, raw))
	}
	return s.value(nil, decoded)
}

func (s jsonSpelling) value(dst []byte, decoded any) []byte {
	switch x := decoded.(type) {
	case nil:
		return append(dst, "null"...)
	case bool:
		return strconv.AppendBool(dst, x)
	case string:
		return s.text(dst, x)
	case json.Number:
		if s.free {
			x = respellNumber(s.t, x)
		}
		return append(dst, x...)
	case []any:
		return s.sequence(dst, '[', len(x), ']', func(dst []byte, i int) []byte { return s.value(dst, x[i]) })
	}
	members := decoded.(map[string]any)
	names := slices.Sorted(maps.Keys(members))
	if chance(s.t, 2) {
		slices.Reverse(names)
	}
	return s.sequence(dst, '{', len(names), '}', func(dst []byte, i int) []byte {
		return s.value(append(s.text(dst, names[i]), ':'), members[names[i]])
	})
}

func (s jsonSpelling) sequence(dst []byte, open byte, n int, end byte, item func([]byte, int) []byte) []byte {
	gap := among(s.t, "", " ", "\n\t")
	dst = append(dst, open)
	for i := range n {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = item(append(dst, gap...), i)
	}
	return append(append(dst, gap...), end)
}

// plainText are the characters that no encoder escapes, and time.Time does not read escaped.
const plainText = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.:+-"

func (s jsonSpelling) text(dst []byte, x string) []byte {
	if chance(s.t, 2) {
		dst = append(dst, '"')
		for _, unit := range utf16.Encode([]rune(x)) {
			if !s.free && strings.ContainsRune(plainText, rune(unit)) {
				dst = append(dst, byte(unit))
				continue
			}
			dst = fmt.Appendf(dst, `\u%04X`, unit)
		}
		return append(dst, '"')
	}
	quoted, _ := json.Marshal(x)
	return append(dst, quoted...)
}
