package hash_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// TestErasOfBothKinds: a pool gets the list of its strategy, and no other. An error of the eras of the
// other kind does not concern it.
func TestErasOfBothKinds(t *testing.T) {
	schema, err := hotupdate.SchemaOf[struct {
		IOPS int `json:"iops"`
	}]()
	require.NoError(t, err)
	own := func(pool string) []string { return []string{pool} }
	sum, err := schema.HashRaw([]byte(`{"iops":1}`))
	require.NoError(t, err)
	eras, err := hash.NewEras([]hash.Era[string]{
		{Name: "raw", Data: func(raw []byte, _ string) ([]string, error) { return []string{string(raw)}, nil }},
	}, hash.InPlaceEras(nil, "1.37", schema, own))
	require.NoError(t, err)
	for _, row := range []struct {
		name, version, raw string
		strategy           hotupdate.Strategy
		want               hash.AdditionalData
	}{
		{"rolls", "1.37.1", `{"iops":1}`, hotupdate.AutoRollingUpdate, hash.AdditionalData{Rolling: []string{`{"iops":1}`}}},
		{"rolls, unreadable for the other kind", "1.37.1", `{`, hotupdate.AutoRollingUpdate, hash.AdditionalData{Rolling: []string{"{"}}},
		{"in place, today", "1.36.9", `{`, hotupdate.AutoInPlaceUpdate, hash.AdditionalData{}},
		{
			"in place, canonical", "1.37.0", `{"iops":1}`, hotupdate.ManualInPlaceUpdate,
			hash.AdditionalData{InPlace: append(sum.AdditionalData(), "pool")},
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			lists, err := eras.AdditionalData(row.strategy, &row.version, []byte(row.raw), "pool")
			require.NoError(t, err)
			assert.Equal(t, row.want, lists)
		})
	}
}

// TestInPlaceErasKeepTodaysList: below the canonical era a pool is named by the list of today's release.
func TestInPlaceErasKeepTodaysList(t *testing.T) {
	schema, err := hotupdate.SchemaOf[struct {
		IOPS int `json:"iops"`
	}]()
	require.NoError(t, err)
	today := func(pool string) []string { return []string{pool, "encrypted"} }
	eras, err := newRolling(hash.InPlaceEras(today, "1.37", schema, func(string) []string { return []string{"own"} }))
	require.NoError(t, err)
	data, err := eras.AdditionalData(new("1.36.4"), []byte(`{"iops":1}`), "pool")
	require.NoError(t, err)
	assert.Equal(t, []string{"pool", "encrypted"}, data)
	data, err = eras.AdditionalData(new("1.37.0"), []byte(`{"iops":1}`), "pool")
	require.NoError(t, err)
	assert.Len(t, data, 2)
	assert.Equal(t, "own", data[1])
}

// TestErasErrors: mistakes of both lists are told at once, and say of which list they are.
func TestErasErrors(t *testing.T) {
	_, err := hash.NewEras[string](nil, hash.InPlaceEras[string](nil, "37", nil))
	var codes []string
	for _, problem := range fault.All(err) {
		codes = append(codes, problem.Code)
	}
	assert.Equal(t, []string{"no-eras", "no-era-function", "invalid-from"}, codes)
	assert.ErrorContains(t, err, "pools that are updated in place: ")

	for name, eras := range map[string]*hash.Eras[string]{"nil": nil, "zero": {}} {
		_, err := eras.AdditionalData(hotupdate.AutoInPlaceUpdate, nil, nil, "")
		require.Len(t, fault.All(err), 1, name)
		assert.Equal(t, "no-eras", fault.All(err)[0].Code, name)
	}
	eras, err := hash.NewEras(hash.InPlaceEras[string](nil, "1.37", new(hotupdate.Schema)), nil)
	require.Error(t, err)
	assert.Nil(t, eras)
	_, err = new(hash.Eras[string]).AdditionalData(hotupdate.Strategy(9), nil, nil, "")
	require.Len(t, fault.All(err), 1)
	assert.NotEqual(t, "no-eras", fault.All(err)[0].Code, "an unknown strategy is no kind of pool")
	_, err = new(hash.Eras[string]).AdditionalData(hotupdate.StrategyOf(new("unknown")), nil, nil, "")
	require.Len(t, fault.All(err), 1)
	assert.Equal(t, "unknown-strategy", fault.All(err)[0].Code)
}
