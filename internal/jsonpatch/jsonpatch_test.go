package jsonpatch_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	library "gopkg.in/evanphx/json-patch.v4"

	"github.com/hotupdate/providerconfig/internal/jsonpatch"
)

func tree(t *testing.T, raw string) any {
	t.Helper()
	parsed, err := jsonpatch.Parse([]byte(raw))
	require.NoError(t, err)
	return parsed
}

func TestDiff(t *testing.T) {
	for _, tc := range []struct{ name, old, updated, want, reason string }{
		{"nothing", `{"a":[1,{"b":null}]}`, `{ "a": [1, {"b": null}] }`, `[]`, "white space means nothing"},
		{
			"members", `{"a":1,"b":2,"c":3}`, `{"b":4,"c":3,"d":null}`,
			`[{"op":"remove","path":"/a"},{"op":"replace","path":"/b","value":4},{"op":"add","path":"/d","value":null}]`,
			"in the order of their names; null is a value",
		},
		{"spelling of a number", `{"a":1}`, `{"a":1.0}`, `[{"op":"replace","path":"/a","value":1.0}]`, "it is compared, and kept"},
		{
			"large number", `{}`, `{"a":123456789012345678901}`, `[{"op":"add","path":"/a","value":123456789012345678901}]`,
			"no number is rounded",
		},
		{"shape", `{"a":{"b":1}}`, `{"a":["b"]}`, `[{"op":"replace","path":"/a","value":["b"]}]`, "an object is no list"},
		{"null", `{"a":null}`, `{"a":{}}`, `[{"op":"replace","path":"/a","value":{}}]`, "null is no object"},
		{
			"a list shrinks", `[1,2,3,4]`, `[1,5]`,
			`[{"op":"replace","path":"/1","value":5},{"op":"remove","path":"/3"},{"op":"remove","path":"/2"}]`, "from the end",
		},
		{
			"a list grows", `[[1]]`, `[[1,2],3]`, `[{"op":"add","path":"/0/1","value":2},{"op":"add","path":"/1","value":3}]`,
			"place by place",
		},
		{"escapes", `{"a/b":{"c~d":1}}`, `{"a/b":{"c~d":"<"}}`, `[{"op":"replace","path":"/a~1b/c~0d","value":"<"}]`, "in pointers only"},
		{
			"empty name", `{"":{"a":1}}`, `{"":{"a":2}}`, `[{"op":"replace","path":"/","value":{"a":2}}]`,
			"the library finds nothing below it",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			written, err := jsonpatch.Diff(tree(t, tc.old), tree(t, tc.updated))
			require.NoError(t, err)
			require.Equal(t, tc.want, string(written), tc.reason)
			patch, err := library.DecodePatch(written)
			require.NoError(t, err)
			patched, err := patch.Apply([]byte(tc.old))
			require.NoError(t, err)
			require.Equal(t, tree(t, tc.updated), tree(t, string(patched)))
		})
	}
}
