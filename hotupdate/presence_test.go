package hotupdate_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/schemabridge"
)

// A hot update removes an object whose presence is hot, unless it has something that is not hot.
func TestMergeRemovesHotPresence(t *testing.T) {
	type inner struct {
		Size int    `json:"size,omitempty" hotupdatable:"false"`
		Type string `json:"type,omitempty" hotupdatable:"false,default=plain"`
	}
	type config struct {
		Marked *inner `json:"marked,omitempty" hotupdatable:"true,presence"`
	}
	schema, err := hotupdate.SchemaOf[config]()
	require.NoError(t, err)
	merge := func(old, updated *config) *config {
		immutable, _, err := hotupdate.Split(schema, old)
		require.NoError(t, err)
		_, hot, err := hotupdate.Split(schema, updated)
		require.NoError(t, err)
		merged, err := hotupdate.Merge(schema, immutable, hot)
		require.NoError(t, err)
		return merged
	}
	require.Equal(t, &config{}, merge(&config{&inner{Type: "plain"}}, &config{}))
	require.Equal(t, &config{&inner{}}, merge(&config{}, &config{&inner{}}))
	require.Equal(t, &config{&inner{Size: 1}}, merge(&config{&inner{Size: 1}}, &config{}))
}

// A null in a hot map means that the key is absent, so a hot update to it leaves no empty object.
func TestMergeKeepsNullInHotMap(t *testing.T) {
	type inner struct {
		Tag  string `json:"tag"`
		Size int    `json:"size,omitempty" hotupdatable:"false"`
	}
	type config struct {
		Parts map[string]*inner `json:"parts,omitempty" hotupdatable:"true"`
	}
	schema, err := hotupdate.SchemaOf[config]()
	require.NoError(t, err)
	immutable, _, err := hotupdate.Split(schema, &config{map[string]*inner{"a": {Tag: "x"}, "b": {Tag: "x", Size: 1}}})
	require.NoError(t, err)
	_, hot, err := hotupdate.Split(schema, &config{map[string]*inner{"a": nil, "b": {}}})
	require.NoError(t, err)
	merged, err := hotupdate.Merge(schema, immutable, hot)
	require.NoError(t, err)
	require.Equal(t, &config{map[string]*inner{"a": nil, "b": {Size: 1}}}, merged)
}

// nodeRegistration is like that of kubeadm: taints that are not set are the default ones, and an empty list means none.
type nodeRegistration struct {
	Taints *[]taint           `json:"taints,omitempty" hotupdatable:"false,key=key,presence"`
	Labels *map[string]string `json:"labels,omitempty" hotupdatable:"true,presence"`
	Zones  *[]string          `json:"zones,omitempty"  hotupdatable:"inplace,set,presence"`
	Notes  *[]string          `json:"notes,omitempty"`
	Mixed  *[]mixedPart       `json:"mixed,omitempty"  hotupdatable:"true,key=key,presence"`
	Outer  *struct {
		Size   int                `json:"size,omitempty"`
		Labels *map[string]string `json:"labels,omitempty" hotupdatable:"true,presence"`
	} `json:"outer,omitempty"`
}

type mixedPart struct {
	Key  string `json:"key"`
	Size int    `json:"size,omitempty" hotupdatable:"false"`
}

type taint struct {
	Key    string `json:"key"`
	Effect string `json:"effect,omitempty" hotupdatable:"true"`
}

// An empty list or map behind a pointer differs from an absent one if the struct tag has presence. Null is absent.
func TestPresenceOfListsAndMaps(t *testing.T) {
	compiled := schemaFor[nodeRegistration](t)
	loaded, err := hotupdate.LoadSchema(export(t, compiled))
	require.NoError(t, err)
	for _, tc := range []struct{ raw, document, hot, reason string }{
		{`{}`, `{}`, `{}`, "nothing"},
		{`{"taints":null,"labels":null,"zones":null}`, `{}`, `{}`, "null is none"},
		{`{"taints":[]}`, `{"taints":[]}`, `{}`, "an empty list"},
		{`{"zones":[]}`, `{"zones":[]}`, `{}`, "an empty set"},
		{`{"labels":{}}`, `{}`, `{"labels":{}}`, "an empty hot map"},
		{`{"notes":[]}`, `{}`, `{}`, "without presence empty is none"},
		{`{"taints":[{"key":"a","effect":"x"}]}`, `{"taints":[{"key":"a"}]}`, `{"taints":[{"effect":"x","key":"a"}]}`, "elements"},
	} {
		for name, schema := range map[string]*hotupdate.Schema{"compiled": compiled, "loaded": loaded} {
			document, err := schema.DocumentRaw([]byte(tc.raw))
			require.NoError(t, err)
			require.Equal(t, tc.document, string(document), "%s, %s", tc.reason, name)
		}
		config := &nodeRegistration{}
		require.NoError(t, json.Unmarshal([]byte(tc.raw), config))
		document, err := compiled.Document(config)
		require.NoError(t, err)
		require.Equal(t, tc.document, string(document), tc.reason)
		hot, err := (*schemabridge.Schema)(compiled).HotPart(config)
		require.NoError(t, err)
		require.Equal(t, tc.hot, string(hot), tc.reason)
	}
	document, err := compiled.Document(&nodeRegistration{Taints: new([]taint), Labels: new(map[string]string)})
	require.NoError(t, err)
	require.Equal(t, `{}`, string(document), "a pointer to nil is null in JSON")
}

// Every function distinguishes an empty list or map from an absent one, in both directions.
func TestPresenceOfListsAndMapsChanges(t *testing.T) {
	schema := schemaFor[nodeRegistration](t)
	none := []byte(`{}`)
	empty := []byte(`{"labels":{},"taints":[],"zones":[]}`)
	changes, err := schema.DiffRaw(none, empty)
	require.NoError(t, err)
	require.Len(t, changes, 3)
	for i, want := range []hotupdate.Change{
		{Path: "labels", Op: hotupdate.OpAdd, Class: hotupdate.Hot, New: "{}"},
		{Path: "taints", Op: hotupdate.OpAdd, Class: hotupdate.Immutable, New: "[]"},
		{Path: "zones", Op: hotupdate.OpAdd, Class: hotupdate.InPlace, New: "[]"},
	} {
		c := changes[i]
		require.Equal(t, want, hotupdate.Change{Path: c.Path, Op: c.Op, Class: c.Class, New: c.New})
	}
	removals, err := schema.DiffRaw(empty, none)
	require.NoError(t, err)
	require.Len(t, removals, 3)
	changes, err = schema.Diff(&nodeRegistration{Taints: new([]taint)}, &nodeRegistration{Taints: &[]taint{}})
	require.NoError(t, err)
	require.Len(t, changes, 1, "null is none")
	config := &nodeRegistration{Taints: &[]taint{}, Labels: &map[string]string{}, Zones: &[]string{}}
	immutable, hot, err := hotupdate.Split(schema, config)
	require.NoError(t, err)
	require.Nil(t, immutable.Labels)
	merged, err := hotupdate.Merge(schema, immutable, hot)
	require.NoError(t, err)
	require.Equal(t, config, merged)
	_, hot, err = hotupdate.Split(schema, &nodeRegistration{})
	require.NoError(t, err)
	merged, err = hotupdate.Merge(schema, immutable, hot)
	require.NoError(t, err)
	require.Equal(t, &nodeRegistration{Taints: &[]taint{}, Zones: &[]string{}}, merged)
}

// TestPresenceIsAllThatThereIs has a type without a leaf anywhere.
func TestPresenceIsAllThatThereIs(t *testing.T) {
	type empty struct {
		Next *empty `json:"next,omitempty" hotupdatable:"false,presence"`
	}
	type holder struct {
		Cold *empty `json:"cold,omitempty"`
		Hot  *empty `json:"hot,omitempty"  hotupdatable:"true"`
	}
	schema, err := hotupdate.SchemaOf[holder]()
	require.NoError(t, err)
	config := &holder{Cold: &empty{Next: &empty{}}, Hot: &empty{}}
	immutable, hot, err := hotupdate.Split(schema, config)
	require.NoError(t, err)
	merged, err := hotupdate.Merge(schema, immutable, hot)
	require.NoError(t, err)
	require.Equal(t, config, merged)
}
