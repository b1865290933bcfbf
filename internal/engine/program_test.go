package engine_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/internal/engine"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/rawjson"
)

// documentOf returns the document that a run writes at once.
func documentOf(p *fieldplan.Plan, c any) ([]byte, error) {
	return engine.Of(p).Append(nil, reflect.ValueOf(c))
}

// isSame reports whether a and b are valid and mean the same.
func isSame(p *fieldplan.Plan, a, b any) bool {
	changes, err := engine.Diff(p, reflect.ValueOf(a), reflect.ValueOf(b))
	return err == nil && len(changes) == 0
}

// Nested keyed lists whose later keys have another order are compared once on each level.
func TestNestedKeyedListsTakeLinearTime(t *testing.T) {
	type tree struct {
		Name string `json:"name"`
		Kids []tree `json:"kids" hotupdatable:"false,key=name"`
	}
	type root struct {
		Kids []tree `json:"kids" hotupdatable:"false,key=name"`
	}
	p, err := fieldplan.Compile(reflect.TypeFor[root](), nil, rawjson.ReadPart)
	require.NoError(t, err)
	nested := func(innermost, first, second string) *root {
		kids := []tree{{Name: innermost}}
		for range 30 {
			kids = []tree{{Name: "a", Kids: kids}, {Name: first}, {Name: second}}
		}
		return &root{kids}
	}
	assert.True(t, isSame(p, nested("x", "b", "c"), nested("x", "c", "b")))
	assert.False(t, isSame(p, nested("x", "b", "c"), nested("y", "c", "b")))
}

// Many keyed lists in another order are no deeper than one.
func TestKeyedListsInOtherOrderAreNotDeep(t *testing.T) {
	type part struct {
		Name string `json:"name"`
	}
	type root struct {
		Lists []struct {
			Parts []part `json:"parts" hotupdatable:"false,key=name"`
		} `json:"lists"`
	}
	p, err := fieldplan.Compile(reflect.TypeFor[root](), nil, rawjson.ReadPart)
	require.NoError(t, err)
	var a, b root
	a.Lists = slices.Grow(a.Lists, 2*engine.MaxDepth)[:2*engine.MaxDepth]
	b.Lists = slices.Grow(b.Lists, 2*engine.MaxDepth)[:2*engine.MaxDepth]
	for i := range a.Lists {
		a.Lists[i].Parts = []part{{"a"}, {"b"}}
		b.Lists[i].Parts = []part{{"b"}, {"a"}}
	}
	assert.True(t, isSame(p, &a, &b))
}

// manyKeys is a type whose document encoding/json writes too, if the lists are in order.
type manyKeys struct {
	Named  []manyNames          `json:"named,omitempty"  hotupdatable:"false,key=name"`
	Ranked []manyRanks          `json:"ranked,omitempty" hotupdatable:"false,key=rank"`
	Tags   map[string]string    `json:"tags,omitempty"`
	Tree   map[string]manyNames `json:"tree,omitempty"`
}

type manyNames struct {
	Name string `json:"name"`
}

type manyRanks struct {
	Rank int16 `json:"rank"`
}

// TestOrderOfManyKeys: large maps and keyed lists are sorted with other algorithms than small ones.
func TestOrderOfManyKeys(t *testing.T) {
	p, err := fieldplan.Compile(reflect.TypeFor[manyKeys](), nil, rawjson.ReadPart)
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(0, 700).Draw(t, "size")
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		name := rapid.SampledFrom([]func(i int) string{
			strconv.Itoa,
			func(i int) string { return fmt.Sprintf("a common beginning %08d", i) },
			func(i int) string { return fmt.Sprintf("%d same end", size-i) },
			func(i int) string { return strings.Repeat("\x00", i%64) + strings.Repeat("x", i/64) },
			func(i int) string { return strings.Repeat("eight by", i%32) + strings.Repeat("y", i/32) },
			func(int) string { return strconv.FormatUint(random.Uint64(), 16) },
		}).Draw(t, "names")
		c := &manyKeys{Tags: map[string]string{}, Tree: map[string]manyNames{}}
		for i := range size {
			key := name((i*7919)%size + 1)
			c.Tags[key] = key
			c.Tree[key] = manyNames{key}
			c.Ranked = append(c.Ranked, manyRanks{int16((i * 7919) % size)}) //nolint:gosec // small
			c.Named = append(c.Named, manyNames{strconv.Itoa(i*7919%size) + ": " + key})
		}
		got, err := documentOf(p, c)
		require.NoError(t, err)
		slices.SortFunc(c.Named, func(a, b manyNames) int { return strings.Compare(a.Name, b.Name) })
		slices.SortFunc(c.Ranked, func(a, b manyRanks) int { return cmp.Compare(a.Rank, b.Rank) })
		want, err := json.Marshal(c)
		require.NoError(t, err)
		require.Equal(t, string(want), string(got))
	})
}
