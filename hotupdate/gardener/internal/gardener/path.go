package gardener

import (
	"maps"
	"reflect"
	"strings"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
)

// renamed are the names in Gardener's messages that neither the JSON nor the Go name of the v1beta1
// field has, whatever their case. A test goes through all names in Gardener's validation.
var renamed = map[string]string{"autoscaler": "clusterAutoscaler"}

// pathOf returns the path of a field in the v1beta1 Shoot. Gardener's messages have names of the
// internal type in places, and in others names that neither type has, such as timeWindow.begin/end: the
// path then ends at the object above.
func pathOf(path string) string {
	t := reflect.TypeFor[gardencorev1beta1.Shoot]()
	var translated strings.Builder
	for rest := path; rest != ""; {
		name, below := cutName(rest)
		known, of := fieldOf(t, name)
		if of == nil {
			break
		}
		index, next := cutIndex(below)
		for range strings.Count(index, "[") {
			if of = indirect(of); of.Kind() == reflect.Slice || of.Kind() == reflect.Map {
				of = of.Elem()
			}
		}
		t = of
		rest = next
		translated.WriteString(known + index)
		if next != "" && known != "" {
			translated.WriteByte('.')
		}
	}
	return strings.TrimSuffix(translated.String(), ".")
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
// if there is no such field. A key of a map is its own name. An embedded struct has no name, but stands
// in the paths of the decoder.
func fieldOf(t reflect.Type, name string) (string, reflect.Type) {
	t = indirect(t)
	if t.Kind() == reflect.Map {
		return name, t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return "", nil
	}
	if embedded, is := t.FieldByName(name); is && embedded.Anonymous {
		return "", embedded.Type
	}
	fields := jsonFields(t)
	for _, wanted := range []string{name, renamed[name]} {
		if f, is := fields[wanted]; is {
			return wanted, f.Type
		}
	}
	for known, f := range fields {
		if strings.EqualFold(known, name) || strings.EqualFold(f.Name, name) {
			return known, f.Type
		}
	}
	return "", nil
}

// JSONFields returns the types of a struct's fields by their JSON names.
func JSONFields(t reflect.Type) map[string]reflect.Type {
	all := map[string]reflect.Type{}
	for name, f := range jsonFields(t) {
		all[name] = f.Type
	}
	return all
}

// jsonFields returns the fields of a struct and of its embedded structs by their JSON names.
func jsonFields(t reflect.Type) map[string]reflect.StructField {
	all := map[string]reflect.StructField{}
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		embedded := indirect(f.Type)
		switch {
		case name == "-" || !f.IsExported():
		case name == "" && embedded.Kind() == reflect.Struct:
			maps.Copy(all, jsonFields(embedded))
		case name != "":
			all[name] = f
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
