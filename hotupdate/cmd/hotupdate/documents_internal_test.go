package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// collect reads all documents; errors stand in their place.
func collect(paths []string, in io.Reader) []string {
	var all []string
	for d, err := range documents(paths, in) {
		if err != nil {
			all = append(all, "error: "+err.Error())
			continue
		}
		all = append(all, d.from+": "+string(d.raw))
	}
	return all
}

func TestDocumentsOfAStream(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, in string
		want     []string
		reason   string
	}{
		{"nothing", "", nil, "no document"},
		{"white space", " \n\n", nil, "no document"},
		{"comments", "# a\n---\n# b\n", nil, "no document"},
		{"one", "a: 1\n", []string{`standard input: {"a":1}`}, "no marker is needed"},
		{"no line end", "a: 1", []string{`standard input: {"a":1}`}, "at the end of the file"},
		{"two", "a: 1\n---\nb: 2\n", []string{`standard input: {"a":1}`, `standard input, document 2: {"b":2}`}, "counted from 1"},
		{"marker first", "---\na: 1\n", []string{`standard input: {"a":1}`}, "it begins the first document"},
		{"content behind a marker", "--- {a: 1}\n--- {b: 2}", []string{`standard input: {"a":1}`, `standard input, document 2: {"b":2}`}, "as YAML allows"},
		{"empty ones between", "---\n---\n# x\n---\nnull\n---\na: 1\n---\n", []string{`standard input: {"a":1}`}, "passed over"},
		{"end marker", "a: 1\n...\n---\nb: 2\n...\n", []string{`standard input: {"a":1}`, `standard input, document 2: {"b":2}`}, "ends a document"},
		{"end marker alone", "a: 1\n...\nb: 2\n", []string{`standard input: {"a":1}`, `standard input, document 2: {"b":2}`}, "the next needs no marker"},
		{"directive", "%YAML 1.1\n---\na: 1\n", []string{`standard input: {"a":1}`}, "belongs to the document behind it"},
		{"dashes that are no marker", "a: |\n  ---\n  x\nb: ----\n", []string{`standard input: {"a":"---\nx\n","b":"----"}`}, "indented, or longer"},
		{"JSON", "{\"a\": 1}\n{\"a\": 2}[3]", []string{`standard input: {"a": 1}`, `standard input, document 2: {"a": 2}`, `standard input, document 3: [3]`}, "one behind the other"},
		{"JSON behind a byte-order mark", "\ufeff{\"a\": 1.10}", []string{`standard input: {"a": 1.10}`}, "every digit is kept"},
		{"JSON and YAML", "{\"a\": 1}\n---\nb: 2", []string{`standard input: {"a": 1}`, `standard input, document 2: {"b":2}`}, "with a marker between"},
		{
			"a list", "kind: WorkerList\nitems: [{a: 1}, {a: 2}]\n---\nb: 1", []string{
				`standard input, items[0]: {"a":1}`, `standard input, items[1]: {"a":2}`, `standard input, document 2: {"b":1}`,
			}, "item by item",
		},
		{"an empty list", "kind: List\nitems: []\n", nil, "no item"},
		{"items of something else", "kind: Shoot\nitems: [1]\n", []string{`standard input: {"items":[1],"kind":"Shoot"}`}, "no list"},
		{"an error", "a: 1\n---\n\tb: 2\n---\nc: 3\n", []string{
			`standard input: {"a":1}`, "error: standard input: is no valid YAML or JSON: line 2: found character that cannot start any token",
		}, "ends its file"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, collect([]string{stdin}, strings.NewReader(test.in)), test.reason)
			assert.Equal(t, test.want, collect([]string{stdin}, iotest.OneByteReader(strings.NewReader(test.in))), "byte by byte")
		})
	}
}

// What was read before a stream broke off is no document, even if it would be a valid one.
func TestBrokenStreamEndsWithoutItsLastDocument(t *testing.T) {
	t.Parallel()
	in := io.MultiReader(strings.NewReader("a: 1\n---\nb: 1\n"), iotest.ErrReader(io.ErrUnexpectedEOF))
	assert.Equal(t, []string{`standard input: {"a":1}`, "error: standard input: unexpected EOF"}, collect([]string{stdin}, in))
}

func TestDocumentsOfDirectories(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for name, text := range map[string]string{
		"b.yaml": "k: 1", "a.yml": "k: 0", "sub/c.json": `{"k":2}`, "sub/d.txt": "k: 9", ".hidden.yaml": "k: 9", ".git/e.yaml": "k: 9",
		"sub/f.yaml": "{", "z.yaml": "k: 3",
	} {
		file := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	got := collect([]string{root, filepath.Join(root, "sub/d.txt"), filepath.Join(root, "missing"), stdin}, strings.NewReader("k: 4"))
	want := []string{
		root + `/a.yml: {"k":0}`, root + `/b.yaml: {"k":1}`, root + `/sub/c.json: {"k":2}`,
		"error: " + root + "/sub/f.yaml: is no valid YAML or JSON: line 1: did not find expected node content",
		root + `/z.yaml: {"k":3}`, root + `/sub/d.txt: {"k":9}`, "error: " + root + "/missing: no such file or directory", `standard input: {"k":4}`,
	}
	assert.Equal(t, want, got, "by name, hidden ones and other endings left out, a file by its own name whatever its ending")
}

// Whoever stops reading gets no more, wherever it is.
func TestReadingStops(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for i := range 3 {
		require.NoError(t, os.WriteFile(filepath.Join(root, fmt.Sprintf("%d.yaml", i)), []byte("kind: List\nitems: [{}, {}]\n---\na: 1\n---\nb: 1"), 0o600))
	}
	for stop := range 13 {
		read := 0
		for _, err := range documents([]string{root, root}, nil) {
			require.NoError(t, err)
			if read++; read > stop {
				break
			}
		}
		assert.Equal(t, stop+1, read)
	}
}

// Whatever comes in, reading ends with documents that are JSON, or with an error.
func FuzzDocuments(f *testing.F) {
	for _, seed := range []string{"a: 1\n---\nb: [1, 2]\n", "{\"a\": 1}{}", "%YAML 1.1\n---\n&a [*a]", "--- x\n...\n--- |\n  y", "\ufeffa: 1", "kind: List\nitems: [1]"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		for d, err := range documents([]string{stdin}, strings.NewReader(string(in))) {
			if err != nil {
				require.True(t, strings.HasPrefix(err.Error(), "standard input: "), err.Error())
				continue
			}
			_, _ = parseManifest(d)
		}
	})
}
