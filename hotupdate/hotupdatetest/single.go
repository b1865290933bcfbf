package hotupdatetest

import (
	"encoding/json"
	"reflect"
	"slices"

	"github.com/hotupdate/providerconfig/internal/fieldplan"
)

// single is a configuration in which one value is set.
type single struct {
	root    *part
	pattern string // the path of that value
}

// singles returns one single for each path at and below a blank part that can have a value, in the
// order of the fields. They depend only on the type and the given values, and do not enter cycles.
func (s *subject) singles(p *part, open ...*fieldplan.Node) (all []single) {
	if slices.Contains(open, p.node) {
		return nil
	}
	open = append(open, p.node)
	switch p.node.Kind {
	case fieldplan.Leaf:
		if p.make = s.sample(p, p.node.Type); p.make != nil {
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
		var key maker
		if p.node.Kind == fieldplan.Map {
			if key = s.sample(p, p.node.Type.Key()); key == nil {
				return nil
			}
		}
		for _, below := range s.singles(p.blankElement(), slices.Clip(open)...) {
			elem, whole := below.root, p.clone()
			elem.key = key
			if f := p.node.Key; f != nil && *elem.member(f) == nil {
				elem.put(f, s.sample(elem.blankMember(f), f.Node.Type))
			}
			whole.elems = []*part{elem}
			all = append(all, single{whole, below.pattern})
		}
	}
	return all
}

// sample returns the first value of a leaf, or of the keys of a map, that is not zero. It is nil if
// there is none. For a sensitive field the given values are skipped, since they may be secret.
func (s *subject) sample(p *part, t reflect.Type) maker {
	all := s.values(p.pattern, t)
	if p.node.HidesValues() {
		all = s.makers(t)
	}
	for _, m := range all {
		if v := m(); v.IsValid() && !v.IsZero() {
			return m
		}
	}
	return nil
}

// sampleVectors are configurations in which one value is set, and the empty one.
func (s *subject) sampleVectors() []vector {
	all := []vector{{Name: "empty", Config: json.RawMessage("{}")}}
	for _, one := range s.singles(blankRoot(s.plan)) {
		if written, err := json.Marshal(printer{}.tree(one.root)); err == nil {
			all = append(all, vector{Name: one.pattern, Config: written})
		}
	}
	return all
}
