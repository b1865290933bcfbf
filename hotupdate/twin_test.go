package hotupdate_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// twin is a type with one more Ignored field, a map whose keys are not strings. Such a map is never found to be the
// same at once, so Diff compares configurations of the twin member by member.
type twin struct {
	fast, plain subject
}

var extraField = reflect.StructField{Name: "Odd", Type: reflect.TypeFor[map[int]string](), Tag: `json:"odd" hotupdatable:"ignore"`}

func (a *typeGenerator) twin() twin {
	a.textKeys = true
	draw := a.config
	if chance(a.t, 5) {
		draw = a.manyLeaves
	}
	typ := draw().build(plainWording)
	var fields []reflect.StructField
	for field := range typ.Fields() {
		fields = append(fields, field)
	}
	return twin{subjectOf(a.t, typ, a.overrides), subjectOf(a.t, reflect.StructOf(append(fields, extraField)), a.overrides)}
}

// copyOf returns the configuration in the other type. It shares all memory behind pointers.
func (w twin) copyOf(config reflect.Value) reflect.Value {
	twin := reflect.New(w.plain.root.typ)
	for i := range config.Elem().NumField() {
		twin.Elem().Field(i).Set(config.Elem().Field(i))
	}
	twin.Elem().FieldByName(extraField.Name).Set(reflect.ValueOf(map[int]string{1: "text"}))
	return twin
}

// mutator puts rare unusual or wrong values into a configuration, so that most of it stays valid.
type mutator struct{ *rand.Rand }

func (s mutator) mutate(v reflect.Value) {
	if s.IntN(12) == 0 && v.CanSet() && s.twist(v) {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			s.mutate(v.Elem())
		}
	case reflect.Struct:
		for field, value := range v.Fields() {
			if field.IsExported() {
				s.mutate(value)
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			s.mutate(v.Index(i))
		}
	case reflect.Map:
		for _, key := range sortedKeys(v) {
			value := reflect.New(v.Type().Elem()).Elem()
			value.Set(v.MapIndex(key))
			s.mutate(value)
			v.SetMapIndex(key, value)
		}
	default:
	}
}

// twist puts a rare value into v, and reports whether it did.
func (s mutator) twist(v reflect.Value) bool {
	switch p := v.Addr().Interface().(type) {
	case *resource.Quantity:
		*p = resource.MustParse([]string{"0", "-0", "1n", "1e30", "1e90", "1.50", "9223372036854775808", "1Ei", "0.1e-70"}[s.IntN(9)])
		return true
	case *intstr.IntOrString:
		*p = intstr.IntOrString{
			Type: intstr.Type(s.IntN(3)), IntVal: int32(s.IntN(2)), StrVal: []string{"", "stale", "\xff"}[s.IntN(3)],
		} //nolint:gosec // small
		return true
	case *runtime.RawExtension:
		p.Raw = []byte([]string{" null ", `{"b":1, "a":1e0}`, `{"a":1,"a":1}`, "{", `"\ud800"`, ""}[s.IntN(6)])
		return true
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString([]string{
			"", "\xff", "\u2028<&>", "valid and then not \xc3", strings.Repeat("é", 2040+s.IntN(20)), strings.Repeat("\"", 3000),
			"\x00\x7f",
		}[s.IntN(7)])
	case reflect.Float32, reflect.Float64:
		v.SetFloat([]float64{math.NaN(), math.Inf(1), math.Copysign(0, -1), 5e-324, math.MaxFloat64, 1e21, 1e-7}[s.IntN(7)])
	case reflect.Slice:
		return s.oddSlice(v)
	case reflect.Map:
		return s.oddMap(v)
	case reflect.Pointer:
		v.SetZero()
	default:
		return false
	}
	return true
}

// oddSlice makes a list nil or empty, or repeats or moves an element.
func (s mutator) oddSlice(v reflect.Value) bool {
	switch s.IntN(4) {
	case 0:
		v.SetZero()
	case 1:
		v.Set(reflect.MakeSlice(v.Type(), 0, 1))
	case 2:
		if v.Len() > 0 {
			v.Set(reflect.Append(v, v.Index(s.IntN(v.Len()))))
		}
	default:
		s.Shuffle(v.Len(), reflect.Swapper(v.Interface()))
	}
	return true
}

func (s mutator) oddMap(v reflect.Value) bool {
	switch s.IntN(3) {
	case 0:
		v.SetZero()
	case 1:
		v.Set(reflect.MakeMap(v.Type()))
	default:
		if v.IsNil() || v.Type().Key().Kind() != reflect.String {
			return false
		}
		v.SetMapIndex(
			reflect.ValueOf([]string{"\xff", "", "\u2028", strings.Repeat("k", 4090+s.IntN(10))}[s.IntN(4)]).Convert(v.Type().Key()),
			reflect.Zero(v.Type().Elem()),
		)
	}
	return true
}

// TestSpeedChangesNothing: comparing whole configurations first has no effect on documents, sums, changes and errors of
// valid, unusual and wrong configurations.
func TestSpeedChangesNothing(t *testing.T) {
	failed := 0
	changed := 0
	same := 0
	rapid.Check(t, func(t *rapid.T) {
		w := newTypeGenerator(t).twin()
		for range 5 * valuesPerType {
			a, b := w.fast.drawPair(t)
			if seed := rapid.Uint64().Draw(t, "seed"); seed%3 != 0 {
				mutator{rand.New(rand.NewPCG(seed, 1))}.mutate(a.Elem())
				mutator{rand.New(rand.NewPCG(seed+seed%2, 1))}.mutate(b.Elem())
			}
			changes, err := w.check(t, a, b)
			switch {
			case err != nil:
				failed++
			case len(changes) > 0:
				changed++
			default:
				same++
			}
		}
	})
	require.NotZero(t, failed)
	require.NotZero(t, changed)
	require.NotZero(t, same)
}

// check compares the results of both types for two configurations.
func (w twin) check(t *rapid.T, a, b reflect.Value) (hotupdate.Changes, error) {
	for _, config := range []reflect.Value{a, b} {
		want, wantErr := w.plain.schema.Document(w.copyOf(config).Interface())
		got, err := w.fast.schema.Document(config.Interface())
		requireSameError(t, wantErr, err)
		require.Equal(t, string(want), string(got), "%v", w.fast.root.typ)
		wantSum, _ := w.plain.schema.Hash(w.copyOf(config).Interface())
		for _, x := range []any{config.Interface(), config.Elem().Interface()} {
			sum, err := w.fast.schema.Hash(x)
			requireSameError(t, wantErr, err)
			require.Equal(t, wantSum, sum)
		}
	}
	wantChanges, wantErr := w.plain.schema.Diff(w.copyOf(a).Interface(), w.copyOf(b).Interface())
	changes, err := w.fast.schema.Diff(a.Interface(), b.Interface())
	requireSameError(t, wantErr, err)
	require.Equal(t, wantChanges, changes, "%v", w.fast.root.typ)
	return changes, err
}

func requireSameError(t *rapid.T, want, err error) {
	if want != nil && err != nil {
		want = errors.New(want.Error())
		err = errors.New(err.Error())
	}
	require.Equal(t, want, err)
}
