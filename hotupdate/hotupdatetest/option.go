package hotupdatetest

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// Option says what the kit cannot know from the type alone. The functions of this package return Options; their order has no meaning.
type Option func(s *settings)

type settings struct {
	schema     *hotupdate.Schema
	withSchema bool // WithSchema was given
	values     map[string][]any
	given      map[string][]reflect.Value // values, of the field's type
	keys       map[string][]string
	byType     map[reflect.Type][]reflect.Value
	normalizes map[reflect.Type]bool
	defaulters []defaulter
	vectors    []vector
	update     Update
}

type defaulter struct {
	typ  reflect.Type // of the configuration, with its pointer
	call func(config any)
}

// WithSchema uses this Schema instead of the type's own: one that was made with [hotupdate.WithTag].
func WithSchema(schema *hotupdate.Schema) Option {
	return func(s *settings) { s.schema, s.withSchema = schema, true }
}

// WithValues gives the values that a field may have: those that its validation allows, or that its unmarshaler reads. The field is left
// unset now and then as well. Each value must mean something else than the others.
//
// The path is that of [hotupdate.WithTag]; it may end with [] for the elements of a list or map. A value is of the field's Go type, or
// anything whose JSON that type can read: "1Gi" for a quantity, 3000 for an int32. Values of sensitive fields are not shown.
func WithValues(path string, values ...any) Option {
	return func(s *settings) { s.values[path] = append(s.values[path], values...) }
}

// WithKeys gives the keys that the map at path may have, in their text.
func WithKeys(path string, keys ...string) Option {
	return func(s *settings) { s.keys[path] = append(s.keys[path], keys...) }
}

// WithValuesOf gives the values that fields of type V may have. It is for types that marshal themselves and whose fields are unexported.
// Each value must mean something else than the others.
func WithValuesOf[V any](values ...V) Option {
	return func(s *settings) {
		typ := fieldplan.Deref(reflect.TypeFor[V]())
		all := s.byType[typ]
		for _, v := range values {
			read, _ := readInto(typ, v) // is of the type
			all = append(all, read)
		}
		s.byType[typ] = all
	}
}

// WithNormalizing says that type V marshals itself, and that what is lost between MarshalJSON and UnmarshalJSON, or between MarshalText
// and UnmarshalText, carries no meaning: upper and lower case, for example.
func WithNormalizing[V any]() Option {
	return func(s *settings) { s.normalizes[fieldplan.Deref(reflect.TypeFor[V]())] = true }
}

// WithDefaulter gives a defaulting function of the API type that runs before configurations are hashed. [Check] makes sure that it changes
// no hash: every default that it fills in has to be declared by the option default of the struct tag.
//
// Defaults that cannot be declared are those of lists, maps, objects and bools that are no pointers, and those that depend on other fields or are
// filled in only sometimes. Hash what was there before defaulting, as [hotupdate.Schema.HashRaw] does with what the user wrote, and leave WithDefaulter out;
// or let the code that reads the field apply the default.
func WithDefaulter[T any](setDefaults func(config *T)) Option {
	return func(s *settings) {
		d := defaulter{typ: reflect.TypeFor[*T]()}
		if setDefaults != nil {
			d.call = func(config any) { setDefaults(config.(*T)) }
		}
		s.defaulters = append(s.defaulters, d)
	}
}

func misuse(option, what, hint string) error {
	return &fault.Error{Kind: fault.Misuse, Code: "invalid-test-option", Where: option, What: what, Hint: hint}
}

// checkOptions reports the first option that does not fit the type, and reads the values that were given.
func (s *subject) checkOptions() error {
	for _, path := range slices.Sorted(maps.Keys(s.values)) {
		if err := s.checkValues(path, s.values[path]); err != nil {
			return err
		}
	}
	for _, path := range slices.Sorted(maps.Keys(s.keys)) {
		if err := s.checkKeys(path, s.keys[path]); err != nil {
			return err
		}
	}
	if err := s.checkTypes(); err != nil {
		return err
	}
	for i, v := range s.vectors {
		if slices.ContainsFunc(s.vectors[:i], func(w vector) bool { return w.Name == v.Name }) {
			return misuse("WithVector", fmt.Sprintf("gives the name %q twice", v.Name), "give each vector a name of its own")
		}
	}
	for _, d := range s.defaulters {
		switch {
		case d.call == nil:
			return misuse("WithDefaulter", "is nil", "give a function, or leave the option out")
		case d.typ != reflect.PointerTo(s.typ):
			return misuse("WithDefaulter", "takes a "+d.typ.String(), "give the function that takes a *"+s.typ.String())
		}
	}
	return nil
}

const (
	pathHint = "write JSON names separated by dots, and [] for elements"
	someHint = "give at least one, or leave the option out"
	typeHint = "correct the type, or leave the option out"
)

func (s *subject) checkValues(path string, values []any) error {
	n := s.find(path)
	switch {
	case n == nil || n.Kind != fieldplan.Leaf:
		return misuse("WithValues", fmt.Sprintf("path %q leads to no leaf", path), "give values to the fields below it; "+pathHint)
	case len(values) == 0:
		return misuse("WithValues", fmt.Sprintf("gives no value for %q", path), someHint)
	}
	for i, given := range values {
		read, ok := readInto(n.Type, given)
		if !ok {
			shown := fmt.Sprintf("%T", given)
			if !n.HidesValues() {
				shown = fmt.Sprintf("%#v", given)
			}
			return misuse("WithValues", fmt.Sprintf("value %d for %q, %s, is no %s", i+1, path, shown, n.Type), "give values of the field's type")
		}
		s.given[path] = append(s.given[path], read)
	}
	return nil
}

func (s *subject) checkKeys(path string, keys []string) error {
	n := s.find(path)
	switch {
	case n == nil || n.Kind != fieldplan.Map:
		return misuse("WithKeys", fmt.Sprintf("path %q leads to no map", path), pathHint)
	case len(keys) == 0:
		return misuse("WithKeys", fmt.Sprintf("gives no key for %q", path), someHint)
	}
	for i, given := range keys {
		if _, ok := readKey(n.Type.Key(), given); !ok {
			shown := strconv.Quote(given)
			if n.HidesValues() {
				shown = fieldpath.Hidden
			}
			return misuse("WithKeys", fmt.Sprintf("key %d for %q, %s, is no %s", i+1, path, shown, n.Type.Key()), "give keys as they stand in JSON")
		}
	}
	return nil
}

// checkTypes makes sure that what was given for types is for types that the configuration has.
func (s *subject) checkTypes() error {
	has := map[reflect.Type]bool{}
	s.visitNodes(func(n *fieldplan.Node, _ string) {
		has[fieldplan.Deref(n.Type)] = true
		if n.Kind == fieldplan.Map {
			has[fieldplan.Deref(n.Type.Key())] = true
		}
	})
	for _, typ := range sortedTypes(s.byType) {
		switch {
		case !has[typ]:
			return misuse("WithValuesOf["+typ.String()+"]", "no field is of this type", typeHint)
		case len(s.byType[typ]) == 0:
			return misuse("WithValuesOf["+typ.String()+"]", "gives no value", someHint)
		}
	}
	for _, typ := range sortedTypes(s.normalizes) {
		if !has[typ] {
			return misuse("WithNormalizing["+typ.String()+"]", "no field is of this type", typeHint)
		}
	}
	return nil
}

func sortedTypes[V any](m map[reflect.Type]V) []reflect.Type {
	return slices.SortedFunc(maps.Keys(m), func(a, b reflect.Type) int { return strings.Compare(a.String(), b.String()) })
}

// visitNodes calls visit for each node of the plan and the pattern of its path, in the order of the fields. It does not enter cycles.
func (s *subject) visitNodes(visit func(n *fieldplan.Node, pattern string)) {
	open := map[*fieldplan.Node]bool{}
	var below func(n *fieldplan.Node, pattern string)
	below = func(n *fieldplan.Node, pattern string) {
		if n == nil || open[n] {
			return
		}
		open[n] = true
		defer delete(open, n)
		visit(n, pattern)
		for _, f := range n.Fields {
			below(f.Node, fieldpath.Join(pattern, f.Name))
		}
		below(n.Elem, pattern+"[]")
	}
	below(s.plan.Root, "")
}

// find follows a path, which may end with [], through the plan. It is nil if there is nothing.
func (s *subject) find(path string) *fieldplan.Node {
	steps, ok := fieldpath.ParsePattern(path + ".end")
	if !ok {
		return nil
	}
	n := s.plan.Root
	for _, step := range steps[:len(steps)-1] {
		f := n.Lookup(step.Name)
		switch {
		case step.Element && n.Elem != nil:
			n = n.Elem
		case !step.Element && f != nil:
			n = f.Node
		default:
			return nil
		}
	}
	return n
}

// readInto turns a value into one of type t: as it is, behind its pointers, or by its JSON.
func readInto(t reflect.Type, given any) (reflect.Value, bool) {
	v := reflect.ValueOf(given)
	for v.IsValid() && v.Kind() == reflect.Pointer && !v.IsNil() && v.Type() != t {
		v = v.Elem()
	}
	if v.IsValid() && v.Type().AssignableTo(t) {
		return v, true
	}
	written, err := json.Marshal(given)
	if err != nil {
		return v, false
	}
	read := reflect.New(t)
	return read.Elem(), json.Unmarshal(written, read.Interface()) == nil
}

// copyOf returns a copy of a leaf that shares no memory with it, as far as that can be had.
func copyOf(n *fieldplan.Node, v reflect.Value) reflect.Value {
	copied := reflect.New(n.Type).Elem()
	if problem := leaf.Copy(copied, v, n.Leaf); problem != nil {
		return v
	}
	return copied
}
