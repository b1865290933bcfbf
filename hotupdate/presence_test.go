package hotupdate_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// The presence of an object goes to the half of its own class, even if everything in the object is of the other one.
func TestSplitKeepsPresence(t *testing.T) {
	type inner struct {
		Tag string `json:"tag,omitempty" hotupdatable:"true"`
	}
	type config struct {
		Marked *inner `json:"marked,omitempty" hotupdatable:"false,presence"`
	}
	schema, err := hotupdate.SchemaOf[config]()
	require.NoError(t, err)
	immutable, hot, err := hotupdate.Split(schema, &config{&inner{"a"}})
	require.NoError(t, err)
	document, err := schema.Document(immutable)
	require.NoError(t, err)
	require.Equal(t, `{"marked":{}}`, string(document))
	merged, err := hotupdate.Merge(schema, immutable, hot)
	require.NoError(t, err)
	require.Equal(t, &config{&inner{"a"}}, merged)
}

// A hot update that removes an object whose presence is hot removes it, unless something that is not hot stands in it.
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

// A null in a hot map says that the key is absent, so a hot update to it leaves no empty object behind.
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
