package hotupdate_test

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
)

type (
	places struct {
		Odd   string               `json:"odd.name/~[0]"`
		Map   map[string]string    `json:"map"`
		Ints  map[int]oddKey       `json:"ints"`
		List  []oddKey             `json:"list"          hotupdatable:"false,key=a.b"`
		Count []counted            `json:"count"         hotupdatable:"false,key=n"`
		Set   []string             `json:"set"           hotupdatable:"false,set"`
		Sets  []oddKey             `json:"sets"          hotupdatable:"false,set"`
		Args  [][]string           `json:"args"`
		Array [2]bool              `json:"array"`
		Deep  map[string][]counted `json:"deep"`
	}
	oddKey struct {
		Name  string `json:"a.b"`
		Value string `json:"value"`
	}
	counted struct {
		N     uint8  `json:"n"`
		Value string `json:"value"`
	}
)

// TestPathsAndPointers lists changes as operation, path and pointer, and follows every pointer into the JSON of the configuration.
func TestPathsAndPointers(t *testing.T) {
	for _, tc := range []struct {
		name         string
		old, updated *places
		want         []string
	}{
		{"member with an odd name", nil, &places{Odd: "a"}, []string{`add ["odd.name/~[0]"] /odd.name~1~0[0]`}},
		{"map keys", nil, &places{Map: map[string]string{
			"a.b": "1", "a/b": "2", "~1": "3", "a[0]": "4", `a"b`: "5", "a\nb": "6", "": "7", "a=b": "8", "größe": "9", "\u202e": "10",
		}}, []string{
			`add map[""] /map/`, `add map["a\nb"] /map/a` + "\n" + `b`, `add map["a\"b"] /map/a"b`, `add map[a.b] /map/a.b`,
			`add map[a/b] /map/a~1b`,
			`add map["a=b"] /map/a=b`, `add map["a[0]"] /map/a[0]`, `add map[größe] /map/größe`, `add map[~1] /map/~01`,
			`add map["\u202e"] /map/` + "\u202e",
		}},
		{
			"integer map keys", &places{Ints: map[int]oddKey{10: {Value: "a"}, -1: {Value: "b"}, 9: {}}}, &places{Ints: map[int]oddKey{9: {}}},
			[]string{
				"remove ints[-1].value /ints/-1/value", "remove ints[10].value /ints/10/value",
			},
		},
		{
			"keyed list", &places{List: []oddKey{{"x", "1"}, {"y]", "2"}, {"gone", "3"}}},
			&places{List: []oddKey{{"new", "4"}, {"y]", "5"}, {"x", "6"}}},
			[]string{
				"remove list[a.b=gone].value /list/2/value", "add list[a.b=new].value /list/0/value",
				"replace list[a.b=x].value /list/2/value", `replace list[a.b="y]"].value /list/1/value`,
			},
		},
		{"list keyed by integers", nil, &places{Count: []counted{{10, "a"}, {9, "b"}, {0, "c"}}}, []string{
			"add count[n=0].value /count/2/value", "add count[n=9].value /count/1/value", "add count[n=10].value /count/0/value",
		}},
		{"set", &places{Set: []string{"b", "", "a"}}, &places{Set: []string{"c", "b", "[x]", "c"}}, []string{
			`remove set[=""] /set/1`, `add set[="[x]"] /set/2`, "remove set[=a] /set/2", "add set[=c] /set/0",
		}},
		{"set of structs", &places{Sets: []oddKey{{"a", "1"}, {"b", "2"}}}, &places{Sets: []oddKey{{"b", "2"}, {"c", "3"}}}, []string{
			"remove sets[0] /sets/0", "add sets[1] /sets/1",
		}},
		{"lists of lists", &places{Args: [][]string{{"a"}, {"b", "c"}}}, &places{Args: [][]string{{"a"}, {"b", "d"}, nil, {}}}, []string{
			"replace args[1][1] /args/1/1", "add args[2] /args/2", "add args[3] /args/3",
		}},
		{"array", nil, &places{Array: [2]bool{false, true}}, []string{"replace array[1] /array/1"}},
		{"lists in a map", nil, &places{Deep: map[string][]counted{"a/b": {{N: 1}}}}, []string{"add deep[a/b][0].n /deep/a~1b/0/n"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			changes, err := schemaFor[places](t).Diff(tc.old, tc.updated)
			require.NoError(t, err)
			var lines []string
			for _, c := range changes {
				lines = append(lines, string(c.Op)+" "+c.Path+" "+c.Pointer)
				checkPointer(t, c, tc.old, tc.updated)
			}
			assert.Equal(t, tc.want, lines)
		})
	}
}

// checkPointer follows the pointer of a change into the JSON of its configuration, and compares the value there.
func checkPointer(t *testing.T, c hotupdate.Change, old, updated any) {
	t.Helper()
	config := updated
	want := c.New
	if c.Op == hotupdate.OpRemove {
		config = old
		want = c.Old
	}
	if want == "{}" || want == "[]" || want == "null" {
		return // an element without its content
	}
	text, err := json.Marshal(config)
	require.NoError(t, err)
	var value any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	require.NoError(t, decoder.Decode(&value))
	found, err := json.Marshal(followPointer(t, value, c.Pointer))
	require.NoError(t, err)
	assert.JSONEq(t, want, string(found), c.Pointer)
}

// followPointer resolves an RFC 6901 pointer.
func followPointer(t *testing.T, value any, pointer string) any {
	t.Helper()
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		switch v := value.(type) {
		case map[string]any:
			require.Contains(t, v, token, pointer)
			value = v[token]
		case []any:
			at, err := strconv.Atoi(token)
			require.NoError(t, err, pointer)
			require.Less(t, at, len(v), pointer)
			value = v[at]
		default:
			require.Fail(t, "nothing stands there", pointer)
		}
	}
	return value
}
