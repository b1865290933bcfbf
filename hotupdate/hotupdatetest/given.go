package hotupdatetest

import (
	"fmt"
	"reflect"

	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// checkTried reports types that marshal themselves and of which no two values can be made: whatever was said of them would be said of
// one value. Each is reported once, with the first place where it stands. An interface with methods has no value in JSON at all.
func (s *subject) checkTried(t T) {
	t.Helper()
	seen := map[reflect.Type]bool{}
	report := func(typ reflect.Type, path, option string) {
		if !seen[typ] && !s.varies(typ) {
			t.Errorf("hotupdatetest: %v: %s: no two values of %v could be made, so the guarantees cannot be tried; give some with %s", s.typ, path, typ, option)
		}
		seen[typ] = true
	}
	s.visitNodes(func(n *fieldplan.Node, pattern string) {
		switch {
		case n.Kind == fieldplan.Map && leaf.KindOf(n.Type.Key()).MarshalsItself() && n.Type.Key().Kind() != reflect.String && len(s.given[pattern]) == 0:
			report(n.Type.Key(), pattern, fmt.Sprintf("WithValues(%q, …)", pattern))
		case n.Kind == fieldplan.Leaf && n.Leaf.MarshalsItself() && len(s.given[pattern]) == 0 && len(s.byType[n.Type]) == 0:
			report(n.Type, pattern, fmt.Sprintf("WithValuesOf[%v](…)", n.Type))
		case n.Kind == fieldplan.Leaf && n.Leaf == leaf.Interface && n.Type.NumMethod() > 0:
			t.Errorf("hotupdatetest: %v: %s: %v is an interface with methods, into which no JSON can be read; give the field a type of its own", s.typ, pattern, n.Type)
		}
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
