package canonjson_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/internal/canonjson"
)

func TestAppendString(t *testing.T) {
	for _, tc := range []struct{ name, in, want, reason string }{
		{"empty", "", `""`, "two quotes"},
		{"plain", "kubelet-dir", `"kubelet-dir"`, "nothing to escape"},
		{"quote and backslash", `a"b\c`, `"a\"b\\c"`, "RFC 8259 section 7 demands these escapes"},
		{"short escapes", "\b\t\n\f\r", `"\b\t\n\f\r"`, "shorter than \\u00xx"},
		{"other controls", "\x00\x01\x07\x0b\x0e\x1f", `"\u0000\u0001\u0007\u000b\u000e\u001f"`, "no short form; lower-case hex"},
		{"RFC 8785 section 3.2.2.2", "\u20ac$\u000f\nA'B\"\\\\\"/", `"€$\u000f\nA'B\"\\\\\"/"`, "the example of the RFC"},
		{"space and DEL", " \x7f", "\" \x7f\"", "the first and last of ASCII that need no escape"},
		{"HTML", "</script>&", `"</script>&"`, "encoding/json would escape < > &"},
		{"JavaScript line ends", "\u2028\u2029", "\"\u2028\u2029\"", "encoding/json would escape these"},
		{"supplementary", "😀", `"😀"`, "raw UTF-8, no surrogates"},
		{"composed", "\u00e9", "\"\u00e9\"", "no normalisation"},
		{"decomposed", "e\u0301", "\"e\u0301\"", "no normalisation"},
		{"replacement character", "\ufffd", "\"\ufffd\"", "valid when it is really there"},
		{"noncharacter and BOM", "\uffff\ufeff", "\"\uffff\ufeff\"", "Unicode text like any other"},
		{"escape at both ends", "\nx\n", `"\nx\n"`, "no run before the first and behind the last escape"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := canonjson.AppendString([]byte("dst "), tc.in)
			require.Nil(t, err)
			assert.Equal(t, "dst "+tc.want, string(got), tc.reason)
		})
	}
}

// TestAppendStringAtEveryPlace: what must be escaped is found wherever it stands, however long the text is.
func TestAppendStringAtEveryPlace(t *testing.T) {
	for _, char := range []struct{ in, want string }{{"\x00", `\u0000`}, {"\x1f", `\u001f`}, {`"`, `\"`}, {`\`, `\\`}, {"é", "é"}, {"\x7f", "\x7f"}} {
		for length := range 34 {
			for place := range length + 1 {
				before, after := strings.Repeat("a", place), strings.Repeat("~", length-place)
				got, err := canonjson.AppendString(nil, before+char.in+after)
				require.Nil(t, err)
				require.Equal(t, `"`+before+char.want+after+`"`, string(got))
				_, err = canonjson.AppendString(nil, before+"\xff"+after)
				require.NotNil(t, err)
			}
		}
	}
}

func TestAppendStringInvalidUTF8(t *testing.T) {
	for _, tc := range []struct{ name, in, offset, reason string }{
		{"lone continuation", "ab\x80", "offset 2", "no lead byte"},
		{"cut short", "é\xc3", "offset 2", "a lead byte at the end"},
		{"overlong", "\xc0\xaf", "offset 0", "an overlong slash"},
		{"surrogate", "a\xed\xa0\x80", "offset 1", "U+D800 has no UTF-8"},
		{"beyond Unicode", "\xf4\x90\x80\x80", "offset 0", "U+110000"},
		{"behind a real replacement character", "\ufffd\xff", "offset 3", "U+FFFD itself is valid"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := canonjson.AppendString([]byte("dst "), tc.in)
			requireFault(t, err, "invalid-utf8")
			assert.Contains(t, err.What, tc.offset, tc.reason)
			assert.Equal(t, "dst ", string(got), "dst keeps its length")
		})
	}
}

func TestStringsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
		if rapid.Bool().Draw(t, "valid") {
			want = rapid.String().Draw(t, "text")
		}
		text, err := canonjson.AppendString(nil, want)
		if !utf8.ValidString(want) {
			requireFault(t, err, "invalid-utf8")
			return
		}
		require.Nil(t, err)
		var got string
		require.NoError(t, json.Unmarshal(text, &got))
		require.Equal(t, want, got)
		require.Equal(t, naiveString(want), string(text))
		require.Equal(t, string(text), canonical(t, string(text)), "AppendValue agrees")
	})
}

func TestStringsDoNotAllocate(t *testing.T) {
	dst := make([]byte, 0, 1024)
	text := "a plain text, \"quoted\", with\ttabs and 😀\x01"
	assert.Zero(t, testing.AllocsPerRun(100, func() { _, _ = canonjson.AppendString(dst, text) }))
}

func BenchmarkAppendString(b *testing.B) {
	b.ReportAllocs()
	dst := make([]byte, 0, 256)
	for b.Loop() {
		_, _ = canonjson.AppendString(dst, "arn:aws:iam::123456789012:instance-profile/shoot--core--nodes")
	}
}

// TestAppendStringInAnyRoom: a text is appended to what stands there, wherever in it something needs an escape and whatever room is left.
func TestAppendStringInAnyRoom(t *testing.T) {
	for length := range 20 {
		for room := range length + 5 {
			for special := -1; special < length; special++ {
				text := bytes.Repeat([]byte("a"), length)
				want := "before\"" + string(text) + "\""
				if special >= 0 {
					text[special] = '\n'
					want = "before\"" + strings.Repeat("a", special) + `\n` + strings.Repeat("a", length-special-1) + "\""
				}
				got, err := canonjson.AppendString(append(make([]byte, 0, len("before")+room), "before"...), string(text))
				require.Nil(t, err)
				require.Equal(t, want, string(got))
			}
		}
	}
}
