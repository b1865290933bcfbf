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

// openAPI is the schema of a value as a CRD has it, without any type of this repository.
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

// elements is the schema of the elements of a list, or of the values of a map; nil if there is none.
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

// shape is everything by which values are read. Of two patterns, only equal ones are known to mean the same.
func (s openAPI) shape() []any {
	if s["x-kubernetes-preserve-unknown-fields"] == true {
		return []any{"free JSON"}
	}
	return []any{
		s["type"], s["format"], s["pattern"], s["x-kubernetes-int-or-string"], s["x-kubernetes-embedded-resource"], s.elements() != nil,
	}
}

// order is how the API server pairs the elements of a list.
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

// meansSomethingEmpty reports whether a user who writes an empty object or list gets another value than one who writes nothing.
func (s openAPI) meansSomethingEmpty() bool {
	empty := any(map[string]any{})
	if s["type"] == "array" {
		empty = []any{}
	}
	return s["default"] != nil && !reflect.DeepEqual(s.fill(s["default"]), s.fill(empty))
}

// differsFromZero reports whether a scalar that is absent may mean something else than one that is zero.
func (s openAPI) differsFromZero(isRequired bool) bool {
	return !isRequired || s["nullable"] == true || s["default"] != nil
}

// harmless are the keywords that say nothing of the meaning of a value that the API server has accepted.
var harmless = strings.Fields("description enum minimum maximum minLength maxLength minItems maxItems minProperties maxProperties " +
	"x-kubernetes-validations x-kubernetes-map-type")

// read are the keywords that the walk reads.
var read = strings.Fields("type format pattern default nullable properties required items additionalProperties allOf anyOf " +
	"x-kubernetes-list-type x-kubernetes-list-map-keys x-kubernetes-int-or-string x-kubernetes-preserve-unknown-fields")

// openAPIWalk lists the differences between the schemas of two releases in the words of [hotupdate.Finding], without
// this repository's code.
type openAPIWalk struct {
	t     *testing.T
	found []string
}

func (w *openAPIWalk) add(kind, path string) { w.found = append(w.found, kind+" "+path) }

// value compares the schemas of a value. Each says whether the object around it requires the value.
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
		if old.differsFromZero(requires[0]) != updated.differsFromZero(requires[1]) {
			w.add("NullabilityChanged", path)
		}
	case old.meansSomethingEmpty() != updated.meansSomethingEmpty():
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
