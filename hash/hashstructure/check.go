package hashstructure

import (
	"reflect"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/engine"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// check returns an error for each field of a configuration that would crash hashstructure: its
// value contains itself, or is nested too deeply. It also enters fields that methods would leave
// out.
func check(projection reflect.Value, options Options) error {
	for projection.Kind() == reflect.Pointer {
		projection = projection.Elem()
	}
	var problems fault.List
	for i := range projection.NumField() {
		if !options.isHashed(projection, i) || options.ends(projection.Field(i), 1) {
			continue
		}
		name, _ := fieldplan.PathName(projection.Type().Field(i))
		problems.Add(&fault.Error{
			Kind: fault.Invalid, Code: fault.TooDeep, Path: name, What: "contains itself, or is nested too deeply",
			Hint: "remove the cycle; under ZeroNil, where a nil pointer stands for a zero value that may hold " +
				"another nil, also set IgnoreZeroValue",
		})
	}
	return problems.Err()
}

// isHashed reports whether hashstructure looks into a field of a struct.
func (o Options) isHashed(v reflect.Value, i int) bool {
	sf := v.Type().Field(i)
	tag := sf.Tag.Get("hash")
	switch {
	case !sf.IsExported():
		return false
	case tag == "ignore" || tag == "-":
		return false
	case o.IgnoreZeroValue && v.Field(i).IsZero():
		return false
	}
	return true
}

// ends reports whether a walk over a value at this depth stays within the limit. A walk over a
// value that contains itself does not.
func (o Options) ends(v reflect.Value, depth int) bool {
	v, ok := o.behind(v)
	kind := v.Kind()
	switch {
	case !ok:
		return false
	case !hasElements(kind):
		return true
	case depth > engine.MaxDepth:
		return false
	case kind == reflect.Struct:
		return all(v.NumField(), func(i int) bool { return !o.isHashed(v, i) || o.ends(v.Field(i), depth+1) })
	case kind == reflect.Map:
		keys := v.MapKeys()
		return all(len(keys),
			func(i int) bool { return o.ends(keys[i], depth+1) && o.ends(v.MapIndex(keys[i]), depth+1) })
	}
	element := v.Type().Elem().Kind()
	if element <= reflect.Complex128 || element == reflect.String {
		return true
	}
	return all(v.Len(), func(i int) bool { return o.ends(v.Index(i), depth+1) })
}

func hasElements(kind reflect.Kind) bool {
	//exhaustive:ignore
	switch kind {
	case reflect.Struct, reflect.Map, reflect.Slice, reflect.Array:
		return true
	default:
		return false
	}
}

func all(n int, holds func(i int) bool) bool {
	for i := range n {
		if !holds(i) {
			return false
		}
	}
	return true
}

// behind follows pointers and interfaces, and reports false if there are too many. Nil is the
// integer 0, or with ZeroNil the zero value of the last pointer's element type.
func (o Options) behind(v reflect.Value) (reflect.Value, bool) {
	zero := reflect.TypeFor[int]()
	hops := 0
	for ; v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface; v = v.Elem() {
		hops++
		if hops > engine.MaxDepth {
			return v, false
		}
		if v.Kind() == reflect.Pointer && o.ZeroNil {
			zero = v.Type().Elem()
		}
	}
	if !v.IsValid() {
		v = reflect.Zero(zero)
	}
	return v, true
}
