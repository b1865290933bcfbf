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

func inQuotes(text string) fieldpath.PatternStep {
	return fieldpath.PatternStep{Name: text, Quoted: true}
}

var elements = fieldpath.PatternStep{Element: true}

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
			steps = append(steps, inQuotes(unquoted))
		default:
			steps = append(steps, name(strings.TrimPrefix(s, ".")))
		}
	}
	return steps, true
}

func FuzzParsePattern(f *testing.F) {
	for _, seed := range []string{
		"a", "a.b[].c", "a[][].b", `["a.b"][]["c"].d`, `["[]"]`, `[""]`, `["a\"]\n\u00e9\x41\101\\"]`, "a b-c/d~e$", "größe", // read
		"", ".", ".a", "a.", "a..b", "a.[].b", `a.["b"]`, "[]", "[].a", "a[]", "a[][]", "a[]b", `["a"]b`, // dots and ends
		"[", "a[b]", "a[0]", "a[", "a]", `a["b`, `a["b"`, `a["b]`, `["a"]]`, `a["b" ]`, `a["b\`, // brackets
		`a['b']`, "a[`b`]", `["'"]`, `["\'"]`, `["\""]`, `a["\q"]`, "a[\"\n\"]", // quotes
		"a=b", `a"b`, "a\tb", "a\u202eb", "a\xffb", "a\ufffdb", "\u2003", // characters that need quotes
	} {
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
		for i := range got {
			got[i].Quoted = false // is checked by the oracle of FuzzParsePattern
		}
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
			name := text.Draw(t, "name")
			at := rapid.IntRange(0, 20).Draw(t, "at")
			switch rapid.IntRange(0, 4).Draw(t, "kind") {
			case 0:
				path = append(path, member("m"))
				want = append(want, fieldpath.PatternStep{Name: "m"})
			case 1:
				path = append(path, index(at))
				want = append(want, fieldpath.PatternStep{Name: strconv.Itoa(at), Element: true})
			case 2:
				path = append(path, mapKey(name))
				want = append(want, fieldpath.PatternStep{Name: name, Element: true})
			case 3:
				ordinal := rapid.Int32Range(0, 2).Draw(t, "ordinal")
				path = append(path, numbered(listKey("k", name, at), ordinal))
				want = append(want, fieldpath.PatternStep{Name: "k=" + name, Element: true, Ordinal: int(ordinal)})
			case 4:
				path = append(path, element(name, at))
				want = append(want, fieldpath.PatternStep{Name: "=" + name, Element: true})
			}
		}
		if got := fieldpath.ParseShown(path.String()); !slices.Equal(want, got) {
			t.Fatalf("%s is read as %v and not %v", path, got, want)
		}
	})
}

// TestPatternOf: the path of an element becomes that of all elements, as Schemas name it.
func TestPatternOf(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"": "", "volume.iops": "volume.iops", "disks[name=a].size": "disks[].size", "disks[0].size": "disks[].size",
		"disks[name=a]#2.size": "disks[].size", "disks[name=a]#12": "disks[]", "tags[a]": "tags[]",
		`tags["a]b"].c`: "tags[].c", `tags["a\"]b"]`: "tags[]", "a[=x][1]": "a[][]", "broken[": "broken[]",
	} {
		assert.Equal(t, want, fieldpath.PatternOf(path), path)
	}
}

func TestHideKey(t *testing.T) {
	for pattern, want := range map[string]string{
		`labels["team"]`: "labels[(sensitive)]", `a.b[]["x.y"]["team/*"]`: `a.b[]["x.y"][(sensitive)]`, `["team"]`: "[(sensitive)]",
		`labels[team]`: "(sensitive)", "labels[]": "(sensitive)", "": "(sensitive)", // no key of a map
	} {
		assert.Equal(t, want, fieldpath.HideKey(pattern), pattern)
	}
}
