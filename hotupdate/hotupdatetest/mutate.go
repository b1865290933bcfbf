package hotupdatetest

import (
	"reflect"

	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/engine"
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
	m := mutator{s: s, config: blankRoot(s.plan).read(reflect.ValueOf(config)), class: class, singles: s.singles(blankRoot(s.plan))}
	found := mutation{}
	if rt, ok := t.(*rapid.T); ok {
		found = rapid.Custom(m.draw).Draw(rt, "mutation")
	} else {
		found = rapid.Custom(m.draw).Example(1)
	}
	if found.path == "" {
		fail(t, reflect.TypeFor[C](), misuse("Mutate", "the configuration has no field of class "+class.String()+" that could be changed by itself", "choose another class, or give values with WithValues"))
		return nil, ""
	}
	v := found.config.value()
	if config != nil {
		for _, f := range s.plan.Meta {
			engine.Settable(v, f).Set(engine.Member(reflect.ValueOf(config).Elem(), f))
		}
	}
	return v.Interface().(*C), found.path
}

// mutation is a changed configuration, and where it changed; it is empty if there is none.
type mutation struct {
	config *part
	path   string
}

// GoString keeps values out of rapid's reports.
func (m mutation) GoString() string { return m.path }

type mutator struct {
	s       *subject
	config  *part
	class   hotupdate.Class
	singles []single // what may be set or added
}

// attempts is how often each place is tried.
const attempts = 4

// draw tries the places in turn, from a drawn one on.
func (m mutator) draw(rt *rapid.T) mutation {
	a := author{rt, m.s}
	places := len(m.config.changeable(nil)) + len(m.singles)
	first := a.pick(max(places, 1))
	for i := range attempts * places {
		if found := m.try(a, (first+i)%places); found.path != "" {
			return found
		}
	}
	return mutation{}
}

// try changes a leaf that is there, or one that is not, and keeps the configuration if that is the only change.
func (m mutator) try(a author, at int) mutation {
	changed := m.config.clone()
	there := changed.changeable(nil)
	if at < len(there) {
		there = there[at : at+1]
	} else {
		one := m.singles[at-len(there)].root.clone()
		there, changed = one.changeable(nil), changed.with(one)
	}
	for _, p := range there {
		p.make = a.leaf(p)
	}
	changes, err := m.s.schema.Diff(m.config.value().Interface(), changed.value().Interface())
	if err != nil || len(changes) != 1 || changes[0].Class != m.class {
		return mutation{}
	}
	return mutation{changed, changes[0].Path}
}
