package engine_test

import (
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/internal/engine"
)

// TestNumbersAreThoseOfStrconv: at every power of two and of ten, beside them, and in between, with any room to write in.
func TestNumbersAreThoseOfStrconv(t *testing.T) {
	p := engine.Of(plan(t))
	check := func(t require.TestingT, u uint64, room int) {
		i := int64(u) //nolint:gosec // every number of 64 bits is one
		got, ok := p.Append(make([]byte, 0, room), reflect.ValueOf(&config{Int64: i, Uint64: u}))
		require.True(t, ok)
		if u != 0 {
			require.Contains(t, string(got), `"int64":`+strconv.FormatInt(i, 10)+",")
			require.Contains(t, string(got), `"uint64":`+strconv.FormatUint(u, 10)+"}")
		}
	}
	var around []uint64
	for shift := range 64 {
		around = append(around, 1<<shift)
	}
	for power := uint64(1); power < math.MaxUint64/10; power *= 10 {
		around = append(around, power, power*10)
	}
	for _, u := range append(around, 0, math.MaxInt64, math.MaxUint64) {
		check(t, u-1, 512)
		check(t, u, 512)
		check(t, u+1, 512)
	}
	for u := range uint64(20_000) {
		check(t, u, 512)
	}
	whole, _ := p.Append(nil, reflect.ValueOf(&config{Int64: math.MinInt64, Uint64: math.MaxUint64}))
	for room := range len(whole) + 1 {
		check(t, 1<<63, room)
		check(t, math.MaxUint64, room)
	}
	assert.Equal(t, 1, strings.Count(string(whole), "18446744073709551615"))
	rapid.Check(t, func(t *rapid.T) {
		check(t, rapid.Uint64().Draw(t, "number"), rapid.IntRange(0, 200).Draw(t, "room"))
	})
}
