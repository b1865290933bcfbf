package hotupdatetest

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hotupdate/providerconfig/internal/fieldpath"
)

// region is memory that a value reaches, with the path on which it does.
type region struct {
	from, to uintptr
	path     string
}

// sharedMemory reports whether two values reach the same memory, and where. Strings do not count, since nobody can write them, and
// neither do functions, channels, time zones, and what a twin that was made independently reaches as well: interned values.
func sharedMemory(a, b, twin reflect.Value) (path string, shared bool) {
	second, interned := regionsOf(b), regionsOf(twin)
	for _, r := range regionsOf(a) {
		if r.meets(second) && !r.meets(interned) {
			return r.path, true
		}
	}
	return "", false
}

// meets reports whether r overlaps with one of the regions, which are in order.
func (r region) meets(others []region) bool {
	i, _ := slices.BinarySearchFunc(others, r.from, func(x region, at uintptr) int { return cmp.Compare(x.from, at) })
	for _, near := range []int{i - 1, i} {
		if near >= 0 && near < len(others) && others[near].from < r.to && r.from < others[near].to {
			return true
		}
	}
	return false
}

// regionsOf lists the memory that v reaches, from the lowest address up, without what lies inside of other regions.
func regionsOf(v reflect.Value) []region {
	m := memory{seen: map[region]bool{}}
	m.walk(v, "")
	slices.SortFunc(m.regions, func(a, b region) int {
		return cmp.Or(cmp.Compare(a.from, b.from), -cmp.Compare(a.to, b.to), strings.Compare(a.path, b.path))
	})
	var apart []region
	for _, r := range m.regions {
		if n := len(apart); n > 0 && r.to <= apart[n-1].to {
			continue
		}
		apart = append(apart, r)
	}
	return apart
}

// memory collects regions.
type memory struct {
	regions []region
	seen    map[region]bool
}

// reach adds a region, and reports whether it is new.
func (m *memory) reach(from uintptr, size uintptr, path string) bool {
	r := region{from, from + size, path}
	key := region{from, r.to, ""}
	if size == 0 || m.seen[key] {
		return false
	}
	m.seen[key] = true
	m.regions = append(m.regions, r)
	return true
}

func (m *memory) walk(v reflect.Value, path string) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.Type() == reflect.TypeFor[*time.Location]() || v.IsNil() {
			return
		}
		if m.reach(v.Pointer(), v.Type().Elem().Size(), path) {
			m.walk(v.Elem(), path)
		}
	case reflect.Interface:
		if !v.IsNil() {
			m.walk(v.Elem(), path)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			m.walk(v.Field(i), goPath(path, v.Type().Field(i)))
		}
	case reflect.Slice:
		if v.IsNil() {
			return
		}
		if m.reach(v.Pointer(), uintptr(v.Len())*v.Type().Elem().Size(), path) {
			m.elements(v, path)
		}
	case reflect.Array:
		m.elements(v, path)
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

func (m *memory) elements(v reflect.Value, path string) {
	for i := range v.Len() {
		m.walk(v.Index(i), path+"["+strconv.Itoa(i)+"]")
	}
}

// goPath adds a field to a path: by its JSON name, by its Go name if it has none, not at all if it is embedded.
func goPath(path string, f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	switch {
	case name == "" && f.Anonymous:
		return path
	case name == "" || name == "-":
		name = f.Name
	}
	return fieldpath.Join(path, name)
}
