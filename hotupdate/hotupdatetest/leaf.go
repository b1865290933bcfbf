package hotupdatetest

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"

	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// maker makes a value. The results of two calls mean the same and share no memory.
type maker func() reflect.Value

// texts are values in JSON, some in several spellings. Each type uses those that it can read.
var texts = []string{
	`0`, `1`, `2`, `3`, `100`, `-1`, `127`, `-128`, `255`, `32767`, `-32768`, `65535`, `2147483647`, `-2147483648`,
	`4294967295`, `9223372036854775807`, `-9223372036854775808`, `18446744073709551615`, `12345678901234567890`,
	`0.5`, `-2.5`, `1.50`, `1.5`, `1e21`, `1e-7`, `true`, `false`,
	`""`, `"a"`, `"b"`, `"gp3"`, `"a, b"`, `"a,b"`, `"b,a"`, `"a=b"`, `"it's"`, `"null"`, `"A"`, `"\u00e9"`, `"<&>"`,
	`"YQ=="`, `"Yg=="`, `"+wA="`, `"25%"`, `"1.2.3"`, `"#00ff00"`, `"10.0.0.1"`, `"10.0.0.0/8"`, `"00:00:5e:00:53:01"`,
	`"https://example.org/a"`, `"6ba7b810-9dad-11d1-80b4-00c04fd430c8"`,
	`"1Gi"`, `"1024Mi"`, `"0"`, `"1"`, `"1000m"`, `"100m"`, `"-3"`, `"1e3"`, `"1k"`, `"0.5"`, `"500m"`, `"1n"`, `"7Ei"`,
	`"12345678901234567890123"`, `"1h"`, `"60m"`, `"0s"`, `"30m"`, `"1s"`, `"-1s"`,
	`"2023-11-14T22:13:20Z"`, `"2023-11-15T03:43:20+05:30"`, `"2023-11-14T22:13:21Z"`, `"1969-12-31T23:59:59-02:00"`,
	`"2023-11-14T22:13:20.000000Z"`, `"2023-11-15T03:43:20.000000+05:30"`, `"2023-11-14T22:13:20.500000Z"`,
	`null`, `{}`, `{"a":1}`, `{"a":"b"}`, `{"b":"c","a":"b"}`, `{"b":1.0,"a":"c"}`, `{"a":"c", "b":1}`,
	`[]`, `[1,2]`, `["a","b"]`, `["b","a"]`, `[1,{"b":null,"a":[]}]`,
}

// fillings is how many values are made by filling the exported fields of a type that marshals
// itself.
const fillings = 24

// values returns the possible values of the leaves at a path, or of the keys of a map: the given
// ones, or else values that the type can have.
func (s *subject) values(pattern string, t reflect.Type) (makers []maker) {
	for _, v := range s.given[pattern] {
		makers = append(makers, readInto(t, v))
	}
	if len(makers) == 0 {
		return s.makers(t)
	}
	return makers
}

// makers returns makers of values that a type writes and reads: from texts, by filling the fields of
// a type that marshals itself, or else its zero value.
func (s *subject) makers(t reflect.Type) []maker {
	if known, ok := s.made[t]; ok {
		return known
	}
	zero := func() reflect.Value { return reflect.New(t).Elem() }
	var all []maker
	for _, text := range texts {
		all = append(all, fromJSON(t, []byte(text)))
	}
	for seed := uint64(0); leaf.KindOf(t).MarshalsItself() && seed < fillings; seed++ {
		all = append(all, func() reflect.Value {
			v := zero()
			s.fill(rand.New(rand.NewPCG(seed, 0)), v, 0) //nolint:gosec // a fixed sequence, and no secret
			return v
		})
	}
	all = slices.DeleteFunc(append(all, zero), func(m maker) bool { return !isWritten(m()) })
	if len(all) == 0 {
		all = append(all, zero)
	}
	s.made[t] = all
	return all
}

// isWritten reports whether the value can be written, and read again if its type marshals itself.
func isWritten(v reflect.Value) bool {
	if !v.IsValid() {
		return false
	}
	k := leaf.KindOf(v.Type())
	text := textOf(k, v)
	return text != nil && (!k.MarshalsItself() || fromJSON(v.Type(), text)().IsValid())
}

// fromJSON returns a maker of the value that a type reads from a text. The value is not valid if the
// type does not read the text.
func fromJSON(t reflect.Type, text []byte) maker {
	return func() reflect.Value {
		v := reflect.New(t)
		if fails(func() error { return json.Unmarshal(text, v.Interface()) }) {
			return reflect.Value{}
		}
		return v.Elem()
	}
}

// checkTried reports types for which no two values can be made, since one value proves nothing.
// Each type is reported once, with the first path where it occurs.
func (s *subject) checkTried(t rapid.TB) {
	t.Helper()
	seen := map[reflect.Type]bool{}
	visitValues(s.plan.Root, "", func(_ *fieldplan.Node, typ reflect.Type, pattern string) {
		if !seen[typ] && len(s.given[pattern]) == 0 && len(s.textsOf(typ)) < 2 {
			t.Errorf("hotupdatetest: %v: %s: no two values of %v could be made, so the guarantees cannot be tried; "+
				"give some with WithValues(%q, …), or the field a type that reads JSON", s.typ, pattern, typ, pattern)
		}
		seen[typ] = true
	})
}

// textsOf returns the texts of a type's values.
func (s *subject) textsOf(typ reflect.Type) map[string]bool {
	all := map[string]bool{}
	for _, m := range s.makers(typ) {
		all[string(textOf(leaf.KindOf(typ), m()))] = true
	}
	return all
}

// fill fills exported fields by random numbers. Equal seeds give equal values.
func (s *subject) fill(random *rand.Rand, v reflect.Value, depth int) {
	k := leaf.KindOf(v.Type())
	switch {
	case v.Kind() == reflect.Bool:
		v.SetBool(random.IntN(2) == 1)
	case v.CanInt(), v.CanUint():
		v.Set(reflect.ValueOf(int8(random.IntN(5))).Convert(v.Type())) //nolint:gosec // below 5
	case v.CanFloat():
		v.SetFloat([]float64{0, 0.5, 1, 1.5, 0.123456789}[random.IntN(5)])
	case v.Kind() == reflect.String:
		v.SetString([]string{"a", "b", "c", "", "A", " a "}[random.IntN(6)])
	// a time or quantity, in the form that reading gives it
	case v.Kind() == reflect.Struct && k != leaf.NotALeaf && !k.MarshalsItself():
		known := s.makers(v.Type())
		v.Set(known[random.IntN(min(len(known), 3))]())
	case depth > maxDepth:
	case v.Kind() == reflect.Pointer && random.IntN(4) > 0:
		v.Set(reflect.New(v.Type().Elem()))
		s.fill(random, v.Elem(), depth+1)
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				s.fill(random, v.Field(i), depth+1)
			}
		}
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), random.IntN(4), 4))
		fallthrough
	case v.Kind() == reflect.Array:
		for i := range v.Len() {
			s.fill(random, v.Index(i), depth+1)
		}
	case v.Kind() == reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range random.IntN(6) {
			key := reflect.New(v.Type().Key()).Elem()
			elem := reflect.New(v.Type().Elem()).Elem()
			s.fill(random, key, depth+1)
			s.fill(random, elem, depth+1)
			v.SetMapIndex(key, elem)
		}
	}
}
