package measured

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hotupdate/providerconfig/hotupdate/gardener/internal/gardener"
	"github.com/hotupdate/providerconfig/hotupdate/gardener/internal/shapes"
)

// member is a member of a type with values to set.
type member struct {
	path   []string
	values []any
}

// inEach stands in a path for each element of a list.
const inEach = "[]"

// join returns the path of names.
func join(names []string) string {
	return strings.ReplaceAll(strings.Join(names, "."), "."+inEach, inEach)
}

// walk collects the members below a type that are no objects.
type walk struct {
	all       []member
	constants constants
	most      int // values of a type in the member
	problems  []error
}

// membersOf returns the members below the spec of a type that are no objects.
func membersOf[T any]() ([]member, error) {
	linked, err := shapes.Linked()
	if err != nil {
		return nil, err
	}
	w := &walk{constants: constants{linked, map[string]map[string][]any{}}}
	w.members(reflect.TypeFor[T](), []string{"spec"})
	return w.all, errors.Join(w.problems...)
}

func (w *walk) members(t reflect.Type, path []string) {
	fields := gardener.JSONFields(t)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		of := indirect(fields[name])
		at := append(slices.Clone(path), name)
		switch {
		case join(at) == "spec.provider.workers":
			w.members(indirect(of.Elem()), append(at, inEach))
		case of.Kind() == reflect.Struct && leafOf(of) == nil:
			w.members(of, at)
		default:
			w.all = append(w.all, member{at, w.samples(of)})
		}
	}
}

// samples returns different values of a type: two, or as many as a type in it has constants.
func (w *walk) samples(t reflect.Type) (values []any) {
	w.most = 2
	for len(values) < w.most {
		values = append(values, w.sample(t, len(values)))
	}
	return values
}

// leafOf returns two values of a type that encoding/json writes in a way of its own; none for other types.
func leafOf(t reflect.Type) []any {
	switch t {
	case reflect.TypeFor[metav1.Time]():
		return []any{"2026-01-02T03:04:05Z", "2027-01-02T03:04:05Z"}
	case reflect.TypeFor[metav1.Duration]():
		return []any{"7m0s", "8m0s"}
	case reflect.TypeFor[resource.Quantity]():
		return []any{"1Gi", "2Gi"}
	case reflect.TypeFor[intstr.IntOrString]():
		return []any{1, "20%"}
	case reflect.TypeFor[runtime.RawExtension]():
		return []any{object{"a": "b"}, object{"a": "c"}}
	}
	return nil
}

// sample returns one of several values of a type. Every member of an object is set.
func (w *walk) sample(t reflect.Type, i int) any {
	t = indirect(t)
	values, err := w.constants.of(t)
	values = append(values, leafOf(t)...)
	switch {
	case err != nil:
		w.problems = append(w.problems, fmt.Errorf("constants of %s: %w", t, err))
	case len(values) > 0:
		w.most = max(w.most, len(values))
		return values[i%len(values)]
	}
	switch t.Kind() {
	case reflect.Struct:
		all := object{}
		for name, of := range gardener.JSONFields(t) {
			all[name] = w.sample(of, i)
		}
		return all
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return []string{"YQ==", "Yg=="}[i%2]
		}
		return []any{w.sample(t.Elem(), i)}
	case reflect.Map:
		return object{"a": w.sample(t.Elem(), i)}
	case reflect.Bool:
		return i%2 == 0
	case reflect.String:
		return strings.Repeat("a", i+1)
	default:
		return i + 1 // a number
	}
}

func indirect(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}
