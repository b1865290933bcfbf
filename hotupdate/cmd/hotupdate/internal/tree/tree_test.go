package tree_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	parser "go.yaml.in/yaml/v3"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/internal/fixedseed"
)

func TestMain(m *testing.M) { os.Exit(fixedseed.Run(m)) }

func parse(tb require.TestingT, text string) *tree.Node {
	root, err := tree.ParseYAML([]byte(text), 1)
	require.NoError(tb, err, text)
	return root
}

// Every scalar means what the library that kubectl uses takes it for.
func TestScalarsOfYAML(t *testing.T) {
	t.Parallel()
	words := []string{
		"", "~", "null", "Null", "NULL", "nULL", "y", "Y", "yes", "Yes", "YES", "yEs", "n", "N", "no", "No", "NO", "on", "On", "ON", "off",
		"Off", "OFF",
		"true", "True", "TRUE", "false", "False", "FALSE", "tRue",
		"0", "-0", "+0", "7", "-7", "+7", "007", "0o7", "0x1F", "0b11", "-0b1", "1_000", "_1", "1_", "08", "0_8", "12e03", "1e3", "1E-3",
		"1.", ".5", "-.5", "1.50", "1.0", "1e400",
		"9223372036854775807", "9223372036854775808", "18446744073709551615", "18446744073709551616", "123456789012345678", "0.1e1",
		"1.2.3", "1.29.4", "10.0.0.0/16", "-", "--", "---", "...", ".", "-a", "+a", ".a", "0x", "0b", "0xg",
		"2026-01-02", "2026-01-02T03:04:05Z", "2026-1-2 3:4:5", "12:30:45", "1:2", "80m", "1Gi", "50%", "a b", "a#b", "é", "<&>",
		"'1'", `"1"`, `"\u00e9\n"`, "!!str 1", "!!str true", "!!int 7", "!!int '7'", "!!float 7", "!!bool 'true'", "!!null ''",
		"!!binary AAEC", "!local x", "!!timestamp 2026-01-02", "!<tag:yaml.org,2002:str> 1", "|\n  a\n  b\n", ">-\n  a\n  b\n",
	}
	for _, word := range words {
		for _, text := range []string{"a: " + word + "\n", "- " + word + "\n"} {
			want, err := yaml.YAMLToJSON([]byte(text))
			root, got := tree.ParseYAML([]byte(text), 1)
			if err != nil {
				assert.Error(t, got, "%q: %v", text, err)
				continue
			}
			assert.NoError(t, got, "%q", text)
			assert.Equal(t, string(want), string(root.JSON()), "%q", text)
		}
	}
}

// Every short word means what the library that kubectl uses takes it for: the parser decides which of them may be anything but text.
func TestShortWordsOfYAML(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	words := []string{""}
	for range 3 {
		var longer []string
		for _, word := range words {
			for _, c := range "0178_+-.xboeEfFnNsSyY~" {
				longer = append(longer, word+string(c))
			}
		}
		for _, word := range longer {
			text.WriteString("- " + word + "\n")
		}
		words = longer
	}
	want, err := yaml.YAMLToJSON([]byte(text.String()))
	require.NoError(t, err)
	require.Equal(t, string(want), string(parse(t, text.String()).JSON()))
}

// The words that YAML 1.1 or 1.2 read as something else than text, in every spelling, as values and as keys: plain, in
// quotes, with tags, behind aliases, and in flow style.
func TestWordsInEverySpelling(t *testing.T) {
	t.Parallel()
	spellings := []string{
		"~", "", "0x10", "1.0", "1_0", "010", "-0", "+1", ".5", "1e3", ".inf", "-.INF", ".NaN", "18446744073709551615", "2026-01-01", "0b1",
		"0o7", "1:30",
	}
	for _, word := range []string{"y", "n", "yes", "no", "on", "off", "true", "false", "null"} {
		for upper := range 1 << len(word) {
			spelled := []byte(word)
			for i := range spelled {
				if upper>>i&1 == 1 {
					spelled[i] -= 'a' - 'A'
				}
			}
			spellings = append(spellings, string(spelled))
		}
	}
	refused := 0
	for _, word := range spellings {
		for _, form := range []string{
			"a: %s\n", "a: [%s]\n", "a: '%s'\n", "a: !!bool %s\n", "a: !!str %s\n", "a: !local %s\n", "a: &x %s\nb: *x\n", // values
			// keys
			"? %s\n: 1\n", "a: {b: {%s: 1, z: 2}}\n", "\"%s\": 1\n", "? !!bool %s\n: 1\n", "? !!str %s\n: 1\n", "a: &x %s\n? *x\n: 1\n",
		} {
			text := fmt.Sprintf(form, word)
			want, err := yaml.YAMLToJSON([]byte(text))
			got, problem := tree.ParseYAML([]byte(text), 1)
			require.Equal(t, err == nil, problem == nil, "%s\n%v\n%v", text, err, problem)
			if err != nil {
				refused++
				continue
			}
			require.Equal(t, string(want), string(got.JSON()), text)
		}
	}
	require.Positive(t, refused, "such as the key null")
}

// The parser decodes these values unlike the library that kubectl uses, so its nodes are not decoded by it.
func TestParserDecodesOtherwise(t *testing.T) {
	t.Parallel()
	for text, parsers := range map[string]string{
		"a: &a {x: 1}\nb: {x: 3, <<: *a}\n": `{"a":{"x":1},"b":{"x":3}}`,
		"a: [yes, Off]\n":                   `{"a":["yes","Off"]}`,
		"a: 2026-01-02\n":                   `{"a":"2026-01-02T00:00:00Z"}`,
	} {
		var value any
		require.NoError(t, parser.Unmarshal([]byte(text), &value))
		decoded, err := json.Marshal(value)
		require.NoError(t, err)
		assert.Equal(t, parsers, string(decoded), text)
		want, err := yaml.YAMLToJSON([]byte(text))
		require.NoError(t, err)
		assert.NotEqual(t, parsers, string(want), text)
		assert.Equal(t, string(want), string(parse(t, text).JSON()), text)
	}
}

func TestYAMLRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a: .inf\n":                    "is not valid YAML or JSON: line 11: a value that JSON does not have",
		"a: .nan\n":                    "is not valid YAML or JSON: line 11: a value that JSON does not have",
		"a: !!int x\n":                 "is not valid YAML or JSON: line 11: a value that JSON does not have",
		"x: 1\na: &a [*a]\n":           "is not valid YAML or JSON: line 12: an anchor's value contains itself",
		"a: &a {b: {<<: *a}}\n":        "is not valid YAML or JSON: line 11: an anchor's value contains itself",
		"a:\n- \"x\x7fy\"\n":           `is not valid YAML or JSON: line 12: the character U+007F; write it in double quotes as \u007f`,
		"a: \ufffe\n":                  `is not valid YAML or JSON: line 11: the character U+FFFE; write it in double quotes as \ufffe`,
		"a: *b\n":                      "is not valid YAML or JSON: line 11: an alias names no anchor; put a value that begins with * in quotes",
		"a: {<<: 1}\n":                 "is not valid YAML or JSON: line 11: map merge requires map or sequence of maps as the value",
		"a: {<<: [{b: 1}, 2]}\n":       "is not valid YAML or JSON: line 11: map merge requires map or sequence of maps as the value",
		"a: 1\nb:\n  c: 1\n  \"c\": 2": "b.c: stands twice in its object, again in line 14; remove one of the members",
		"a: 1\n~: 2":                   "has a key in line 12 that is not text; put it in quotes, or render the template first",
		"a: 1\n? [b]\n: 2":             "has a key in line 12 that is not text; put it in quotes, or render the template first",
		"yes: 1\n\"true\": 2":          "true: stands twice in its object, again in line 12; remove one of the members",
		"a: {0x10: 1, 16: 2}":          "a.16: stands twice in its object, again in line 11; remove one of the members",
		"a: {{ .x }}":                  tree.ErrTemplate.Error(),
		"a: 1\n---\nb: 1":              "is not valid YAML or JSON: several documents without --- between them",
	} {
		_, err := tree.ParseYAML([]byte(text), 11)
		require.EqualError(t, err, want, text)
	}
}

// Members of a merge key take the place of those before it, and of two merged mappings the first one counts. kubectl's
// library does so, too.
func TestMergeKeys(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`a: &a {x: 1, "y": 2}
b: {<<: *a, "y": 3}`: `{"a":{"x":1,"y":2},"b":{"x":1,"y":3}}`,
		"a: &a {x: 1}\nb: {x: 3, <<: *a}\n":                          `{"a":{"x":1},"b":{"x":1}}`,
		"a: &a {x: 1}\nb: &b {x: 2, z: 2}\nc: {<<: [*a, *b]}\n":      `{"a":{"x":1},"b":{"x":2,"z":2},"c":{"x":1,"z":2}}`,
		"a: &a {x: 1}\nb: &b {<<: *a, w: 2}\nc: {<<: *b, z: [*a]}\n": `{"a":{"x":1},"b":{"w":2,"x":1},"c":{"w":2,"x":1,"z":[{"x":1}]}}`,
		"a: {\"<<\": 2}\n": `{"a":{"\u003c\u003c":2}}`,
	} {
		library, err := yaml.YAMLToJSON([]byte(text))
		require.NoError(t, err)
		assert.Equal(t, want, string(parse(t, text).JSON()), text)
		assert.Equal(t, want, string(library), text)
	}
}

func TestNode(t *testing.T) {
	t.Parallel()
	const text = `{"a": {"b": null, "c": [1, {"name": "x", "v": "y"}], "": false}, "a.b": "z", "n": 1.50, "t": true}`
	for form, root := range map[string]*tree.Node{"JSON": tree.Of([]byte(text)), "YAML": parse(t, text)} {
		assert.Nil(t, root.At("a", "b"), form)
		assert.Nil(t, root.At("a", "x", "y"), form)
		assert.Equal(t, "z", root.At("a.b").Text(), form)
		assert.Equal(t, tree.Bool, root.At("a", "").Kind(), form)
		assert.True(t, root.At("t").IsTrue(), form)
		assert.False(t, root.At("a", "").IsTrue(), form)
		for _, path := range [][]string{{"a", "c", "1", "v"}, {"a", "c", "name=x", "v"}} {
			found, steps := root.Find(path)
			assert.Equal(t, "y", found.Text(), form)
			assert.Equal(t, 4, steps, form)
		}
		found, steps := root.Find([]string{"a", "c", "name=z", "v"})
		assert.Equal(t, tree.List, found.Kind(), form)
		assert.Equal(t, 2, steps, form)
	}
	assert.Equal(t, `{"name": "x", "v": "y"}`, string(tree.Of([]byte(text)).At("a", "c").JSON()[4:27]), "the bytes of the text")
	assert.Equal(t, "1.5", string(parse(t, text).At("n").JSON()), "as kubectl writes it")
	assert.Equal(t, "2", string(tree.Of([]byte(`{"a": 1, "b": 0, "a": 2}`)).At("a").JSON()), "as the API server reads it")
	var none *tree.Node
	assert.Nil(t, none.JSON())
	assert.Nil(t, none.Value(nil))
	assert.Zero(t, none.Line()+none.Len()+len(none.Text()))
}

// The line of everything is the one where it stands, in both forms and through aliases.
func TestLines(t *testing.T) {
	t.Parallel()
	const text = "a: &a\n\n  b: 1\nc:\n- d:\n    e: 1\n-\n  f\ng: *a\nh: {i: [1,\n 2]}\n"
	for path, line := range map[string]int{
		"a": 1, "a b": 3, "c": 4, "c 0": 5, "c 0 d": 5, "c 0 d e": 6, "c 1": 8, "g": 9, "g b": 3, "h i 0": 10, "h i 1": 11,
	} {
		found, steps := parse(t, text).Find(strings.Fields(path))
		assert.Equal(t, len(strings.Fields(path)), steps, path)
		assert.Equal(t, line, found.Line(), path)
	}
	const asJSON = "{\"a\": {\n\n\"b\":\n1}, \"c\": [\n1, 2,\n\n3]}"
	for path, line := range map[string]int{"a": 1, "a b": 3, "c": 4, "c 0": 5, "c 1": 5, "c 2": 7} {
		found, _ := tree.Of([]byte(asJSON)).Find(strings.Fields(path))
		assert.Equal(t, line, found.Line(), path)
	}
}

// TestAppendJSON: repeated members and their order stay, and texts are written in one way.
func TestAppendJSON(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ in, want string }{
		{`{ "b": 1.50, "a": "é", "b": null }`, `{ "b": 1.50, "a": "é", "b": null }`},
		{`{ "\u0061": ["\u00e9", "\n"] }`, `{"a":["é","\n"]}`},
		{"[ {\"a\": \"\xff\"} ]", "[{\"a\":\"\ufffd\"}]"},
		{`["\ud800"]`, "[\"\ufffd\"]"},
	} {
		assert.Equal(t, test.want, string(tree.Of([]byte(test.in)).AppendJSON(nil)), test.in)
	}
	assert.Equal(t, `{"b":1,"a":[null]}`, string(parse(t, "b: 1\na: [~]\n").AppendJSON(nil)))
	assert.Equal(t, "null", string((*tree.Node)(nil).AppendJSON(nil)))
}

// TestFormsAgree: a value has the same tree in JSON and in YAML, with its lines where each member has a line of its own.
func TestFormsAgree(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		value := draw(t, 4)
		asJSON, err := json.Marshal(value)
		require.NoError(t, err)
		indented, err := json.MarshalIndent(value, "", "  ")
		require.NoError(t, err)
		asYAML, err := yaml.JSONToYAML(asJSON)
		require.NoError(t, err)
		a := tree.Of(asJSON)
		b := tree.Of(indented)
		c := parse(t, string(asYAML))
		require.Equal(t, a.Value("null"), c.Value("null"))
		require.Equal(t, string(asJSON), string(c.JSON()))
		sameLines(t, bytes.Split(indented, []byte("\n")), b)
		sameLines(t, bytes.Split(asYAML, []byte("\n")), c)
	})
}

func draw(t *rapid.T, depth int) any {
	text := rapid.SampledFrom([]string{"a", "b", "yes", "1", "1.0", "null", "", "é", "a: b", "<<", "- x", "{{", "#", "0x1", "2026-01-01"})
	switch kind := rapid.IntRange(0, 5).Draw(t, "kind"); {
	case kind == 0 && depth > 0:
		return map[string]any{"object": rapid.MapOfN(
			rapid.StringMatching(`m[a-z]{1,3}`), rapid.Custom(func(t *rapid.T) any { return draw(t, depth-1) }), 1, 3,
		).Draw(t, "object")}
	case kind == 1 && depth > 0:
		return map[string]any{"list": rapid.SliceOfN(rapid.Custom(func(t *rapid.T) any { return draw(t, depth-1) }), 1, 3).Draw(t, "list")}
	case kind == 2:
		return rapid.Int64().Draw(t, "number")
	case kind == 3:
		return rapid.Bool().Draw(t, "bool")
	case kind == 4:
		return nil
	}
	return text.Draw(t, "text")
}

// sameLines checks that the line of each member has its name.
func sameLines(t require.TestingT, lines [][]byte, n *tree.Node) {
	for name, member := range n.Members() {
		require.Contains(t, string(lines[member.Line()-1]), name)
		sameLines(t, lines, member)
	}
	for _, element := range n.Elements() {
		sameLines(t, lines, element)
	}
}

// What the library that kubectl uses makes of YAML is the oracle: the tree has the same JSON, byte by byte.
func FuzzParseYAML(f *testing.F) {
	for _, seed := range []string{
		"a: 1\nb: [x, 'y', \"z\", ~, 1e3, 0x1f, 2026-01-01]\n", "a: &a {x: 1}\nb: {<<: *a, y: !!str 2}\n",
		"- - a\n  - |\n    b\n- ? c\n  : d\n", "{a: [b, {c: }]}", "a: &b\nc: *b\n", "\ufeffa: 1", "--- x", "...", "a: {{x}}",
		"a: !!binary AAEC\nb: >\n  c\n\n  d\n", "%YAML 1.1\n---\na: yes\n", "a: !", "!!binary 0000", "a: ! 1\nb: ! !",
		"yEs: 1\nNO: {1.50: a, 0x1f: b, !!str on: c}\n? &a 010\n: 2\n*a : 3\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		root, err := tree.ParseYAML(text, 1)
		if err != nil {
			return
		}
		want, err := yaml.YAMLToJSON(bytes.TrimPrefix(text, []byte("\ufeff")))
		if err != nil { // it refuses more, so kubectl says so
			return
		}
		want = bytes.ReplaceAll(want, []byte(`\ufffd`), []byte("\ufffd")) // of bytes that are no text
		require.Equal(t, string(want), string(root.JSON()))
	})
}

// encoding/json is the oracle of JSON.
func FuzzParseJSON(f *testing.F) {
	for _, seed := range []string{
		`{"a":1,"b":[true,null,"\u00e9\ud800","é"],"a":2}`, "[1.50,-0]", ` "x" `, "{} x", "{\"a\":\xff}", "\"\xff\"", `{"a" 1}`,
		`[9223372036854775807, 18446744073709551615, 1e21, 1E-7, 1e999]`, `{"<&> ": "<&>"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		root, err := tree.ParseJSON(raw)
		if err != nil {
			require.False(t, json.Valid(raw) && bytes.Count(raw, []byte("["))+bytes.Count(raw, []byte("{")) < 1000, "%v", err)
			return
		}
		var want any
		decoder := json.NewDecoder(bytes.NewReader(raw))
		decoder.UseNumber()
		require.NoError(t, decoder.Decode(&want), fmt.Sprintf("%q", raw))
		if !bytes.Contains(raw, []byte("null")) {
			require.Equal(t, want, root.Value(nil))
		}
		require.Equal(t, string(bytes.TrimSpace(raw)), string(root.JSON()))

		stored, isStorable := root.Stored()
		var unknown any // an API server decodes an object of an unknown type like this
		err = utiljson.Unmarshal(raw, &unknown)
		require.Equal(t, err == nil, isStorable, "%v", err)
		if isStorable {
			want, err := json.Marshal(unknown)
			require.NoError(t, err)
			require.Equal(t, string(want), string(stored))
		}
	})
}

// TestBinary: bytes that are no text are told as such, whatever marks they have.
func TestBinary(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"foo\xff\xfe{{\x00\x01}}\n", "a: \xc3\x28", "a: b\x00"} {
		_, err := tree.ParseYAML([]byte(text), 1)
		require.EqualError(t, err, "is not text: it has bytes that are not UTF-8, or the byte 0; YAML and JSON are text")
	}
	_, err := tree.ParseYAML([]byte("a: {{ .b }}"), 1)
	require.ErrorIs(t, err, tree.ErrTemplate)
}
