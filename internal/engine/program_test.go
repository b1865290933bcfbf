package engine_test

import (
	"bytes"
	"crypto/sha256"
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
)

// explained is the document by the rules as package document writes them down.
func explained(p *fieldplan.Plan, c any) ([]byte, error) {
	return engine.Explain(nil, p, reflect.ValueOf(c))
}

// TestBytesAreThoseOfTheRules: what a run writes is what package document writes, and what has no document makes the run give up.
func TestBytesAreThoseOfTheRules(t *testing.T) {
	p := plan(t)
	compiled := engine.Of(p)
	written, gaveUp := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		c := draw(rapid.Uint64().Draw(t, "seed"), rapid.Bool().Draw(t, "wrong"))
		want, err := explained(p, c)
		prefix := []byte("before")
		got, ok := compiled.Append(prefix, reflect.ValueOf(c))
		if !ok {
			gaveUp++
			require.Equal(t, "before", string(got))
			checkHandedOver(t, p, c)
			return
		}
		written++
		require.NoError(t, err)
		require.Equal(t, "before"+string(want), string(got))
		var out bytes.Buffer
		n, ok, err := compiled.Write(&out, reflect.ValueOf(*c))
		require.NoError(t, err)
		require.True(t, ok)
		require.Equal(t, n, out.Len())
		require.Equal(t, string(want), out.String())
		sum, ok := compiled.Sum(reflect.ValueOf(c))
		require.True(t, ok)
		require.Equal(t, sha256.Sum256(want), sum)
	})
	assert.NotZero(t, written, "the tests have seen runs that did not")
	assert.NotZero(t, gaveUp, "the tests have seen runs that gave up")
}

// TestMostValuesAreWritten: giving up is for what is wrong or odd. The values are the same in every run.
func TestMostValuesAreWritten(t *testing.T) {
	compiled := engine.Of(plan(t))
	written, values := 0, 1000
	for seed := range values {
		if _, ok := compiled.Append(nil, reflect.ValueOf(draw(uint64(seed), false))); ok { //nolint:gosec // not negative
			written++
		}
	}
	assert.Greater(t, written, values*2/3)
}

// checkHandedOver: where a run gives up, package document goes on from where it stopped.
func checkHandedOver(t require.TestingT, p *fieldplan.Plan, c *config) {
	want, problem := explained(p, c)
	var out bytes.Buffer
	err := engine.Write(&out, p, reflect.ValueOf(c))
	sum, sumErr := engine.Sum(p, reflect.ValueOf(c))
	if problem != nil {
		require.EqualError(t, err, problem.Error())
		require.EqualError(t, sumErr, problem.Error())
		return
	}
	require.NoError(t, err)
	require.NoError(t, sumErr)
	require.Equal(t, string(want), out.String())
	require.Equal(t, sha256.Sum256(want), sum)
}

// TestSameIsCertain: what is found to be the same has one document and nothing wrong; the same value in other memory is found to be.
func TestSameIsCertain(t *testing.T) {
	p := plan(t)
	compiled := engine.Of(p)
	rapid.Check(t, func(t *rapid.T) {
		seed, wrong := rapid.Uint64().Draw(t, "seed"), rapid.Bool().Draw(t, "wrong")
		a, b := draw(seed, wrong), draw(seed, wrong)
		before, err := explained(p, a)
		if _, ok := compiled.Append(nil, reflect.ValueOf(a)); ok {
			require.True(t, compiled.Same(reflect.ValueOf(a), reflect.ValueOf(b)), "equal values")
		}
		change(b, rapid.IntRange(0, 40).Draw(t, "change"))
		if !compiled.Same(reflect.ValueOf(a), reflect.ValueOf(*b)) {
			require.False(t, compiled.SameWhole(reflect.ValueOf(a), reflect.ValueOf(b)))
			return
		}
		require.NoError(t, err)
		after, err := explained(p, b)
		require.NoError(t, err)
		require.Equal(t, string(before), string(after))
	})
}

// change changes one field of a configuration, or none.
func change(c *config, field int) {
	v := reflect.ValueOf(c).Elem()
	if field < v.NumField() && v.Field(field).CanSet() {
		v.Field(field).SetZero()
	}
}

// TestNestedTooDeeply: runs go as deep as real configurations do, and never where package document does not.
func TestNestedTooDeeply(t *testing.T) {
	p := plan(t)
	for _, depth := range []int{60, 66, 1000, 1001, 1100} {
		c := &config{Text: "bottom"}
		for range depth {
			c = &config{Next: c}
		}
		want, err := explained(p, c)
		got, ok := engine.Of(p).Append(nil, reflect.ValueOf(c))
		assert.Equal(t, depth <= 60, ok, depth)
		assert.Equal(t, depth <= 60, engine.Of(p).Same(reflect.ValueOf(c), reflect.ValueOf(c)), depth)
		if ok {
			assert.Equal(t, string(want), string(got))
		}
		_, diffErr := engine.Diff(p, reflect.ValueOf(c), reflect.ValueOf(c))
		assert.Equal(t, err == nil, diffErr == nil, "what is equal is too deep all the same: %d", depth)
	}
	circle := &config{}
	circle.Next, circle.Kids = circle, []*config{circle, circle}
	_, ok := engine.Of(p).Sum(reflect.ValueOf(circle))
	assert.False(t, ok)
	assert.False(t, engine.Of(p).SameWhole(reflect.ValueOf(circle), reflect.ValueOf(circle)))
}

// Keyed lists within keyed lists, whose later keys stand in another order, are compared once on each level.
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
	nested := func(others ...string) *root {
		var kids []tree
		for range 30 {
			kids = []tree{{Name: "a", Kids: kids}, {Name: others[0]}, {Name: others[1]}}
		}
		return &root{kids}
	}
	same := engine.Of(p).Same(reflect.ValueOf(nested("b", "c")), reflect.ValueOf(nested("c", "b")))
	assert.True(t, same)
}

// TestEmpty: nothing is the empty configuration.
func TestEmpty(t *testing.T) {
	p := plan(t)
	for _, c := range []any{nil, (*config)(nil), config{}, &config{}} {
		got, ok := engine.Of(p).Append(nil, reflect.ValueOf(c))
		assert.True(t, ok)
		assert.Equal(t, "{}", string(got))
	}
}

// TestOrderOfManyKeys: large maps and keyed lists are sorted in ways that small ones do not see.
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
		want, err := explained(p, c)
		require.NoError(t, err)
		got, ok := compiled.Append(nil, reflect.ValueOf(c))
		require.True(t, ok)
		require.Equal(t, string(want), string(got))
		slices.Reverse(c.Named)
		require.True(t, compiled.Same(reflect.ValueOf(c), reflect.ValueOf(c)))
	})
}
