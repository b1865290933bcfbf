package hotupdatetest

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/internal/leaf"
)

// checkGiven reports values that the tester gave as different and that the hash cannot tell apart.
func (s *subject) checkGiven(t T) {
	t.Helper()
	for _, path := range slices.Sorted(maps.Keys(s.values)) {
		n, _ := s.find(path)
		var values []reflect.Value
		for _, given := range s.values[path] {
			values = append(values, given.(reflect.Value))
		}
		s.reportSame(t, path, n.Leaf, values)
	}
	types := slices.SortedFunc(maps.Keys(s.byType), func(a, b reflect.Type) int { return strings.Compare(a.String(), b.String()) })
	for _, typ := range types {
		var values []reflect.Value
		for _, given := range s.byType[typ] {
			values = append(values, deeply(reflect.ValueOf(given)))
		}
		s.reportSame(t, typ.String(), leaf.KindOf(typ), values)
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
			t.Errorf("%s", fmt.Sprintf("hotupdatetest: %v: %s: values %d and %d mean something else, as given, and have one hash; "+
				"let its marshaler write everything that means something, or give one of them", s.typ, what, first+1, i+1))
			return
		}
		seen[string(text)] = i
	}
}
