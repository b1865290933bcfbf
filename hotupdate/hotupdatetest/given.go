package hotupdatetest

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// checkGiven reports values that the tester gave as different and that the hash cannot tell apart.
func (s *subject) checkGiven(t T) {
	t.Helper()
	for _, path := range slices.Sorted(maps.Keys(s.given)) {
		s.reportSame(t, path, s.find(path).Leaf, s.given[path])
	}
	for _, typ := range sortedTypes(s.byType) {
		s.reportSame(t, typ.String(), leaf.KindOf(typ), s.byType[typ])
	}
}

// reportSame reports the first two values with one text. It names them by their places, since they may be secret.
func (s *subject) reportSame(t T, what string, k leaf.Kind, values []reflect.Value) {
	t.Helper()
	seen := map[string]int{}
	for i, v := range values {
		text, problem := leaf.Append(nil, k, v)
		if problem != nil {
			continue // what cannot be written is a breach of its own
		}
		if first, known := seen[string(text)]; known {
			t.Errorf("hotupdatetest: %v: %s: values %d and %d mean something else, as given, and have one hash; "+
				"let its marshaler write everything that means something, or give one of them", s.typ, what, first+1, i+1)
			return
		}
		seen[string(text)] = i
	}
}

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
		case n.Kind == fieldplan.Map && leaf.KindOf(n.Type.Key()).MarshalsItself() && n.Type.Key().Kind() != reflect.String && len(s.keys[pattern]) == 0:
			report(n.Type.Key(), pattern, fmt.Sprintf("WithKeys(%q, …)", pattern))
		case n.Kind == fieldplan.Leaf && n.Leaf.MarshalsItself() && len(s.values[pattern]) == 0 && len(s.byType[n.Type]) == 0:
			report(n.Type, pattern, fmt.Sprintf("WithValuesOf[%v](…)", n.Type))
		case n.Kind == fieldplan.Leaf && n.Leaf == leaf.Interface && n.Type.NumMethod() > 0:
			t.Errorf("hotupdatetest: %v: %s: %v is an interface with methods, into which no JSON can be read; give the field a type of its own", s.typ, pattern, n.Type)
		}
	})
}

// varies reports whether values of the type are made that are written in two ways.
func (s *subject) varies(typ reflect.Type) bool {
	texts := map[string]bool{}
	for _, m := range s.foreign(typ) {
		if text, problem := leaf.Append(nil, leaf.KindOf(typ), m()); problem == nil {
			texts[string(text)] = true
		}
	}
	return len(texts) > 1
}
