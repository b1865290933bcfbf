package hotupdate_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// TestNullInAHotMapIsNoEmptyValue: null removes a key from a hot map, an empty list or map keeps it. A comparison that
// confused both would never apply the key's addition or removal.
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
		{
			config{Maps: map[string]map[string]map[string]string{"a": {"b": nil}}},
			config{Maps: map[string]map[string]map[string]string{"a": {"b": {}}}},
		},
		{config{Lists: map[string][]string{"a": nil}}, config{Lists: map[string][]string{"a": {}}}},
	} {
		changes, err := s.Diff(&tc.null, &tc.empty)
		require.NoError(t, err)
		if assert.Len(t, changes, 1, "%v", tc) {
			assert.Equal(t, hotupdate.OpAdd, changes[0].Op)
		}
		changes, err = s.Diff(&tc.empty, &tc.null)
		require.NoError(t, err)
		assert.Len(t, changes, 1, "%v", tc)
	}
}

// holder has hot objects whose presence has a meaning, and which may contain themselves.
type holder struct {
	Hot  *holder `json:"hot"  hotupdatable:"true,presence"`
	Kept string  `json:"kept" hotupdatable:"ignore"`
}

// TestWhatIsNotHashedIsNotWalked: a fault in a part that is not hashed is no error of the canonical document.
func TestWhatIsNotHashedIsNotWalked(t *testing.T) {
	type config struct {
		Hot  *holder `json:"hot"  hotupdatable:"true,presence"`
		Text string  `json:"text"`
	}
	type slowConfig struct {
		config `json:",inline"`

		Keys map[int]string `json:"keys"`
	}
	circle := &holder{}
	circle.Hot = circle
	for _, document := range []func() ([]byte, error){
		func() ([]byte, error) { return schemaFor[config](t).Document(&config{circle, "x"}) },
		func() ([]byte, error) {
			return schemaFor[slowConfig](t).Document(&slowConfig{config: config{circle, "x"}})
		},
	} {
		got, err := document()
		require.NoError(t, err)
		assert.Equal(t, `{"text":"x"}`, string(got))
	}
}
