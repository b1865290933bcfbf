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

const typeMeta = `"apiVersion":"alicloud.provider.extensions.gardener.cloud/v1alpha1","kind":"WorkerConfig"`

// TestPoolsKeepTheirNames checks existing pools, and pools with their first configs.
func TestPoolsKeepTheirNames(t *testing.T) {
	const capacity = `"nodeTemplate":{"capacity":{"cpu":"8"}}`
	const hot = `"tags":{"vm":{"a":"1"}}`
	provider.CheckVectors(t, []exampletest.Vector{
		{Name: "no config", Version: "1.36.1", Reason: "all pools today"},
		{Name: "first tag", Version: "1.36.1", Raw: provider.Config(hot), Reason: "no string, so no machine is replaced"},
		{Name: "only TypeMeta", Version: "1.36.1", Raw: provider.Config(""), Reason: "the same after the tag is gone"},
		{Name: "hot null", Version: "1.36.1", Raw: provider.Config(`"tags":null`), Reason: "one of the states of a hot field"},
		{
			Name: "first capacity", Version: "1.36.1", Raw: provider.Config(capacity + `,` + hot),
			Want: []string{`{` + typeMeta + `,` + capacity + `}`}, Reason: "bytes without what is hot",
		},
		{Name: "canonical, no config", Version: "1.37.0", Sum: new(""), Reason: "the empty config"},
		{Name: "canonical", Version: "1.37.0", Raw: provider.Config(capacity + `,` + hot), Sum: new(capacity), Reason: "one sum"},
		{Name: "in place", Version: "1.36.0", Strategy: hotupdate.AutoInPlaceUpdate, Raw: provider.Config(capacity), Reason: "nothing"},
		{Name: "in place, canonical", Version: "1.37.0", Strategy: hotupdate.AutoInPlaceUpdate, Raw: provider.Config(capacity), Sum: new(capacity), Reason: "one sum"},
	})
}

// TestYesterday shows where raw bytes are wrong.
func TestYesterday(t *testing.T) {
	provider.CheckDefects(t, []exampletest.Defect{
		exampletest.Needless("quantity spelled anew", "1.36.0",
			`"nodeTemplate":{"capacity":{"memory":"1Gi"}}`, `"nodeTemplate":{"capacity":{"memory":"1024Mi"}}`, "bytes"),
		exampletest.Needless("key order", "1.36.0",
			`"nodeTemplate":{"capacity":{"a":"1","b":"2"}}`, `"nodeTemplate":{"capacity":{"b":"2","a":"1"}}`, "bytes"),
	})
}

func TestPoolFields(t *testing.T) {
	own := []string{"true", "30Gi", "cloud_essd", "false", "40Gi"}
	canonical := append([]string{provider.Sum(t, nil)}, own...)
	for version, want := range map[string][]string{"1.36.0": own, "1.37.0": canonical} {
		pool := exampletest.Pool(version, nil)
		pool.Volume.Encrypted = new(true)
		pool.DataVolumes = []gardener.DataVolume{{Name: "b", Size: "30Gi", Type: new("cloud_essd"), Encrypted: new(false)}, {Name: "a", Size: "40Gi"}}
		name, err := alicloud.GenerateWorkerPoolHash(pool)
		require.NoError(t, err)
		assert.Equal(t, want, exampletest.Data(name), version)
	}
}
