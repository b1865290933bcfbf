package hotupdatetest

import (
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// region is memory that a value reaches, with the path on which it does.
type region struct {
	from, to uintptr
	path     string
}

// sharedMemory reports whether two values reach the same memory, and where. Strings do not count, since nobody can write them, and
// neither do functions, channels, time zones, and what a twin that was made independently reaches as well: interned values.
func sharedMemory(a, b, twin reflect.Value) (path string, shared bool) {
	var first, second, interned memory
	first.walk(a, "")
	second.walk(b, "")
	interned.walk(twin, "")
	for _, r := range first {
		if r.meets(second) && !r.meets(interned) {
			return r.path, true
		}
	}
	return "", false
}

func (r region) meets(others memory) bool {
	return slices.ContainsFunc(others, func(o region) bool { return o.from < r.to && r.from < o.to })
}

// memory is what a value reaches, from the root down.
type memory []region

// reach adds a region, and reports whether it is new.
func (m *memory) reach(from, size uintptr, path string) bool {
	to := from + size
	if size == 0 || slices.ContainsFunc(*m, func(r region) bool { return r.from == from && r.to == to }) {
		return false
	}
	*m = append(*m, region{from, to, path})
	return true
}

func (m *memory) walk(v reflect.Value, path string) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.Type() != reflect.TypeFor[*time.Location]() && !v.IsNil() && m.reach(v.Pointer(), v.Type().Elem().Size(), path) {
			m.walk(v.Elem(), path)
		}
	case reflect.Interface:
		m.walk(v.Elem(), path)
	case reflect.Struct:
		for i := range v.NumField() {
			below := path
			if name, ok := fieldplan.PathName(v.Type().Field(i)); ok {
				below = fieldpath.Join(path, name)
			}
			m.walk(v.Field(i), below)
		}
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Array || m.reach(v.Pointer(), uintptr(v.Len())*v.Type().Elem().Size(), path) {
			for i := range v.Len() {
				m.walk(v.Index(i), path+"["+strconv.Itoa(i)+"]")
			}
		}
	case reflect.Map:
		if !v.IsNil() && m.reach(v.Pointer(), 1, path) {
			for it := v.MapRange(); it.Next(); {
				m.walk(it.Key(), path)
				m.walk(it.Value(), path)
			}
		}
	default:
	}
}
