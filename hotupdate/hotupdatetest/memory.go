package hotupdatetest

import (
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// sharedMemory reports whether two values reach the same memory, and where. Strings do not count,
// since they cannot be changed, nor do functions, channels and time zones. Memory that an
// independently made twin also reaches does not count either: it holds interned values.
func sharedMemory(a, b, twin reflect.Value) (path string, shared bool) {
	first := memory{}
	second := memory{}
	interned := memory{}
	first.walk(a, "")
	second.walk(b, "")
	interned.walk(twin, "")
	maps.DeleteFunc(first, func(at uintptr, _ string) bool { return !second.has(at) || interned.has(at) })
	if len(first) == 0 {
		return "", false
	}
	return slices.Min(slices.Collect(maps.Values(first))), true
}

// memory maps the address of each variable and map that a value reaches to the path that leads to
// it.
type memory map[uintptr]string

func (m memory) has(at uintptr) bool {
	_, ok := m[at]
	return ok
}

// walk adds the memory of v and everything that v reaches. The target of a pointer, slice or map is
// walked once.
func (m memory) walk(v reflect.Value, path string) {
	if v.CanAddr() && v.Type().Size() > 0 && !m.has(v.UnsafeAddr()) {
		m[v.UnsafeAddr()] = path
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.Type() != reflect.TypeFor[*time.Location]() && !m.has(v.Pointer()) {
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
		for i := range v.Len() {
			if v.Kind() == reflect.Array || !m.has(v.Index(i).UnsafeAddr()) {
				m.walk(v.Index(i), fieldpath.At(path, i))
			}
		}
	case reflect.Map:
		if !v.IsNil() && !m.has(v.Pointer()) {
			m[v.Pointer()] = path
			for it := v.MapRange(); it.Next(); {
				m.walk(it.Key(), path)
				m.walk(it.Value(), path)
			}
		}
	}
}
