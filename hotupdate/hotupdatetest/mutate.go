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
	mutations := rapid.Custom(func(rt *rapid.T) mutation { return author{rt, s}.mutation(config, class) })
	var found mutation
	if rt, ok := t.(*rapid.T); ok {
		found = mutations.Draw(rt, "mutation")
	} else {
		found = mutations.Example(1)
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

// attempts is how often each path is tried.
const attempts = 8

// mutation sets or replaces one value, and keeps the configuration if that is the only change. It
// tries the paths in turn, beginning with a random one.
func (a author) mutation(config any, class hotupdate.Class) mutation {
	singles := a.s.singles(blankRoot(a.s.plan))
	before, err := json.Marshal(config)
	first := a.pick(max(len(singles), 1))
	for i := 0; err == nil && i < attempts*len(singles); i++ {
		one := singles[(first+i)%len(singles)].root
		for _, p := range one.changeable(nil) {
			p.make = a.leaf(p)
		}
		after, problem := json.Marshal(a.set(decoded(before), one, nil))
		changed := fromJSON(a.s.typ, after)()
		if problem != nil || !changed.IsValid() {
			continue
		}
		changes, problem := a.s.schema.Diff(config, changed.Addr().Interface())
		if problem == nil && len(changes) == 1 && changes[0].Class == class {
			return mutation{changed, changes[0].Path}
		}
	}
	return mutation{}
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
