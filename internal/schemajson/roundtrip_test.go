package schemajson_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"net/netip"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/schemajson"
)

var leafTypes = []reflect.Type{
	reflect.TypeFor[string](), reflect.TypeFor[bool](), reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[uint32](), reflect.TypeFor[float32](),
	reflect.TypeFor[json.Number](), reflect.TypeFor[[]byte](), reflect.TypeFor[resource.Quantity](), reflect.TypeFor[intstr.IntOrString](), reflect.TypeFor[time.Time](),
	reflect.TypeFor[metav1.Time](), reflect.TypeFor[metav1.MicroTime](), reflect.TypeFor[metav1.Duration](), reflect.TypeFor[json.RawMessage](), reflect.TypeFor[any](),
	reflect.TypeFor[big.Int](), reflect.TypeFor[netip.Addr](), reflect.TypeFor[unreadyText](),
}

var keyTypes = []reflect.Type{reflect.TypeFor[string](), reflect.TypeFor[int16](), reflect.TypeFor[uint64](), reflect.TypeFor[netip.Addr]()}

var options = []string{"", "", ",set", ",key=f0", ",key=f0,hotwhen=f1:1", ",hotwhen=f1:1", ",default=5", ",presence", ",sensitive", ",sensitive=keys"}

// drawType draws a type: with depth left, one that may hold others.
func drawType(t *rapid.T, depth int) reflect.Type {
	shape := "leaf"
	if depth > 0 {
		shape = rapid.SampledFrom([]string{"leaf", "pointer", "object", "list", "list", "map", "array"}).Draw(t, "shape")
	}
	switch shape {
	case "pointer":
		return reflect.PointerTo(drawType(t, depth-1))
	case "object":
		return drawObject(t, depth-1)
	case "list":
		return reflect.SliceOf(drawType(t, depth-1))
	case "map":
		return reflect.MapOf(rapid.SampledFrom(keyTypes).Draw(t, "key"), drawType(t, depth-1))
	case "array":
		return reflect.ArrayOf(rapid.IntRange(0, 3).Draw(t, "length"), drawType(t, depth-1))
	}
	return rapid.SampledFrom(leafTypes).Draw(t, "leaf")
}

func drawObject(t *rapid.T, depth int) reflect.Type {
	fields := make([]reflect.StructField, rapid.IntRange(0, 4).Draw(t, "fields"))
	for i := range fields {
		typ := drawType(t, depth)
		name := fmt.Sprintf("f%d", i)
		tag := fmt.Sprintf("json:%q", rapid.SampledFrom([]string{name, name, "-,"}).Draw(t, "name")+rapid.SampledFrom([]string{"", "", ",omitempty", ",omitzero", ",string"}).Draw(t, "json"))
		if class := rapid.SampledFrom([]string{"", "", "true", "false", "inplace", "ignore"}).Draw(t, "class"); class != "" {
			tag += fmt.Sprintf(" hotupdatable:%q", class+rapid.SampledFrom(options).Draw(t, "option"))
		}
		fields[i] = reflect.StructField{Name: fmt.Sprintf("F%d", i), Type: typ, Tag: reflect.StructTag(tag)}
	}
	return reflect.StructOf(fields)
}

// TestRoundTrip: the plan that is loaded from JSON is exported as the same JSON, whatever the type. What cannot be loaded says why: only
// arrays of types that marshal themselves.
func TestRoundTrip(t *testing.T) {
	loadable := 0
	rapid.Check(t, func(t *rapid.T) {
		p, err := fieldplan.Build(drawObject(t, 3), nil)
		if err != nil {
			return // the type breaks a rule of struct tags
		}
		exported, err := schemajson.Export(p)
		require.NoError(t, err)
		data, err := json.Marshal(exported)
		require.NoError(t, err)
		loaded, err := schemajson.Load(data)
		if err != nil {
			require.ErrorContains(t, err, "is an array of a type that marshals itself", string(data))
			return
		}
		loadable++
		again, err := schemajson.Export(loaded)
		require.NoError(t, err)
		require.Equal(t, exported, again)
	})
	require.NotZero(t, loadable)
}
