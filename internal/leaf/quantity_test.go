package leaf_test

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// TestParseQuantityIsBounded: 20 bytes must not stop an admission webhook. Kubernetes' parser writes out all digits, so
// what is allocated counts them.
func TestParseQuantityIsBounded(t *testing.T) {
	for _, text := range []string{
		"1e-1000000", "1e-100000000", " -1E+2147483647 ", "10e2147483647", "0e99999999999", "1e00001000", "1e4294967296",
		strings.Repeat("9", 1025), "0." + strings.Repeat("0", 1<<20) + "1",
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
	for _, text := range []string{
		"", "0", "1Gi", "1E", "1Ei", "1e", "-1.5e-3", "1e999", "1e-999", "1e+0000003", "1ef-12345", "1e12345x", "1Zi", "e5",
		strings.Repeat("9", 1024),
	} {
		want, wantErr := resource.ParseQuantity(text)
		got, err := leaf.ParseQuantity(text)
		assert.Equal(t, wantErr, err, text)
		assert.Equal(t, want, got, text)
	}
}

// TestQuantityOfLargeScale: where an int has 32 bits, it overflowed where the scale is applied: 1e2147483647 hashed as
// 100m, and 10e2147483647 ended the process.
func TestQuantityOfLargeScale(t *testing.T) {
	for _, value := range []int64{1, 10, -1000, math.MaxInt64} {
		for _, scale := range []resource.Scale{math.MaxInt32, math.MaxInt32 - 18, 64, -90, math.MinInt32 + 18, math.MinInt32 + 1} {
			_, problem := leaf.Append(nil, leaf.Quantity, reflect.ValueOf(*resource.NewScaledQuantity(value, scale)))
			require.NotNil(t, problem, "%de%d", value, scale)
			assert.Equal(t, "number-range", problem.Code)
		}
	}
}

// checkQuantityJSON reads a token, and expects the text of the quantity that Kubernetes reads from it.
func checkQuantityJSON(t require.TestingT, token []byte) {
	s := canonjson.NewScanner(token)
	text := token
	if len(token) > 0 && token[0] == '"' {
		var scratch []byte
		read, problem := s.Text(&scratch)
		if problem != nil || s.At != len(token) {
			return
		}
		text = read
	} else if _, problem := canonjson.AppendNumber(nil, token); problem != nil {
		return
	}
	before := bytes.Clone(token)
	got, ok := leaf.AppendQuantityJSON([]byte("dst "), token, text)
	require.Equal(t, before, token)
	var q resource.Quantity
	var want []byte
	isKnown := false
	if _, err := leaf.ParseQuantity(string(text)); !errors.As(err, new(*fault.Error)) { // else it takes long
		isKnown = q.UnmarshalJSON(token) == nil
	}
	if isKnown {
		var problem *fault.Error
		want, problem = leaf.AppendQuantity([]byte("dst "), &q)
		isKnown = problem == nil
	}
	require.Equal(t, isKnown, ok, "%q", token)
	if ok {
		require.Equal(t, string(want), string(got), "%q", token)
		return
	}
	require.Equal(t, "dst ", string(got))
}

var quantityTokens = []string{
	"0", "8", "-1", "1.5", "1e3", "1E3", "007", "123456789012345678", "1234567890123456789", "99999999999999999999", "-0", `""`, `"0"`,
	`"8"`, `"08"`, `"+8"`, `" 8 "`,
	`"8\u0020"`, `"\u0038"`, `"1Gi"`, `"1.5Gi"`, `"100m"`, `"1n"`, `"0.0000000001"`, `"1e999"`, `"1e1000"`, `"x"`, `"8x"`,
	`"123456789012345678"`, `"1234567890123456789"`, `"\""`, `"9Ei"`, `"é"`,
}

// TestQuantityJSON: a token means what Kubernetes reads from it, whichever way it is read.
func TestQuantityJSON(t *testing.T) {
	for _, token := range quantityTokens {
		checkQuantityJSON(t, []byte(token))
	}
	assert.LessOrEqual(t, testing.AllocsPerRun(10, func() {
		var space [64]byte
		if _, ok := leaf.AppendQuantityJSON(space[:0], []byte(`"20Gi"`), []byte(`20Gi`)); !ok {
			t.Error("no quantity")
		}
	}), 1.0) // a copy, without unsafe
}

func FuzzQuantityJSON(f *testing.F) {
	for _, token := range quantityTokens {
		f.Add([]byte(token))
	}
	f.Fuzz(func(t *testing.T, token []byte) { checkQuantityJSON(t, token) })
}
