package gardener

import (
	"reflect"
	"strings"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
)

// renamed are the names in Gardener's messages that differ from the name of the v1beta1 field by more
// than upper and lower case. A test goes through all names in Gardener's validation.
var renamed = map[string]string{
	"autoscaler":                       "clusterAutoscaler",
	"machineControllerManagerSettings": "machineControllerManager",
}

// pathOf returns the path of a field in the v1beta1 Shoot. Gardener's messages have names of the
// internal type in places. What the type does not have is left as it is.
func pathOf(path string) string {
	t := reflect.TypeFor[gardencorev1beta1.Shoot]()
	var translated strings.Builder
	for rest := path; rest != ""; {
		name, below := cutName(rest)
		known, of := fieldOf(t, name)
		if of == nil {
			translated.WriteString(rest)
			break
		}
		index, next := cutIndex(below)
		for range strings.Count(index, "[") {
			if of = indirect(of); of.Kind() == reflect.Slice || of.Kind() == reflect.Map {
				of = of.Elem()
			}
		}
		t = of
		translated.WriteString(known + index)
		if next != "" {
			translated.WriteByte('.')
		}
		rest = next
	}
	return translated.String()
}

// cutName splits a path behind its first name.
func cutName(path string) (name, below string) {
	if i := strings.IndexAny(path, ".["); i >= 0 {
		return path[:i], path[i:]
	}
	return path, ""
}

// cutIndex splits a path behind its indices and the dot that follows.
func cutIndex(path string) (index, below string) {
	end := 0
	for end < len(path) && path[end] == '[' {
		length := strings.IndexByte(path[end:], ']')
		if length < 0 {
			return path, ""
		}
		end += length + 1
	}
	return path[:end], strings.TrimPrefix(path[end:], ".")
}

// fieldOf returns the JSON name and the type of a field by a name in Gardener's messages, and no type
// if there is no such field. A key of a map is its own name.
func fieldOf(t reflect.Type, name string) (string, reflect.Type) {
	t = indirect(t)
	if t.Kind() == reflect.Map {
		return name, t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return "", nil
	}
	fields := jsonFields(t)
	if f, is := fields[name]; is {
		return name, f
	}
	for known, f := range fields {
		if strings.EqualFold(known, name) {
			return known, f
		}
	}
	if f, is := fields[renamed[name]]; is {
		return renamed[name], f
	}
	return "", nil
}

// jsonFields returns the types of a struct's fields by their JSON names.
func jsonFields(t reflect.Type) map[string]reflect.Type {
	all := map[string]reflect.Type{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || !f.IsExported():
		case name == "" && (f.Anonymous || strings.Contains(options, "inline")):
			for below, of := range jsonFields(indirect(f.Type)) {
				all[below] = of
			}
		default:
			all[name] = f.Type
		}
	}
	return all
}

func indirect(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}
