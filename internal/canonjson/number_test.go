package canonjson_test

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
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

func clip(s string) string { return s[:min(len(s), 24)] }

func TestAppendNumberFails(t *testing.T) {
	for _, tc := range []struct {
		in     string
		want   string
		offset string
		reason string
	}{
		{"", "invalid-json", "offset 0", "nothing"},
		{"-00", "invalid-json", "offset 2", "a leading zero"},
		{"1e+", "invalid-json", "offset 3", "no exponent"},
		{"1.2.3", "invalid-json", "offset 3", "two points"},
		{"1e1000", "number-range", "offset 0", "one more than the largest exponent"},
		{strings.Repeat("1", 1001), "number-range", "offset 0", "as many digits as 1e1000"},
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
	sign := ""
	digits := parts[1] + parts[2]
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
	whole := strings.TrimLeft(digits[:len(digits)-shift], "0")
	frac := digits[len(digits)-shift:]
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
			dst := make([]byte, 0, 256)
			raw := []byte(literal)
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
		"0", "-0", "1", "-1.50", "1e21", "1e-7", "0.000001", "123456789012345678901234567890", "1e999", "0.1e-999", "1e1000", "01", "1.",
		".5", "+1", "1e",
		"0e99999999999", "1e999999999999999999999", "9e-18446744073709551616", "1E+0005", "0.000", "-0.0e-5", "0e5",
		"0e99999999999999999999",
		"-0.000E-99999999999999999999", "-1", "100", "1.50", "1.0", "10e-1", "0.01e2", "12.5E+1", "12.5e1", "12.5e0001", "1234e-2",
		"100.001", "1234.5e-4", "123e-8",
		"0.0000001", "0.00000012", "-0.00000012", "1e20", "123456789012345678901", "123456789012345678901.5", "1000000000000000000000",
		"1" + strings.Repeat("0", 30),
		"9007199254740993", "0.1000000000000000055511151231257827", "3.141592653589793238462643383279502884e0", "9223372036854775807",
		"-9223372036854775808",
		"18446744073709551615", "1E400", "9.99e999", "0.1e1000", "1e-999", "1000e-1002", strings.Repeat("1", 1000),
		"0." + strings.Repeat("0", 5000) + "1e5001",
		"1" + strings.Repeat("0", 5000) + "e-5000", "-", "1.e5", "-.5", "1e5.5", "--1", "1 ", " 1", "0x10", "1_000", "NaN", "Infinity",
		"10e999", "1e-1000",
		"1e-999999999999999999999", "1e18446744073709551616", "1e4294967296", "1" + strings.Repeat("0", 100) + "e-18446744073709551716",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, literal string) { checkNumber(t, literal) })
}

// TestNatural: a natural number is its own canonical text, and nothing else is taken for one.
func TestNatural(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := rapid.StringMatching(`-?(0|[1-9][0-9]{0,20}|0[0-9])(\.[0-9]{1,3})?([eE][+-]?[0-9]{1,2})?[,\]} ax"]?`).Draw(t, "raw")
		s := canonjson.NewScanner([]byte(raw))
		n, ok := s.Natural()
		end := strings.IndexAny(raw+",", `,]} ax"`)
		isNatural := regexp.MustCompile(`^(0|[1-9][0-9]{0,17})$`).MatchString(raw[:end])
		endsValue := end == len(raw) || strings.ContainsAny(raw[end:], ",]} ")
		require.Equal(t, isNatural && endsValue, ok, raw)
		if !ok {
			require.Zero(t, s.At)
			return
		}
		require.Equal(t, end, s.At)
		want, err := strconv.ParseUint(raw[:end], 10, 64)
		require.NoError(t, err)
		require.Equal(t, want, n)
		text, problem := canonjson.AppendNumber(nil, []byte(raw[:end]))
		require.Nil(t, problem)
		require.Equal(t, raw[:end], string(text))
	})
}
