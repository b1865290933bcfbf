package canonjson

import (
	"bytes"
	"math"
	"strconv"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// MaxExponent bounds the decimal exponent of a number whose first significant digit stands before the decimal point:
// 9.99e999 and 1e-999 are inside, 1e1000 and 0.1e-999 are not. Zero has no exponent and is always inside.
const MaxExponent = 999

// Numbers whose decimal point falls into this range are written without an exponent.
const (
	minPlainPoint = -5 // 0.000001
	maxPlainPoint = 21 // 100000000000000000000
)

// exponentCap stands for every exponent at least as large. No literal has so many digits that they could make up for it.
const exponentCap = int64(1) << 56

// AppendFloat appends the shortest decimal that reads back as f, in the layout of [AppendNumber].
//
// Bits is the width of f: 32 means that f is first rounded to a float32, anything else means 64. NaN and infinities, also those
// that come from rounding, are "not-finite".
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
	d, _, _ := scanNumber(strconv.AppendFloat(buf[:0], f, 'e', -1, bits))
	return d.append(dst, minPlainPoint, maxPlainPoint), nil
}

// AppendNumber appends the exact value of a JSON number literal, which it never rounds. A malformed literal, or white space
// around it, is "invalid-json"; a value beyond [MaxExponent] is "number-range".
func AppendNumber(dst, literal []byte) ([]byte, *fault.Error) {
	d, end, ok := scanNumber(literal)
	if !ok || end < len(literal) {
		return dst, invalidJSON(end, "not a number")
	}
	if !d.inRange() {
		return dst, numberRange(0)
	}
	return d.append(dst, minPlainPoint, maxPlainPoint), nil
}

// AppendPlain appends integer × 10^exp without an exponent. It is false if that has more than most digits before or after the point.
func AppendPlain(dst, integer []byte, exp int64, most int) ([]byte, bool) {
	digits, neg := bytes.CutPrefix(integer, []byte("-"))
	d := newDecimal(digits, nil, exp, neg)
	if count := int64(d.count()); count > 0 && (d.point > int64(most) || count-d.point > int64(most)) {
		return dst, false
	}
	return d.append(dst, math.MinInt64, math.MaxInt64), true
}

// decimal is the number 0.d1…dk × 10^point. Its digits have neither leading nor trailing zeros; zero has no digits.
type decimal struct {
	whole, frac []byte // d1…dk in two pieces, as they stood on both sides of the literal's decimal point
	point       int64
	neg         bool
}

// newDecimal returns the number whole.frac × 10^exp.
func newDecimal(whole, frac []byte, exp int64, neg bool) decimal {
	whole = bytes.TrimLeft(whole, "0")
	point := exp + int64(len(whole))
	if len(whole) == 0 {
		zeros := len(frac)
		frac = bytes.TrimLeft(frac, "0")
		point -= int64(zeros - len(frac))
	}
	frac = bytes.TrimRight(frac, "0")
	if len(frac) == 0 {
		whole = bytes.TrimRight(whole, "0")
	}
	return decimal{whole: whole, frac: frac, point: point, neg: neg}
}

// scanNumber reads the number literal at the start of text. End is the offset behind it, or of the first byte that does not fit.
func scanNumber(text []byte) (d decimal, end int, ok bool) {
	neg := len(text) > 0 && text[0] == '-'
	if neg {
		end = 1
	}
	whole, end := scanDigits(text, end)
	switch {
	case len(whole) == 0:
		return decimal{}, end, false
	case len(whole) > 1 && whole[0] == '0':
		return decimal{}, end - len(whole) + 1, false
	}
	var frac []byte
	if end < len(text) && text[end] == '.' {
		if frac, end = scanDigits(text, end+1); len(frac) == 0 {
			return decimal{}, end, false
		}
	}
	var exp int64
	if end < len(text) && lower(text[end]) == 'e' {
		if exp, end, ok = scanExponent(text, end+1); !ok {
			return decimal{}, end, false
		}
	}
	return newDecimal(whole, frac, exp, neg), end, true
}

// scanDigits returns the digits at text[at:] and the offset behind them.
func scanDigits(text []byte, at int) (digits []byte, end int) {
	for end = at; end < len(text) && '0' <= text[end] && text[end] <= '9'; end++ {
	}
	return text[at:end], end
}

// scanExponent reads an optional sign and digits. A value that is too large for any literal to make up for ends up as the cap.
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

func (d *decimal) count() int { return len(d.whole) + len(d.frac) }

// inRange says whether the exponent, with one digit before the decimal point, is within [MaxExponent].
func (d *decimal) inRange() bool {
	exp := d.point - 1
	return d.count() == 0 || -MaxExponent <= exp && exp <= MaxExponent
}

// append writes the number in the layout that the package comment specifies: without an exponent if its point is from lowest to highest.
func (d *decimal) append(dst []byte, lowest, highest int64) []byte {
	if d.count() == 0 {
		return append(dst, '0')
	}
	if d.neg {
		dst = append(dst, '-')
	}
	if d.point < lowest || d.point > highest {
		return d.appendExponential(dst)
	}
	return d.appendPlain(dst)
}

// appendExponential writes d1.d2…dk, e, and the exponent with its sign.
func (d *decimal) appendExponential(dst []byte) []byte {
	dst = d.appendDigits(dst, 0, 1)
	if d.count() > 1 {
		dst = append(dst, '.')
		dst = d.appendDigits(dst, 1, d.count())
	}
	dst = append(dst, 'e')
	if d.point > 0 {
		dst = append(dst, '+')
	}
	return strconv.AppendInt(dst, d.point-1, 10)
}

func (d *decimal) appendPlain(dst []byte) []byte {
	point, count := int(d.point), d.count()
	switch {
	case point <= 0:
		dst = append(dst, '0', '.')
		dst = appendZeros(dst, -point)
		return d.appendDigits(dst, 0, count)
	case count <= point:
		dst = d.appendDigits(dst, 0, count)
		return appendZeros(dst, point-count)
	}
	dst = d.appendDigits(dst, 0, point)
	dst = append(dst, '.')
	return d.appendDigits(dst, point, count)
}

// appendDigits writes the digits from one index up to, but not including, another.
func (d *decimal) appendDigits(dst []byte, from, to int) []byte {
	split := len(d.whole)
	dst = append(dst, d.whole[min(from, split):min(to, split)]...)
	return append(dst, d.frac[max(from-split, 0):max(to-split, 0)]...)
}

func appendZeros(dst []byte, n int) []byte {
	const zeros = "000000000000000000000000000000000"
	for ; n > len(zeros); n -= len(zeros) {
		dst = append(dst, zeros...)
	}
	return append(dst, zeros[:n]...)
}

// AppendInt appends a number in decimal. Unlike strconv it writes the digits where they are to stand, which halves the time.
func AppendInt(dst []byte, i int64) []byte {
	switch {
	case i < 0:
		return strconv.AppendInt(dst, i, 10)
	case i < 10:
		return append(dst, digit(i))
	case i < 100:
		return append(dst, digit(i/10), digit(i))
	case i < 1000:
		return append(dst, digit(i/100), digit(i/10), digit(i))
	case i >= 10_000:
		dst = AppendInt(dst, i/10_000)
	}
	return append(dst, digit(i/1000), digit(i/100), digit(i/10), digit(i))
}

// digit is the last digit of a number that is not negative.
func digit(i int64) byte { return '0' + byte(i%10) }
