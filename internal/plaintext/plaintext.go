// Package plaintext prepares text of unknown origin for display: without control characters, and of
// limited length.
//
// It owns escaping, shortening, articles, plurals and lists of counts. It must not know where a text is used.
package plaintext

import (
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/hotupdate/providerconfig/internal/lazyregexp"
)

// Escape makes a text harmless for one kind of display.
type Escape func(text string) string

// ASCII escapes everything but printable ASCII, by JSON's escapes: the text looks the same in every
// terminal and log, moves no cursor, and has no look-alike characters.
func ASCII(text string) string {
	return escaped(text, func(r rune) bool { return r >= ' ' && r <= '~' })
}

// Printable escapes what could move a cursor, colour a terminal or reverse the reading direction.
func Printable(text string) string {
	return escaped(text, func(r rune) bool { return unicode.IsPrint(r) && r != unicode.ReplacementChar })
}

// CodeBlock shows text as code in Markdown, in at most room bytes without the fences. It counts the
// lines that do not fit.
func CodeBlock(text string, room int) string {
	const fence = "```"
	lines := strings.SplitAfter(strings.ReplaceAll(text, fence, "'''"), "\n")
	for i, line := range lines {
		if room -= len(line); room < 0 {
			lines = append(lines[:i], "and "+Counted(len(lines)-1-i, "more line")+"\n")
			break
		}
	}
	if text == "" {
		return ""
	}
	return fence + "\n" + strings.Join(lines, "") + fence + "\n\n"
}

// Table aligns the columns of rows of text of unknown origin.
func Table(rows [][]string) string {
	var text strings.Builder
	columns := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		for _, cell := range row {
			fmt.Fprint(columns, Printable(cell)+"\t")
		}
		fmt.Fprintln(columns)
	}
	_ = columns.Flush() // into memory
	return trailing().ReplaceAllString(text.String(), "\n")
}

// trailing matches the padding after the last cell of a row that is not empty.
var trailing = lazyregexp.New(" +\n")

// escaped writes all other characters as \u escapes, in surrogate pairs where needed, so that a
// JSON text keeps its meaning. Bytes that are not UTF-8 become the escape of the replacement
// character.
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

// Counted returns a number and its noun: 1 pool, 2 pools.
func Counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// WithArticle returns a noun with its indefinite article: a list, an object.
func WithArticle(noun string) string {
	if strings.ContainsAny(noun[:min(1, len(noun))], "aeiouAEIOU") {
		return "an " + noun
	}
	return "a " + noun
}

// Thousands returns a number with commas: 2,997.
func Thousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// Listed lists the counts that are not zero: 1 rolled, 2 unchanged.
func Listed[W any](words []W, count func(W) int) string {
	var parts []string
	for _, word := range words {
		if n := count(word); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %v", n, word))
		}
	}
	return strings.Join(parts, ", ")
}

// Ellipsis replaces omitted text.
const Ellipsis = "..."

// Head escapes text up to limit characters, and returns the rest.
func Head(text string, limit int, escape Escape) (shown, rest string) {
	var b strings.Builder
	used := 0
	for i, r := range text {
		piece := escape(string(r))
		if used += utf8.RuneCountInString(piece); used > limit {
			return b.String(), text[i:]
		}
		b.WriteString(piece)
	}
	return b.String(), ""
}

// Shorten escapes a path or name in at most limit characters. It shows the beginning and the end of
// a longer one, since either may distinguish it from others.
func Shorten(text string, limit int, escape Escape) string {
	if shown, rest := Head(text, limit, escape); rest == "" {
		return shown
	}
	end := max(0, limit-len(Ellipsis)) / 3
	begin, rest := Head(text, max(0, limit-len(Ellipsis)-end), escape)
	for tail := []rune(rest)[max(0, utf8.RuneCountInString(rest)-end):]; ; tail = tail[1:] {
		if shown, left := Head(string(tail), end, escape); left == "" {
			return begin + Ellipsis + shown
		}
	}
}

// maxQuoted is the length of the longest text that is quoted as a whole.
const maxQuoted = 40

// Quoted quotes a text for an error, and only the beginning and the end of a long one.
func Quoted(text string) string { return `"` + Shorten(text, maxQuoted, ASCII) + `"` }
