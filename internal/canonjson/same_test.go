package canonjson_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/internal/canonjson"
)

// isOneValue is what Same says, by the oracle's trees.
func isOneValue(a, b string) bool {
	tree, problems := oracle(a)
	other, otherProblems := oracle(b)
	return len(problems) == 0 && len(otherProblems) == 0 && spelledAlike(tree, other)
}

// spelledAlike compares trees, and numbers as they are spelled.
func spelledAlike(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		return a == b
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, spelledAlike)
	case []pair:
		b, ok := b.([]pair)
		return ok && len(a) == len(b) && !slices.ContainsFunc(a, func(m pair) bool {
			at := slices.IndexFunc(b, func(other pair) bool { return m.name == other.name })
			return at < 0 || !spelledAlike(m.value, b[at].value)
		})
	default:
		return same(a, b)
	}
}

func checkSame(t require.TestingT, a, b string) (same bool) {
	same = isOneValue(a, b)
	require.Equal(t, same, canonjson.Same([]byte(a), []byte(b)), "%q\n%q", a, b)
	require.Equal(t, same, canonjson.Same([]byte(b), []byte(a)), "%q\n%q", b, a)
	return same
}

// indented is raw with other white space, which keeps the order of members.
func indented(t *rapid.T, raw string) string {
	space := rapid.SampledFrom([]string{"", " ", "\n\t"}).Draw(t, "space")
	var b strings.Builder
	inText := false
	for i := range len(raw) {
		c := raw[i]
		if c == '"' && (i == 0 || raw[i-1] != '\\') {
			inText = !inText
		}
		b.WriteByte(c)
		if !inText && strings.IndexByte("{[,:", c) >= 0 {
			b.WriteString(space)
		}
	}
	return b.String()
}

func TestSame(t *testing.T) {
	var found, not int
	rapid.Check(t, func(t *rapid.T) {
		tree := genTree(3).Draw(t, "tree")
		a := spell(t, tree)
		for _, b := range []string{indented(t, a), spell(t, tree), spell(t, change(t, tree)), indented(t, naiveValue(change(t, tree)))} {
			for _, pair := range [][2]string{{a, b}, {naiveValue(tree), b}} {
				if checkSame(t, pair[0], pair[1]) {
					found++
				} else {
					not++
				}
			}
		}
	})
	assert.NotZero(t, found)
	assert.NotZero(t, not)
}

// TestSameRefuses: what AppendValue refuses is the same as nothing, be it spelled alike or not.
func TestSameRefuses(t *testing.T) {
	many := func(count, step int, last string) string {
		var members []string
		for i := range count {
			members = append(members, fmt.Sprintf(`"%03d":1`, i*step%count))
		}
		return "{" + strings.Join(append(members, last), ",") + "}"
	}
	for _, tc := range []struct {
		name, raw string
		want      bool
		reason    string
	}{
		{"good", `{"a":[1,{"b":"x"}],"c":null}`, true, "one value"},
		{"twice", `{"a":1,"b":2,"a":1}`, false, "a duplicate, out of order"},
		{"twice in a row", `{"a":1,"a":1}`, false, "a duplicate, in order"},
		{"twice below", `{"a":{"c":1,"b":2,"c":1}}`, false, "a duplicate"},
		{"the name of the object around", `{"b":{"a":1,"b":2},"a":2}`, true, "another object"},
		{"the name of an object before", `{"b":{"a":1},"a":{"a":1,"b":3}}`, true, "another object"},
		{"twice, once escaped", `{"a":1,"\u0061":1}`, false, "a duplicate"},
		{"many, in order", many(200, 1, `"x":1`), true, "one value"},
		{"many, in order, and one again", many(200, 1, `"007":1`), false, "a duplicate"},
		{"many, shuffled", many(199, 7, `"x":1`), true, "one value"},
		{"many, shuffled, and one again", many(199, 7, `"007":1`), false, "a duplicate"},
		{"some, shuffled, and one again", many(61, 7, `"007":1`), false, "a duplicate"},
		{"huge number", `{"a":1e1000}`, false, "beyond the bound"},
		{"lone surrogate", `{"a":"\ud800"}`, false, "no text"},
		{"invalid UTF-8", "{\"a\":\"\xff\"}", false, "no text"},
		{"control character", "{\"a\":\"\n\"}", false, "no JSON"},
		{"deep", nest("[", "]", 1000), true, "the bound"},
		{"too deep", nest("[", "]", 1001), false, "beyond the bound"},
		{"byte-order mark", "\ufeff{}", false, "no JSON"},
		{"two values", "{} {}", false, "no JSON"},
		{"nothing", "", false, "no JSON"},
		{"cut short", `{"a":1`, false, "no JSON"},
		{"trailing comma", `[1,]`, false, "no JSON"},
		{"no name", `{1:2}`, false, "no JSON"},
		{"half a name", `{x":1}`, false, "no JSON"},
		{"empty name", `{"":""}`, true, "one value"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			assert.Equal(t, tc.want, checkSame(t, tc.raw, tc.raw+" "), tc.reason)
			assert.Equal(t, tc.want, checkSame(t, tc.raw, tc.raw), tc.reason)
		})
	}
	for _, differ := range [][2]string{{"1", "12"}, {"12", "1"}, {"1", "1.0"}, {"[1]", "[1,2]"}, {`{"a":1}`, `{"a":1,"b":2}`}, {`"a"`, `"ab"`}, {"{}", "[]"}, {"[]", "[1]"}, {"true", "false"}} {
		assert.False(t, checkSame(t, differ[0], differ[1]), "%s", differ)
	}
}

func FuzzSame(f *testing.F) {
	for _, seed := range []string{workerConfig, `{"a":1,"a":1}`, `[1,1.0,-0,1e1000]`, `{"b":1,"a":"\u0061"}`, "\"\xff\"", `{"\ud800":1}`} {
		f.Add(seed, seed+" ")
		f.Add(seed, `{"a":"a", "b":1}`)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		checkSame(t, a, b)
		checkSame(t, a, " "+a)
	})
}
