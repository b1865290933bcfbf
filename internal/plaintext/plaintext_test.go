package plaintext_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/internal/plaintext"
)

func TestEscapes(t *testing.T) {
	for _, tc := range []struct {
		name, text, ascii, printable, reason string
	}{
		{"plain", `a "b" \c`, `a "b" \c`, `a "b" \c`, "what is harmless stays"},
		{"letters of the world", "\u00e9\u4e16", `\u00e9\u4e16`, "\u00e9\u4e16", "printable, but not in ASCII"},
		{"beyond the basic plane", "\U0001f40b", `\ud83d\udc0b`, "\U0001f40b", "a surrogate pair, as in JSON"},
		{"invisible beyond the basic plane", "\U000e0041", `\udb40\udc41`, `\udb40\udc41`, "a tag character"},
		{"escape, bell, newline", "\x1b[2J\a\n", `\u001b[2J\u0007\u000a`, `\u001b[2J\u0007\u000a`, "they move cursors"},
		{"C1 controls", "\u009b1m\u0085", `\u009b1m\u0085`, `\u009b1m\u0085`, "some terminals obey them"},
		{"bidi controls", "\u202e\u2066\u200f", `\u202e\u2066\u200f`, `\u202e\u2066\u200f`, "they reverse the reading direction"},
		{"invisible", "\u200b\ufeff\u00ad\u2028", `\u200b\ufeff\u00ad\u2028`, `\u200b\ufeff\u00ad\u2028`, "nobody sees them"},
		{"no UTF-8", "a\xffb\xc3", `a\ufffdb\ufffd`, `a\ufffdb\ufffd`, "each byte is replaced"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			assert.Equal(t, tc.ascii, plaintext.ASCII(tc.text), tc.reason)
			assert.Equal(t, tc.printable, plaintext.Printable(tc.text), tc.reason)
		})
	}
}

func TestWithArticle(t *testing.T) {
	for noun, want := range map[string]string{
		"list": "a list", "object": "an object", "int32": "an int32", "[]byte": "a []byte", "": "a ",
	} {
		assert.Equal(t, want, plaintext.WithArticle(noun))
	}
}

func TestShorten(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		limit      int
		want       string
		reason     string
	}{
		{"short", "abc", 3, "abc", "it fits"},
		{"long", "abcdefghijklmnop", 12, "abcdef...nop", "beginning and end"},
		{"escapes", "\n\n\n", 12, `\u000a...`, "an escape is never cut"},
		{"escapes that fit", "\n\n\n", 18, `\u000a\u000a\u000a`, "it fits"},
		{"no room", "abc", 2, "...", "what was left out shows"},
		{"empty", "", 0, "", "nothing to shorten"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			assert.Equal(t, tc.want, plaintext.Shorten(tc.text, tc.limit, plaintext.ASCII), tc.reason)
		})
	}
}

// TestShortenKeepsTheLimit: what is shortened fits, is printable, and begins and ends as the text does.
func TestShortenKeepsTheLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(
			rapid.SliceOf(rapid.SampledFrom([]string{"a", "bc", "\n", "\xff", "\u00e9", "\U0001f40b", "\u202e"})).Draw(t, "text"), "",
		)
		limit := rapid.IntRange(len(plaintext.Ellipsis), 40).Draw(t, "limit")
		for _, escape := range []plaintext.Escape{plaintext.ASCII, plaintext.Printable} {
			whole := escape(text)
			short := plaintext.Shorten(text, limit, escape)
			require.LessOrEqual(t, utf8.RuneCountInString(short), limit)
			require.Equal(t, -1, strings.IndexFunc(short, func(r rune) bool { return !unicode.IsPrint(r) }))
			if utf8.RuneCountInString(whole) <= limit {
				require.Equal(t, whole, short)
				continue
			}
			begin, end, cut := strings.Cut(short, plaintext.Ellipsis)
			require.True(t, cut && strings.HasPrefix(whole, begin) && strings.HasSuffix(whole, end), "%q of %q", short, whole)
		}
	})
}

func TestCodeBlock(t *testing.T) {
	for _, tc := range []struct{ text, want, reason string }{
		{"", "", "there is nothing to show"},
		{"a\nb\n", "```\na\nb\n```\n\n", "what fits is whole"},
		{"a\n```\n", "```\na\n'''\n```\n\n", "nothing ends the block early"},
		{"aaaa\nb\nc\n", "```\naaaa\nand 2 more lines\n```\n\n", "lines are whole"},
		{"aaaaaaaa\n", "```\nand 1 more line\n```\n\n", "even the first"},
	} {
		assert.Equal(t, tc.want, plaintext.CodeBlock(tc.text, 6), tc.reason)
	}
}

func TestTable(t *testing.T) {
	assert.Equal(
		t, "a     bb\nüxyz  b\\u0009\n\nx\n", plaintext.Table([][]string{{"a", "bb"}, {"üxyz", "b\t"}, {"", ""}, {"x"}}),
		"columns are aligned, cells harmless, lines not padded",
	)
	assert.Empty(t, plaintext.Table(nil))
}

func TestThousands(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{
		0: "0", 7: "7", 999: "999", 1000: "1,000", 2997: "2,997", 123456: "123,456", 1234567: "1,234,567", -1: "-1", -999: "-999",
		-1234: "-1,234",
	} {
		assert.Equal(t, want, plaintext.Thousands(n))
	}
}
