package alicloud_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/examples/alicloud"
	"github.com/hotupdate/providerconfig/examples/internal/exampletest"
	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/hotupdate"
)

// TestPoolsKeepTheirNames checks existing pools, and pools with their first configs.
func TestPoolsKeepTheirNames(t *testing.T) {
	const capacity = `"nodeTemplate":{"capacity":{"cpu":"8"}}`
	const hot = `"tags":{"vm":{"a":"1"}}`
	provider.CheckVectors(t, []exampletest.Vector{
		{Name: "no config", Version: "1.36.1", Reason: "all pools today"},
		{Name: "first tag", Version: "1.36.1", Raw: provider.Config(hot), Reason: "no string, so no machine is replaced"},
		{Name: "only TypeMeta", Version: "1.36.1", Raw: provider.Config(""), Reason: "the same after the tag is gone"},
		{Name: "hot null", Version: "1.36.1", Raw: provider.Config(`"tags":null`), Reason: "one of the states of a hot field"},
		{Name: "ignored capacity", Version: "1.36.1", Raw: provider.Config(capacity + `,` + hot), Reason: "today's release ignores it"},
		{Name: "unreadable", Version: "1.36.1", Raw: []byte(`{"kind":"Other","foo":[1]}`), Reason: "today's release takes it"},
		{Name: "no object", Raw: []byte(`"x"`), Reason: "the same, without a version"},
		{Name: "canonical, no config", Version: "1.37.0", Sum: new(""), Reason: "the empty config"},
		{Name: "canonical", Version: "1.37.0", Raw: provider.Config(capacity + `,` + hot), Sum: new(capacity), Reason: "one sum"},
		{Name: "in place", Version: "1.36.0", Strategy: hotupdate.AutoInPlaceUpdate, Raw: provider.Config(capacity), Reason: "nothing"},
		{
			Name: "in place, canonical", Version: "1.37.0", Strategy: hotupdate.AutoInPlaceUpdate, Raw: provider.Config(capacity),
			Sum: new(capacity), Reason: "one sum",
		},
	})
}

// TestYesterday shows what a hash misses that ignores configs. [alicloud.ValidateConfig] refuses it.
func TestYesterday(t *testing.T) {
	provider.CheckDefects(t, []exampletest.Defect{
		exampletest.Missed("capacity", "1.36.0",
			`"nodeTemplate":{"capacity":{"memory":"1Gi"}}`, `"nodeTemplate":{"capacity":{"memory":"2Gi"}}`, "configs are ignored"),
		exampletest.Missed("first capacity", "1.36.0", ``, `"nodeTemplate":{"capacity":{"memory":"2Gi"}}`, "configs are ignored"),
	})
}

// TestUnreadableConfig: from the canonical era on, a config that the Schema refuses is an error.
func TestUnreadableConfig(t *testing.T) {
	for _, raw := range []string{`{"foo":1}`, `"x"`, `{`} {
		_, err := alicloud.GenerateWorkerPoolHash(exampletest.Pool("1.37.0", []byte(raw)))
		require.Error(t, err, raw)
		_, err = alicloud.GenerateWorkerPoolHash(exampletest.Pool("1.36.9", []byte(raw)))
		require.NoError(t, err, raw)
	}
	_, err := alicloud.GenerateWorkerPoolHash(exampletest.Pool("1", nil))
	require.Error(t, err)
}

// TestIgnoredFieldsHaveNoEffect: before the canonical era the spec of a machine has hot fields only, since nothing replaces machines that
// began without the others.
func TestIgnoredFieldsHaveNoEffect(t *testing.T) {
	config := provider.Config(`"nodeTemplate":{"capacity":{"cpu":"8"},"virtualCapacity":{"x":"1"}},"tags":{"vm":{"a":"1"}}`)
	pool, err := alicloud.NewPool(exampletest.Pool("1.36.0", config))
	require.NoError(t, err)
	assert.Nil(t, pool.Config.NodeTemplate.Capacity)
	assert.Len(t, pool.Config.NodeTemplate.VirtualCapacity, 1)
	assert.Equal(t, "1", pool.Config.Tags.VM["a"])
	pool, err = alicloud.NewPool(exampletest.Pool("1.37.0", config))
	require.NoError(t, err)
	assert.Len(t, pool.Config.NodeTemplate.Capacity, 1)
}

func TestPoolFields(t *testing.T) {
	own := []string{"true", "30Gi", "cloud_essd", "false", "40Gi"}
	canonical := append([]string{provider.Sum(t, nil)}, own...)
	for version, want := range map[string][]string{"1.36.0": own, "1.37.0": canonical} {
		pool := exampletest.Pool(version, nil)
		pool.Volume.Encrypted = new(true)
		pool.DataVolumes = []gardener.DataVolume{
			{Name: "b", Size: "30Gi", Type: new("cloud_essd"), Encrypted: new(false)}, {Name: "a", Size: "40Gi"},
		}
		name, err := alicloud.GenerateWorkerPoolHash(pool)
		require.NoError(t, err)
		assert.Equal(t, want, exampletest.Data(name), version)
	}
}
