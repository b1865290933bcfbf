package hotupdatetest

import (
	"encoding/json"
	"reflect"
	"slices"

	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// single is a value that says one thing.
type single struct {
	root    *part
	pattern string // where it says it
}

// singles returns one single for each place at and below a blank part that can have a value, in the order of the fields. They depend on nothing but
// the type and what the tester gave, and do not enter cycles.
func (s *subject) singles(p *part, open ...*fieldplan.Node) (all []single) {
	if slices.Contains(open, p.node) {
		return nil
	}
	open = append(open, p.node)
	switch p.node.Kind {
	case fieldplan.Leaf:
		if p.make = s.sample(p); p.make != nil {
			return []single{{p, p.pattern}}
		}
	case fieldplan.Object:
		if len(p.node.Fields) == 0 && p.pattern != "" {
			return []single{{p, p.pattern}}
		}
		for i, f := range p.node.Fields {
			for _, below := range s.singles(p.blankMember(f), slices.Clip(open)...) {
				whole := p.clone()
				whole.members[i] = below.root
				all = append(all, single{whole, below.pattern})
			}
		}
	case fieldplan.List, fieldplan.Array, fieldplan.Map:
		for _, below := range s.singles(p.blankElement(), slices.Clip(open)...) {
			for _, elem := range s.identified(p, below.root) {
				whole := p.clone()
				if whole.elems = []*part{elem}; p.node.Kind == fieldplan.Map {
					whole.keys = []maker{s.sampleKey(p)}
				}
				all = append(all, single{whole, below.pattern})
			}
		}
	}
	return all
}

// identified returns an element with its key, and the same once more as a hot one, where a field selects that.
func (s *subject) identified(p, elem *part) []*part {
	if f := p.node.Key; f != nil && *elem.member(f) == nil {
		key := elem.blankMember(f)
		if key.make = s.sample(key); key.make == nil {
			return nil
		}
		*elem.member(f) = key
	}
	all := []*part{elem}
	if when := p.node.When; when != nil && *elem.member(when.Field) == nil {
		hot := elem.clone()
		selector := hot.blankMember(when.Field)
		selector.make = fromJSON(selector.node.Type, []byte(when.Value))
		*hot.member(when.Field) = selector
		all = append(all, hot)
	}
	return all
}

// with returns p with what a single says beside: members are set, elements are added.
func (p *part) with(one *part) *part {
	if p == nil || p.null || p.node.Kind == fieldplan.Leaf || p.node.Kind == fieldplan.Array {
		return one
	}
	out := p.clone()
	out.elems, out.keys = append(out.elems, one.elems...), append(out.keys, one.keys...)
	for i, m := range one.members {
		if m != nil {
			out.members[i] = p.members[i].with(m)
		}
	}
	return out
}

// samples are JSON texts of which the first that a leaf takes, and that says something, is its sample.
var samples = []string{
	`"sample"`, `7`, `true`, `"7Gi"`, `"1h7m"`, `"2023-11-14T22:13:20Z"`, `"c2FtcGxl"`, `"7"`, `"10.7.0.1"`, `"10.7.0.0/16"`, `"1.2.7"`, `"https://example.org/sample"`,
	`"6ba7b810-9dad-11d1-80b4-00c04fd430c8"`, `{"sample":"a"}`, `["sample"]`,
}

// sample returns a leaf that is not zero: one that the tester gave, unless it may be secret. It is nil if there is none.
func (s *subject) sample(p *part) maker {
	if given := s.givenFor(p); len(given) > 0 && !p.node.HidesValues() {
		return fixed(given[len(given)-1])
	}
	for _, text := range samples {
		if m := fromJSON(p.node.Type, []byte(text)); m().IsValid() && !m().IsZero() {
			return m
		}
	}
	return nil
}

func (s *subject) sampleKey(p *part) maker {
	for _, given := range s.given[p.pattern] {
		return fixed(given)
	}
	for _, text := range []string{"sample", "7", "10.7.0.1", "1h7m"} {
		if key, ok := readKey(p.node.Type.Key(), text); ok {
			return fixed(key)
		}
	}
	return fixed(reflect.Zero(p.node.Type.Key()))
}

// sampleVectors are configurations that say one thing each, and the empty one.
func (s *subject) sampleVectors() []vector {
	all := []vector{{Name: "empty", Config: json.RawMessage("{}")}}
	for _, one := range s.singles(blankRoot(s.plan)) {
		if written, err := json.Marshal(printer{}.tree(one.root)); err == nil {
			all = append(all, vector{Name: one.pattern, Config: written})
		}
	}
	return all
}
