package hotupdatetest

import (
	"encoding/json"
	"reflect"
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/schemajson"
)

// subject is a type under test.
type subject struct {
	settings

	typ    reflect.Type
	plan   *fieldplan.Plan
	loaded *hotupdate.Schema        // from the Schema's JSON; nil if it cannot be loaded
	drawn  map[reflect.Type][]maker // of types that marshal themselves

	spelled map[reflect.Type][]spelled // of others
}

// subjectOf compiles T under the options and checks the options against it.
func subjectOf[T any](options []Option) (*subject, error) {
	s := &subject{typ: reflect.TypeFor[T](), drawn: map[reflect.Type][]maker{}, spelled: map[reflect.Type][]spelled{}, settings: settings{
		values: map[string][]any{}, given: map[string][]reflect.Value{}, keys: map[string][]string{},
		byType: map[reflect.Type][]reflect.Value{}, normalizes: map[reflect.Type]bool{},
	}}
	for _, o := range options {
		if o != nil {
			o.apply(&s.settings)
		}
	}
	if s.noSchema {
		return nil, misuse("WithSchema", "is nil", "look at the error of SchemaOf, or leave the option out")
	}
	if s.schema == nil {
		schema, err := hotupdate.SchemaOf[T]()
		if err != nil {
			return nil, err
		}
		s.schema = schema
	}
	_, err := s.schema.Hash(reflect.Zero(s.typ).Interface())
	if slices.ContainsFunc(fault.All(err), func(problem *fault.Error) bool { return problem.Code == "type-mismatch" }) {
		return nil, misuse("WithSchema", "has the Schema of another type", "use SchemaOf["+s.typ.String()+"]")
	}
	if err := s.compile(); err != nil {
		return nil, err
	}
	return s, s.checkOptions()
}

// compile finds the field plan behind the Schema. The overrides that it was made with stand in its JSON.
func (s *subject) compile() error {
	exported, err := s.schema.MarshalJSON()
	if err != nil {
		return err
	}
	d := &schemajson.Document{}
	if err := json.Unmarshal(exported, d); err != nil {
		return err
	}
	overrides := map[string]string{}
	collectOverrides(d.Root, overrides)
	var all []fieldplan.Override
	for path, tag := range overrides {
		all = append(all, fieldplan.Override{Path: path, Tag: tag})
	}
	if s.plan, err = fieldplan.Compile(deref(s.typ), all); err != nil {
		return err
	}
	s.loaded, _ = hotupdate.LoadSchema(exported) // types that contain themselves cannot be loaded
	return nil
}

func collectOverrides(n *schemajson.Node, found map[string]string) {
	if n == nil {
		return
	}
	collectOverrides(n.Elem, found)
	for _, f := range n.Fields {
		if f.Override {
			found[f.Source] = f.StructTag()
		}
		collectOverrides(f.Type, found)
	}
}

func deref(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}
