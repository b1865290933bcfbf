package engine

import (
	"unicode/utf8"

	"github.com/hotupdate/providerconfig/internal/canonjson"
)

// tops are the top bits of eight bytes. In ASCII none is set.
const tops = 0x8080808080808080

// isText reports whether s is valid UTF-8. Most texts are in ASCII.
func isText(s string) bool {
	found, at := uint64(0), 0
	for ; at+8 <= len(s); at += 8 {
		found |= canonjson.Load(s, at)
	}
	for ; at < len(s); at++ {
		found |= uint64(s[at])
	}
	return found&tops == 0 || utf8.ValidString(s)
}

// sameText reports whether a and b are equal and valid UTF-8.
func sameText(a, b string) bool { return a == b && isText(a) }
