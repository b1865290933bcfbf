package limit

import "unicode/utf8"

const hexDigits = "0123456789abcdef"

// text writes a JSON string. Most texts are letters of ASCII, and found to be by eight bytes at a
// time.
func (e *encoder) text(s string) {
	e.buf = append(e.buf, '"')
	if plain(s) {
		e.buf = append(e.buf, s...)
		e.buf = append(e.buf, '"')
		return
	}
	if !utf8.ValidString(s) {
		e.err = errText
	}
	done := 0
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' {
			e.buf = append(e.buf, s[done:i]...)
			e.escape(c)
			done = i + 1
		}
	}
	e.buf = append(e.buf, s[done:]...)
	e.buf = append(e.buf, '"')
}

// plain reports whether JSON writes s as it is.
func plain(s string) bool {
	const (
		ones = 0x0101010101010101
		tops = 0x8080808080808080
	)
	i := 0
	for ; i+8 <= len(s); i += 8 {
		x := uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
			uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
		quote := x ^ (ones * '"')
		slash := x ^ (ones * '\\')
		if (x|(x-ones*' ')|(quote-ones)|(slash-ones))&tops != 0 {
			return false
		}
	}
	for ; i < len(s); i++ {
		switch c := s[i]; {
		case c < ' ', c == '"', c == '\\', c >= utf8.RuneSelf:
			return false
		}
	}
	return true
}

func (e *encoder) escape(c byte) {
	switch c {
	case '"', '\\':
		e.buf = append(e.buf, '\\', c)
	case '\b':
		e.buf = append(e.buf, '\\', 'b')
	case '\t':
		e.buf = append(e.buf, '\\', 't')
	case '\n':
		e.buf = append(e.buf, '\\', 'n')
	case '\f':
		e.buf = append(e.buf, '\\', 'f')
	case '\r':
		e.buf = append(e.buf, '\\', 'r')
	default:
		e.buf = append(e.buf, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
	}
}
