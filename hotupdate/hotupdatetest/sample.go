package hotupdatetest

import (
	"encoding/json"
	"reflect"
	"slices"

	"github.com/hotupdate/providerconfig/internal/engine"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// sampleVectors are configurations in which one value is set, and the empty one. They depend only
// on the type and the given values.
func (s *subject) sampleVectors() []vector {
	all := []vector{{Name: "empty", Config: json.RawMessage("{}")}}
	s.samples(s.plan.Root, nil, "", func(tree any, pattern string) {
		if written, err := json.Marshal(tree); err == nil {
			all = append(all, vector{Name: pattern, Config: written})
		}
	})
	return all
}

// samples calls do with the JSON of a part in which one value is set, for each path at and below
// the part that can have a value, in the order of the fields. It does not enter cycles.
func (s *subject) samples(
	n *fieldplan.Node, f *fieldplan.Field, pattern string, do func(tree any, pattern string), open ...*fieldplan.Node,
) {
	if slices.Contains(open, n) {
		return
	}
	open = append(slices.Clip(open), n)
	elements := fieldpath.Elements(pattern)
	switch n.Kind {
	case fieldplan.Leaf:
		if v := s.sampleOf(n, n.Type, pattern); v.IsValid() {
			do(leafTree(v, f), pattern)
		}
	case fieldplan.Object:
		if len(n.Fields) == 0 && pattern != "" {
			do(map[string]any{}, pattern)
		}
		for _, f := range n.Fields {
			s.samples(f.Node, f, fieldpath.Join(pattern, f.Name), func(tree any, below string) {
				do(map[string]any{f.Name: tree}, below)
			}, open...)
		}
	case fieldplan.List, fieldplan.Array:
		s.samples(n.Elem, nil, elements, func(tree any, below string) {
			if f := n.Key; f != nil && below != fieldpath.Join(elements, f.Name) {
				s.samples(f.Node, f, fieldpath.Join(elements, f.Name), func(key any, _ string) {
					tree.(map[string]any)[f.Name] = key
				})
			}
			do([]any{tree}, below)
		}, open...)
	case fieldplan.Map:
		if key := s.sampleOf(n, n.Type.Key(), pattern); key.IsValid() {
			s.samples(n.Elem, nil, elements, func(tree any, below string) {
				do(map[string]any{engine.KeyStep(n, key).Name: tree}, below)
			}, open...)
		}
		s.keySamples(n, pattern, do, open)
	}
}

// keySamples is samples for the entries of a map whose keys have classes of their own.
func (s *subject) keySamples(
	n *fieldplan.Node, pattern string, do func(tree any, pattern string), open []*fieldplan.Node,
) {
	if n.Keys == nil {
		return
	}
	for _, rule := range n.Keys.All {
		key := ruledKey(rule)
		s.samples(rule.Node, nil, fieldpath.Key(pattern, rule.Pattern), func(tree any, below string) {
			do(map[string]any{key: tree}, below)
		}, open...)
	}
}

// ruledKey returns a key that a rule matches.
func ruledKey(rule *fieldplan.KeyRule) string {
	if prefix, isPrefix := fieldplan.PrefixOf(rule.Pattern); isPrefix {
		return prefix + "x"
	}
	return rule.Pattern
}

// keys returns the keys to try for a map: those of its type, and one for each rule.
func (s *subject) keys(n *fieldplan.Node, pattern string) []maker {
	all := slices.Clip(s.values(pattern, n.Type.Key()))
	if n.Keys == nil {
		return all
	}
	for _, rule := range n.Keys.All {
		text, _ := json.Marshal(ruledKey(rule)) // a string can be written
		key := fromJSON(n.Type.Key(), text)
		if key().IsValid() {
			all = append(all, key)
		}
	}
	return all
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
