package hotupdate_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// SplitPart is embedded by pointer and holds nothing but a list of which either half has something.
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
