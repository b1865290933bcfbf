package apiserver

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/hotupdate/providerconfig/hotupdate/crd/internal/crdplugin"
)

// stored is an object that the API server would not create, and that is stored.
type stored struct {
	*version

	object *unstructured.Unstructured
	tried  map[string]field.ErrorList // what is found in updates that keep only what is at a place
}

// updates says which updates of the object are refused for a mistake that it has. The API server is asked about updates
// from objects that differ in one way or another, so that no rule about what it tolerates is written here.
func (s *stored) updates(mistake *field.Error) (crdplugin.Update, string) {
	kept := place{}
	for {
		next, hasNext := kept.towards(s.object.Object, mistake.Field)
		if !hasNext || has(s.keeping(next), mistake) {
			break
		}
		kept = next
	}
	isAnywhere := len(kept) == 0
	edited := s.object.DeepCopy()
	if isAnywhere {
		edited.SetAnnotations(map[string]string{marker: ""})
	} else {
		edited.Object, _ = kept.edit(edited.Object).(map[string]any)
	}
	switch {
	case !has(s.update(s.object, edited), mistake):
		return crdplugin.NeverRefused, ""
	case isAnywhere:
		return crdplugin.RefusedAlways, ""
	}
	return crdplugin.RefusedWhereChanged, kept.String()
}

// has reports whether a mistake is among what was found.
func has(found field.ErrorList, mistake *field.Error) bool {
	return slices.ContainsFunc(found, func(one *field.Error) bool {
		return one.Type == mistake.Type && one.Field == mistake.Field && one.Detail == mistake.Detail
	})
}

// keeping returns what is found in an update from an object that agrees with this one only in its identity and in what
// is at a place.
func (s *stored) keeping(at place) field.ErrorList {
	name := fmt.Sprintf("%#v", at) // a name may have dots in it
	if found, isKnown := s.tried[name]; isKnown {
		return found
	}
	content, _ := at.only(s.object.Object).(map[string]any)
	old := &unstructured.Unstructured{Object: content}
	old.SetAPIVersion(s.object.GetAPIVersion())
	old.SetKind(s.object.GetKind())
	old.SetNamespace(s.object.GetNamespace())
	old.SetName(s.object.GetName())
	s.tried[name] = s.update(s.object, old)
	return s.tried[name]
}

// marker is a member that no object has.
const marker = "hotupdate.invalid/marker"

// place is a path in an object. Each step is the name of a member, or the index of an element.
type place []any

// String returns the path as the API server writes it.
func (p place) String() string {
	var text strings.Builder
	for _, step := range p {
		switch step := step.(type) {
		case int:
			fmt.Fprintf(&text, "[%d]", step)
		case string:
			if text.Len() > 0 {
				text.WriteString(".")
			}
			text.WriteString(step)
		}
	}
	return text.String()
}

// towards returns the place that is one step nearer to a path which the API server wrote. There is none if no member
// or element on the path is left.
func (p place) towards(object any, path string) (place, bool) {
	value := object
	rest := path
	for _, step := range p {
		_, rest, _ = stepOf(value, rest)
		value = below(value, step)
	}
	step, _, has := stepOf(value, rest)
	return append(slices.Clone(p), step), has
}

// stepOf returns the member or element of a value with which a path begins, and the rest of the path. The API server
// writes names with dots as they are, so that the longest name counts.
func stepOf(value any, path string) (step any, rest string, has bool) {
	longest := -1
	try := func(candidate any, written string) {
		after, begins := strings.CutPrefix(path, written)
		isWhole := after == "" || after[0] == '.' || after[0] == '['
		if begins && isWhole && len(written) > longest {
			longest = len(written)
			step = candidate
			rest = after
		}
	}
	switch value := value.(type) {
	case map[string]any:
		path = strings.TrimPrefix(path, ".")
		for name := range value {
			try(name, name)
			try(name, "["+name+"]")
		}
	case []any:
		for i := range value {
			try(i, fmt.Sprintf("[%d]", i))
		}
	}
	return step, rest, longest >= 0
}

// below returns the value at a step; nil if there is none.
func below(value, step any) any {
	switch value := value.(type) {
	case map[string]any:
		name, _ := step.(string)
		return value[name]
	case []any:
		if i, isIndex := step.(int); isIndex && i < len(value) {
			return value[i]
		}
	}
	return nil
}

// only returns a value that has what is at the place in a value, and else only the marker. The elements on the way keep
// their plain members: by some of them, the keys, the API server finds an element again.
func (p place) only(value any) any {
	if len(p) == 0 {
		return value
	}
	inner := p[1:].only(below(value, p[0]))
	switch step := p[0].(type) {
	case string:
		return map[string]any{step: inner, marker: true}
	default:
		keepPlain(inner, below(value, step))
		return []any{inner, map[string]any{marker: true}}
	}
}

// keepPlain adds the plain members of an element that are absent.
func keepPlain(to, element any) {
	object, _ := to.(map[string]any)
	from, _ := element.(map[string]any)
	for name, member := range from {
		_, isThere := object[name]
		switch member.(type) {
		case map[string]any, []any:
		default:
			if !isThere {
				object[name] = member
			}
		}
	}
}

// edit returns a copy of a value that differs at the place, in a value of the same type.
func (p place) edit(value any) any {
	if len(p) > 0 {
		switch value := value.(type) {
		case map[string]any:
			name, _ := p[0].(string)
			copied := maps.Clone(value)
			copied[name] = p[1:].edit(value[name])
			return copied
		case []any:
			i, _ := p[0].(int)
			copied := slices.Clone(value)
			copied[i] = p[1:].edit(value[i])
			return copied
		}
	}
	switch value := value.(type) {
	case map[string]any:
		copied := maps.Clone(value)
		copied[marker] = true
		return copied
	case []any:
		var last any = marker
		if len(value) > 0 {
			last = value[len(value)-1]
		}
		return append(slices.Clone(value), last)
	case string:
		return value + marker
	case bool:
		return !value
	case int64:
		return value + 1
	case float64:
		return value + 1
	default:
		return marker
	}
}
