package engine_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/internal/engine"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/rawjson"
)

// TestKeyedListsInAnyOrder: lists whose order differs from some element on are the same exactly if their documents are,
// and never if a key is wrong or occurs twice.
func TestKeyedListsInAnyOrder(t *testing.T) {
	p := plan(t)
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f", "g", "h", "", "\xff"}), 0, 6).Draw(t, "keys")
		if rapid.Bool().Draw(t, "distinct") {
			keys = []string{"b", "c", "d", "e", "f"}[:rapid.IntRange(0, 5).Draw(t, "length")]
		}
		from := rapid.IntRange(0, len(keys)).Draw(t, "alike")
		other := slices.Concat(keys[:from], rapid.Permutation(keys[from:]).Draw(t, "tail"))
		list := rapid.SampledFrom([]func([]string) *config{byText, byNumber}).Draw(t, "list")
		a := list(keys)
		b := list(other)
		if i := rapid.IntRange(0, 8).Draw(t, "changed"); i < len(b.Named) {
			b.Named[i].Place.Zone = "changed"
		}
		before, err := documentOf(p, a)
		after, otherErr := documentOf(p, b)
		same := err == nil && otherErr == nil && string(before) == string(after)
		require.Equal(t, same, isSame(p, a, b))
	})
}

// byText is a configuration with elements of these keys.
func byText(keys []string) *config {
	c := &config{}
	for _, key := range keys {
		c.Named = append(c.Named, named{Name: key, Place: place{Zone: "zone of " + strconv.Quote(key)}})
	}
	return c
}

// byNumber is a configuration with elements whose keys are numbers.
func byNumber(keys []string) *config {
	c := &config{}
	for _, key := range keys {
		c.Ranked = append(c.Ranked, ranked{Rank: int16((key + "z")[0]), Text: strconv.Quote(key)})
	}
	return c
}

// TestIntegerKeysArePairedByValue: if one list lacks an element, later elements are still paired, with any number of digits in their keys.
func TestIntegerKeysArePairedByValue(t *testing.T) {
	type element struct {
		Rank int64 `json:"rank"`
	}
	type lists struct {
		Ranked []element `json:"ranked" hotupdatable:"false,key=rank"`
	}
	p, err := fieldplan.Compile(reflect.TypeFor[lists](), nil, rawjson.ReadPart)
	require.NoError(t, err)
	ranks := []int64{math.MinInt64, -10, -9, 0, 2, 9, 10, 100, math.MaxInt64}
	for i, missing := range ranks {
		var old, updated lists
		for j, rank := range ranks {
			old.Ranked = append(old.Ranked, element{rank})
			if j != i {
				updated.Ranked = append(updated.Ranked, element{rank})
			}
		}
		changes, err := engine.Diff(p, reflect.ValueOf(old), reflect.ValueOf(updated))
		require.NoError(t, err)
		require.Len(t, changes, 1)
		assert.Equal(t, fmt.Sprintf("ranked[rank=%d]", missing), changes[0].Path.String())
	}
}
