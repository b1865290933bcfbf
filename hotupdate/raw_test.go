package hotupdate_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// TestEqualBytesAreNoChange: equal bytes are not decoded, so an unchanged spec costs only a comparison of memory.
func TestEqualBytesAreNoChange(t *testing.T) {
	schema := schemaFor[workerConfig](t)
	for _, raw := range []string{"", `{}`, `{"volume":{"iops":3}}`, `{"unknown":1}`, `{`, "\xff"} {
		changes, err := schema.DiffRaw([]byte(raw), []byte(raw))
		require.NoError(t, err)
		require.Empty(t, changes)
	}
	_, err := (*hotupdate.Schema)(nil).DiffRaw(nil, nil)
	require.Equal(t, "no-schema", fault.All(err)[0].Code, "a missing Schema is an error in any case")
	_, err = schema.DiffRaw([]byte(`{"unknown":1}`), []byte(`{"unknown":2}`))
	require.Error(t, err, "what differs is read")
}

func TestEqualBytesAllocateNothing(t *testing.T) {
	schema := schemaFor[workerConfig](t)
	raw := []byte(`{"volume":{"iops":3}}`)
	same := append([]byte(nil), raw...)
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		if changes, err := schema.DiffRaw(raw, same); err != nil || len(changes) > 0 {
			t.Error("not equal")
		}
	}))
}
