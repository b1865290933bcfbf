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

func compatibility[Old, New any](t *testing.T) (before, after *hotupdate.Schema, findings []hotupdate.Finding) {
	t.Helper()
	before, err := hotupdate.SchemaOf[Old]()
	require.NoError(t, err)
	after, err = hotupdate.SchemaOf[New]()
	require.NoError(t, err)
	findings, err = hotupdate.Compatibility(before, after)
	require.NoError(t, err)
	return before, after, findings
}

func areHarmless(findings []hotupdate.Finding) bool {
	return !slices.ContainsFunc(findings, func(f hotupdate.Finding) bool { return !f.Harmless() })
}

// fate is the effect of a release on a configuration.
type fate string

const (
	keeps   fate = "keeps its name"
	renamed fate = "is renamed"
	refused fate = "is refused"
)

func fateOf(t *testing.T, before, after *hotupdate.Schema, raw string) fate {
	t.Helper()
	old, err := before.HashRaw([]byte(raw))
	require.NoError(t, err)
	updated, err := after.HashRaw([]byte(raw))
	switch {
	case err != nil:
		return refused
	case old != updated:
		return renamed
	}
	return keeps
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

// TestFindings: one row for each kind of difference, with the sentence that people read and configurations of which each claim holds.
func TestFindings(t *testing.T) {
	type fates map[string]fate
	for _, tc := range []struct {
		name    string
		compare func(t *testing.T) (before, after *hotupdate.Schema, findings []hotupdate.Finding)
		want    []string
		kinds   []string
		fates   fates
	}{
		{
			"narrowed", compatibility[oneInt32, oneUint8],
			[]string{"a: became uint8, was int32: the updated Schema may refuse a configuration that has it; the hashes of the others stay"},
			[]string{"TypeChanged"},
			fates{`{"a":5}`: keeps, `{"a":-1}`: refused, `{"a":256}`: refused},
		},
		{
			"became in-place", compatibility[oneInt32, oneInPlace],
			[]string{"a: became in-place, was immutable: no hash changes; from now on a change of it updates nodes in place, or replaces machines of pools that roll, it replaced machines"},
			[]string{"ClassChanged"},
			fates{`{"a":5}`: keeps},
		},
		{
			"pointer", compatibility[oneInt32, onePointer],
			[]string{"a: became a pointer, was a value: every pool that spells out its zero value rolls unless an era of the old Schema stays"},
			[]string{"NullabilityChanged"},
			fates{`{"a":0}`: renamed, `{"a":5}`: keeps, `{"a":null}`: keeps},
		},
		{
			"default", compatibility[onePointer, oneDefault],
			[]string{"a: has the default 5, had none: every pool that spells out the old or the new default rolls unless an era of the old Schema stays"},
			[]string{"DefaultChanged"},
			fates{`{"a":5}`: renamed, `{"a":0}`: keeps, `{}`: keeps},
		},
		{"sensitive", compatibility[oneInt32, oneSecret], []string{"a: became sensitive, was shown: no hash changes"}, []string{"SensitivityChanged"}, fates{`{"a":5}`: keeps}},
		{
			"removed", compatibility[oneInt32, oneNone],
			[]string{"a: is gone, was int32, immutable: the updated Schema refuses every configuration that names it; the hashes of the others stay", "z: is new, string, immutable: no hash changes"},
			[]string{"FieldRemoved", "FieldAdded"},
			fates{`{"a":5}`: refused, `{"a":null}`: refused, `{}`: keeps},
		},
		{
			"renamed", compatibility[oneInt32, oneRenamed],
			[]string{"a: is gone, and looks like aa now: the updated Schema refuses every configuration that names it; the hashes of the others stay; one that is rewritten with the new name rolls"},
			[]string{"FieldRenamed"},
			fates{`{"a":5}`: refused, `{}`: keeps},
		},
		{
			"presence", compatibility[oneObject, onePresence],
			[]string{"a: an empty object means something, it used to mean nothing: every pool that has it empty rolls unless an era of the old Schema stays"},
			[]string{"PresenceChanged"},
			fates{`{"a":{}}`: renamed, `{"a":{"b":"x"}}`: keeps, `{}`: keeps},
		},
		{
			"set", compatibility[oneList, oneSet],
			[]string{"a: became a set, was found by position: a pool that has elements there may roll unless an era of the old Schema stays"},
			[]string{"PairingChanged"},
			fates{`{"a":["b","a"]}`: renamed, `{"a":["a","b"]}`: keeps, `{"a":[]}`: keeps},
		},
		{
			"key", compatibility[oneByPlace, oneKeyed],
			[]string{"a: became found by name, was found by position: the updated Schema may refuse a configuration that has elements there; a pool that has elements there may roll unless an era of the old Schema stays"},
			[]string{"PairingChanged"},
			fates{`{"a":[{"name":"b"},{"name":"a"}]}`: renamed, `{"a":[{"name":"a"}]}`: keeps, `{"a":[{"name":"a"},{"name":"a"}]}`: refused},
		},
		{
			"hotwhen", compatibility[oneKeyed, oneHotWhen],
			[]string{"a: elements are hot when rolls is false, were never: the updated Schema may refuse a configuration that has elements there; a pool that has elements there may roll unless an era of the old Schema stays"},
			[]string{"HotWhenChanged"},
			fates{`{"a":[{"name":"a"}]}`: renamed, `{"a":[{"name":"a","rolls":true}]}`: keeps, `{"a":[{"rolls":true}]}`: refused},
		},
		{
			"an integer key became a text", compatibility[byNumber, byText],
			[]string{
				"a: became found by name, string, was found by name, int32: the updated Schema may refuse a configuration that has elements there; a pool that has elements there may roll unless an era of the old Schema stays",
				"a[].name: became string, was int32: the updated Schema may refuse a configuration that names it; a pool that has it may roll unless an era of the old Schema stays",
			},
			[]string{"PairingChanged", "TypeChanged"},
			fates{`{"a":[{},{"name":1}]}`: refused, `{"a":[{}]}`: renamed, `{"a":[{"name":1}]}`: refused},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			before, after, findings := tc.compare(t)
			var texts []string
			var kinds []string
			for _, f := range findings {
				texts, kinds = append(texts, f.String()), append(kinds, f.Kind)
			}
			assert.ElementsMatch(t, tc.want, texts)
			assert.ElementsMatch(t, tc.kinds, kinds)
			changed := false
			for raw, want := range tc.fates {
				got := fateOf(t, before, after, raw)
				assert.Equal(t, want, got, raw)
				changed = changed || got != keeps
			}
			assert.Equal(t, !changed, areHarmless(findings), "a row with findings that are not harmless needs a configuration that shows why")
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
	_, _, findings := compatibility[before, after](t)
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
	_, _, findings := compatibility[before, after](t)
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

// TestCompatibilityOfRenamedFieldsIsLinear: to guess the new name of a field, every removed field was compared with every added one, and in each pair
// the same was done for the fields below. 25 fields in one another took minutes.
func TestCompatibilityOfRenamedFieldsIsLinear(t *testing.T) {
	comparing := func(crd func(name string, n int) string, n int) float64 {
		var schemas []*hotupdate.Schema
		for _, name := range []string{"old", "updated"} {
			schema, err := hotupdate.SchemaOfCRD([]byte(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{"versions":[{"name":"v1",
				"schema":{"openAPIV3Schema":{"properties":{"spec":`+crd(name, n)+`}}}}]}}`), "v1")
			require.NoError(t, err)
			schemas = append(schemas, schema)
		}
		return testing.AllocsPerRun(1, func() {
			_, err := hotupdate.Compatibility(schemas[0], schemas[1])
			require.NoError(t, err)
		})
	}
	require.Less(t, comparing(crdNesting, 14), 3*comparing(crdNesting, 7), "fields in one another")
	require.Less(t, comparing(crdOfFields, 100), 3*comparing(crdOfFields, 50), "fields of one object")
}
