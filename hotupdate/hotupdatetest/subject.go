package hotupdatetest

import (
	"reflect"
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/schemajson"
)

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
			o(&s.settings)
		}
	}
	var err error
	if !s.withSchema {
		s.schema, err = hotupdate.SchemaOf[T]()
	} else if s.schema == nil {
		err = misuse("WithSchema", "is nil", "look at the error of SchemaOf, or leave the option out")
	}
	if err != nil {
		return nil, err
	}
	_, err = s.schema.Hash(reflect.Zero(s.typ).Interface())
	if slices.ContainsFunc(fault.All(err), func(problem *fault.Error) bool { return problem.Code == "type-mismatch" }) {
		return nil, misuse("WithSchema", "has the Schema of another type", "use SchemaOf["+s.typ.String()+"]")
	}
	if s.plan, err = schemajson.Recompile(s.schema, s.typ); err != nil {
		return nil, err
	}
	exported, err := s.schema.MarshalJSON()
	if err != nil {
		return nil, err
	}
	s.loaded, _ = hotupdate.LoadSchema(exported) // types that contain themselves cannot be loaded
	return s, s.checkOptions()
}
