package hotupdate_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
)

type (
	// foreignPool stands for a type that the adopter cannot edit, such as Karpenter's EC2NodeClass.
	foreignPool struct {
		Devices []foreignDevice          `json:"devices,omitempty"`
		Options *foreignOptions          `json:"options,omitempty"`
		Labels  map[string]foreignDevice `json:"labels,omitempty"`
		Zones   []string                 `json:"zones,omitempty"`
		Type    *string                  `json:"type,omitempty"`
	}
	foreignDevice struct {
		Name *string `json:"name,omitempty"`
		Mode string  `json:"mode"`
		Size int     `json:"size,omitempty"`
	}
	foreignOptions struct {
		Token string `json:"token,omitempty"`
	}
	// taggedPool is foreignPool as its owner could have written it.
	taggedPool struct {
		Devices []foreignDevice          `json:"devices,omitempty" hotupdatable:"false,key=name,hotwhen=mode:hot"`
		Options *foreignOptions          `json:"options,omitempty" hotupdatable:"inplace,presence,sensitive"`
		Labels  map[string]foreignDevice `json:"labels,omitempty"  hotupdatable:"false,hotwhen=mode:hot,sensitive=keys"`
		Zones   []string                 `json:"zones,omitempty"   hotupdatable:"true,set"`
		Type    *string                  `json:"type,omitempty"    hotupdatable:"false,default='a, b'"`
	}
)

func foreignSchema(t *testing.T) *hotupdate.Schema {
	t.Helper()
	return schemaFor[foreignPool](t, hotupdate.WithTag("devices", "false,key=name,hotwhen=mode:hot"),
		hotupdate.WithTag("options", "inplace,presence,sensitive"),
		hotupdate.WithTag(
			"labels", "false,hotwhen=mode:hot,sensitive=keys",
		), hotupdate.WithTag("zones", "true,set"), hotupdate.WithTag("type", "false,default='a, b'"))
}

// TestOverridesSayWhatStructTagsSay compares a type with overrides and a type with the same struct tags.
func TestOverridesSayWhatStructTagsSay(t *testing.T) {
	overridden := foreignSchema(t)
	tagged := schemaFor[taggedPool](t)
	loaded, err := hotupdate.LoadSchema(export(t, overridden))
	require.NoError(t, err)
	want, err := tagged.Fingerprint()
	require.NoError(t, err)
	for name, schema := range map[string]*hotupdate.Schema{"overridden": overridden, "loaded": loaded} {
		fingerprint, err := schema.Fingerprint()
		require.NoError(t, err)
		assert.Equal(t, want, fingerprint, name)
		for _, raw := range []string{
			`{}`, `{"options":{}}`, `{"type":"a, b"}`, `{"zones":["b","a","b"]}`,
			`{"labels":{"x":{"mode":"hot","size":1},"y":{"mode":"cold","size":2}}}`,
			`{"devices":[{"name":"b","mode":"hot","size":1},{"name":"a","mode":"cold","size":2}]}`,
		} {
			want, err := tagged.DocumentRaw([]byte(raw))
			require.NoError(t, err)
			got, err := schema.DocumentRaw([]byte(raw))
			require.NoError(t, err)
			assert.Equal(t, string(want), string(got), "%s, %s", name, raw)
			wantChanges, err := tagged.DiffRaw(nil, []byte(raw))
			require.NoError(t, err)
			changes, err := schema.DiffRaw(nil, []byte(raw))
			require.NoError(t, err)
			require.Len(t, changes, len(wantChanges))
			for i, c := range changes {
				assert.Equal(
					t, [4]any{wantChanges[i].Path, wantChanges[i].Class, wantChanges[i].Sensitive, wantChanges[i].New},
					[4]any{c.Path, c.Class, c.Sensitive, c.New},
				)
				assert.NotEqual(t, "struct tag", c.Origin, c.Path)
			}
		}
	}
}

// TestOverrideKeepsOptionsOfTheField: an override replaces only some parts of a struct tag.
func TestOverrideKeepsOptionsOfTheField(t *testing.T) {
	type element struct {
		Name string `json:"name"`
		ID   int    `json:"id"`
	}
	type config struct {
		List []element `json:"list" hotupdatable:"true,key=name,sensitive"`
	}
	for _, tc := range []struct{ tag, document, path, reason string }{
		{"false", `{"list":[{"id":2,"name":"a"},{"id":1,"name":"b"}]}`, "list[name=(sensitive)].id", "a class leaves the options"},
		{
			"false,sensitive=keys", `{"list":[{"id":2,"name":"a"},{"id":1,"name":"b"}]}`, "list[name=(sensitive)].id",
			"secrecy leaves the options",
		},
		{
			"false,key=id", `{"list":[{"id":1,"name":"b"},{"id":2,"name":"a"}]}`, "list[id=(sensitive)].name",
			"an option replaces the options, but reveals nothing",
		},
	} {
		schema := schemaFor[config](t, hotupdate.WithTag("list", tc.tag))
		value := &config{[]element{{"b", 1}, {"a", 2}}}
		document, err := schema.Document(value)
		require.NoError(t, err)
		assert.Equal(t, tc.document, string(document), tc.reason)
		changes, err := schema.Diff(nil, value)
		require.NoError(t, err)
		assert.Equal(t, tc.path, changes[0].Path, tc.reason)
		assert.True(t, changes[0].Sensitive, tc.reason)
	}
}

// TestKeyBehindPointer keys a list by a pointer, as Karpenter's deviceName is one: order does not matter, and nil and empty are one key.
func TestKeyBehindPointer(t *testing.T) {
	schema := foreignSchema(t)
	a := "a"
	b := "b"
	empty := ""
	hashOf := func(devices ...foreignDevice) hotupdate.Sum {
		sum, err := schema.Hash(&foreignPool{Devices: devices})
		require.NoError(t, err)
		return sum
	}
	assert.Equal(t, hashOf(foreignDevice{&a, "", 1}, foreignDevice{&b, "", 2}), hashOf(foreignDevice{&b, "", 2}, foreignDevice{&a, "", 1}))
	assert.NotEqual(t, hashOf(foreignDevice{&a, "", 1}), hashOf(foreignDevice{&b, "", 1}))
	for _, raw := range []string{
		`{"devices":[{"name":"a"},{"mode":"x"}]}`, `{"devices":[{"name":null,"mode":"x"},{"name":"a"}]}`,
		`{"devices":[{"name":"a"},{"mode":"x","name":""}]}`,
	} {
		document, err := schema.DocumentRaw([]byte(raw))
		require.NoError(t, err, raw)
		assert.Equal(t, `{"devices":[{"mode":"x","name":""},{"mode":"","name":"a"}]}`, string(document), raw)
	}
	assert.Equal(
		t, hashOf(foreignDevice{nil, "", 1}, foreignDevice{&a, "", 1}), hashOf(foreignDevice{&a, "", 1}, foreignDevice{&empty, "", 1}),
	)
	assert.NotEqual(
		t, hashOf(foreignDevice{&a, "", 1}, foreignDevice{&a, "", 2}), hashOf(foreignDevice{&a, "", 2}, foreignDevice{&a, "", 1}),
	)
}
