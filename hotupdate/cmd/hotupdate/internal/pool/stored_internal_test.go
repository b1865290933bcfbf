package pool

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// FuzzAsStored: what is taken to be stored already is what decoding and encoding would make of it.
func FuzzAsStored(f *testing.F) {
	for _, seed := range []string{
		`{"a":1,"b":[{"c":"d"},true,null]}`, `{"b":1,"a":1}`, `{"a":1,"a":2}`, `{"a":3e2}`, `{"a":1.0}`, `{"a":-0}`, `{"a":"<"}`, `{"a":"\u0026"}`, `{"a":12345678901234567890}`,
		`{"a": 1}`, `[]`, `""`, `null`, "{\"a\":\"\u2028\"}", `{"a":"` + "\xff" + `"}`, `{"":{}}`, `{"a":1}x`, `{"a\u0062":1}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if !isStored(raw) {
			return
		}
		var value any
		require.NoError(t, utiljson.Unmarshal(raw, &value))
		stored, err := json.Marshal(value)
		require.NoError(t, err)
		assert.Equal(t, string(stored), string(raw))
	})
}

// TestIsStored: what a cluster returns needs no second look.
func TestIsStored(t *testing.T) {
	t.Parallel()
	assert.True(t, isStored([]byte(`{"apiVersion":"v1","disks":[{"iops":5,"name":"a"},{}],"zones":["b","a"]}`)))
	assert.False(t, isStored([]byte(`{"kind":"a","apiVersion":"v1"}`)))
}
