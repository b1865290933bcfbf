package leaf

import (
	"bytes"
	"slices"
)

// microseconds is how metav1.MicroTime reads and writes fractions: with all of their digits.
const microseconds = ".000000"

// Spell turns canonical text, which begins at dst[from:], into JSON that a value of kind k can be read from. For most kinds it already
// is.
func Spell(dst []byte, from int, k Kind, spelling Spelling) []byte {
	if text := dst[from:]; k == MicroTime && bytes.HasSuffix(text, []byte(`Z"`)) {
		digits := 0
		if dot := bytes.LastIndexByte(text, '.'); dot >= 0 {
			digits = len(text) - len(`Z"`) - dot
		}
		dst = slices.Insert(dst, len(dst)-len(`Z"`), []byte(microseconds)[digits:]...)
	}
	if spelling == Quoted {
		dst = append(slices.Insert(dst, from, '"'), '"')
	}
	return dst
}

// Spelling says whether the option string of encoding/json is obeyed. The zero value is Plain.
type Spelling uint8

// The spellings.
const (
	Plain Spelling = iota
	Quoted
)
