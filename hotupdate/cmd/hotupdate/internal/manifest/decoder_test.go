package manifest_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	parser "go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
)

// decoded reads all objects with the decoder of apimachinery; errors stand in their place.
func decoded(t *testing.T, in string) (documents []string) {
	t.Helper()
	decoder := yaml.NewYAMLOrJSONDecoder(strings.NewReader(in), 4096)
	for range 10 { // some errors are returned again and again
		var object json.RawMessage
		err := decoder.Decode(&object)
		switch {
		case errors.Is(err, io.EOF):
			return documents
		case err != nil:
			documents = append(documents, "error: "+err.Error())
		default:
			documents = append(documents, string(object))
		}
	}
	return documents
}

// TestDecoderOfApimachinery: each row is a promise of this package that the decoder of apimachinery breaks. If a new
// version of apimachinery changes a row, weigh the decoder again.
func TestDecoderOfApimachinery(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, in     string
		ours, theirs []string
	}{
		{
			"an object after ... is lost without an error", "a: 1\n...\nb: 2\n",
			[]string{`in: {"a":1}`, `in:3, document 2: {"b":2}`},
			[]string{`{"a":1}`},
		},
		{
			"JSON lines after YAML are lost without an error", "a: 1\n---\n{\"b\":2}\n{\"c\":3}\n",
			[]string{`in: {"a":1}`, `in:3, document 2: {"b":2}`, `in:4, document 3: {"c":3}`},
			[]string{`{"a":1}`, `{"b":2}`},
		},
		{
			"content after a marker is refused", "--- {a: 1}\n--- {b: 2}\n",
			[]string{`in: {"a":1}`, `in:2, document 2: {"b":2}`},
			[]string{"error: invalid Yaml document separator: {a: 1}", "error: invalid Yaml document separator: {b: 2}"},
		},
		{
			"a directive is refused", "%YAML 1.1\n---\na: 1\n",
			[]string{`in: {"a":1}`},
			[]string{"error: error converting YAML to JSON: yaml: line 1: did not find expected <document start>", `{"a":1}`},
		},
		{
			"JSON after a byte-order mark is read as YAML, which spells numbers anew", "\ufeff{\"a\":1.10}",
			[]string{`in: {"a":1.10}`},
			[]string{`{"a":1.1}`},
		},
		{
			"the lines after a broken line of JSON are not read", "{\"a\":1}\n{\"b\":]\n{\"c\":3}\n",
			[]string{
				`in: {"a":1}`,
				"in:2, document 2: error: is not valid JSON: malformed JSON at byte offset 5: no value where one is due",
				`in:3, document 3: {"c":3}`,
			},
			[]string{`{"a":1}`, "error: json: offset 14: invalid character ']' looking for beginning of value"},
		},
		{
			"an error has no line of the file", "a: 1\n---\nb: 2\nc: [\n",
			[]string{`in: {"a":1}`, "in:3, document 2: error: is not valid YAML or JSON: line 4: did not find expected node content"},
			[]string{`{"a":1}`, "error: error converting YAML to JSON: yaml: line 2: did not find expected node content"},
		},
		{
			"an error in an item of a List loses all items", "kind: List\nitems:\n- a: 1\n- b: [\n- c: 3\n",
			[]string{
				`in:3, items[0]: {"a":1}`,
				"in:4, items[1]: error: is not valid YAML or JSON: line 4: did not find expected node content",
				`in:5, items[2]: {"c":3}`,
			},
			[]string{"error: error converting YAML to JSON: yaml: line 4: did not find expected node content"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tc.ours, collect([]string{manifest.Stdin}, strings.NewReader(tc.in)))
			assert.Equal(t, tc.theirs, decoded(t, tc.in))
		})
	}
}

// TestReaderOfApimachinery: the reader holds a whole List, of any size, where this package holds an item.
func TestReaderOfApimachinery(t *testing.T) {
	t.Parallel()
	item := "- a: " + strings.Repeat("x", 1<<20) + "\n"
	in := "kind: List\nitems:\n" + strings.Repeat(item, 2*manifest.MaxSize>>20)
	whole, err := yaml.NewYAMLReader(bufio.NewReader(strings.NewReader(in))).Read()
	require.NoError(t, err)
	assert.Len(t, whole, len(in))
	largest := 0
	for d := range manifest.Documents([]string{manifest.Stdin}, strings.NewReader(in)) {
		largest = max(largest, len(d.Text()))
	}
	assert.Equal(t, len(item), largest)
}

// TestDecoderOfTheParser: the YAML parser can read a stream, and its nodes have the lines of the file. But it refuses
// JSON lines, and after an error it returns that error for ever.
func TestDecoderOfTheParser(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][]string{
		"a: 1\n---\nb: [\n---\nc: 3\n": {
			`in: {"a":1}`, "in:3, document 2: error: is not valid YAML or JSON: line 3: did not find expected node content",
			`in:5, document 3: {"c":3}`,
		},
		"{\"a\":1}\n{\"b\":2}\n": {`in: {"a":1}`, `in:2, document 2: {"b":2}`},
	} {
		assert.Equal(t, want, collect([]string{manifest.Stdin}, strings.NewReader(in)))
		decoder := parser.NewDecoder(strings.NewReader(in))
		require.NoError(t, decoder.Decode(new(parser.Node)))
		err := decoder.Decode(new(parser.Node))
		require.ErrorContains(t, err, "did not find expected")
		for range want {
			require.Equal(t, err, decoder.Decode(new(parser.Node)))
		}
	}
}
