package hotupdatetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// Option adds facts that the type does not contain. The order of Options has no meaning.
type Option func(s *subject) error

// WithSchema uses this Schema instead of the type's own, such as one with [hotupdate.WithTag].
func WithSchema(schema *hotupdate.Schema) Option {
	return func(s *subject) error {
		if s.schema = schema; schema == nil {
			return misuse("WithSchema", "is nil", "look at the error of SchemaOf, or leave the option out")
		}
		return nil
	}
}

// WithValues sets the values that a field may have: those that its validation allows, or that its
// unmarshaler reads. The field is also left unset at times. For a map the values are its keys.
//
// The path is written as for [hotupdate.WithTag]; it may end with [] for the elements of a list or
// map. A value is of the field's Go type, or anything whose JSON that type can read: "1Gi" for a
// quantity, 3000 for an int32. Values of sensitive fields are not shown.
func WithValues(path string, values ...any) Option {
	return func(s *subject) error {
		s.given[path] = append(s.given[path], values...)
		return nil
	}
}

// checkGiven checks that the given values can be read.
func (s *subject) checkGiven() error {
	types := map[string]reflect.Type{}
	visitValues(s.plan.Root, "", func(_ *fieldplan.Node, typ reflect.Type, pattern string) {
		types[pattern] = typ
	})
	var problems []error
	for _, path := range slices.Sorted(maps.Keys(s.given)) {
		switch {
		case types[path] == nil:
			problems = append(problems, misuse("WithValues", fmt.Sprintf("path %q leads to no leaf and no map", path),
				"write JSON names separated by dots, and [] for elements"))
		case len(s.given[path]) == 0:
			problems = append(problems, misuse("WithValues", fmt.Sprintf("gives no value for %q", path),
				"give at least one, or leave the option out"))
		}
		for i, given := range s.given[path] {
			if typ := types[path]; typ != nil && !readInto(typ, given)().IsValid() {
				const what = "value %d for %q has type %T, and must have type %s"
				problems = append(problems, misuse("WithValues", fmt.Sprintf(what, i+1, path, given, typ),
					"give values of the field's type, or of the map's keys"))
			}
		}
	}
	return errors.Join(problems...)
}

// WithDefaulter sets a defaulting function of the API type that runs before configurations are
// hashed. [Check] checks that it changes no hash: the option default of the struct tag has to
// declare every default that it fills in.
//
// Defaults of lists, maps, objects and non-pointer bools cannot be declared, nor can defaults that
// depend on other fields or are filled in only sometimes. In these cases hash configurations before
// defaulting, such as the user's JSON by [hotupdate.Schema.HashRaw], and omit WithDefaulter; or
// apply the default in the code that reads the field.
func WithDefaulter[T any](setDefaults func(config *T)) Option {
	return func(s *subject) error {
		switch typ := reflect.TypeFor[T](); {
		case setDefaults == nil:
			return misuse("WithDefaulter", "is nil", "give a function, or leave the option out")
		case typ != s.typ:
			return misuse("WithDefaulter", "takes a *"+typ.String(), "give the function that takes a *"+s.typ.String())
		}
		s.defaulters = append(s.defaulters, func(config any) { setDefaults(config.(*T)) })
		return nil
	}
}

func misuse(option, what, hint string) error {
	return &fault.Error{Kind: fault.Misuse, Code: "invalid-test-option", Where: option, What: what, Hint: hint}
}

// readInto returns a maker of a given value: it copies the value, or lets type t read its JSON. As
// far as possible, the copy shares no memory with the value.
func readInto(t reflect.Type, given any) maker {
	v := reflect.ValueOf(given)
	if !v.IsValid() || !v.Type().AssignableTo(t) {
		written, _ := json.Marshal(given) // no type reads what cannot be written
		return fromJSON(t, written)
	}
	return func() reflect.Value {
		copied := reflect.New(t).Elem()
		if problem := leaf.Copy(copied, v, leaf.KindOf(t)); problem != nil {
			return v
		}
		return copied
	}
}
