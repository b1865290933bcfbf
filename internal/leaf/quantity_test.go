package leaf_test

import (
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// TestParseQuantityIsBounded: 20 bytes must not stop an admission webhook. Kubernetes' parser writes out all digits, so what is allocated counts them.
func TestParseQuantityIsBounded(t *testing.T) {
	for _, text := range []string{
		"1e-1000000", "1e-100000000", " -1E+2147483647 ", "10e2147483647", "0e99999999999", "1e00001000", "1e4294967296", strings.Repeat("9", 1025), "0." + strings.Repeat("0", 1<<20) + "1",
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := leaf.ParseQuantity(text)
		_, ok := leaf.ParseText(leaf.Quantity, reflect.TypeFor[resource.Quantity](), text)
		runtime.ReadMemStats(&after)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(16<<10+4*len(text)))
		assert.False(t, ok, "no default either")
		var problem *fault.Error
		require.ErrorAs(t, err, &problem)
		assert.Equal(t, "number-range", problem.Code)
		assert.NotContains(t, err.Error(), text[:4], "no value is shown")
	}
}

// TestParseQuantityIsKubernetes: within the bounds the parser is Kubernetes' own.
func TestParseQuantityIsKubernetes(t *testing.T) {
	for _, text := range []string{"", "0", "1Gi", "1E", "1Ei", "1e", "-1.5e-3", "1e999", "1e-999", "1e+0000003", "1ef-12345", "1e12345x", "1Zi", "e5", strings.Repeat("9", 1024)} {
		want, wantErr := resource.ParseQuantity(text)
		got, err := leaf.ParseQuantity(text)
		assert.Equal(t, wantErr, err, text)
		assert.Equal(t, want, got, text)
	}
}

// TestQuantityOfLargeScale: on 386 an int overflowed where the scale is applied: 1e2147483647 hashed as 100m, and 10e2147483647 ended the
// process.
func TestQuantityOfLargeScale(t *testing.T) {
	for _, value := range []int64{1, 10, -1000, math.MaxInt64} {
		for _, scale := range []resource.Scale{math.MaxInt32, math.MaxInt32 - 18, 64, -90, math.MinInt32 + 18, math.MinInt32 + 1} {
			_, problem := leaf.Append(nil, leaf.Quantity, reflect.ValueOf(*resource.NewScaledQuantity(value, scale)))
			require.NotNil(t, problem, "%de%d", value, scale)
			assert.Equal(t, "number-range", problem.Code)
		}
	}
}
