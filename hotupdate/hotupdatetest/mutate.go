package hotupdatetest

import (
	"reflect"
	"slices"

	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// Mutate returns a copy of config in which exactly one field of the class means something else, and the path of that field:
// [hotupdate.Schema.Diff] lists one change, of this class. Everything else is as it was, in memory of its own.
//
// The field may have been unset before, below parents that were nil: whatever the type allows is found. Values are those that [WithValues]
// and its like give, or any that the field's type can have. If t is a *rapid.T, field and value are drawn from it, and shrink with the
// rest of the test; otherwise they are the same in every run.
//
// The test fails at once if the type has no such field.
func Mutate[C any](t T, config *C, class hotupdate.Class, options ...Option) (mutated *C, path string) {
	t.Helper()
	s, err := subjectOf[C](options)
	if err != nil {
		fail(t, reflect.TypeFor[C](), err)
		return nil, ""
	}
	m := mutator{s: s, config: s.read(reflect.ValueOf(config)), class: structtag.Class(class)}
	m.edits = slices.DeleteFunc(s.edits(m.config), func(e edit) bool { return e.removes || !e.classes.Any(fieldplan.Of(m.class)) })
	found := mutation{}
	rt, drawn := t.(*rapid.T)
	switch {
	case len(m.edits) == 0:
	case drawn:
		found = rapid.Custom(m.draw).Draw(rt, "mutation")
	default:
		found = rapid.Custom(m.draw).Example(1)
	}
	if found.path == "" {
		fail(t, reflect.TypeFor[C](), misuse("Mutate", "the configuration has no field of class "+class.String()+" that could be changed by itself", "choose another class, or give values with WithValues"))
		return nil, ""
	}
	return found.config.value().Interface().(*C), found.path
}

// mutation is a changed configuration, and where it changed; it is empty if there is none.
type mutation struct {
	config config
	path   string
}

// GoString keeps values out of rapid's reports.
func (m mutation) GoString() string { return m.path }

type mutator struct {
	s      *subject
	config config
	class  structtag.Class
	edits  []edit
}

// attempts is how often the mutator draws before it tries every edit in turn.
const attempts = 40

func (m mutator) draw(rt *rapid.T) mutation {
	a := author{rt, m.s}
	for i := range attempts + len(m.edits) {
		at := i - attempts
		if at < 0 {
			at = a.pick(len(m.edits))
		}
		if found := m.try(a, m.edits[at]); found.path != "" {
			return found
		}
	}
	return mutation{}
}

// try makes an edit, and keeps it if it is the only change.
func (m mutator) try(a author, e edit) mutation {
	changed := m.config
	changed.root, _ = e.apply(a)
	if changed.root == nil {
		return mutation{}
	}
	changes, err := m.s.schema.Diff(m.config.value().Interface(), changed.value().Interface())
	if err != nil || len(changes) != 1 || structtag.Class(changes[0].Class) != m.class {
		return mutation{}
	}
	return mutation{changed, changes[0].Path}
}
