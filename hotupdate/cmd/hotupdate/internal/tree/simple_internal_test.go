package tree

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// requireAgreement checks that the parser of all of YAML takes every text of the subset, and reads the same tree with
// the same lines.
func requireAgreement(t require.TestingT, text string) {
	root, isSimple := parseSimple([]byte(text))
	if !isSimple {
		return
	}
	want, err := parseAnyYAML([]byte(text), 1)
	require.NoError(t, err, text)
	requireSame(t, want, root, text)
}

func requireSame(t require.TestingT, want, got *Node, text string) {
	plain := func(n Node) Node {
		n.below = nil
		n.index = nil
		return n
	}
	require.Equal(t, plain(*want), plain(*got), text)
	require.Len(t, got.below, len(want.below), text)
	require.Equal(t, want.index, got.index, text)
	for i := range want.below {
		requireSame(t, &want.below[i], &got.below[i], text)
	}
}

// TestSimple: what the subset has, and what it leaves to the parser of all of YAML. Both read the same.
func TestSimple(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"a: b\n", "a:\n  b: c\n", "a:\n- b\n- c: d\n  e: f\n", "a:\n  - b\n", "a: {}\nb: []\n", "a: {b: c, d: [e, {f: 1}]}\n", "- a\n- b: c\n",
		"a: |\n  b\n\n    c\n\nd: e\n", "a: |-\n  b\n", "- |\n  a\n", "# a\n\na: b # c\n  # d\nb: c\n", "a: # b\n  c: d\n", "a:\nb:\n- c\n", "  a: b\n  c: d\n",
		"a: 'b'\n\"c\": \"d # e\"\n", "a: 010\nb: 1e3\nc: yes\nd: 2026-01-01\ne: null\nf: 0x1f\ng: -1\nh: .5\ni: 1_000\nj: 10:20\n", "yes: a\n1: b\n010: c\n",
		"a: b c  d\n", "a: arn:aws:iam::1:role/b\n", "a: {b: arn:aws:iam::1:role/b, c: \"d, e\"}\n", "a:\n  - b:\n    - c\n    d: e\n  - f\n", "a.b/c-d_e: f\n",
		"a: {b: c,}\n", "a: [ b , c ]  # d\n", "a: b# c\n",
	} {
		_, isSimple := parseSimple([]byte(text))
		assert.True(t, isSimple, text)
		requireAgreement(t, text)
	}
	for _, text := range []string{
		"", "# a\n", "a\n", "a: b", "a: &b c\n", "a: *b\n", "<<: {a: b}\n", "a: !!str 1\n", "a: b\na: c\n", "yes: a\ntrue: b\n", "a: {b: 1, b: 2}\n", "a: \"\\n\"\n", "a: 'b''c'\n",
		"a: >\n  b\n", "a: |+\n  b\n", "a: |2\n   b\n", "a: |\nb: c\n", "a: |\n\n  b\n", "a: |\n  b\n   \n", "a: b\n  c\n", "a:\n  b\n", "a: {b: c\n  }\n", "---\na: b\n", "a: b\n---\nc: d\n",
		"a: b\n c: d\n", "a:\n    b: c\n  d: e\n", "a: b: c\n", "a: b:\n", "a:\tb\n", "a: b\r\n", "a: é\n", "? a\n: b\n", "- - a\n", "- a\nb: c\n", "a: 'b' c\n", "a: {b: c} d\n", "a: [b]#c\n",
		"a: {b c: d}\n", "a: [b: c]\n", "a: {b}\n", "a: {{ b }}\n", "a: @b\n", "a: `b\n", "a: %b\n", "a: - b\n", "a: -\n", "a: ,\n", "a: \"b\n", "a: [b, , c]\n",
		"a: " + strings.Repeat("[", 100_000) + "\n", strings.Repeat("a", 2000) + ": b\n",
	} {
		_, isSimple := parseSimple([]byte(text))
		assert.False(t, isSimple, text)
	}
}

// TestManifestsAreSimple: the manifests of users are in the subset. For others, [ParseYAML] takes several times as long.
func TestManifestsAreSimple(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../pool/testdata/pairs/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		_, isSimple := parseSimple(text)
		assert.True(t, isSimple, file)
		requireAgreement(t, string(text))
	}
}

// TestSimpleAgrees draws lines of every indent, so that most texts are nearly in the subset.
func TestSimpleAgrees(t *testing.T) {
	t.Parallel()
	part := rapid.SampledFrom([]string{
		"a: ", "b: ", "c:", "\"d\": ", "yes: ", "- ", "-", "e", "1", "010", "true", "null", "~", "x y", "'q'", "\"p\"", "|", "|-", "{", "}", "[", "]", ", ", "{f: g}", "[]", " # h", "#", ":", " ", "  ",
		"i:j", "''", "\\", "<<: ", ".5", "-1", "2026-01-01", "k/l.m", "=", "?", "---", "%",
	})
	line := rapid.Custom(func(t *rapid.T) string {
		indent := strings.Repeat(" ", rapid.IntRange(0, 5).Draw(t, "indent"))
		return indent + strings.Join(rapid.SliceOfN(part, 0, 4).Draw(t, "parts"), "") + "\n"
	})
	likely := rapid.Custom(func(t *rapid.T) string {
		indent := strings.Repeat("  ", rapid.IntRange(0, 2).Draw(t, "indent"))
		name := rapid.SampledFrom([]string{"a:", "b:", "c:", "- d", "- e:", "- f: g", "#", "h: i", "", "j: |", "k", "l: {m: [n]}", "o: 'p'"}).Draw(t, "name")
		return indent + name + "\n"
	})
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.OneOf(line, likely, likely, likely), 1, 6).Draw(t, "lines")
		requireAgreement(t, strings.Join(lines, ""))
	})
}

// FuzzSimple holds the subset beside the parser of all of YAML.
func FuzzSimple(f *testing.F) {
	for _, seed := range []string{
		"a: b\nc:\n- d\n- e: f\n  g: |\n    h\n\n    i\n", "a: {b: [c, 'd', \"e\"], f: 1} # g\n", "# a\na:\n  b:\n\n  # c\n  d: e\n", "- a:\n  - b\n  c: d\n-  e\n", "a: |-\n  b\n c\n",
		"yes: no\n1: 010\nb: 2026-01-01\nc: .5\nd: ~\n", "a : b\n\"c\":d\n", "a: b:c\nd: [e:f, g=h]\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) { requireAgreement(t, text+"\n") })
}
