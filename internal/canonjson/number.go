package canonjson

import (
	"bytes"
	"math"
	"slices"
	"strconv"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// MaxExponent bounds the decimal exponent of a number that is written with one significant digit
// before the decimal point: 9.99e999 and 1e-999 are inside, 1e1000 and 0.1e-999 are not. Zero has
// no exponent and is always inside.
const MaxExponent = 999

// Numbers whose decimal point falls into this range are written without an exponent.
const (
	minPlainPoint = -5 // 0.000001
	maxPlainPoint = 21 // 100000000000000000000
)

// exponentCap replaces all larger exponents. No literal has enough digits to make up for it.
const exponentCap = int64(1) << 56

// AppendFloat appends the shortest decimal that reads back as f, in the layout of [AppendNumber].
//
// Bits is the width of f: 32 means that f is first rounded to a float32, anything else means 64.
// NaN and infinities, also those that come from rounding, are "not-finite".
func AppendFloat(dst []byte, f float64, bits int) ([]byte, *fault.Error) {
	if bits == 32 {
		f = float64(float32(f))
	} else {
		bits = 64
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return dst, notFinite()
	}
	var buf [32]byte
	n, _, _ := scanNumber(strconv.AppendFloat(buf[:0], f, 'e', -1, bits))
	dst, _ = n.append(dst)
	return dst, nil
}

// AppendNumber appends the exact value of a JSON number literal, which it never rounds. A malformed
// literal, or white space around it, is "invalid-json"; a value beyond [MaxExponent] is
// "number-range".
func AppendNumber(dst, literal []byte) ([]byte, *fault.Error) {
	n, end, ok := scanNumber(literal)
	if !ok || end < len(literal) {
		return dst, invalidJSON(end, "not a number")
	}
	if dst, ok = n.append(dst); !ok {
		return dst, numberRange(0)
	}
	return dst, nil
}

// number is whole.frac × 10^exp, with the digits before and after a literal's decimal point.
type number struct {
	neg         bool
	whole, frac []byte
	exp         int64
}

// scanNumber reads the number literal at the start of text. End is the offset behind it, or of the
// first byte that does not fit.
func scanNumber(text []byte) (n number, end int, ok bool) {
	if n.neg = len(text) > 0 && text[0] == '-'; n.neg {
		end = 1
	}
	n.whole, end = scanDigits(text, end)
	switch {
	case len(n.whole) == 0:
		return n, end, false
	case len(n.whole) > 1 && n.whole[0] == '0':
		return n, end - len(n.whole) + 1, false
	}
	if end < len(text) && text[end] == '.' {
		if n.frac, end = scanDigits(text, end+1); len(n.frac) == 0 {
			return n, end, false
		}
	}
	if end == len(text) || text[end]|0x20 != 'e' {
		return n, end, true
	}
	n.exp, end, ok = scanExponent(text, end+1)
	return n, end, ok
}

// scanDigits returns the digits at text[at:] and the offset behind them.
func scanDigits(text []byte, at int) (digits []byte, end int) {
	for end = at; end < len(text) && '0' <= text[end] && text[end] <= '9'; end++ {
	}
	return text[at:end], end
}

// scanExponent reads an optional sign and digits. It returns at most exponentCap.
func scanExponent(text []byte, at int) (exp int64, end int, ok bool) {
	sign := int64(1)
	if at < len(text) && (text[at] == '+' || text[at] == '-') {
		if text[at] == '-' {
			sign = -1
		}
		at++
	}
	digits, end := scanDigits(text, at)
	for _, c := range digits {
		exp = min(exp*10+int64(c-'0'), exponentCap)
	}
	return sign * exp, end, len(digits) > 0
}

// append writes the number in the layout that the package comment specifies. It is false, and
// writes nothing, beyond [MaxExponent].
func (n number) append(dst []byte) ([]byte, bool) {
	start := len(dst)
	if n.neg {
		dst = append(dst, '-')
	}
	first := len(dst)
	dst = append(append(dst, n.whole...), n.frac...)
	digits := bytes.TrimLeft(dst[first:], "0")
	point := n.exp + int64(len(digits)-len(n.frac))
	dst = append(dst[:first], bytes.TrimRight(digits, "0")...)
	switch {
	case len(dst) == first:
		return append(dst[:start], '0'), true
	case point-1 < -MaxExponent || point-1 > MaxExponent:
		return dst[:start], false
	case point < minPlainPoint || point > maxPlainPoint:
		return appendExponent(dst, first, point-1), true
	}
	return placePoint(dst, first, int(point)), true
}

// appendExponent turns the digits from first on into d1.d2…dk, and appends e and the exponent with
// its sign.
func appendExponent(dst []byte, first int, exp int64) []byte {
	if len(dst) > first+1 {
		dst = slices.Insert(dst, first+1, '.')
	}
	dst = append(dst, 'e')
	if exp >= 0 {
		dst = append(dst, '+')
	}
	return strconv.AppendInt(dst, exp, 10)
}

// placePoint inserts the decimal point after point digits, counted from first on, and zeros where
// digits are missing.
func placePoint(dst []byte, first, point int) []byte {
	const zeros = "0.00000000000000000000"
	count := len(dst) - first
	switch {
	case point <= 0:
		return slices.Insert(dst, first, []byte(zeros[:len("0.")-point])...)
	case count <= point:
		return append(dst, zeros[len("0."):][:point-count]...)
	}
	return slices.Insert(dst, first+point, '.')
}
