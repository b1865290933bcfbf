package hotupdate_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// TestNullInAHotMapIsNoEmptyValue: null takes a key out of a hot map, an empty list or map keeps it. A comparison that took both for the
// same would never have the key's coming or going applied.
func TestNullInAHotMapIsNoEmptyValue(t *testing.T) {
	type config struct {
		Texts map[string]map[string]string            `json:"texts" hotupdatable:"true"`
		Maps  map[string]map[string]map[string]string `json:"maps"  hotupdatable:"ignore"`
		Lists map[string][]string                     `json:"lists" hotupdatable:"true"`
	}
	s := schemaFor[config](t)
	for _, tc := range []struct{ null, empty config }{
		{config{Texts: map[string]map[string]string{"a": nil}}, config{Texts: map[string]map[string]string{"a": {}}}},
		{config{Maps: map[string]map[string]map[string]string{"a": nil}}, config{Maps: map[string]map[string]map[string]string{"a": {}}}},
		{config{Maps: map[string]map[string]map[string]string{"a": {"b": nil}}}, config{Maps: map[string]map[string]map[string]string{"a": {"b": {}}}}},
		{config{Lists: map[string][]string{"a": nil}}, config{Lists: map[string][]string{"a": {}}}},
	} {
		changes, err := hotupdate.Diff(s, &tc.null, &tc.empty)
		require.NoError(t, err)
		if assert.Len(t, changes, 1, "%v", tc) {
			assert.Equal(t, hotupdate.Add, changes[0].Op)
		}
		changes, err = hotupdate.Diff(s, &tc.empty, &tc.null)
		require.NoError(t, err)
		assert.Len(t, changes, 1, "%v", tc)
	}
}
