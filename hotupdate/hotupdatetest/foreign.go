package hotupdatetest

import (
	"encoding"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/internal/leaf"
)

// probes are texts that unmarshalers of common kinds read: names, numbers, addresses, times, versions, colours.
var probes = []string{
	`"a"`, `"b"`, `"A"`, `""`, `1`, `2`, `0`, `true`, `"1"`, `"1h"`, `"10.0.0.1"`, `"10.0.0.0/8"`, `"2024-01-02T03:04:05Z"`, `"1.2.3"`,
	`"https://example.org/a"`, `"6ba7b810-9dad-11d1-80b4-00c04fd430c8"`, `"00:00:5e:00:53:01"`, `"#00ff00"`, `"a=b"`, `"a,b"`, `"b,a"`, `{}`, `[]`, `[1,2]`,
	`["a","b"]`, `["b","a"]`, `{"a":"b"}`, `{"b":"c","a":"b"}`, `{"a":1}`, `null`,
}

// fillings is how many values are made by filling the exported fields of a type.
const fillings = 24

// foreign makes values that the type's own marshaler writes, by its unmarshaler and by filling its fields, or else its zero value.
func (s *subject) foreign(t reflect.Type) []maker {
	if made, ok := s.drawn[t]; ok {
		return made
	}
	zero := func() reflect.Value { return reflect.New(t).Elem() }
	all := []maker{zero}
	for _, probe := range probes {
		all = append(all, func() reflect.Value {
			v := reflect.New(t)
			if !readBy(v, probe) {
				return reflect.Value{}
			}
			return v.Elem()
		})
	}
	for seed := range fillings {
		all = append(all, func() reflect.Value {
			v := reflect.New(t).Elem()
			f := filler{rand.New(rand.NewPCG(uint64(seed), 0))} //nolint:gosec // a fixed sequence, and no secret
			f.fill(v, 0)
			return v
		})
	}
	good := slices.DeleteFunc(all, func(m maker) bool { return !isWritten(m()) })
	if len(good) == 0 {
		good = append(good, zero)
	}
	s.drawn[t] = good
	return good
}

// readBy has a value read JSON with its own unmarshaler, which may fail in any way.
func readBy(pointer reflect.Value, data string) bool {
	return unmarshalsItself(pointer) && survives(func() error { return json.Unmarshal([]byte(data), pointer.Interface()) }) == nil
}

// isWritten reports whether the value's marshaler writes it, and its unmarshaler, if there is one, reads that again.
func isWritten(v reflect.Value) bool {
	if !v.IsValid() {
		return false
	}
	k := leaf.KindOf(v.Type())
	if !k.MarshalsItself() {
		return k != leaf.NotALeaf
	}
	text, problem := leaf.Append(nil, k, v)
	if problem != nil {
		return false
	}
	again := reflect.New(v.Type())
	return !unmarshalsItself(again) || readBy(again, string(text))
}

func unmarshalsItself(pointer reflect.Value) bool {
	switch pointer.Interface().(type) {
	case json.Unmarshaler, encoding.TextUnmarshaler:
		return true
	}
	return false
}

// filler fills exported fields with what its numbers say. Equal seeds fill alike.
type filler struct{ *rand.Rand }

func (f filler) fill(v reflect.Value, depth int) {
	set := func(scalar any) { v.Set(reflect.ValueOf(scalar).Convert(v.Type())) }
	switch {
	case v.Kind() == reflect.Bool:
		set(f.IntN(2) == 1)
	case v.CanInt(), v.CanUint():
		set([]int8{0, 1, 2, 3, 100}[f.IntN(5)])
	case v.CanFloat():
		set([]float64{0, 0.5, 1, 1.5, 0.123456789}[f.IntN(5)])
	case v.Kind() == reflect.String:
		set([]string{"a", "b", "c", "", "A", " a "}[f.IntN(6)])
	case v.CanSet() && f.fillTime(v.Addr().Interface()):
	case v.Kind() == reflect.Pointer && depth < maxDepth && f.IntN(4) > 0:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem(), depth+1)
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				f.fill(v.Field(i), depth+1)
			}
		}
	default:
		f.fillElements(v, depth)
	}
}

// fillTime fills a time, as it is after it was read. A zero time behind a pointer is null in JSON, and no configuration holds it.
func (f filler) fillTime(pointer any) bool {
	drawn := func() time.Time { return time.Date(2024, 1, 2, 3, 4, f.IntN(5), 0, time.UTC) }
	switch t := pointer.(type) {
	case *time.Time:
		*t = drawn()
	case *metav1.Time:
		t.Time = drawn().Local()
	case *metav1.MicroTime:
		t.Time = drawn().Local()
	default:
		return false
	}
	return true
}

func (f filler) fillElements(v reflect.Value, depth int) {
	switch {
	case depth > maxDepth:
	case v.Kind() == reflect.Slice:
		n := f.IntN(4)
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		fallthrough
	case v.Kind() == reflect.Array:
		for i := range v.Len() {
			f.fill(v.Index(i), depth+1)
		}
	case v.Kind() == reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range f.IntN(6) {
			key, elem := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			f.fill(key, depth+1)
			f.fill(elem, depth+1)
			v.SetMapIndex(key, elem)
		}
	}
}
