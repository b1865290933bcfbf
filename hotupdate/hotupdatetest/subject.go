package hotupdatetest

import (
	"errors"
	"reflect"
	"slices"

	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/schemajson"
)

// subject is a type with its options.
type subject struct {
	typ    reflect.Type
	schema *hotupdate.Schema
	plan   *fieldplan.Plan
	loaded *hotupdate.Schema        // from the Schema's JSON; nil if it cannot be loaded
	made   map[reflect.Type][]maker // of leaves

	given      map[string][]any // values by path
	defaulters []func(config any)
	update     update
}

// subjectOf compiles T under the options. A mistake in them ends the test; then there is no subject.
func subjectOf[T any](t rapid.TB, options []Option) *subject {
	t.Helper()
	s := &subject{
		typ: reflect.TypeFor[T](), made: map[reflect.Type][]maker{}, given: map[string][]any{},
	}
	var problems []error
	for _, apply := range options {
		problems = append(problems, apply(s))
	}
	err := errors.Join(problems...)
	if err == nil && s.schema == nil {
		s.schema, err = hotupdate.SchemaOf[T]()
	}
	if err == nil {
		err = s.compile()
	}
	if err == nil {
		err = s.checkGiven()
	}
	if err != nil {
		t.Errorf("hotupdatetest: %v: %v", s.typ, err)
		t.FailNow()
		return nil
	}
	return s
}

// compile reads the Schema's plan, and loads the Schema again from its JSON.
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

// valueType is the type of the values of a leaf, or of the keys of a map. It is nil for others.
func valueType(n *fieldplan.Node) reflect.Type {
	if n.Kind == fieldplan.Map {
		return n.Type.Key()
	}
	if n.Kind == fieldplan.Leaf {
		return n.Type
	}
	return nil
}

// visitNodes calls visit for each node at and below one, with the pattern of its path, in the order
// of the fields. It does not enter cycles.
func visitNodes(
	n *fieldplan.Node, pattern string, visit func(n *fieldplan.Node, pattern string), open ...*fieldplan.Node,
) {
	if n == nil || slices.Contains(open, n) {
		return
	}
	open = append(slices.Clip(open), n)
	visit(n, pattern)
	for _, f := range n.Fields {
		visitNodes(f.Node, fieldpath.Join(pattern, f.Name), visit, open...)
	}
	visitNodes(n.Elem, fieldpath.Elements(pattern), visit, open...)
}
