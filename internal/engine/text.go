package engine

import "unicode/utf8"

// tops are the bits that a byte has beyond ASCII.
const tops = 0x8080808080808080

// isText reports whether s is valid UTF-8. Most texts are short and in ASCII.
func isText(s string) bool {
	if len(s) < 8 {
		return isShortText(s)
	}
	found := load(s, len(s)-8)
	for i := 0; i+8 < len(s); i += 8 {
		found |= load(s, i)
	}
	return found&tops == 0 || utf8.ValidString(s)
}

// isShortText is isText for less than eight bytes.
func isShortText(s string) bool {
	found := byte(0)
	for i := range len(s) {
		found |= s[i]
	}
	return found < utf8.RuneSelf || utf8.ValidString(s)
}

// sameText reports whether a and b are one text, of valid UTF-8. It looks at each byte once.
func sameText(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	if len(a) < 8 {
		return a == b && isShortText(a)
	}
	found := load(a, len(a)-8)
	differ := found ^ load(b, len(b)-8)
	for i := 0; i+8 < len(a); i += 8 {
		x := load(a, i)
		found |= x
		differ |= x ^ load(b, i)
	}
	return differ == 0 && (found&tops == 0 || utf8.ValidString(a))
}

// load reads eight bytes of a text. The compiler makes one instruction of it where it can.
func load[T string | []byte](s T, at int) uint64 {
	s = s[at : at+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}
