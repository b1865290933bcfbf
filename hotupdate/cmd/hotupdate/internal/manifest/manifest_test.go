package manifest_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
)

// collect reads all objects; errors stand in their place.
func collect(paths []string, in io.Reader) []string {
	var all []string
	for o := range manifest.Objects(paths, in) {
		text := string(o.Tree.JSON())
		if o.Err != nil {
			text = "error: " + o.Err.Error()
		}
		all = append(all, strings.Replace(o.String(), "standard input", "in", 1)+": "+text)
	}
	return all
}

func TestObjectsOfAStream(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, in string
		want     []string
		reason   string
	}{
		{"nothing", "", nil, "no document"},
		{"white space", " \n\n", nil, "no document"},
		{"comments", "# a\n---\n# b\n", nil, "no document"},
		{"one", "a: 1\n", []string{`in: {"a":1}`}, "no marker is needed"},
		{"no line end", "a: 1", []string{`in: {"a":1}`}, "at the end of the file"},
		{"two", "a: 1\n---\nb: 2\n", []string{`in: {"a":1}`, `in:3, document 2: {"b":2}`}, "counted from 1"},
		{"marker first", "---\na: 1\n", []string{`in: {"a":1}`}, "it begins the first document"},
		{"content behind a marker", "--- {a: 1}\n--- {b: 2}", []string{`in: {"a":1}`, `in:2, document 2: {"b":2}`}, "as YAML allows"},
		{"empty ones between", "---\n---\n# x\n--- # y\na: 1\n---\n", []string{`in: {"a":1}`}, "passed over"},
		{"null", "null\n---\na: 1\n", []string{`in:3, document 2: {"a":1}`}, "is a document without an object"},
		{"end marker", "a: 1\n...\n---\nb: 2\n...\n", []string{`in: {"a":1}`, `in:4, document 2: {"b":2}`}, "ends a document"},
		{"end marker alone", "a: 1\n...\nb: 2\n", []string{`in: {"a":1}`, `in:3, document 2: {"b":2}`}, "the next needs no marker"},
		{
			"directive", "%YAML 1.1\n# a\n---\na: 1\n---\nb: 1\n",
			[]string{`in: {"a":1}`, `in:6, document 2: {"b":1}`},
			"belongs to the document behind it",
		},
		{"dashes that are no marker", "a: |\n  ---\n  x\nb: ----\n", []string{`in: {"a":"---\nx\n","b":"----"}`}, "indented, or longer"},
		{"indented", "  a: 1\n  b: 2\n", []string{`in: {"a":1,"b":2}`}, "as YAML allows"},

		{"JSON", "{\"a\": 1}\n{\"a\": 2}[3]\n\n  {\n}", []string{
			`in: {"a": 1}`, `in:2, document 2: {"a": 2}`, `in:2, document 3: [3]`, "in:4, document 4: {\n}",
		}, "one behind the other"},
		{"JSON behind a byte-order mark", "\ufeff{\"a\": 1.10}", []string{`in: {"a": 1.10}`}, "every digit is kept"},
		{"JSON with numbers", `{"a": 3e3, "b": 1.10}`, []string{`in: {"a": 3e3, "b": 1.10}`}, "as they are spelled"},
		{
			"JSON with quotes and brackets in text", `{"a": "}\"]\\"}{"b": "[{\\\""}`,
			[]string{`in: {"a": "}\"]\\"}`, `in:1, document 2: {"b": "[{\\\""}`},
			"they count for nothing",
		},
		{
			"JSON and YAML", "{\"a\": 1}\n---\nb: 2\n---\n{\"c\": 1}",
			[]string{`in: {"a": 1}`, `in:3, document 2: {"b":2}`, `in:5, document 3: {"c": 1}`},
			"with a marker between",
		},
		{"YAML that begins like JSON", "{a: '}'}\n---\n{a: 1}\n---\n[1,\n2]: 3\n", []string{
			`in: {"a":"}"}`, `in:3, document 2: {"a":1}`,
			"in:5, document 3: error: is not valid YAML or JSON: line 6: mapping values are not allowed in this context",
		}, "is YAML if it can be, up to the marker"},
		{"JSON with a comma too many", "{\"a\": 1,}\n{}", []string{
			"in: error: is not valid JSON: malformed JSON at byte offset 8: no member name where one is due", "in:2, document 2: {}",
		}, "is none, although YAML allows it"},

		{"a List", "kind: WorkerList\nitems:\n- {a: 1}\n- {a: 2}\n---\nb: 1", []string{
			`in:3, items[0]: {"a":1}`, `in:4, items[1]: {"a":2}`, `in:6, document 2: {"b":1}`,
		}, "item by item"},
		{"a List with its kind behind", "apiVersion: v1\nitems:\n- a: 1\n\n- &x\n  a: 2\n- *x\nkind: List\n", []string{
			`in:3, items[0]: {"a":1}`, `in:5, items[1]: {"a":2}`,
			"in:7, items[2]: error: is not valid YAML or JSON: line 7: an alias names no anchor; put a value that begins with * in quotes",
		}, "in any order of members, each item by itself"},
		{"a List in flow style", "kind: List\nitems: [{a: 1}]\n---\nb: 1", []string{
			"in: error: is a List in flow style or within a List; write its items in block style or as JSON", `in:4, document 2: {"b":1}`,
		}, "is not passed over in silence"},
		{"a List in a List", `{"kind":"List","items":[{"kind":"List","items":[1]},{"kind":"List","items":[]}]}`, []string{
			"in:1, items[0]: error: is a List in flow style or within a List; write its items in block style or as JSON",
		}, "is not passed over in silence"},
		{"a List in JSON", "{\"kind\": \"List\", \"items\": [\n {\"a\": 1},\n {\"a\": 2}]}\n{}", []string{
			`in:2, items[0]: {"a": 1}`, `in:3, items[1]: {"a": 2}`, `in:4, document 2: {}`,
		}, "each with its line"},
		{"an empty List", "kind: List\nitems: []\n---\n{\"kind\":\"List\",\"items\":[]}", nil, "no item"},
		{
			"a List without items", "kind: List\nitems: null\n",
			[]string{`in: {"items":null,"kind":"List"}`},
			"is an object: what follows says that it is of no use",
		},
		{"items of something else", "kind: Shoot\nitems:\n- 1\n---\n{\"kind\":\"Shoot\",\"items\":[1]}", []string{
			`in: {"items":[1],"kind":"Shoot"}`, `in:5, document 2: {"kind":"Shoot","items":[1]}`,
		}, "no List"},

		{"an error", "a: 1\n---\n\tb: 2\n---\nc: 3\n", []string{
			`in: {"a":1}`, "in:3, document 2: error: is not valid YAML or JSON: found character that cannot start any token",
			`in:5, document 3: {"c":3}`,
		}, "the rest is read"},
		{"an error in a List", "kind: List\nitems:\n- a: 1\n- a: [\n- a: 3\n", []string{
			`in:3, items[0]: {"a":1}`, "in:4, items[1]: error: is not valid YAML or JSON: line 4: did not find expected node content",
			`in:5, items[2]: {"a":3}`,
		}, "the other items are read"},
		{
			"an error in a List in JSON",
			"{\"kind\": \"List\", \"items\": [{\"a\": 1}, {\"a\": ]}, {\"a\"\n\"}\\\\\": {}}, {\"a\": 3}]}\n{\"a\": 4}",
			[]string{
				`in:1, items[0]: {"a": 1}`,
				"in:1, items[1]: error: is not valid JSON: malformed JSON at byte offset 6: no value where one is due",
				"in:1, items[2]: error: is not valid JSON: malformed JSON at byte offset 5: no colon after a member name",
				`in:2, items[3]: {"a": 3}`, `in:3, document 2: {"a": 4}`,
			},
			"the other items are read",
		},
		{"an error in an array in a List in JSON", "{\"kind\": \"List\", \"items\": [{\"a\": 1}, [1 2], {\"a\": 3}]}\n{\"a\": 4}", []string{
			`in:1, items[0]: {"a": 1}`,
			"in:1, items[1]: error: is not valid JSON: malformed JSON at byte offset 3: neither a comma nor the closing bracket; the rest of the List is not read",
			`in:2, document 2: {"a": 4}`,
		}, "where it ends is not known"},
		{
			"an error in a line of JSON", "{\"a\": 1}\n{\"a\":\n{\"a\": 3}\n{\"a\": \"x\n{\"a\": 5}\n{\"a\": 6]}\n{\"a\": 7}, 8\n{\"a\": 9}",
			[]string{
				`in: {"a": 1}`,
				`in:2, document 2: error: is not valid JSON: malformed JSON at byte offset 15: neither a comma nor the closing bracket`,
				`in:3, document 3: {"a": 3}`,
				`in:4, document 4: error: is not valid JSON: malformed JSON at byte offset 8: a control character in a string`,
				`in:5, document 5: {"a": 5}`,
				`in:6, document 6: error: is not valid JSON: malformed JSON at byte offset 7: neither a comma nor the closing bracket`,
				`in:7, document 7: {"a": 7}`,
				`in:7, document 8: error: is not valid JSON: something follows a JSON value in its line`,
				`in:8, document 9: {"a": 9}`,
			},
			"reading goes on in the next line that may begin a value",
		},
		{"an error in the first line of JSON", "{\"a\":\n{\"a\": 3}\n", []string{
			`in: error: is not valid YAML or JSON: it ends within a JSON value; the file may be cut off`, `in:2, document 2: {"a": 3}`,
		}, "it is no YAML either"},
		{"a line of JSON that ends within a list", "{\"a\": 1}\n{\"a\": [1,\n{\"a\": 3}\n{\"a\": 4}\n", []string{
			`in: {"a": 1}`,
			`in:2, document 2: error: is not valid JSON: malformed JSON at byte offset 19: neither a comma nor the closing bracket`,
			`in:3, document 3: {"a": 3}`, `in:4, document 4: {"a": 4}`,
		}, "two values without a comma are no elements"},
		{
			"JSON without indentation", "{\n\"a\": [\n{\"b\": 1},\n{\"b\": 2}\n]\n}\n",
			[]string{"in: {\n\"a\": [\n{\"b\": 1},\n{\"b\": 2}\n]\n}"},
			"elements may begin lines",
		},
		{"JSON that is cut off", "{\"kind\": \"List\", \"items\": [\n{\"a\": 1},\n{\"a\"", []string{
			`in:2, items[0]: {"a": 1}`,
			`in:3, items[1]: error: is not valid YAML or JSON: it ends within a JSON value; the file may be cut off; the rest of the List is not read`,
		}, "what can be read is read"},
		{"a List that is cut off", "items:\n- a: 1\n- a: 2\n", []string{
			`in:2, items[0]: {"a":1}`, `in:3, items[1]: {"a":2}`, "in: error: is not a List, but has items; the file may be cut off",
		}, "what can be read is read"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, collect([]string{manifest.Stdin}, strings.NewReader(test.in)), test.reason)
			assert.Equal(t, test.want, collect([]string{manifest.Stdin}, iotest.OneByteReader(strings.NewReader(test.in))), "byte by byte")
			assert.Equal(t, test.want, collect([]string{manifest.Stdin}, bytes.NewReader(zipped(t, test.in))), "gzip")
		})
	}
}

// zipped returns a text as gzip writes it.
func zipped(tb testing.TB, text string) []byte {
	tb.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write([]byte(text))
	require.NoError(tb, err)
	require.NoError(tb, w.Close())
	return out.Bytes()
}

// What was read before a stream broke off is no document, even if it would be a valid one.
func TestBrokenStreamEndsWithoutItsLastDocument(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"a: 1\n---\nb: 1\n":  {`in: {"a":1}`, "in:4, document 2: error: unexpected EOF"},
		"{\"a\":1}\n{\"b\":": {`in: {"a":1}`, "in:2, document 2: error: unexpected EOF"},
		"":                   {"in: error: unexpected EOF"},
	} {
		in := io.MultiReader(strings.NewReader(text), iotest.ErrReader(io.ErrUnexpectedEOF))
		assert.Equal(t, want, collect([]string{manifest.Stdin}, in))
	}
	packed := zipped(t, "a: 1\n---\n"+strings.Repeat("b: 1\n", 1000))
	got := collect([]string{manifest.Stdin}, bytes.NewReader(packed[:len(packed)-5]))
	require.NotEmpty(t, got)
	assert.Contains(t, got[len(got)-1], "unexpected EOF")
}

func TestObjectsOfDirectories(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for name, text := range map[string]string{
		"b.yaml": "k: 1", "a.yml": "k: 0", "sub/c.json": `{"k":2}`, "sub/d.txt": "k: 9", ".hidden.yaml": "k: 9", ".git/e.yaml": "k: 9",
		"sub/f.yaml": "{", "z.yaml": "k: 3", "core.gardener.cloud.v1beta1.Shoot.ns.name": "k: 5", "g.ndjson": "{}",
		"v1.Secret.ns.name": "k: 9",
		"empty.yaml":        "", "x.yaml.gz": string(zipped(t, "k: 6")), "y.json.zst": "\x28\xb5\x2f\xfd\x00", "bad.json.gz": "\x1f\x8bx",
	} {
		file := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	got := collect(
		[]string{root, filepath.Join(root, "sub/d.txt"), filepath.Join(root, "missing"), manifest.Stdin}, strings.NewReader("k: 4"),
	)
	want := []string{
		root + `/a.yml: {"k":0}`, root + `/b.yaml: {"k":1}`, root + "/bad.json.gz: error: unexpected EOF",
		root + `/core.gardener.cloud.v1beta1.Shoot.ns.name: {"k":5}`,
		root + `/g.ndjson: {}`, root + `/sub/c.json: {"k":2}`,
		root + "/sub/f.yaml: error: is not valid YAML or JSON: it ends within a JSON value; the file may be cut off",
		root + `/x.yaml.gz: {"k":6}`,
		root + "/y.json.zst: error: is compressed by zstd; decompress it: zstd -dc FILE | hotupdate audit … -", root + `/z.yaml: {"k":3}`,
		root + `/sub/d.txt: {"k":9}`,
		root + "/missing: error: no such file or directory", `in: {"k":4}`,
	}
	assert.Equal(t, want, got, "by name, hidden ones and other endings left out, a file by its own name whatever its ending")
}

// Whoever stops reading gets no more, wherever it is.
func TestReadingStops(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for i := range 3 {
		text := "kind: List\nitems:\n- {}\n- {}\n---\na: 1\n---\n{}\n{}\n[\n---\nb: 1"
		require.NoError(t, os.WriteFile(filepath.Join(root, fmt.Sprintf("%d.yaml", i)), []byte(text), 0o600))
	}
	all := collect([]string{root, root}, nil)
	require.Len(t, all, 42)
	for stop := range all {
		read := 0
		for range manifest.Objects([]string{root, root}, nil) {
			if read++; read > stop {
				break
			}
		}
		assert.Equal(t, stop+1, read)
	}
}

// Whatever comes in, reading ends with objects that are JSON, or with errors. Text that is no List has the same objects
// whether it is small or preceded by others.
func FuzzObjects(f *testing.F) {
	for _, seed := range []string{
		"a: 1\n---\nb: [1, 2]\n", "{\"a\": 1}{}", "%YAML 1.1\n---\n&a [*a]", "--- x\n...\n--- |\n  y", "\ufeffa: 1",
		"kind: List\nitems: [1]",
		"items:\n- a\n-\n  b: 1\nkind: List", "{\"items\":[1,{}],\"kind\":\"List\"}", "{\"a\":\n{}\n[}", "{a: b}: c",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		line := 0
		for o := range manifest.Objects([]string{manifest.Stdin}, bytes.NewReader(in)) {
			require.GreaterOrEqual(t, o.Line, line)
			line = o.Line
			require.LessOrEqual(t, line, bytes.Count(in, []byte("\n"))+1)
			if o.Err != nil {
				require.Nil(t, o.Tree)
				continue
			}
			require.True(t, json.Valid(o.Tree.JSON()), "%s", o.Tree.JSON())
		}
	})
}

// A line of JSON that is cut off does not take a long one behind it along.
func TestLongLineBehindOneThatIsCutOff(t *testing.T) {
	t.Parallel()
	long := `{"a":"` + strings.Repeat("x", 200<<10) + `"}`
	got := collect([]string{manifest.Stdin}, strings.NewReader("{\"a\":\n"+long))
	assert.Equal(
		t,
		[]string{"in: error: is not valid YAML or JSON: it ends within a JSON value; the file may be cut off", "in:2, document 2: " + long},
		got,
	)
}
