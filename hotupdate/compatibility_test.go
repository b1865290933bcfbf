package hotupdate_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/examples/aws"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

func compatibility[Old, New any](t *testing.T) []hotupdate.Finding {
	t.Helper()
	findings, err := hotupdate.Compatibility(schemaFor[Old](t), schemaFor[New](t))
	require.NoError(t, err)
	return findings
}

func areHarmless(findings []hotupdate.Finding) bool {
	return !slices.ContainsFunc(findings, func(f hotupdate.Finding) bool { return !f.Harmless() })
}

// fields of the releases below
type (
	oneInt32 struct {
		A int32 `json:"a,omitempty"`
	}
	oneUint8 struct {
		A uint8 `json:"a,omitempty"`
	}
	oneInPlace struct {
		A int32 `json:"a,omitempty" hotupdatable:"inplace"`
	}
	onePointer struct {
		A *int32 `json:"a,omitempty"`
	}
	oneDefault struct {
		A *int32 `json:"a,omitempty" hotupdatable:"false,default=5"`
	}
	oneSecret struct {
		A int32 `json:"a,omitempty" hotupdatable:"false,sensitive"`
	}
	onlyKeyed struct {
		Name string `json:"name"`
	}
	byText struct {
		A []onlyKeyed `json:"a,omitempty" hotupdatable:"false,key=name"`
	}
	byNumber struct {
		A []struct {
			Name int32 `json:"name"`
		} `json:"a,omitempty" hotupdatable:"false,key=name"`
	}
	oneRenamed struct {
		AA int32 `json:"aa,omitempty"`
	}
	oneNone struct {
		Z string `json:"z,omitempty"`
	}
	oneObject struct {
		A *struct {
			B string `json:"b,omitempty"`
		} `json:"a,omitempty"`
	}
	onePresence struct {
		A *struct {
			B string `json:"b,omitempty"`
		} `json:"a,omitempty" hotupdatable:"false,presence"`
	}
	oneList struct {
		A []string `json:"a,omitempty"`
	}
	oneSet struct {
		A []string `json:"a,omitempty" hotupdatable:"false,set"`
	}
	labelV1 struct {
		Name  string `json:"name"`
		Rolls bool   `json:"rolls,omitempty"`
	}
	oneKeyed struct {
		A []labelV1 `json:"a,omitempty" hotupdatable:"false,key=name"`
	}
	oneHotWhen struct {
		A []labelV1 `json:"a,omitempty" hotupdatable:"false,key=name,hotwhen=rolls:false"`
	}
	oneByPlace struct {
		A []labelV1 `json:"a,omitempty"`
	}
)

// TestFindings: one row for each kind of difference, with the sentence that people read. What each claims of configurations is
// checked by TestFindingsClaimWhatHashesDo and in package schemadiff.
func TestFindings(t *testing.T) {
	for _, tc := range []struct {
		name    string
		compare func(t *testing.T) []hotupdate.Finding
		want    []string
		kinds   []string
	}{
		{
			"narrowed", compatibility[oneInt32, oneUint8],
			[]string{
				"a: became uint8, was int32: the updated Schema may refuse a configuration that has it; the hashes of the others stay",
			},
			[]string{"TypeChanged"},
		},
		{
			"became in-place", compatibility[oneInt32, oneInPlace],
			[]string{"a: became in-place, was immutable: no hash changes; from now on a change of it updates nodes in place, or replaces machines under a rolling strategy, it replaced machines"},
			[]string{"ClassChanged"},
		},
		{
			"pointer", compatibility[oneInt32, onePointer],
			[]string{
				"a: became a pointer, was a value: every pool that spells out its zero value rolls unless an era of the old Schema stays",
			},
			[]string{"NullabilityChanged"},
		},
		{
			"default", compatibility[onePointer, oneDefault],
			[]string{"a: has the default 5, had none: every pool that spells out the old or the new default rolls unless an era of the old Schema stays"},
			[]string{"DefaultChanged"},
		},
		{
			"sensitive", compatibility[oneInt32, oneSecret],
			[]string{"a: became sensitive, was shown: no hash changes"},
			[]string{"SensitivityChanged"},
		},
		{
			"removed", compatibility[oneInt32, oneNone],
			[]string{
				"a: is gone, was int32, immutable: the updated Schema refuses every configuration that names it; the hashes of the others stay",
				"z: is new, string, immutable: no hash changes",
			},
			[]string{"FieldRemoved", "FieldAdded"},
		},
		{
			"renamed", compatibility[oneInt32, oneRenamed],
			[]string{"a: is gone, and looks like aa now: the updated Schema refuses every configuration that names it; the hashes of the others stay; a rewrite to the new name rolls"},
			[]string{"FieldRenamed"},
		},
		{
			"presence", compatibility[oneObject, onePresence],
			[]string{"a: an empty value means something, it used to mean nothing: every pool that has it empty rolls unless an era of the old Schema stays"},
			[]string{"PresenceChanged"},
		},
		{
			"set", compatibility[oneList, oneSet],
			[]string{
				"a: became a set, was found by position: a pool that has elements there may roll unless an era of the old Schema stays",
			},
			[]string{"PairingChanged"},
		},
		{
			"key", compatibility[oneByPlace, oneKeyed],
			[]string{"a: became found by name, was found by position: a pool that has elements there may roll unless an era of the old Schema stays"},
			[]string{"PairingChanged"},
		},
		{
			"hotwhen", compatibility[oneKeyed, oneHotWhen],
			[]string{"a: elements are hot when rolls is false, were never: a pool that has elements there may roll unless an era of the old Schema stays"},
			[]string{"HotWhenChanged"},
		},
		{
			"an integer key became a text", compatibility[byNumber, byText],
			[]string{
				"a: became found by name, string, was found by name, int32: a pool that has elements there may roll unless an era of the old Schema stays",
				"a[].name: became string, was int32: the updated Schema may refuse a configuration that names it; a pool that has it may roll unless an era of the old Schema stays",
			},
			[]string{"PairingChanged", "TypeChanged"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var texts, kinds []string
			for _, f := range tc.compare(t) {
				texts = append(texts, f.String())
				kinds = append(kinds, f.Kind)
			}
			assert.ElementsMatch(t, tc.want, texts)
			assert.ElementsMatch(t, tc.kinds, kinds)
		})
	}
}

// TestFindingsOfALoadedSchemaAreNone: a Schema and its JSON have one meaning.
func TestFindingsOfALoadedSchemaAreNone(t *testing.T) {
	schema, err := aws.Schema()
	require.NoError(t, err)
	written, err := schema.MarshalJSON()
	require.NoError(t, err)
	loaded, err := hotupdate.LoadSchema(written)
	require.NoError(t, err)
	for _, pair := range [][2]*hotupdate.Schema{{schema, loaded}, {loaded, schema}} {
		findings, err := hotupdate.Compatibility(pair[0], pair[1])
		require.NoError(t, err)
		assert.Empty(t, findings)
	}
}

// TestCompatibilityWithoutSchema: a missing Schema is an error and no panic.
func TestCompatibilityWithoutSchema(t *testing.T) {
	schema, err := hotupdate.SchemaOf[oneInt32]()
	require.NoError(t, err)
	for _, pair := range [][2]*hotupdate.Schema{{nil, schema}, {schema, nil}, {schema, {}}} {
		_, err := hotupdate.Compatibility(pair[0], pair[1])
		require.Error(t, err)
		assert.Equal(t, "no-schema", fault.All(err)[0].Code)
	}
}

// TestCompatibilityHidesSecrets: the default of a sensitive field is not shown.
func TestCompatibilityHidesSecrets(t *testing.T) {
	type before struct {
		A *string `json:"a,omitempty" hotupdatable:"false,sensitive"`
	}
	type after struct {
		A *string `json:"a,omitempty" hotupdatable:"false,sensitive,default=hunter2"`
	}
	findings := compatibility[before, after](t)
	require.Len(t, findings, 1)
	written, err := json.Marshal(findings)
	require.NoError(t, err)
	assert.NotContains(t, string(written)+findings[0].String(), "hunter2")
}

// TestCompatibilityOfTypesThatContainThemselves ends.
func TestCompatibilityOfTypesThatContainThemselves(t *testing.T) {
	type before struct {
		A    int32   `json:"a,omitempty"`
		Next *before `json:"next,omitempty"`
	}
	type after struct {
		A    int32  `json:"a,omitempty"    hotupdatable:"true"`
		Next *after `json:"next,omitempty"`
	}
	findings := compatibility[before, after](t)
	require.Len(t, findings, 2, "the root, and what it contains")
	assert.Equal(t, "a", findings[0].Path)
	assert.Equal(t, "next.a", findings[1].Path)
}

// crdNesting is a CRD whose spec has one field in the other, with these names.
func crdNesting(name string, depth int) string {
	return strings.Repeat(`{"type":"object","properties":{"`+name+`":`, depth) + `{"type":"string"}` + strings.Repeat("}}", depth)
}

// crdOfFields is a CRD whose spec has fields with different defaults, and names with a prefix.
func crdOfFields(prefix string, n int) string {
	var fields []string
	for i := range n {
		fields = append(fields, fmt.Sprintf(`"%s%d":{"type":"integer","default":%d}`, prefix, i, i))
	}
	return `{"type":"object","properties":{` + strings.Join(fields, ",") + `}}`
}

// TestCompatibilityOfRenamedFieldsIsLinear: to guess the new name of a field, every removed field was compared with
// every added one, and in each pair the same was done for the fields below. 25 fields in one another took minutes.
func TestCompatibilityOfRenamedFieldsIsLinear(t *testing.T) {
	comparing := func(crd func(name string, n int) string, n int) float64 {
		var schemas []*hotupdate.Schema
		for _, name := range []string{"old", "updated"} {
			schemas = append(schemas, schemaOfSpec(t, crd(name, n)))
		}
		return testing.AllocsPerRun(1, func() {
			_, err := hotupdate.Compatibility(schemas[0], schemas[1])
			require.NoError(t, err)
		})
	}
	require.Less(t, comparing(crdNesting, 14), 3*comparing(crdNesting, 7), "fields in one another")
	require.Less(t, comparing(crdOfFields, 100), 3*comparing(crdOfFields, 50), "fields of one object")
}

// schemaOfSpec returns the Schema of a custom resource whose spec has a schema in JSON.
func schemaOfSpec(t *testing.T, spec string) *hotupdate.Schema {
	t.Helper()
	schema, err := hotupdate.SchemaOfCRD([]byte(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{"versions":[{"name":"v1",
		"schema":{"openAPIV3Schema":{"properties":{"spec":`+spec+`}}}}]}}`), "v1")
	require.NoError(t, err)
	return schema
}

// TestFindingsAboutObjects: what follows for custom resources is said of objects, and a finding says which of them it concerns.
func TestFindingsAboutObjects(t *testing.T) {
	const zones = `"zones":{"type":"array","items":{"type":"string"}`
	old := schemaOfSpec(
		t,
		`{"type":"object","required":["gone","zones","size"],"properties":{"gone":{"type":"string"},`+zones+`},"size":{"type":"integer"}}}`,
	)
	updated := schemaOfSpec(t, `{"type":"object","required":["size"],"properties":{`+zones+`,"default":["a"]},"size":{"type":"string"}}}`)
	openOld, err := old.AdmitUnknown()
	require.NoError(t, err)
	openUpdated, err := updated.AdmitUnknown()
	require.NoError(t, err)
	openFindings, err := hotupdate.Compatibility(openOld, openUpdated)
	require.NoError(t, err)
	require.NotEmpty(t, openFindings)
	for _, f := range openFindings {
		assert.NotContains(t, f.String(), "pool", "unknown members are admitted")
	}
	findings, err := hotupdate.Compatibility(old, updated)
	require.NoError(t, err)
	texts := map[string]string{}
	for _, f := range findings {
		texts[f.Path+" "+f.Kind] = f.String()
		assert.NotContains(t, f.String(), "pool")
		assert.NotContains(t, f.String(), "era")
		assert.NotContains(t, f.String(), "configuration")
	}
	assert.Equal(t, map[string]string{
		"gone FieldRemoved": "gone: is gone, was string, immutable: the updated Schema refuses every object that names it; the hashes of the others stay",
		"size TypeChanged": "size: became string, was int64: the updated Schema may refuse an object that names it; " +
			"an object that has it may roll",
		"zones DefaultChanged":     `zones: has the default ["a"], had none: every object that spells out the old or the new default rolls`,
		"zones NullabilityChanged": "zones: became a pointer, was a value: no hash changes",
		"zones PresenceChanged":    "zones: an empty value means something, it used to mean nothing: every object that has it empty rolls",
	}, texts)
	assert.Empty(t, hotupdate.Finding{}.String())

	for _, tc := range []struct {
		raw          string
		roll, refuse []string
	}{
		{`{}`, nil, nil},
		{`{"gone":null,"size":null}`, nil, []string{"gone FieldRemoved", "size TypeChanged"}},
		{`{"zones":[]}`, []string{"zones PresenceChanged"}, nil},
		{`{"zones":["a"]}`, []string{"zones DefaultChanged"}, nil},
		{`{"zones":["b"],"size":1}`, []string{"size TypeChanged"}, []string{"size TypeChanged"}},
		{`{"zones":null}`, nil, nil},
		{`{"size":true}`, nil, nil}, // neither Schema reads it
		{`{"zones":`, nil, nil},
		{``, nil, nil},
		{`null`, nil, nil},
	} {
		var roll, refuse []string
		for _, f := range findings {
			if f.MayRoll([]byte(tc.raw)) {
				roll = append(roll, f.Path+" "+f.Kind)
			}
			if f.MayRefuse([]byte(tc.raw)) {
				refuse = append(refuse, f.Path+" "+f.Kind)
			}
		}
		assert.Equal(t, tc.roll, roll, tc.raw)
		assert.Equal(t, tc.refuse, refuse, tc.raw)
	}
	assert.False(t, hotupdate.Finding{}.MayRoll([]byte(`{}`)))
}

// TestSelectorIsHotInHotElements: the member that selects an element is Hot there, whatever its struct tag says.
func TestSelectorIsHotInHotElements(t *testing.T) {
	type before struct {
		Z map[string]struct {
			When string `json:"when"`
		} `json:"z" hotupdatable:"false,hotwhen=when:a"`
	}
	type after struct {
		Z map[string]struct {
			When string `json:"when" hotupdatable:"false"`
		} `json:"z" hotupdatable:"false,hotwhen=when:a"`
	}
	findings := compatibility[before, after](t)
	require.Len(t, findings, 1)
	for raw, want := range map[string]bool{
		`{"z":{"x":{"when":"a"}}}`: false, `{"z":{"x":{"when":""}}}`: false, `{"z":{"x":{"when":"b"}}}`: true,
	} {
		assert.Equal(t, want, findings[0].MayRoll([]byte(raw)), raw)
	}
}
