package engine

import "strconv"

// appendInt appends a number in decimal. Most numbers are small; strconv writes even those elsewhere first.
func appendInt(dst []byte, i int64) []byte {
	switch {
	case i < 0 || i >= 10_000:
		return strconv.AppendInt(dst, i, 10)
	case i >= 1000:
		return append(dst, digit(i/1000), digit(i/100), digit(i/10), digit(i))
	case i >= 100:
		return append(dst, digit(i/100), digit(i/10), digit(i))
	case i >= 10:
		return append(dst, digit(i/10), digit(i))
	default:
		return append(dst, digit(i))
	}
}

// digit is the last digit of a number that is not negative.
func digit(i int64) byte { return '0' + byte(i%10) }
