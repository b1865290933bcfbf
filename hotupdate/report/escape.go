package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
)

// ascii escapes everything but printable ASCII, as JSON escapes it: what is shown looks the same in every terminal and log, moves no
// cursor and hides behind no look-alike.
func ascii(text string) string {
	return escaped(text, func(r rune) bool { return r >= ' ' && r <= '~' })
}

// printable escapes what could move a cursor, colour a terminal or reverse the reading direction.
func printable(text string) string {
	return escaped(text, func(r rune) bool { return unicode.IsPrint(r) && r != unicode.ReplacementChar })
}

// escaped writes what is not harmless as \u escapes, in surrogate pairs where needed, so that a JSON text stays one and keeps its
// meaning. Bytes that are not UTF-8 become the replacement character's.
func escaped(text string, isHarmless func(rune) bool) string {
	if strings.IndexFunc(text, func(r rune) bool { return !isHarmless(r) }) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case isHarmless(r):
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
