package karpenter_test

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// openAPI is the schema of a value as a CRD has it. It uses no code of this repository.
type openAPI map[string]any

// specOf returns the schema of the spec in a version of a CRD.
func specOf(t *testing.T, text []byte, version string) openAPI {
	t.Helper()
	var crd struct {
		Spec struct {
			Versions []struct {
				Name   string
				Schema struct{ OpenAPIV3Schema openAPI }
			}
		}
	}
	require.NoError(t, yaml.Unmarshal(text, &crd))
	for _, v := range crd.Spec.Versions {
		if v.Name == version {
			return v.Schema.OpenAPIV3Schema.members()["spec"]
		}
	}
	require.Fail(t, "no such version", version)
	return nil
}

func (s openAPI) members() map[string]openAPI {
	members := map[string]openAPI{}
	properties, _ := s["properties"].(map[string]any)
	for name, member := range properties {
		members[name] = member.(map[string]any)
	}
	return members
}

// elements returns the schema of the elements of a list, or of the values of a map; nil if there is
// none.
func (s openAPI) elements() openAPI {
	for _, keyword := range []string{"items", "additionalProperties"} {
		if elements, ok := s[keyword].(map[string]any); ok {
			return elements
		}
	}
	return nil
}

func (s openAPI) requires(name string) bool {
	required, _ := s["required"].([]any)
	return slices.Contains(required, any(name))
}

func (s openAPI) isScalar() bool { return s["type"] != "object" && s["type"] != "array" }

// shape has the keywords by which a value is read. Two different patterns count as different
// shapes.
func (s openAPI) shape() []any {
	if s["x-kubernetes-preserve-unknown-fields"] == true {
		return []any{"free JSON"}
	}
	return []any{
		s["type"], s["format"], s["pattern"], s["x-kubernetes-int-or-string"], s["x-kubernetes-embedded-resource"], s.elements() != nil,
	}
}

// order has the keywords by which the API server pairs the elements of a list.
func (s openAPI) order() []any {
	if s["x-kubernetes-list-type"] == "atomic" {
		return []any{nil, nil} // as without the keyword
	}
	return []any{s["x-kubernetes-list-type"], s["x-kubernetes-list-map-keys"]}
}

// fill adds the defaults to a value, as the API server does.
func (s openAPI) fill(value any) any {
	switch value := value.(type) {
	case map[string]any:
		filled := maps.Clone(value)
		for name, member := range s.members() {
			if _, isThere := filled[name]; !isThere && member["default"] != nil {
				filled[name] = member["default"]
			}
			if filled[name] != nil {
				filled[name] = member.fill(filled[name])
			}
		}
		return filled
	case []any:
		filled := slices.Clone(value)
		for i := range filled {
			filled[i] = s.elements().fill(filled[i])
		}
		return filled
	}
	return value
}

// emptyDiffersFromAbsent reports whether an empty object or list means something else than an
// absent one.
func (s openAPI) emptyDiffersFromAbsent() bool {
	empty := any(map[string]any{})
	if s["type"] == "array" {
		empty = []any{}
	}
	return s["default"] != nil && !reflect.DeepEqual(s.fill(s["default"]), s.fill(empty))
}

// absentDiffersFromZero reports whether an absent scalar may mean something else than a zero one.
func (s openAPI) absentDiffersFromZero(isRequired bool) bool {
	return !isRequired || s["nullable"] == true || s["default"] != nil
}

// harmless are the keywords that do not change the meaning of a value that the API server has
// accepted.
var harmless = strings.Fields("description enum minimum maximum minLength maxLength minItems maxItems minProperties maxProperties " +
	"x-kubernetes-validations x-kubernetes-map-type")

// read are the keywords that the walk reads.
var read = strings.Fields("type format pattern default nullable properties required items additionalProperties allOf anyOf " +
	"x-kubernetes-list-type x-kubernetes-list-map-keys x-kubernetes-int-or-string x-kubernetes-preserve-unknown-fields")

// openAPIWalk lists the differences between the schemas of two releases with the kinds of
// [hotupdate.Finding]. It uses no code of this repository.
type openAPIWalk struct {
	t     *testing.T
	found []string
}

func (w *openAPIWalk) add(kind, path string) { w.found = append(w.found, kind+" "+path) }

// value compares the schemas of a value. Requires tells for each schema whether the object around
// the value requires it.
func (w *openAPIWalk) value(old, updated openAPI, requires [2]bool, path string) {
	for _, keyword := range append(slices.Collect(maps.Keys(old)), slices.Collect(maps.Keys(updated))...) {
		require.True(w.t, slices.Contains(harmless, keyword) || slices.Contains(read, keyword), "%s: what does %s mean?", path, keyword)
	}
	require.Equal(w.t, []any{old["allOf"], old["anyOf"]}, []any{updated["allOf"], updated["anyOf"]}, path)
	if !reflect.DeepEqual(old.shape(), updated.shape()) {
		w.add("TypeChanged", path)
		return
	}
	if !reflect.DeepEqual(old["default"], updated["default"]) {
		w.add("DefaultChanged", path)
	}
	switch {
	case old.isScalar():
		if old.absentDiffersFromZero(requires[0]) != updated.absentDiffersFromZero(requires[1]) {
			w.add("NullabilityChanged", path)
		}
	case old.emptyDiffersFromAbsent() != updated.emptyDiffersFromAbsent():
		w.add("PresenceChanged", path)
	}
	if !reflect.DeepEqual(old.order(), updated.order()) {
		w.add("PairingChanged", path)
	}
	w.within(old, updated, path)
}

func (w *openAPIWalk) within(old, updated openAPI, path string) {
	if elements := old.elements(); elements != nil {
		w.value(elements, updated.elements(), [2]bool{true, true}, path+"[]")
	}
	was := old.members()
	is := updated.members()
	for name := range was {
		if is[name] == nil {
			w.add("FieldRemoved", below(path, name))
		}
	}
	for name := range is {
		at := below(path, name)
		if was[name] == nil {
			w.add("FieldAdded", at)
			continue
		}
		w.value(was[name], is[name], [2]bool{old.requires(name), updated.requires(name)}, at)
	}
}
