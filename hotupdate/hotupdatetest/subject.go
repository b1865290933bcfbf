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
	"github.com/hotupdate/providerconfig/internal/schemabridge"
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
	var err error
	for _, apply := range options {
		err = errors.Join(err, apply(s))
	}
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
	if fault.Is(err, fault.TypeMismatch) {
		return misuse("WithSchema", "has the Schema of another type", "use SchemaOf["+s.typ.String()+"]")
	}
	s.plan = (*schemabridge.Schema)(s.schema).Plan()
	exported, err := s.schema.MarshalJSON()
	if err != nil {
		return err
	}
	s.loaded, _ = hotupdate.LoadSchema(exported) // types that contain themselves cannot be loaded
	return nil
}

// visitValues calls visit for each leaf and map at and below a node, with the type of the leaf's
// values or of the map's keys and the pattern of the path, in the order of the fields. It does not
// enter cycles.
func visitValues(
	n *fieldplan.Node, pattern string, visit func(n *fieldplan.Node, typ reflect.Type, pattern string),
	open ...*fieldplan.Node,
) {
	if n == nil || slices.Contains(open, n) {
		return
	}
	open = append(slices.Clip(open), n)
	switch n.Kind {
	case fieldplan.Leaf:
		visit(n, n.Type, pattern)
	case fieldplan.Map:
		visit(n, n.Type.Key(), pattern)
	case fieldplan.Object, fieldplan.List, fieldplan.Array:
	}
	for _, f := range n.Fields {
		visitValues(f.Node, fieldpath.Join(pattern, f.Name), visit, open...)
	}
	visitValues(n.Elem, fieldpath.Elements(pattern), visit, open...)
}
