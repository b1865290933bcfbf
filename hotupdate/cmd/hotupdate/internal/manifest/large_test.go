//go:build !race

package manifest_test

import (
	"fmt"
	"io"
	"iter"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/internal/effort"
)

// These tests read tens of megabytes. The race detector makes that ten times slower, and nothing here is concurrent.

// pieces is a reader of texts that need not be in memory at once.
func pieces(texts iter.Seq[string]) io.Reader {
	next, _ := iter.Pull(texts)
	var rest string
	return readerFunc(func(p []byte) (int, error) {
		for rest == "" {
			text, ok := next()
			if !ok {
				return 0, io.EOF
			}
			rest = text
		}
		n := copy(p, rest)
		rest = rest[n:]
		return n, nil
	})
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// list is a List of count items in one of the ways in which it is written, from its beginning to its end.
func list(count int, begin, end string, item func(i int) string) iter.Seq[string] {
	return func(yield func(string) bool) {
		more := yield(begin)
		for i := 0; i < count && more; i++ {
			more = yield(item(i))
		}
		_ = more && yield(end)
	}
}

var padding = strings.Repeat("x", 1000)

// forms are the ways in which a List is written.
var forms = map[string]func(count int) iter.Seq[string]{
	"kubectl yaml": func(count int) iter.Seq[string] {
		return list(count, "apiVersion: v1\nitems:\n", "kind: List\nmetadata:\n  resourceVersion: \"\"\n", func(i int) string {
			return fmt.Sprintf("- i: %d\n  text: |\n    - a\n  # items:\n  x: %s\n", i, padding)
		})
	},
	"indented yaml": func(count int) iter.Seq[string] {
		return list(count, "# a\n---\nkind: WorkerList\nitems: # here\n\n", "---\n", func(i int) string {
			return fmt.Sprintf("  -\n    i: %d\n    text: |\n      - a\n\n    x: %s\n", i, padding)
		})
	},
	"kubectl json": func(count int) iter.Seq[string] {
		return list(count, "{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n", "    ],\n    \"kind\": \"List\"\n}\n", func(i int) string {
			return fmt.Sprintf(
				"        {\n            \"i\": %d,\n            \"text\": \"- a\\n\",\n            \"x\": %q\n        }%s\n", i, padding,
				strings.Repeat(",", min(count-1-i, 1)),
			)
		})
	},
	"compact json": func(count int) iter.Seq[string] {
		return list(count, `{"kind":"List","metadata":{"items":[]},"items":[`, "]}", func(i int) string {
			return fmt.Sprintf(`%s{"i":%d,"text":"- a\n","x":%q}`, strings.Repeat(",", min(i, 1)), i, padding)
		})
	},
	"json lines": func(count int) iter.Seq[string] {
		return list(count, "", "", func(i int) string { return fmt.Sprintf(`{"i":%d,"text":"- a\n","x":%q}`+"\n", i, padding) })
	},
	"documents": func(count int) iter.Seq[string] {
		return list(count, "", "", func(i int) string { return fmt.Sprintf("---\ni: %d\ntext: |\n  - a\nx: %s\n", i, padding) })
	},
}

// A List that is passed on while it is read has the items of one that is read as a whole.
func TestLargeListsAreLikeSmallOnes(t *testing.T) {
	for name, form := range forms {
		for _, count := range []int{3, effort.Of(3000)} {
			i := 0
			for o := range manifest.Objects([]string{manifest.Stdin}, pieces(form(count))) {
				require.NoError(t, o.Err, name)
				require.JSONEq(t, fmt.Sprintf(`{"i":%d,"text":"- a\n","x":%q}`, i, padding), string(o.Tree.JSON()), name)
				if !strings.Contains(name, "lines") && name != "documents" {
					require.Equal(t, i, o.Item, name)
					require.Equal(t, 1, o.Number, name)
				}
				i++
			}
			assert.Equal(t, count, i, name)
		}
	}
}

// The memory that a stream takes does not depend on its length.
func TestStreamsDoNotFillMemory(t *testing.T) {
	for name, form := range forms {
		const count = 20_000 // 20 MB
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		read := 0
		for d := range manifest.Documents([]string{manifest.Stdin}, pieces(form(count))) {
			_ = d
			if read++; read == count {
				runtime.GC()
				runtime.ReadMemStats(&after)
			}
		}
		assert.Equal(t, count, read, name)
		assert.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(8<<20), name)
	}
}

// A large List that is cut off, or is none, is told besides its items.
func TestLargeListsThatAreNone(t *testing.T) {
	for name, test := range map[string]struct {
		form    string
		replace func(all []string) []string
		want    string
	}{
		"cut off after an item of YAML": {
			"kubectl yaml", func(all []string) []string { return all[:len(all)-1] },
			"is not a List, but has items; the file may be cut off",
		},
		"another kind behind the items": {
			"kubectl yaml", func(all []string) []string { return append(all[:len(all)-1], "kind: Shoot\n") },
			"is not a List, but has items; the file may be cut off",
		},
		"items in two indentations": {
			"indented yaml", func(all []string) []string { return append(all, "a: [\n") },
			"is not a List, but has items; the file may be cut off",
		},
		"cut off after an item of JSON": {
			"compact json", func(all []string) []string { return all[:len(all)-1] },
			"is not valid YAML or JSON: it ends within a JSON value; the file may be cut off; the rest of the List is not read",
		},
		"cut off within an item of JSON": {
			"compact json", func(all []string) []string { return append(all[:len(all)-1], ",{\"a\"") },
			"is not valid YAML or JSON: it ends within a JSON value; the file may be cut off; the rest of the List is not read",
		},
		"another kind behind JSON": {
			"kubectl json", func(all []string) []string { return append(all[:len(all)-1], `], "kind": "Shoot"}`) },
			"is not a List, but has items; the file may be cut off",
		},
	} {
		if name == "items in two indentations" {
			test.replace = func(all []string) []string { return append(all[:len(all)-1], "- a: 1\n") }
		}
		all := test.replace(slices.Collect(forms[test.form](2000)))
		var problems []string
		items := 0
		for o := range manifest.Objects([]string{manifest.Stdin}, pieces(slices.Values(all))) {
			if o.Err != nil {
				problems = append(problems, o.Err.Error())
			} else {
				items++
			}
		}
		assert.Equal(t, []string{test.want}, problems, name)
		assert.Equal(t, 2000, items, name)
	}
}

// The limit holds for each object, not for the stream. What is larger is passed over.
func TestLimitOfAnObject(t *testing.T) {
	half := strings.Repeat("x", manifest.MaxSize/2)
	for name, test := range map[string]struct {
		in   string
		want []int // lines, negative ones of problems
	}{
		"documents of half the limit": {"a: " + half + "\n---\na: " + half + "\n---\n{\"a\":\"" + half + "\"}\n", []int{1, 3, 5}},
		"a YAML document":             {"b: 1\n---\na: " + half + "\nb: " + half + "\n---\nc: 1\n", []int{1, -3, 6}},
		"a line":                      {"b: 1\n---\na: " + half + half + half + "\n---\nc: 1\n", []int{1, -3, 5}},
		"a JSON value":                {"{\"a\":\"" + half + "\",\"b\":\"" + half + "\"}\n{}\n---\n{}\n", []int{-1, 2, 4}},
		"white space":                 {"{" + strings.Repeat(" ", 2*manifest.MaxSize) + "}\n{}", []int{-1, 2}},
		"an item of JSON":             {"{\"items\":[{},\n{\"a\":\"" + half + "\",\"b\":\"" + half + "\"}\n]}\n{}", []int{1, -2, 4}},
		"an item of YAML":             {"items:\n- a: 1\n- a: " + half + "\n  b: " + half + "\n- c: 1\nkind: List\n", []int{2, -3, 5}},
		"members before the items":    {"{\"a\":\"" + half + "\",\"b\":\"" + half + "\",\"items\":[{}]}\n{}", []int{-1, 2}},
	} {
		var lines []int
		for o := range manifest.Objects([]string{manifest.Stdin}, strings.NewReader(test.in)) {
			line := o.Line
			if o.Err != nil {
				assert.ErrorContains(t, o.Err, "is larger than 10 MiB", name)
				line = -line
			}
			lines = append(lines, line)
		}
		assert.Equal(t, test.want, lines, name)
	}
}

// BenchmarkDocuments prints how fast a stream is cut, which is done by one processor for all others.
func BenchmarkDocuments(b *testing.B) {
	for name, form := range forms {
		text := strings.Join(slices.Collect(form(10_000)), "")
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				for d := range manifest.Documents([]string{manifest.Stdin}, strings.NewReader(text)) {
					_ = d
				}
			}
		})
	}
}
