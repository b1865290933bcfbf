package hotupdate_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// SplitPart is embedded by pointer, and has only a list with parts in both halves.
type SplitPart struct {
	Items []splitItem `json:"items" hotupdatable:"false,key=name"`
}

type splitItem struct {
	Name string `json:"name"`
	Hot  string `json:"hot"  hotupdatable:"true"`
}

// TestMergeKeepsEmbeddedPointers: without the embedded struct, items would not be null in JSON but missing.
func TestMergeKeepsEmbeddedPointers(t *testing.T) {
	type config struct {
		*SplitPart
	}
	schema, err := hotupdate.SchemaOf[config]()
	require.NoError(t, err)
	for _, want := range []string{`{"items":null}`, `{"items":[]}`, `{"items":[{"name":"a","hot":"b"}]}`, `{}`} {
		original := &config{}
		require.NoError(t, json.Unmarshal([]byte(want), original))
		if want == `{"items":null}` {
			original.SplitPart = &SplitPart{}
		}
		immutable, hot, err := hotupdate.Split(schema, original)
		require.NoError(t, err)
		merged, err := hotupdate.Merge(schema, immutable, hot)
		require.NoError(t, err)
		got, err := json.Marshal(merged)
		require.NoError(t, err)
		assert.Equal(t, want, string(got))
	}
}

// SplitObject is embedded by pointer, and has only an object with parts in both halves.
type SplitObject struct {
	Object *splitItem `json:"object"`
}

// TestMergeKeepsEmbeddedPointersToNothing: an object that is null in JSON is so after Merge, and not missing.
func TestMergeKeepsEmbeddedPointersToNothing(t *testing.T) {
	type config struct {
		*SplitObject
	}
	original := &config{&SplitObject{}}
	immutable, hot, err := hotupdate.Split(schemaFor[config](t), original)
	require.NoError(t, err)
	merged, err := hotupdate.Merge(schemaFor[config](t), immutable, hot)
	require.NoError(t, err)
	require.Equal(t, original, merged)
}

// SplitPlaces is embedded by pointer, and has an array, which is present whenever the embedded struct is.
type SplitPlaces struct {
	Places [1][]splitItem `json:"places"`
	Kept   string         `json:"kept,omitempty"`
	Hot    string         `json:"hot,omitempty"  hotupdatable:"true"`
}

// TestMergeTakesAMissingArrayForAZeroOne: a half without a value below the embedded struct does not have its array. The
// other half does, even if only another member is set.
func TestMergeTakesAMissingArrayForAZeroOne(t *testing.T) {
	type config struct {
		*SplitPlaces
	}
	schema, err := hotupdate.SchemaOf[config]()
	require.NoError(t, err)
	for _, original := range []string{
		`{"kept":"a","places":[null]}`, `{"hot":"a","places":[null]}`, `{"hot":"a","kept":"b","places":[null]}`, `{"places":[null]}`, `{}`,
		`{"kept":"a","places":[[{"name":"a","hot":"b"}]]}`, `{"hot":"a","places":[[{"name":"a","hot":""},{"name":"b","hot":"c"}]]}`,
	} {
		decoded, err := schema.Decode([]byte(original))
		require.NoError(t, err)
		immutable, hot, err := hotupdate.Split(schema, decoded.(*config))
		require.NoError(t, err)
		merged, err := hotupdate.Merge(schema, immutable, hot)
		require.NoError(t, err, original)
		changes, err := schema.Diff(decoded, merged)
		require.NoError(t, err)
		assert.Empty(t, changes, original)
	}
	_, err = hotupdate.Merge(schema, &config{&SplitPlaces{Places: [1][]splitItem{{{Name: "a"}}}}}, nil)
	checkProblems(t, []problem{valueProblem("halves-differ", "places[0]")}, err, "Merge")
}

// TestMergeKeepsEmptyElements: the presence of an element of a hot map is hot, even if all its members are immutable.
func TestMergeKeepsEmptyElements(t *testing.T) {
	type element struct {
		Kept string `json:"kept,omitempty" hotupdatable:"false"`
	}
	type config struct {
		Hot map[string]*element `json:"hot" hotupdatable:"true"`
	}
	schema, err := hotupdate.SchemaOf[config]()
	require.NoError(t, err)
	old := &config{Hot: map[string]*element{"a": nil}}
	updated := &config{Hot: map[string]*element{"a": {}}}
	immutable, _, err := hotupdate.Split(schema, old)
	require.NoError(t, err)
	_, hot, err := hotupdate.Split(schema, updated)
	require.NoError(t, err)
	merged, err := hotupdate.Merge(schema, immutable, hot)
	require.NoError(t, err)
	assert.Equal(t, updated, merged)
}
