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

// TestAppendString: every character of the first blocks, and what is odd about later ones, is escaped only if it must
// be, and never normalised.
func TestAppendString(t *testing.T) {
	odd := []rune{0x2028, 0x2029, 0x20ac, 0xd7ff, 0xe000, 0xfeff, 0xfffd, 0xffff, 0x10000, 0x1f600, 0x10ffff}
	for r := range rune(0x400) {
		odd = append(odd, r)
	}
	for _, r := range odd {
		for _, text := range []string{string(r), "e" + string(r), string(r) + "</" + string(r)} {
			got, err := canonjson.AppendString([]byte("dst "), text)
			require.Nil(t, err)
			require.Equal(t, "dst "+naiveString(text), string(got))
		}
	}
}

// TestAppendStringAtEveryPlace: what must be escaped is found wherever it stands, however long the text is.
func TestAppendStringAtEveryPlace(t *testing.T) {
	for _, char := range []struct{ in, want string }{
		{"\x00", `\u0000`}, {"\x1f", `\u001f`}, {`"`, `\"`}, {`\`, `\\`}, {"é", "é"}, {"\x7f", "\x7f"},
	} {
		for length := range 34 {
			for place := range length + 1 {
				before := strings.Repeat("a", place)
				after := strings.Repeat("~", length-place)
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

// checkScannedString reads the JSON string at the start of raw, and expects the text that encoding/json reads, spelled
// as naiveString spells it.
func checkScannedString(t require.TestingT, raw []byte, room int) {
	for _, read := range []func(s *canonjson.Scanner, dst []byte) ([]byte, bool){
		func(s *canonjson.Scanner, dst []byte) ([]byte, bool) {
			var scratch []byte
			dst, err := s.AppendString(dst, &scratch)
			return dst, err == nil
		},
		func(s *canonjson.Scanner, dst []byte) ([]byte, bool) {
			var scratch []byte
			start := len(dst)
			dst, text, err := s.AppendText(dst, &scratch)
			if err == nil {
				require.Equal(t, naiveString(string(text)), string(dst[start:]))
			}
			return dst, err == nil
		},
	} {
		s := canonjson.NewScanner(raw)
		got, ok := read(&s, copied(make([]byte, 4, 4+room), "dst "))
		if !ok {
			require.Equal(t, "dst ", string(got), "%q", raw)
			require.Zero(t, s.At)
			_, err := canonjson.AppendValue(nil, raw)
			require.NotNil(t, err, "%q", raw)
			continue
		}
		var want string
		require.NoError(t, json.Unmarshal(raw[:s.At], &want), "%q", raw)
		require.Equal(t, "dst "+naiveString(want), string(got), "%q", raw)
	}
}

func copied(dst []byte, text string) []byte {
	copy(dst, text)
	return dst
}

// TestScannedStrings: a string is copied, or spelled again, wherever something odd stands in it and however much room there is.
func TestScannedStrings(t *testing.T) {
	odd := []string{
		"", "a", "é", `\"`, `\\`, `\/`, `\b`, `\f`, `\n`, `\r`, `\t`, `\u0041`, `\u001f`, `\u001F`, `\u00e9`, `\ud83d\ude00`, `\ud800`,
		`\x`, "\n", "\x7f", "\xff", `"`, `\`,
	}
	for _, first := range odd {
		for length := range 10 {
			for _, second := range odd {
				body := strings.Repeat("a", length) + first + strings.Repeat("~", 10-length) + second
				for _, rest := range []string{"", `"`, `",`, `" , "more text"`} {
					for _, room := range []int{0, 12, 100} {
						checkScannedString(t, []byte(`"`+body+rest), room)
					}
				}
			}
		}
	}
}

// FuzzScannedString: any string is refused, or read and spelled as its meaning is spelled.
func FuzzScannedString(f *testing.F) {
	f.Add([]byte(`"plain text, \"quoted\" \u00e9é\n" and more`), 100)
	f.Fuzz(func(t *testing.T, raw []byte, room int) {
		checkScannedString(t, append([]byte(`"`), raw...), max(0, min(room, 1<<10)))
	})
}

// TestIsUTF8 at every place of texts of every length.
func TestIsUTF8(t *testing.T) {
	for _, char := range []string{"a", "é", "\x7f", "\x80", "\xff", "\xed\xa0\x80", "\U0001f600"} {
		for length := range 34 {
			for place := range length + 1 {
				text := strings.Repeat("a", place) + char + strings.Repeat("~", length-place)
				require.Equal(t, utf8.ValidString(text), canonjson.IsUTF8(text), "%q", text)
			}
		}
	}
	require.True(t, canonjson.IsUTF8(""))
}
