package engine

import "unicode/utf8"

// tops are the bits that a byte has beyond ASCII.
const tops = 0x8080808080808080

// isText reports whether s is valid UTF-8. Most texts are in ASCII.
func isText(s string) bool {
	found, at := uint64(0), 0
	for ; at+8 <= len(s); at += 8 {
		found |= load(s, at)
	}
	for ; at < len(s); at++ {
		found |= uint64(s[at])
	}
	return found&tops == 0 || utf8.ValidString(s)
}

// sameText reports whether a and b are one text, of valid UTF-8.
func sameText(a, b string) bool { return a == b && isText(a) }

// load reads eight bytes of a text. The compiler makes one instruction of it where it can.
func load(s string, at int) uint64 {
	s = s[at : at+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}
