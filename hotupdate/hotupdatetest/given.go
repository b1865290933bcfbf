package hotupdatetest

import (
	"reflect"

	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// checkTried reports types that marshal themselves and of which no two values can be made: whatever was said of them would be said of
// one value. Each is reported once, with the first place where it stands. An interface with methods has no value in JSON at all.
func (s *subject) checkTried(t T) {
	t.Helper()
	seen := map[reflect.Type]bool{}
	s.visitNodes(func(n *fieldplan.Node, pattern string) {
		typ := n.Type
		if n.Kind == fieldplan.Map {
			typ = typ.Key()
		}
		isGiven := len(s.given[pattern])+len(s.byType[typ]) > 0
		switch {
		case n.Kind == fieldplan.Leaf && n.Leaf == leaf.Interface && typ.NumMethod() > 0:
			t.Errorf("hotupdatetest: %v: %s: %v is an interface with methods, into which no JSON can be read; give the field a type of its own", s.typ, pattern, typ)
		case n.Kind != fieldplan.Leaf && n.Kind != fieldplan.Map, isGiven, seen[typ], !leaf.KindOf(typ).MarshalsItself(), s.varies(typ):
		default:
			t.Errorf("hotupdatetest: %v: %s: no two values of %v could be made, so the guarantees cannot be tried; give some with WithValues(%q, …)", s.typ, pattern, typ, pattern)
		}
		seen[typ] = true
	})
}

// varies reports whether values of the type are made that are written in two ways.
func (s *subject) varies(typ reflect.Type) bool {
	texts := map[string]bool{}
	for _, m := range s.makers(typ) {
		if text, problem := leaf.Append(nil, leaf.KindOf(typ), m()); problem == nil {
			texts[string(text)] = true
		}
	}
	return len(texts) > 1
}
