package hotupdate_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// TestQuotedNumbers are spelled as strings, and only so, whether the Schema is that of the type or loaded: encoding/json obeys the
// option string on a json.Number as well.
func TestQuotedNumbers(t *testing.T) {
	t.Parallel()
	type config struct {
		Number json.Number `json:"number,omitempty,string"`
	}
	compiled := schemaFor[config](t)
	exported, err := json.Marshal(compiled)
	require.NoError(t, err)
	loaded, err := hotupdate.LoadSchema(exported)
	require.NoError(t, err)
	want, err := compiled.Hash(config{Number: "12"})
	require.NoError(t, err)
	for name, s := range map[string]*hotupdate.Schema{"compiled": compiled, "loaded": loaded} {
		got, err := s.HashRaw([]byte(`{"number":"12"}`))
		require.NoError(t, err, name)
		assert.Equal(t, want, got, name)
		_, err = s.HashRaw([]byte(`{"number":12}`))
		assert.Error(t, err, name)
	}
}
