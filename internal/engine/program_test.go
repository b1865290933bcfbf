package engine_test

import (
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

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/engine"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// documentOf returns the document that a run writes at once.
func documentOf(p *fieldplan.Plan, c any) ([]byte, error) {
	return engine.Of(p).Append(nil, reflect.ValueOf(c))
}

// TestNestedTooDeeply: all functions that walk a value have the same limit of depth.
func TestNestedTooDeeply(t *testing.T) {
	p := plan(t)
	for _, depth := range []int{60, 66, 997, 998, 999, 1000, 1001, 1002, 1100} {
		c := &config{Text: "bottom"}
		for range depth {
			c = &config{Next: c}
		}
		got, err := documentOf(p, c)
		_, diffErr := engine.Diff(p, reflect.ValueOf(c), reflect.ValueOf(c))
		if depth > engine.MaxDepth-2 { // an element of an array stands two steps below
			require.Error(t, err, depth)
			require.EqualError(t, diffErr, err.Error(), depth)
			continue
		}
		require.NoError(t, err, depth)
		require.NoError(t, diffErr, depth)
		assert.Equal(t, strings.Repeat(`{"next":`, depth)+`{"text":"bottom"}`+strings.Repeat("}", depth), string(got))
	}
}

// TestTypesThatAreDeepButNotRecursive: a deep type has enough frames.
func TestTypesThatAreDeepButNotRecursive(t *testing.T) {
	for depth := range 70 {
		typ := reflect.TypeFor[string]()
		want := `"x"`
		for range depth {
			typ, want = reflect.SliceOf(typ), "["+want+"]"
		}
		p, err := fieldplan.Compile(reflect.StructOf([]reflect.StructField{{Name: "A", Type: typ, Tag: `json:"a"`}}), nil)
		require.NoError(t, err)
		c := reflect.New(p.Type)
		v := c.Elem().Field(0)
		for range depth {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			v = v.Index(0)
		}
		v.SetString("x")
		got, err := engine.Of(p).Append(nil, c)
		require.NoError(t, err)
		require.Equal(t, `{"a":`+want+`}`, string(got))
		v.SetString("\xff")
		_, err = engine.Of(p).Append(nil, c)
		require.Equal(t, "a"+strings.Repeat("[0]", depth), fault.All(err)[0].Path)
	}
}

// TestCycle: a value that contains itself is an error with the path of the cycle, however the cycle is reached.
func TestCycle(t *testing.T) {
	p := plan(t)
	circle := &config{Text: "around"}
	circle.Next, circle.Kids = circle, []*config{{}, circle}
	_, want := documentOf(p, circle)
	_, err := engine.Of(p).Sum(reflect.ValueOf(circle))
	require.EqualError(t, want, err.Error())
	assert.Equal(t, "kids[1]", fault.All(err)[0].Path)
	assert.Equal(t, "pointer-cycle", fault.All(err)[0].Code)
	assert.False(t, isSame(p, circle, circle))
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
	p, err := fieldplan.Compile(reflect.TypeFor[root](), nil)
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
	p, err := fieldplan.Compile(reflect.TypeFor[root](), nil)
	require.NoError(t, err)
	var a, b root
	a.Lists, b.Lists = slices.Grow(a.Lists, 2*engine.MaxDepth)[:2*engine.MaxDepth], slices.Grow(b.Lists, 2*engine.MaxDepth)[:2*engine.MaxDepth]
	for i := range a.Lists {
		a.Lists[i].Parts, b.Lists[i].Parts = []part{{"a"}, {"b"}}, []part{{"b"}, {"a"}}
	}
	assert.True(t, isSame(p, &a, &b))
}

// TestOrderOfManyKeys: large maps and keyed lists are sorted with other algorithms than small ones.
func TestOrderOfManyKeys(t *testing.T) {
	p := plan(t)
	compiled := engine.Of(p)
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
		c := &config{Tags: map[string]string{}, Tree: map[string]place{}}
		for i := range size {
			key := name((i*7919)%size + 1)
			c.Tags[key], c.Tree[key] = key, place{Kept: i}
			c.Ranked = append(c.Ranked, ranked{Rank: int16((i * 7919) % size)}) //nolint:gosec // small
			c.Named = append(c.Named, named{Name: strconv.Itoa(i*7919%size) + ": " + key})
		}
		want, err := documentOf(p, c)
		require.NoError(t, err)
		got, err := compiled.Append(nil, reflect.ValueOf(c))
		require.NoError(t, err)
		require.Equal(t, string(want), string(got))
	})
}
