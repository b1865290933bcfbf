package canonjson

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

const hexDigits = "0123456789abcdef"

// Characters with an escape of one letter, and their letters. The last is not written.
const (
	lettered      = "\"\\\b\t\n\f\r/"
	escapeLetters = `"\btnfr/`
)

// AppendString appends s as a quoted JSON string. Invalid UTF-8 is "invalid-utf8".
//
// Most texts need no escape. The loop that copies a text also looks for escapes, in steps of eight
// bytes. The last step may overlap the one before.
func AppendString(dst []byte, s string) ([]byte, *fault.Error) {
	size := len(s) + len(`""`)
	if cap(dst)-len(dst) < size {
		dst = slices.Grow(dst, size)
	}
	text := dst[len(dst)+1 : len(dst)+size]
	found := uint64(0)
	if len(s) < 8 {
		x := uint64(0)
		for i := range len(s) {
			text[i] = s[i]
			x = x<<8 | uint64(s[i])
		}
		found = special(x | ones*' '<<(8*len(s)))
	} else {
		for at := 8; at <= len(s); at += 8 {
			x := load(s, at-8)
			found |= special(x)
			binary.LittleEndian.PutUint64(text[at-8:at:at], x)
		}
		x := load(s, len(s)-8)
		found |= special(x)
		binary.LittleEndian.PutUint64(text[len(s)-8:len(s):len(s)], x)
	}
	if found != 0 {
		return appendSpecial(dst, s)
	}
	text[len(s)] = '"'
	dst = dst[:len(dst)+size]
	dst[len(dst)-size] = '"'
	return dst, nil
}

// appendSpecial appends a string in which something must be escaped or is not ASCII.
func appendSpecial(dst []byte, s string) ([]byte, *fault.Error) {
	if !utf8.ValidString(s) {
		return dst, invalidUTF8(invalidOffset([]byte(s)))
	}
	return appendQuoted(dst, s), nil
}

// IsUTF8 is utf8.ValidString, and quicker for short texts of ASCII. It looks at the text in steps of
// eight bytes. The last step may overlap the one before.
func IsUTF8(s string) bool {
	all := uint64(0)
	if len(s) < 8 {
		for i := range len(s) {
			all |= uint64(s[i])
		}
	} else {
		for at := 8; at < len(s); at += 8 {
			all |= load(s, at-8)
		}
		all |= load(s, len(s)-8)
	}
	return all&tops == 0 || utf8.ValidString(s)
}

// plainEnd returns the offset of the first byte of text from at on that is not ASCII which stands
// for itself between quotes. It looks at eight bytes at a time, the last of which may overlap those
// before.
func plainEnd[T string | []byte](text T, at int) int {
	for ; at+8 <= len(text); at += 8 {
		if found := special(load(text, at)); found != 0 {
			return at + bits.TrailingZeros64(found)/8
		}
	}
	if left := len(text) - at; len(text) >= 8 { // zeros behind the last bytes do not stand for themselves
		return at + bits.TrailingZeros64(special(load(text, len(text)-8)>>(64-8*left)))/8
	}
	for ; at < len(text) && special(uint64(text[at]))&0x80 == 0; at++ {
	}
	return at
}

// appendASCII appends the JSON string at the start of raw, which begins with a quote. It returns the
// string's size and the number of its escapes. The size is 0, and nothing is appended, unless the
// string is ASCII in its canonical spelling, with escapes of one letter only; it may be 0 for such a
// string near the end of raw or of dst's capacity.
//
// It copies eight bytes at a time, before it knows how many of them belong to the string.
func appendASCII(dst, raw []byte) (appended []byte, size, escapes int) {
	to := dst[len(dst):cap(dst)]
	if len(to) == 0 {
		return dst, 0, 0
	}
	to[0] = '"'
	for at := copyPlain(to, raw, 1); at >= 0; at = copyPlain(to, raw, at) {
		if raw[at] == '"' {
			return dst[:len(dst)+at+1], at + 1, escapes
		}
		at++
		if raw[at-1] != '\\' || at >= min(len(to), len(raw)) || !isShortest(raw[at]) {
			break
		}
		to[at] = raw[at]
		at++
		escapes++
	}
	return dst, 0, 0
}

// copyPlain copies text from at on, up to and including the first byte that is not ASCII which stands
// for itself between quotes, and returns the offset of this byte. It is negative if that is not within
// the bytes of text and room that can be copied by eight.
func copyPlain(to, text []byte, at int) int {
	text = text[:min(len(to), len(text))]
	to = to[:len(text)]
	for ; at+8 <= len(text); at += 8 {
		x := load(text, at)
		binary.LittleEndian.PutUint64(to[at:at+8:at+8], x)
		if found := special(x); found != 0 {
			return at + bits.TrailingZeros64(found)/8
		}
	}
	return -1
}

// isShortest reports whether an escape of this letter is the canonical one of its character.
func isShortest(letter byte) bool {
	return letter != '/' && strings.ContainsRune(escapeLetters, rune(letter))
}

// load reads eight bytes of a text. The compiler makes one instruction of it where it can.
func load[T string | []byte](s T, at int) uint64 {
	s = s[at : at+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

const (
	ones = 0x0101010101010101
	tops = 0x80 * ones
)

// special sets the top bit of the lowest byte that is not ASCII, below ' ', a quote or a backslash,
// and maybe of bytes above it.
func special(x uint64) uint64 {
	return (x | ((x ^ ones*2) - ones*'!') | ((x ^ ones*'\\') - ones)) & tops
}

// AppendEscaped appends s with its escapes, without quotes. It is for callers that write a long
// string in pieces and have checked that the string is valid UTF-8; pieces may end within a
// character.
func AppendEscaped[T string | []byte](dst []byte, s T) []byte {
	done := 0
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' {
			dst = append(dst, s[done:i]...)
			dst = appendEscape(dst, c)
			done = i + 1
		}
	}
	return append(dst, s[done:]...)
}

// appendQuoted appends valid UTF-8 with the shortest escapes.
func appendQuoted[T string | []byte](dst []byte, s T) []byte {
	dst = append(dst, '"')
	dst = AppendEscaped(dst, s)
	return append(dst, '"')
}

// appendEscape appends the shortest escape of a character that must be escaped.
func appendEscape(dst []byte, c byte) []byte {
	if i := strings.IndexByte(lettered, c); i >= 0 {
		return append(dst, '\\', escapeLetters[i])
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
}

// invalidOffset returns the offset of the first byte that is not part of valid UTF-8, or the
// length.
func invalidOffset(s []byte) int {
	at := 0
	for at < len(s) {
		r, size := utf8.DecodeRune(s[at:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	return at
}

// scanString returns the end of the string body that starts at raw[start], which is the offset of
// the closing quote. It leaves UTF-8 and surrogates unchecked.
func scanString(raw []byte, start int) (end int, err *fault.Error) {
	for end = plainEnd(raw, start); end < len(raw); end = plainEnd(raw, end+1) {
		switch c := raw[end]; {
		case c == '"':
			return end, nil
		case c == '\\':
			_, size, ok := readEscape(raw[end:])
			if !ok {
				return end, invalidJSON(end, "an escape that JSON does not know")
			}
			end += size - 1
		case c < ' ':
			return end, invalidJSON(end, "a control character in a string")
		}
	}
	return len(raw), invalidJSON(len(raw), "a string without its closing quote")
}

// appendUnescaped appends the text of a string body that [scanString] has found. Offset is that of
// the body, for problems.
func appendUnescaped(dst, body []byte, offset int) ([]byte, *fault.Error) {
	if !utf8.Valid(body) {
		return dst, invalidUTF8(offset + invalidOffset(body))
	}
	for at := 0; ; {
		run := bytes.IndexByte(body[at:], '\\')
		if run < 0 {
			return append(dst, body[at:]...), nil
		}
		dst = append(dst, body[at:at+run]...)
		at += run
		r, size, ok := escaped(body[at:])
		if !ok {
			return dst, loneSurrogate(offset + at)
		}
		dst = utf8.AppendRune(dst, r)
		at += size
	}
}

// escaped reads the escape at the start of body, or two escapes that are a surrogate pair. It is
// false for half of a pair.
func escaped(body []byte) (r rune, size int, ok bool) {
	r, size, ok = readEscape(body)
	if !ok || !utf16.IsSurrogate(r) {
		return r, size, ok
	}
	low, _ := codeUnit(body[size:])
	r = utf16.DecodeRune(r, low)
	return r, 2 * size, r != utf8.RuneError
}

// readEscape reads one escape at the start of body. It returns half of a surrogate pair unchanged.
func readEscape(body []byte) (r rune, size int, ok bool) {
	if r, ok = codeUnit(body); ok {
		return r, 6, true
	}
	if len(body) < 2 {
		return 0, 0, false
	}
	i := strings.IndexByte(escapeLetters, body[1])
	if i < 0 {
		return 0, 0, false
	}
	return rune(lettered[i]), 2, true
}

// codeUnit reads \uXXXX at the start of body.
func codeUnit(body []byte) (r rune, ok bool) {
	if len(body) < 6 || body[0] != '\\' || body[1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(body[2:6]), 16, 16)
	return rune(unit), err == nil //nolint:gosec // 16 bits
}
