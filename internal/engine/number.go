package engine

import (
	"math/bits"
	"strconv"
)

// appendInt appends a number in decimal.
func appendInt(dst []byte, i int64) []byte {
	if i < 0 {
		return strconv.AppendInt(dst, i, 10)
	}
	return appendUint(dst, uint64(i))
}

// pairs are the numbers below 100 with two digits each.
const pairs = "00010203040506070809" +
	"10111213141516171819" +
	"20212223242526272829" +
	"30313233343536373839" +
	"40414243444546474849" +
	"50515253545556575859" +
	"60616263646566676869" +
	"70717273747576777879" +
	"80818283848586878889" +
	"90919293949596979899"

// appendUint appends a number in decimal. Unlike strconv it writes the digits where they are to stand.
func appendUint(dst []byte, u uint64) []byte {
	if u < 10 {
		return append(dst, '0'+byte(u))
	}
	end := len(dst) + digits(u)
	if end > cap(dst) {
		return strconv.AppendUint(dst, u, 10)
	}
	dst = dst[:end]
	for u >= 100 {
		pair := u % 100 * 2
		u /= 100
		end -= 2
		dst[end], dst[end+1] = pairs[pair], pairs[pair+1]
	}
	if u < 10 {
		dst[end-1] = '0' + byte(u)
		return dst
	}
	dst[end-2], dst[end-1] = pairs[u*2], pairs[u*2+1]
	return dst
}

// powers are those of ten.
var powers = [...]uint64{
	1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
}

// digits is the number of digits of a number above 0: its bits tell it but for one, which the power of ten there decides.
func digits(u uint64) int {
	n := bits.Len64(u) * 1233 >> 12
	if u >= powers[n] {
		n++
	}
	return n
}
