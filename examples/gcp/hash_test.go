package gcp_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/examples/gcp"
	"github.com/hotupdate/providerconfig/examples/internal/exampletest"
	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/hotupdate"
)

const typeMeta = `"apiVersion":"gcp.provider.extensions.gardener.cloud/v1alpha1","kind":"WorkerConfig"`

// TestPoolsKeepTheirNames checks existing pools of each kind, with the strings that name them today.
func TestPoolsKeepTheirNames(t *testing.T) {
	const full = `"gpu":{"acceleratorType":"nvidia-l4","count":2},"volume":{"encryption":{"kmsKeyName":"key"}},` +
		`"bootVolume":{"provisionedIops":3000},"minCpuPlatform":"Intel Ice Lake",` +
		`"dataVolumes":[{"name":"b","provisionedThroughput":140,"storagePool":"s"},{"name":"a","sourceImage":"image"}],` +
		`"nodeTemplate":{"capacity":{"gpu":"2"}}`
	const account = `,"serviceAccount":{"email":"a@b","scopes":["z","y"]}`
	provider.CheckVectors(t, []exampletest.Vector{
		{Name: "raw bytes, no config", Version: "1.34.1", Reason: "no string"},
		{
			Name: "raw bytes", Version: "1.34.1", Raw: provider.Config(`"gpu":{"count":1},"tags":{"network":{"bastion":""}}`),
			Want: []string{`{` + typeMeta + `,"gpu":{"count":1}}`}, Reason: "a new hot field is hot here too",
		},
		{
			Name: "raw bytes, service account", Version: "1.34.1", Raw: provider.Config(`"serviceAccount":{"email":"a@b","scopes":[]}`),
			Want:   []string{`{` + typeMeta + `,"serviceAccount":{"email":"a@b","scopes":[]}}`},
			Reason: "what is in-place rolls pools that roll",
		},
		{
			Name: "raw bytes, virtual capacity only", Version: "1.34.1",
			Raw:  provider.Config(`"nodeTemplate":{"virtualCapacity":{"a":"1"}}`),
			Want: []string{`{` + typeMeta + `}`}, Reason: "its TypeMeta",
		},
		{Name: "list, no config", Version: "1.35.0", Reason: "no string"},
		{
			Name: "list", Version: "1.35.0", Raw: provider.Config(full + account + `,"tags":{"vm":{"a":"1"}}`), Want: []string{
				"gpu=2", "nvidia-l4", "2", "", "key", "", "3000", "", "b", "140", "a", "image", "Intel Ice Lake", "a@b", "z", "y",
			}, Reason: "value by value, without names",
		},
		{Name: "canonical, no config", Version: "1.37.0", Sum: new(""), Reason: "the empty config"},
		{
			Name: "canonical", Version: "1.37.0", Raw: provider.Config(full + account + `,"tags":{"vm":{"a":"1"}}`),
			Sum: new(full + account), Reason: "one sum",
		},
		{Name: "in place", Version: "1.36.0", Strategy: hotupdate.AutoInPlaceUpdate, Raw: provider.Config(full), Reason: "nothing"},
		{
			Name: "in place, canonical", Version: "1.37.0", Strategy: hotupdate.AutoInPlaceUpdate, Raw: provider.Config(full),
			Sum: new(full), Reason: "one sum",
		},
	})
}

// TestYesterday shows where the hand-written list and the raw bytes are wrong.
func TestYesterday(t *testing.T) {
	const (
		list = "1.36.0"
		raw  = "1.34.0"
	)
	provider.CheckDefects(t, []exampletest.Defect{
		exampletest.Missed("storage pool of a data volume", list,
			`"dataVolumes":[{"name":"a","storagePool":"p"}]`, `"dataVolumes":[{"name":"a","storagePool":"q"}]`, "forgotten"),
		exampletest.Missed("iops to throughput", list,
			`"bootVolume":{"provisionedIops":3000}`, `"bootVolume":{"provisionedThroughput":3000}`, "values have no names"),
		exampletest.Missed("fraction of a quantity", list,
			`"nodeTemplate":{"capacity":{"cpu":"100m"}}`, `"nodeTemplate":{"capacity":{"cpu":"1"}}`, "rounded up"),
		exampletest.Needless("data volumes reordered", list,
			`"dataVolumes":[{"name":"a","sourceImage":"i"},{"name":"b"}]`, `"dataVolumes":[{"name":"b"},{"name":"a","sourceImage":"i"}]`, "looked up by name"),
		exampletest.Needless("empty object", list, `"gpu":{"acceleratorType":"t","count":1}`,
			`"gpu":{"acceleratorType":"t","count":1},"bootVolume":{}`, "an empty string for nothing"),
		exampletest.Needless(
			"key order", raw, `"gpu":{"count":1,"acceleratorType":"t"}`, `"gpu":{"acceleratorType":"t","count":1}`, "bytes",
		),
	})
}

func TestPoolFields(t *testing.T) {
	pool := exampletest.Pool(exampletest.Canonical, nil)
	pool.DataVolumes = []gardener.DataVolume{
		{Name: "b", Size: "40Gi", Encrypted: new(true)}, {Name: "a", Size: "30Gi", Type: new("pd-ssd")},
	}
	name, err := gcp.GenerateWorkerPoolHash(pool)
	require.NoError(t, err)
	assert.Equal(t, []string{provider.Sum(t, nil), "a", "30Gi", "pd-ssd", "b", "40Gi"}, exampletest.Data(name))
	assert.Equal(t, "b", pool.DataVolumes[0].Name, "sorted in a copy")
}
