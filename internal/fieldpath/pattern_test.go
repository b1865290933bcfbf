package fieldpath_test

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/internal/fieldpath"
)

func name(text string) fieldpath.PatternStep { return fieldpath.PatternStep{Name: text} }

var elements = fieldpath.PatternStep{Element: true}

func TestParsePattern(t *testing.T) {
	for _, tc := range []struct {
		text   string
		want   []fieldpath.PatternStep
		reason string
	}{
		{"a", []fieldpath.PatternStep{name("a")}, "a member"},
		{"a.b.c", []fieldpath.PatternStep{name("a"), name("b"), name("c")}, "members"},
		{"a[].b", []fieldpath.PatternStep{name("a"), elements, name("b")}, "elements"},
		{"a[][].b", []fieldpath.PatternStep{name("a"), elements, elements, name("b")}, "elements of elements"},
		{`a["b.c"]`, []fieldpath.PatternStep{name("a"), name("b.c")}, "a quoted member"},
		{`["a"]["b"].c`, []fieldpath.PatternStep{name("a"), name("b"), name("c")}, "quoted members, the first without anything before it"},
		{`["a"][]["b"]`, []fieldpath.PatternStep{name("a"), elements, name("b")}, "elements between quoted members"},
		{`["[]"]`, []fieldpath.PatternStep{name("[]")}, "brackets in quotes are a name"},
		{`["a\"]\n\u00e9\\"]`, []fieldpath.PatternStep{name("a\"]\né\\")}, "escapes as in Go"},
		{`[""]`, []fieldpath.PatternStep{name("")}, "an empty name, if it is quoted"},
		{"a b-c/d~e$", []fieldpath.PatternStep{name("a b-c/d~e$")}, "other characters that print need no quotes"},
		{"größe", []fieldpath.PatternStep{name("größe")}, "letters need no quotes"},
		{"", nil, "empty"},
		{".", nil, "no name"},
		{".a", nil, "a leading dot"},
		{"a.", nil, "a trailing dot"},
		{"a..b", nil, "two dots"},
		{"a.[].b", nil, "a dot before brackets"},
		{`a.["b"]`, nil, "a dot before brackets"},
		{"[]", nil, "the root is no collection"},
		{"[].a", nil, "the root is no collection"},
		{"a[]", nil, "ends at an element"},
		{"a[]b", nil, "no dot behind brackets"},
		{`["a"]b`, nil, "no dot behind brackets"},
		{"a[b]", nil, "no quotes"},
		{"a[0]", nil, "no quotes"},
		{"a[", nil, "not closed"},
		{"a]", nil, "not opened"},
		{`a["b`, nil, "not closed"},
		{`a["b"`, nil, "not closed"},
		{`a["b]`, nil, "not closed"},
		{`a['b']`, nil, "the wrong quotes"},
		{"a[`b`]", nil, "the wrong quotes"},
		{`a["b" ]`, nil, "a space"},
		{`a["\q"]`, nil, "an unknown escape"},
		{"a[\"\n\"]", nil, "a line break in quotes"},
		{"a=b", nil, "an equals sign"},
		{`a"b`, nil, "a quote"},
		{"a\tb", nil, "a control character"},
		{"a\u202eb", nil, "a mark that turns the writing direction"},
		{"a\xffb", nil, "not UTF-8"},
		{"a\ufffdb", nil, "the replacement character"},
	} {
		got, ok := fieldpath.ParsePattern(tc.text)
		assert.Equal(t, tc.want != nil, ok, "%q: %s", tc.text, tc.reason)
		if tc.want != nil {
			assert.Equal(t, tc.want, got, "%q: %s", tc.text, tc.reason)
		}
	}
}

// grammar is the whole pattern as one regular expression; oracle reads the steps that it finds.
var (
	plain   = `[^\[\]"=.\x{fffd}\pC\p{Zl}\p{Zp}\x{a0}\x{1680}\x{2000}-\x{200a}\x{202f}\x{205f}\x{3000}]+`
	quoted  = `\["(?:[^"\\\n]|\\.)*"\]`
	grammar = regexp.MustCompile(`^(?:` + plain + `|` + quoted + `)(?:\.` + plain + `|` + quoted + `|\[\])*$`)
	step    = regexp.MustCompile(quoted + `|\[\]|\.?` + plain)
)

// oracle parses a pattern by regular expressions, where the parser goes step by step.
func oracle(text string) ([]fieldpath.PatternStep, bool) {
	if !grammar.MatchString(text) || strings.HasSuffix(text, "[]") {
		return nil, false
	}
	var steps []fieldpath.PatternStep
	for _, s := range step.FindAllString(text, -1) {
		switch {
		case s == "[]":
			steps = append(steps, elements)
		case s[0] == '[':
			unquoted, err := strconv.Unquote(s[1 : len(s)-1])
			if err != nil {
				return nil, false
			}
			steps = append(steps, name(unquoted))
		default:
			steps = append(steps, name(strings.TrimPrefix(s, ".")))
		}
	}
	return steps, true
}

func FuzzParsePattern(f *testing.F) {
	for _, seed := range []string{"a.b[].c", `["a.b"][]["c"].d`, `a["\u00e9\x41\101"]`, "a[][]", "[", "a\ufffd", "\u2003", `["a"]]`, `a["b\`, `["'"]`, `["\'"]`, `["\""]`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		want, valid := oracle(text)
		got, ok := fieldpath.ParsePattern(text)
		assert.Equal(t, valid, ok, "%q", text)
		if valid && ok {
			assert.Equal(t, want, got, "%q", text)
		}
	})
}

// TestPatternsRoundTrip writes generated members and elements as a path does, and reads them back.
func TestPatternsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		steps := drawPattern(t)
		text := ""
		for _, s := range steps {
			text = s.After(text)
		}
		got, ok := fieldpath.ParsePattern(text)
		if !ok || !slices.Equal(steps, got) {
			t.Fatalf("%q was written for %+v and read as %+v, %v", text, steps, got, ok)
		}
	})
}

// drawPattern draws a pattern: it begins and ends with a member.
func drawPattern(t *rapid.T) []fieldpath.PatternStep {
	names := rapid.OneOf(
		rapid.StringMatching(`[a-z]{1,3}`),
		rapid.StringOfN(rapid.SampledFrom([]rune("ab.[]\"=\\'`é\u202e\ufffd\n ")), 0, 4, -1),
		rapid.String(),
		rapid.SampledFrom([]string{"\xff", "a\x80b", "[]"}),
	)
	steps := []fieldpath.PatternStep{name(names.Draw(t, "first"))}
	for range rapid.IntRange(0, 4).Draw(t, "more") {
		for range rapid.IntRange(0, 2).Draw(t, "elements") {
			steps = append(steps, elements)
		}
		steps = append(steps, name(names.Draw(t, "name")))
	}
	return steps
}

// TestPathsPrint checks that what a path shows prints, so that it can stand in logs and tables.
func TestPathsPrint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		path := fieldpath.Path{member(text), mapKey(text), listKey("name", text, 0), element(text, 0)}
		for _, r := range path.String() {
			if r != '\ufffd' && !unicode.IsPrint(r) {
				t.Fatalf("%q does not print", path.String())
			}
		}
	})
}

// TestShownPathsAreReadBack: the steps of a path are read from its text, whatever names, keys and values hold.
func TestShownPathsAreReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.StringMatching(`[a.=\[\]"\\]{0,4}`), rapid.String())
		var path fieldpath.Path
		var want []fieldpath.PatternStep
		for range rapid.IntRange(0, 4).Draw(t, "steps") {
			name, at := text.Draw(t, "name"), rapid.IntRange(0, 20).Draw(t, "at")
			switch rapid.IntRange(0, 4).Draw(t, "kind") {
			case 0:
				path, want = append(path, member("m")), append(want, fieldpath.PatternStep{Name: "m"})
			case 1:
				path, want = append(path, index(at)), append(want, fieldpath.PatternStep{Name: strconv.Itoa(at), Element: true})
			case 2:
				path, want = append(path, mapKey(name)), append(want, fieldpath.PatternStep{Name: name, Element: true})
			case 3:
				path, want = append(path, listKey("k", name, at)), append(want, fieldpath.PatternStep{Name: "k=" + name, Element: true})
			case 4:
				path, want = append(path, element(name, at)), append(want, fieldpath.PatternStep{Name: "=" + name, Element: true})
			}
		}
		if got := fieldpath.ParseShown(path.String()); !slices.Equal(want, got) {
			t.Fatalf("%s is read as %v and not %v", path, got, want)
		}
	})
}
