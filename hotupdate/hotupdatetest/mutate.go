package hotupdatetest

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// Mutate returns a copy of config in which exactly one field of the class has another meaning, and
// the path of that field: [hotupdate.Schema.Diff] lists one change, of this class. Everything else
// that is in JSON is unchanged, in memory of its own.
//
// The field may have been unset before, also below nil parents. Mutate finds every field that the
// type allows, except in elements that hotwhen selects by a value that is not zero: config must
// have such an element. Values are those of [WithValues], or any that the field's type can have. If
// t is a *rapid.T, field and value are drawn from it, and shrink with the rest of the test;
// otherwise they are the same in every run.
//
// The test fails at once if the type has no such field.
func Mutate[C any](t rapid.TB, config *C, class hotupdate.Class, options ...Option) (mutated *C, path string) {
	t.Helper()
	s, err := subjectOf[C](options)
	if err != nil {
		fail(t, reflect.TypeFor[C](), err)
		return nil, ""
	}
	m := mutator{s: s, config: config, class: class, singles: s.singles(blankRoot(s.plan))}
	m.written, err = json.Marshal(config)
	found := mutation{}
	switch rt, drawn := t.(*rapid.T); {
	case err != nil:
	case drawn:
		found = rapid.Custom(m.draw).Draw(rt, "mutation")
	default:
		found = rapid.Custom(m.draw).Example(1)
	}
	if found.path == "" {
		fail(t, reflect.TypeFor[C](), misuse("Mutate", "the configuration has no field of class "+class.String()+
			" that could be changed by itself", "choose another class, or give values with WithValues"))
		return nil, ""
	}
	return found.config.Addr().Interface().(*C), found.path
}

// mutation is a changed configuration with the path of the change; it is empty if there is none.
type mutation struct {
	config reflect.Value
	path   string
}

// GoString keeps values out of rapid's reports.
func (m mutation) GoString() string { return m.path }

type mutator struct {
	s       *subject
	config  any
	written []byte // the configuration as JSON
	class   hotupdate.Class
	singles []single // the values that may be set or added
}

// attempts is how often each path is tried.
const attempts = 8

// draw tries the paths in turn, beginning with a random one.
func (m mutator) draw(rt *rapid.T) mutation {
	a := author{rt, m.s}
	first := a.pick(max(len(m.singles), 1))
	for i := range attempts * len(m.singles) {
		if found := m.try(a, m.singles[(first+i)%len(m.singles)].root.clone()); found.path != "" {
			return found
		}
	}
	return mutation{}
}

// try sets or replaces one value, and keeps the configuration if that is the only change.
func (m mutator) try(a author, one *part) mutation {
	for _, p := range one.changeable(nil) {
		p.make = a.leaf(p)
	}
	written, err := json.Marshal(a.set(decoded(m.written), one, nil))
	changed := fromJSON(m.s.typ, written)()
	if err != nil || !changed.IsValid() {
		return mutation{}
	}
	changes, err := m.s.schema.Diff(m.config, changed.Addr().Interface())
	if err != nil || len(changes) != 1 || changes[0].Class != m.class {
		return mutation{}
	}
	return mutation{changed, changes[0].Path}
}

// set sets the values of a part in a tree of JSON: it sets members, and changes elements of in at
// their position or adds them.
func (a author) set(tree any, p *part, in *fieldplan.Node) any {
	object, isObject := tree.(map[string]any)
	list, isList := tree.([]any)
	switch {
	case isObject && p.node.Kind == fieldplan.Object:
		for i, m := range p.members {
			if f := p.node.Fields[i]; m != nil && (in == nil || !in.Identity(f)) {
				object[f.Name] = a.set(object[f.Name], m, nil)
			}
		}
		return object
	case isObject && p.node.Kind == fieldplan.Map:
		name := among(a, append(slices.Sorted(maps.Keys(object)), p.keyText(p.elems[0]))...)
		object[name] = a.set(object[name], p.elems[0], p.node)
		return object
	case isList && len(p.elems) > 0:
		at := a.pick(len(list) + 1)
		if at == len(list) {
			list = append(list, nil)
		}
		list[at] = a.set(list[at], p.elems[0], p.node)
		return list
	}
	return printer{}.tree(p)
}
