package canonjson_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/internal/canonjson"
)

func number(t require.TestingT, literal string) string {
	got, err := canonjson.AppendNumber(nil, []byte(literal))
	require.Nil(t, err, "%q", literal)
	return string(got)
}

func float(t require.TestingT, f float64, bits int) string {
	got, err := canonjson.AppendFloat(nil, f, bits)
	require.Nil(t, err)
	return string(got)
}

func TestAppendNumber(t *testing.T) {
	for _, tc := range []struct{ in, want, reason string }{
		{"0", "0", "zero"},
		{"-0", "0", "zero has no sign"},
		{"0.000", "0", "zero in any spelling"},
		{"-0.0e-5", "0", "zero in any spelling"},
		{"0e5", "0", "zero in any spelling"},
		{"0e99999999999999999999", "0", "zero has no exponent that could be out of range"},
		{"-0.000E-99999999999999999999", "0", "zero has no exponent that could be out of range"},
		{"1", "1", "an integer"},
		{"-1", "-1", "an integer"},
		{"100", "100", "trailing zeros of an integer count"},
		{"1.50", "1.5", "trailing zeros of a fraction do not"},
		{"1.0", "1", "an integer in disguise"},
		{"10e-1", "1", "an integer in disguise"},
		{"0.01e2", "1", "an integer in disguise"},
		{"12.5E+1", "125", "the exponent moves the point to the end"},
		{"12.5e1", "125", "plus is optional"},
		{"12.5e0001", "125", "an exponent may have leading zeros"},
		{"1234e-2", "12.34", "the point between the digits"},
		{"100.001", "100.001", "zeros between the digits"},
		{"1234.5e-4", "0.12345", "ECMAScript: n = 0"},
		{"123e-8", "0.00000123", "ECMAScript: n = -5, the last without exponent"},
		{"0.000001", "0.000001", "ECMAScript: n = -5, the last without exponent"},
		{"0.0000001", "1e-7", "ECMAScript: n = -6, k = 1"},
		{"0.00000012", "1.2e-7", "ECMAScript: n = -6, k = 2"},
		{"-0.00000012", "-1.2e-7", "the sign of the value"},
		{"1e20", "100000000000000000000", "ECMAScript: n = 21, the last without exponent"},
		{"123456789012345678901", "123456789012345678901", "ECMAScript: k = n = 21"},
		{"123456789012345678901.5", "123456789012345678901.5", "ECMAScript: n = 21, k = 22"},
		{"1e21", "1e+21", "ECMAScript: n = 22"},
		{"1000000000000000000000", "1e+21", "the same number"},
		{"1" + strings.Repeat("0", 30), "1e+30", "an integer beyond 21 digits"},
		{"123456789012345678901234567890", "1.2345678901234567890123456789e+29", "every significant digit stays"},
		{"9007199254740993", "9007199254740993", "no float64 holds it"},
		{"0.1000000000000000055511151231257827", "0.1000000000000000055511151231257827", "nothing is rounded"},
		{"3.141592653589793238462643383279502884e0", "3.141592653589793238462643383279502884", "nothing is rounded"},
		{"9223372036854775807", "9223372036854775807", "math.MaxInt64"},
		{"-9223372036854775808", "-9223372036854775808", "math.MinInt64"},
		{"18446744073709551615", "18446744073709551615", "math.MaxUint64"},
		{"1E400", "1e+400", "beyond float64"},
		{"1e999", "1e+999", "the largest exponent"},
		{"9.99e999", "9.99e+999", "the largest exponent"},
		{"0.1e1000", "1e+999", "the exponent of the value counts, not that of the text"},
		{"1e-999", "1e-999", "the smallest exponent"},
		{"1000e-1002", "1e-999", "the exponent of the value counts, not that of the text"},
		{strings.Repeat("1", 1000), "1." + strings.Repeat("1", 999) + "e+999", "the largest exponent in plain digits"},
		{"0." + strings.Repeat("0", 5000) + "1e5001", "1", "a long fraction that its exponent makes up for"},
		{"1" + strings.Repeat("0", 5000) + "e-5000", "1", "a long integer that its exponent makes up for"},
	} {
		t.Run(clip(tc.in), func(t *testing.T) {
			got, err := canonjson.AppendNumber([]byte("dst "), []byte(tc.in))
			require.Nil(t, err)
			assert.Equal(t, "dst "+tc.want, string(got), tc.reason)
			assert.Equal(t, tc.want, canonical(t, tc.in), "AppendValue agrees")
		})
	}
}

func clip(s string) string { return s[:min(len(s), 24)] }

func TestAppendNumberFails(t *testing.T) {
	for _, tc := range []struct {
		in     string
		want   string
		offset string
		reason string
	}{
		{"", "invalid-json", "offset 0", "nothing"},
		{"-", "invalid-json", "offset 1", "no digits"},
		{"+1", "invalid-json", "offset 0", "JSON knows no plus before a number"},
		{"01", "invalid-json", "offset 1", "a leading zero"},
		{"-00", "invalid-json", "offset 2", "a leading zero"},
		{"1.", "invalid-json", "offset 2", "no digits behind the point"},
		{"1.e5", "invalid-json", "offset 2", "no digits behind the point"},
		{".5", "invalid-json", "offset 0", "no digits before the point"},
		{"-.5", "invalid-json", "offset 1", "no digits before the point"},
		{"1e", "invalid-json", "offset 2", "no exponent"},
		{"1e+", "invalid-json", "offset 3", "no exponent"},
		{"1e5.5", "invalid-json", "offset 3", "an exponent is an integer"},
		{"1.2.3", "invalid-json", "offset 3", "two points"},
		{"--1", "invalid-json", "offset 1", "two signs"},
		{"1 ", "invalid-json", "offset 1", "a literal has no white space"},
		{" 1", "invalid-json", "offset 0", "a literal has no white space"},
		{"0x10", "invalid-json", "offset 1", "Go's spelling"},
		{"1_000", "invalid-json", "offset 1", "Go's spelling"},
		{"NaN", "invalid-json", "offset 0", "not JSON"},
		{"Infinity", "invalid-json", "offset 0", "not JSON"},
		{"1e1000", "number-range", "offset 0", "one more than the largest exponent"},
		{"10e999", "number-range", "offset 0", "one more than the largest exponent"},
		{"1e-1000", "number-range", "offset 0", "one less than the smallest exponent"},
		{"0.1e-999", "number-range", "offset 0", "one less than the smallest exponent"},
		{strings.Repeat("1", 1001), "number-range", "offset 0", "as many digits as 1e1000"},
		{"1e999999999999999999999", "number-range", "offset 0", "beyond int64"},
		{"1e-999999999999999999999", "number-range", "offset 0", "beyond int64"},
		{"1e18446744073709551616", "number-range", "offset 0", "2^64 would wrap around to 0"},
		{"1e4294967296", "number-range", "offset 0", "2^32 would wrap around to 0"},
		{"1" + strings.Repeat("0", 100) + "e-18446744073709551716", "number-range", "offset 0", "would wrap around"},
	} {
		t.Run(clip(tc.in), func(t *testing.T) {
			got, err := canonjson.AppendNumber([]byte("dst "), []byte(tc.in))
			requireFault(t, err, tc.want)
			assert.Contains(t, err.What, tc.offset, tc.reason)
			assert.Equal(t, "dst ", string(got), "dst keeps its length")
		})
	}
}

func TestAppendFloat(t *testing.T) {
	for _, tc := range []struct {
		in     float64
		bits   int
		want   string
		reason string
	}{
		// RFC 8785, appendix B.
		{math.Float64frombits(0x0000000000000000), 64, "0", "Zero"},
		{math.Float64frombits(0x8000000000000000), 64, "0", "Minus zero"},
		{math.Float64frombits(0x0000000000000001), 64, "5e-324", "Min pos number"},
		{math.Float64frombits(0x8000000000000001), 64, "-5e-324", "Min neg number"},
		{math.Float64frombits(0x7fefffffffffffff), 64, "1.7976931348623157e+308", "Max pos number"},
		{math.Float64frombits(0xffefffffffffffff), 64, "-1.7976931348623157e+308", "Max neg number"},
		{math.Float64frombits(0x4340000000000000), 64, "9007199254740992", "Max pos int"},
		{math.Float64frombits(0xc340000000000000), 64, "-9007199254740992", "Max neg int"},
		{math.Float64frombits(0x4430000000000000), 64, "295147905179352830000", "~2**68"},
		{math.Float64frombits(0x44b52d02c7e14af5), 64, "9.999999999999997e+22", ""},
		{math.Float64frombits(0x44b52d02c7e14af6), 64, "1e+23", ""},
		{math.Float64frombits(0x44b52d02c7e14af7), 64, "1.0000000000000001e+23", ""},
		{math.Float64frombits(0x444b1ae4d6e2ef4e), 64, "999999999999999700000", ""},
		{math.Float64frombits(0x444b1ae4d6e2ef4f), 64, "999999999999999900000", ""},
		{math.Float64frombits(0x444b1ae4d6e2ef50), 64, "1e+21", ""},
		{math.Float64frombits(0x3eb0c6f7a0b5ed8c), 64, "9.999999999999997e-7", ""},
		{math.Float64frombits(0x3eb0c6f7a0b5ed8d), 64, "0.000001", ""},
		{math.Float64frombits(0x41b3de4355555553), 64, "333333333.3333332", ""},
		{math.Float64frombits(0x41b3de4355555554), 64, "333333333.33333325", ""},
		{math.Float64frombits(0x41b3de4355555555), 64, "333333333.3333333", ""},
		{math.Float64frombits(0x41b3de4355555556), 64, "333333333.3333334", ""},
		{math.Float64frombits(0x41b3de4355555557), 64, "333333333.33333343", ""},
		{math.Float64frombits(0xbecbf647612f3696), 64, "-0.0000033333333333333333", ""},
		{math.Float64frombits(0x43143ff3c1cb0959), 64, "1424953923781206.2", "Round to even"},
		// Widths.
		{0.1, 64, "0.1", "shortest of a float64"},
		{float64(float32(0.1)), 32, "0.1", "shortest of a float32"},
		{float64(float32(0.1)), 64, "0.10000000149011612", "the same float as a float64 needs more digits"},
		{0.1, 32, "0.1", "rounded to a float32 first"},
		{math.MaxFloat32, 32, "3.4028235e+38", "the largest float32"},
		{math.SmallestNonzeroFloat32, 32, "1e-45", "the smallest float32"},
		{1e-60, 32, "0", "rounds to zero"},
		{0.5, 0, "0.5", "a width other than 32 means 64"},
	} {
		t.Run(fmt.Sprint(tc.want, tc.bits), func(t *testing.T) {
			assert.Equal(t, tc.want, float(t, tc.in, tc.bits), tc.reason)
		})
	}
}

func TestAppendFloatNotFinite(t *testing.T) {
	for _, tc := range []struct {
		in     float64
		bits   int
		reason string
	}{
		{math.NaN(), 64, "NaN"},
		{math.NaN(), 32, "NaN"},
		{math.Inf(1), 64, "infinity"},
		{math.Inf(-1), 32, "infinity"},
		{1e39, 32, "beyond float32: infinity after rounding"},
	} {
		got, err := canonjson.AppendFloat([]byte("dst "), tc.in, tc.bits)
		requireFault(t, err, "not-finite")
		assert.Equal(t, "dst ", string(got), tc.reason)
	}
}

func TestIntegersAsNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		i := rapid.Int64().Draw(t, "int")
		u := rapid.Uint64().Draw(t, "uint")
		require.Equal(t, number(t, strconv.FormatInt(i, 10)), strconv.FormatInt(i, 10), "strconv writes integers as they are")
		require.Equal(t, number(t, strconv.FormatUint(u, 10)), strconv.FormatUint(u, 10))
		require.Equal(t, naiveNumber(new(big.Rat).SetInt64(i)), strconv.FormatInt(i, 10))
	})
}

func isFinite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

func TestFloatsAsNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.Map(rapid.Uint64(), math.Float64frombits).Filter(isFinite).Draw(t, "float64")
		text := float(t, f, 64)
		require.Equal(t, number(t, strconv.FormatFloat(f, 'f', -1, 64)), text)
		back, err := strconv.ParseFloat(text, 64)
		require.NoError(t, err)
		require.InDelta(t, f, back, 0)
		checkLayout(t, f, text)
	})
}

func TestFloats32AsNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.Map(rapid.Uint32(), math.Float32frombits).Filter(func(f float32) bool { return isFinite(float64(f)) }).Draw(t, "float32")
		text := float(t, float64(f), 32)
		require.Equal(t, number(t, strconv.FormatFloat(float64(f), 'f', -1, 32)), text)
		checkLayout(t, f, text)
	})
}

// checkLayout compares with encoding/json, which differs for -0 only.
func checkLayout(t require.TestingT, f any, text string) {
	std, err := json.Marshal(f)
	require.NoError(t, err)
	if string(std) == "-0" {
		std = []byte("0")
	}
	require.Equal(t, string(std), text)
}

// genLiteral spells number literals, most of them close to the borders of the layouts.
func genLiteral() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		digits := rapid.StringMatching(`-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,30})?`).Draw(t, "digits")
		if rapid.Bool().Draw(t, "without exponent") {
			return digits
		}
		letter := rapid.SampledFrom([]string{"e", "E", "e+", "e00"}).Draw(t, "e")
		exp := rapid.IntRange(0, 30).Draw(t, "exponent")
		if rapid.Bool().Draw(t, "negative") {
			letter = "e-"
		}
		return digits + letter + strconv.Itoa(exp)
	})
}

// respell writes the value of a literal in another way.
func respell(t *rapid.T, literal string) string {
	parts := numberParts.FindStringSubmatch(literal)
	sign, digits := "", parts[1]+parts[2]
	if literal[0] == '-' {
		sign = "-"
	}
	exp, _ := strconv.Atoi(parts[3])
	exp -= len(parts[2])
	zeros := rapid.IntRange(0, 40).Draw(t, "trailing zeros")
	digits += strings.Repeat("0", zeros)
	exp -= zeros
	shift := rapid.IntRange(0, len(digits)+40).Draw(t, "digits behind the point")
	digits = strings.Repeat("0", max(shift-len(digits), 0)) + digits
	whole, frac := strings.TrimLeft(digits[:len(digits)-shift], "0"), digits[len(digits)-shift:]
	exp += shift
	if whole == "" {
		whole = "0"
	}
	if frac != "" {
		frac = "." + frac
	}
	if exp == 0 && rapid.Bool().Draw(t, "plain") {
		return sign + whole + frac
	}
	format := rapid.SampledFrom([]string{"%se%d", "%sE%+d", "%se%+04d"}).Draw(t, "format")
	return fmt.Sprintf(format, sign+whole+frac, exp)
}

func TestNumbersAgainstOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkNumber(t, genLiteral().Draw(t, "literal"))
		checkNumber(t, rapid.StringMatching(`[-+0-9.eE]{0,12}`).Draw(t, "scrap"))
		checkNumber(t, rapid.StringMatching(`-?(0|[1-9][0-9]{0,3})(\.[0-9]{1,3})?e[-+]?(99[0-9]|100[0-9]|[0-9]{18,22})`).Draw(t, "border"))
	})
}

func checkNumber(t require.TestingT, literal string) {
	got, err := canonjson.AppendNumber([]byte("dst "), []byte(literal))
	if want := numberProblem(literal); want != "" {
		requireFault(t, err, want)
		require.Equal(t, "dst ", string(got))
		return
	}
	require.Nil(t, err, "%q", literal)
	text := strings.TrimPrefix(string(got), "dst ")
	require.Equal(t, naiveNumber(exact(literal)), text, "%q", literal)
	require.Equal(t, text, number(t, text), "canonical text stays as it is")
}

// TestLongNumbersTakeLinearTime would run into the test's time limit if a step looked at all digits for every digit.
func TestLongNumbersTakeLinearTime(t *testing.T) {
	const size = 4 << 20
	digits := strings.Repeat("0123456789", size/10)
	for _, literal := range []string{
		"1." + digits, "0." + digits + "e5", "1" + digits + "e-" + strconv.Itoa(len(digits)), "1e" + digits, "0e" + digits,
		"1" + strings.Repeat("0", size), "0." + strings.Repeat("0", size) + "1e" + strconv.Itoa(size),
	} {
		_, _ = canonjson.AppendNumber(nil, []byte(literal))
	}
}

func TestNumbersDoNotAllocate(t *testing.T) {
	dst := make([]byte, 0, 1024)
	for _, literal := range []string{"0", "-12.50", "1e-7", "123456789012345678901234567890", "0.00001"} {
		raw := []byte(literal)
		assert.Zero(t, testing.AllocsPerRun(100, func() { _, _ = canonjson.AppendNumber(dst, raw) }), literal)
	}
	for _, f := range []float64{0, -1.5, 1e-7, 1e22, math.Pi} {
		assert.Zero(t, testing.AllocsPerRun(100, func() { _, _ = canonjson.AppendFloat(dst, f, 64) }), f)
		assert.Zero(t, testing.AllocsPerRun(100, func() { _, _ = canonjson.AppendFloat(dst, f, 32) }), f)
	}
}

func BenchmarkAppendNumber(b *testing.B) {
	for _, literal := range []string{"10000", "12.50", "1e+30", "123456789012345678901234567890"} {
		b.Run(literal, func(b *testing.B) {
			b.ReportAllocs()
			dst, raw := make([]byte, 0, 256), []byte(literal)
			for b.Loop() {
				_, _ = canonjson.AppendNumber(dst, raw)
			}
		})
	}
}

func BenchmarkAppendFloat(b *testing.B) {
	b.ReportAllocs()
	dst := make([]byte, 0, 256)
	for b.Loop() {
		_, _ = canonjson.AppendFloat(dst, math.Pi, 64)
	}
}

func FuzzAppendNumber(f *testing.F) {
	for _, seed := range []string{
		"0", "-0", "1", "-1.50", "1e21", "1e-7", "0.000001", "123456789012345678901234567890", "1e999", "0.1e-999", "1e1000",
		"01", "1.", ".5", "+1", "1e", "0e99999999999", "1e999999999999999999999", "9e-18446744073709551616", "1E+0005",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, literal string) { checkNumber(t, literal) })
}
