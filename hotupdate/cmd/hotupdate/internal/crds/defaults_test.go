package crds_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/crds"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
)

// TestWhoseDefaultChanges: what is said of a default names the objects that change. Values are filled in only where the
// value around them is.
func TestWhoseDefaultChanges(t *testing.T) {
	t.Parallel()
	const spec = `{"type":"object","required":["kept"],"properties":{
		"kept":{"type":"object","properties":{"a":{"type":"string"}}},
		"filled":{"type":"object","default":{},"properties":{"a":{"type":"string"}}},
		"open":{"type":"object","required":["inner"],"properties":{"inner":{"type":"object","properties":{"a":{"type":"string"}}}}},
		"list":{"type":"array","items":{"type":"object","properties":{"a":{"type":"string"}}}},
		"map":{"type":"object","additionalProperties":{"type":"string"}},
		"both":{"type":"object","default":{},"required":["a"],"properties":{"a":{"type":"string"}}},
		"needed":{"type":"object","default":{"a":"x"},"required":["a"],"properties":{"a":{"type":"string"}}}}}`
	rows := []struct{ path, old, updated, want string }{
		{"kept.a", "none", `"x"`, "every object that omits it changes, and one that spells it out does not"},
		{"filled.a", "none", `"x"`, "every object that omits it changes, and one that spells it out does not"},
		{"open.inner.a", "none", `"x"`, "every object that has open, and omits it there, changes, and one that spells it out does not"},
		{"list[].a", "none", `"x"`, "every object that has list[], and omits it there, changes, and one that spells it out does not"},
		{"map[]", "none", `"x"`, "every object that has null there changes, and one that spells it out does not"},
		{
			"kept.a", `"x"`, `"y"`,
			"every object that omits it changes, and one that spells it out does not, such as one that was stored with the old default",
		},
		{
			"kept.a", `"x"`, "none",
			"every object that omits it changes, and one that spells it out does not, such as one that was stored with the old default",
		},
		{
			"both.a", `"x"`, `"y"`,
			"every object that omits it changes, and one that spells it out does not, such as one that was stored with the old default",
		},
		{"needed.a", "none", `"y"`, "every object has the field, since it was required: none changes"},
	}
	for _, row := range rows {
		old, of := read(t, definitionOf(t, spec, row.path, row.old))
		updated, _ := read(t, definitionOf(t, spec, row.path, row.updated))
		found := crds.Diff(old, updated, of)
		require.Len(t, found, 1, "%s", row.path)
		said, _, _ := strings.Cut(found[0].Text, "; what that does to machines")
		assert.Equal(t, fmt.Sprintf("%s: has the default %s, had %s: %s", row.path, row.updated, row.old, row.want), said)
	}
}

// definitionOf is a CRD with a spec in which the member at a path has a default.
func definitionOf(t *testing.T, spec, path, value string) []byte {
	t.Helper()
	var schema map[string]any
	require.NoError(t, json.Unmarshal([]byte(spec), &schema))
	setDefault(t, schema, path, value)
	text, err := json.Marshal(map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"spec": map[string]any{
			"group": "example.com", "names": map[string]any{"kind": "Pool"},
			"versions": []any{map[string]any{"name": "v1", "served": true, "storage": true, "schema": map[string]any{
				"openAPIV3Schema": map[string]any{"type": "object", "properties": map[string]any{"spec": schema}},
			}}},
		},
	})
	require.NoError(t, err)
	return text
}

// TestDefaultsAgreeWithWhatIsReturned: of drawn CRDs and objects, what is said of a default names exactly those objects
// that an API server returns in another way with the other default.
func TestDefaultsAgreeWithWhatIsReturned(t *testing.T) {
	t.Parallel()
	changed := 0
	unchanged := 0
	for r := range records(t) {
		old, of := read(t, r.Old)
		updated, _ := read(t, r.New)
		for _, f := range crds.Diff(old, updated, of) {
			if f.Kind != "DefaultChanged" {
				continue
			}
			former, _ := read(t, withDefault(t, r.New, f.Path, f.Old))
			bare, _ := read(t, withDefault(t, r.New, f.Path, "none"))
			for _, o := range r.Objects {
				changes := string(updated.Returned(of, o.Sent)) != string(former.Returned(of, o.Sent))
				var object any
				require.NoError(t, json.Unmarshal(bare.Returned(of, o.Sent), &object))
				assert.Equal(t, changes, isConcerned(t, f, object), "%s\n%s\n%s", f.Text, o.Sent, r.New)
				if changes {
					changed++
				} else {
					unchanged++
				}
			}
		}
	}
	assert.Greater(t, changed, 20)
	assert.Greater(t, unchanged, 20)
}

// isConcerned reports whether the words of a finding about a default are about an object that has all other defaults.
func isConcerned(t *testing.T, f crds.Finding, object any) bool {
	t.Helper()
	_, said, _ := strings.Cut(f.Text, ", had "+f.Old+": ")
	steps := stepsOf(t, f.Path)
	around, isBelow := strings.CutPrefix(said, "every object that has ")
	around, _, _ = strings.Cut(around, ", and omits it there")
	switch {
	case strings.HasPrefix(said, "every object has the field"):
		return false
	case strings.HasPrefix(said, "every object that omits it"):
		return lacks(object, steps)
	case strings.HasPrefix(said, "every object that has null there"):
		return slices.Contains(placesOf(object, steps), nil)
	}
	require.True(t, isBelow, said)
	above := stepsOf(t, around)
	return slices.ContainsFunc(placesOf(object, above), func(value any) bool { return lacks(value, steps[len(above):]) })
}

// stepsOf are the steps of a path, which may also end at elements.
func stepsOf(t *testing.T, path string) []fieldpath.PatternStep {
	t.Helper()
	steps, _ := fieldpath.ParsePattern(path)
	require.NotEmpty(t, steps, path)
	return steps
}

// lacks reports whether a path of members leads to none.
func lacks(value any, steps []fieldpath.PatternStep) bool {
	for _, step := range steps {
		object, isObject := value.(map[string]any)
		member, has := object[step.Name]
		if !isObject || !has {
			return true
		}
		value = member
	}
	return false
}

// placesOf are the values at a pattern.
func placesOf(value any, steps []fieldpath.PatternStep) (places []any) {
	if len(steps) == 0 {
		return []any{value}
	}
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			places = append(places, placesOf(element, steps[1:])...)
		}
	case map[string]any:
		for name, member := range value {
			if steps[0].Element || steps[0].Name == name {
				places = append(places, placesOf(member, steps[1:])...)
			}
		}
	}
	return places
}

// withDefault is a CRD with one version in which the member of the spec at a path has another default. A path that it
// does not have adds nothing.
func withDefault(t *testing.T, definition json.RawMessage, path, value string) []byte {
	t.Helper()
	var crd map[string]any
	require.NoError(t, json.Unmarshal(definition, &crd))
	version := crd["spec"].(map[string]any)["versions"].([]any)[0].(map[string]any)
	object := version["schema"].(map[string]any)["openAPIV3Schema"].(map[string]any)
	setDefault(t, object["properties"].(map[string]any)["spec"].(map[string]any), path, value)
	text, err := json.Marshal(crd)
	require.NoError(t, err)
	return text
}

// setDefault sets the default of the member at a path, or removes it.
func setDefault(t *testing.T, schema map[string]any, path, value string) {
	t.Helper()
	for _, step := range stepsOf(t, path) {
		below := schema["additionalProperties"]
		if schema["items"] != nil {
			below = schema["items"]
		}
		if !step.Element {
			below = schema["properties"].(map[string]any)[step.Name]
		}
		next, isDescribed := below.(map[string]any)
		if !isDescribed {
			return
		}
		schema = next
	}
	delete(schema, "default")
	if value != "none" {
		schema["default"] = json.RawMessage(value)
	}
}
