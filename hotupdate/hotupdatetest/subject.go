package hotupdatetest

import (
	"errors"
	"reflect"
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/schemajson"
)

// subject is a type, and what the options say of it.
type subject struct {
	typ    reflect.Type
	schema *hotupdate.Schema
	plan   *fieldplan.Plan
	loaded *hotupdate.Schema        // from the Schema's JSON; nil if it cannot be loaded
	made   map[reflect.Type][]maker // of leaves

	given      map[string][]reflect.Value // of the field's type, or keys of the map's
	byType     map[reflect.Type][]reflect.Value
	defaulters []func(config any)
	vectors    []vector
	update     Update
}

// subjectOf compiles T under the options.
func subjectOf[T any](options []Option) (*subject, error) {
	s := &subject{
		typ: reflect.TypeFor[T](), made: map[reflect.Type][]maker{}, given: map[string][]reflect.Value{},
		byType: map[reflect.Type][]reflect.Value{},
	}
	var problems []error
	for _, o := range options {
		if o.before != nil {
			problems = append(problems, o.before(s))
		}
	}
	err := errors.Join(problems...)
	if err == nil && s.schema == nil {
		s.schema, err = hotupdate.SchemaOf[T]()
	}
	if err == nil {
		err = s.compile()
	}
	if err != nil {
		return nil, err
	}
	for _, o := range options {
		if o.after != nil {
			problems = append(problems, o.after(s))
		}
	}
	return s, errors.Join(problems...)
}

// compile reads the Schema's plan, and the Schema back from its JSON.
func (s *subject) compile() error {
	_, err := s.schema.Hash(reflect.Zero(s.typ).Interface())
	if slices.ContainsFunc(fault.All(err), func(problem *fault.Error) bool { return problem.Code == "type-mismatch" }) {
		return misuse("WithSchema", "has the Schema of another type", "use SchemaOf["+s.typ.String()+"]")
	}
	if s.plan, err = schemajson.Recompile(s.schema, s.typ); err != nil {
		return err
	}
	exported, err := s.schema.MarshalJSON()
	if err != nil {
		return err
	}
	s.loaded, _ = hotupdate.LoadSchema(exported) // types that contain themselves cannot be loaded
	return nil
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
