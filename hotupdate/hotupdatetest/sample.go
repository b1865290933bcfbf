package hotupdatetest

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	"github.com/hotupdate/providerconfig/internal/engine"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// sample is a configuration, or a part of one, in which one value is set.
type sample struct {
	tree    any    // JSON
	pattern string // the path of the value
}

// sampleVectors are configurations in which one value is set, and the empty one. They depend only
// on the type and the given values.
func (s *subject) sampleVectors() []vector {
	all := []vector{{Name: "empty", Config: json.RawMessage("{}")}}
	for _, one := range s.samples(s.plan.Root, nil, "") {
		if written, err := json.Marshal(one.tree); err == nil {
			all = append(all, vector{Name: one.pattern, Config: written})
		}
	}
	return all
}

// samples returns one sample for each path at and below a node that can have a value, in the order
// of the fields. They do not enter cycles.
func (s *subject) samples(
	n *fieldplan.Node, f *fieldplan.Field, pattern string, open ...*fieldplan.Node,
) (all []sample) {
	if slices.Contains(open, n) {
		return nil
	}
	open = append(slices.Clip(open), n)
	switch n.Kind {
	case fieldplan.Leaf:
		if v := s.sampleOf(n, n.Type, pattern); v.IsValid() {
			return []sample{{leafTree(v, f), pattern}}
		}
	case fieldplan.Object:
		if len(n.Fields) == 0 && pattern != "" {
			return []sample{{map[string]any{}, pattern}}
		}
		for _, f := range n.Fields {
			for _, one := range s.samples(f.Node, f, fieldpath.Join(pattern, f.Name), open...) {
				all = append(all, sample{map[string]any{f.Name: one.tree}, one.pattern})
			}
		}
	case fieldplan.List, fieldplan.Array:
		for _, one := range s.samples(n.Elem, nil, fieldpath.Elements(pattern), open...) {
			all = append(all, sample{[]any{s.identified(n, one.tree, pattern)}, one.pattern})
		}
	case fieldplan.Map:
		key := s.sampleOf(n, n.Type.Key(), pattern)
		for _, one := range s.samples(n.Elem, nil, fieldpath.Elements(pattern), open...) {
			if key.IsValid() {
				all = append(all, sample{map[string]any{engine.KeyStep(n, key).Name: one.tree}, one.pattern})
			}
		}
	}
	return all
}

// identified gives an element of a keyed list a key, unless the key is what is set.
func (s *subject) identified(list *fieldplan.Node, element any, pattern string) any {
	f := list.Key
	if f == nil {
		return element
	}
	object := map[string]any{}
	for _, key := range s.samples(f.Node, f, fieldpath.Join(fieldpath.Elements(pattern), f.Name)) {
		object[f.Name] = key.tree
	}
	maps.Copy(object, element.(map[string]any))
	return object
}

// sampleOf returns the first value of a leaf, or of the keys of a map, that is not zero. For a
// sensitive field the given values are skipped, since they may be secret.
func (s *subject) sampleOf(n *fieldplan.Node, t reflect.Type, pattern string) reflect.Value {
	all := s.values(pattern, t)
	if n.HidesValues() {
		all = s.makers(t)
	}
	for _, m := range all {
		if v := m(); v.IsValid() && !v.IsZero() {
			return v
		}
	}
	return reflect.Value{}
}
