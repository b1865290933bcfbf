package aws_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hotupdate/providerconfig/examples/aws"
	"github.com/hotupdate/providerconfig/examples/internal/exampletest"
	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

const typeMeta = `"apiVersion":"aws.provider.extensions.gardener.cloud/v1alpha1","kind":"WorkerConfig"`

// TestPoolsKeepTheirNames has a pool of each kind that is alive, with the strings that name it today.
func TestPoolsKeepTheirNames(t *testing.T) {
	const full = `"volume":{"iops":3000},"dataVolumes":[{"name":"b","snapshotID":"s"},{"name":"a","throughput":125}],` +
		`"iamInstanceProfile":{"name":"p"},"instanceMetadataOptions":{"httpTokens":"required","httpPutResponseHopLimit":2},` +
		`"cpuOptions":{"coreCount":4,"threadsPerCore":2,"amdSevSnp":"enabled"},"capacityReservation":{"capacityReservationPreference":"open"},` +
		`"networkInterfaces":[{"deviceIndex":0,"description":"d"},{"deviceIndex":1,"type":"efa","networkCardIndexRange":{"from":1,"to":3}}],` +
		`"placement":{"groupId":"g","tenancy":"host","hostId":"h","partitionNumber":1,"affinity":"default"},"instanceMarketOptions":{"marketType":"spot"},` +
		`"nodeTemplate":{"capacity":{"memory":"1Gi","cpu":"100m"}}`
	provider.CheckVectors(t, []exampletest.Vector{
		{Name: "raw bytes, no config", Version: "1.33.1", Reason: "no string"},
		{Name: "raw bytes, no version", Raw: provider.Config(`"volume":{}`), Want: []string{`{` + typeMeta + `,"volume":{}}`}, Reason: "the first era"},
		{
			Name: "raw bytes", Version: "1.33.1", Raw: []byte(`{"volume": {"iops": 3000}}`), Want: []string{`{"volume": {"iops": 3000}}`},
			Reason: "byte by byte",
		},
		{
			Name: "raw bytes, virtual capacity only", Version: "1.33.1", Raw: provider.Config(`"nodeTemplate":{"virtualCapacity":{"a":"1"}}`),
			Want: []string{`{` + typeMeta + `}`}, Reason: "its TypeMeta",
		},
		{
			Name: "raw bytes, virtual capacity", Version: "1.33.1",
			Raw:  provider.Config(`"nodeTemplate":{"capacity":{"cpu":"8"},"virtualCapacity":{"a":"1"}},"volume":{"iops":1}`),
			Want: []string{`{` + typeMeta + `,"nodeTemplate":{"capacity":{"cpu":"8"}},"volume":{"iops":1}}`}, Reason: "as the expressions cut it",
		},
		{
			Name: "raw bytes, null", Version: "1.33.1", Raw: provider.Config(`"nodeTemplate":{"virtualCapacity":null}`),
			Want: []string{`{` + typeMeta + `,"nodeTemplate":{"virtualCapacity":null}}`}, Reason: "the expressions let it stand",
		},
		{
			Name: "raw bytes, tags", Version: "1.33.1", Raw: provider.Config(`"tags":{"vm":{"a":"1"}},"volume":{"iops":1}`),
			Want: []string{`{` + typeMeta + `,"volume":{"iops":1}}`}, Reason: "a new hot field is hot here too",
		},
		{Name: "list, no config", Version: "1.34.0", Reason: "no string"},
		{
			Name: "list", Version: "1.34.0", Raw: provider.Config(full + `,"tags":{"vm":{"a":"1"}}`), Want: []string{
				"cpu=1", "memory=1073741824", "3000", "b", "s", "a", "125", "p", "required", "2", "4", "2", "open", "spot",
				"interface", "0", "efa", "1", "1", "3", "g", "host", "h", "1", "default",
			}, Reason: "value by value, without names",
		},
		{Name: "canonical, no config", Version: "1.37.0", Sum: new(""), Reason: "the empty config"},
		{Name: "canonical", Version: "1.38.0", Raw: provider.Config(full + `,"tags":{"vm":{"a":"1"}}`), Sum: new(full), Reason: "one sum"},
		{Name: "in place", Version: "1.36.0", Strategy: hotupdate.AutoInPlaceUpdate, Raw: provider.Config(full), Reason: "the config never was in it"},
		{Name: "in place, canonical", Version: "1.37.0", Strategy: hotupdate.ManualInPlaceUpdate, Raw: provider.Config(full), Sum: new(full), Reason: "one sum"},
	})
}

// TestYesterday shows where the hand-written list and the raw bytes are wrong.
func TestYesterday(t *testing.T) {
	const list, raw = "1.36.0", "1.33.0"
	provider.CheckDefects(t, []exampletest.Defect{
		exampletest.Missed("iops to throughput", list, `"volume":{"iops":3000}`, `"volume":{"throughput":3000}`, "values have no names"),
		exampletest.Missed("tenancy to affinity", list, `"placement":{"tenancy":"host"}`, `"placement":{"affinity":"host"}`, "values have no names"),
		exampletest.Missed("SEV-SNP", list, `"cpuOptions":{"coreCount":1}`, `"cpuOptions":{"coreCount":1,"amdSevSnp":"enabled"}`, "forgotten"),
		exampletest.Missed("fraction of a quantity", list,
			`"nodeTemplate":{"capacity":{"cpu":"100m"}}`, `"nodeTemplate":{"capacity":{"cpu":"1"}}`, "rounded up"),
		exampletest.Missed("description of an interface", list,
			`"networkInterfaces":[{"deviceIndex":0}]`, `"networkInterfaces":[{"deviceIndex":0,"description":"d"}]`, "forgotten"),
		exampletest.Needless("data volumes reordered", list,
			`"dataVolumes":[{"name":"a","iops":1},{"name":"b"}]`, `"dataVolumes":[{"name":"b"},{"name":"a","iops":1}]`, "looked up by name"),
		exampletest.Needless("key order", raw, `"volume":{"iops":1,"throughput":2}`, `"volume":{"throughput":2,"iops":1}`, "bytes"),
		exampletest.Needless("white space", raw, `"volume":{"iops":1}`, `"volume": {"iops": 1}`, "bytes"),
		exampletest.Needless("quantity spelled anew", raw,
			`"nodeTemplate":{"capacity":{"memory":"1Gi"}}`, `"nodeTemplate":{"capacity":{"memory":"1024Mi"}}`, "bytes"),
	})
}

func TestPoolFields(t *testing.T) {
	pool := exampletest.Pool(exampletest.Canonical, exampletest.Manifest(t, "after.yaml"))
	pool.Volume.Encrypted = new(true)
	pool.DataVolumes = []gardener.DataVolume{{Name: "a", Size: "30Gi", Type: new("gp3"), Encrypted: new(false)}, {Name: "b", Size: "40Gi"}}
	schema, err := aws.Schema()
	require.NoError(t, err)
	sum, err := schema.HashRaw(exampletest.Manifest(t, "before.yaml"))
	require.NoError(t, err)

	name, err := aws.GenerateWorkerPoolHash(pool)
	require.NoError(t, err)
	assert.Equal(t, []string{sum.String(), "true", "30Gi", "gp3", "false", "40Gi"}, exampletest.Data(name))

	pool.UpdateStrategy = hotupdate.AutoInPlaceUpdate
	name, err = aws.GenerateWorkerPoolHash(pool)
	require.NoError(t, err)
	assert.Equal(t, []string{sum.String(), "true"}, exampletest.Data(name))

	pool.KubernetesVersion = new("1.36.0")
	name, err = aws.GenerateWorkerPoolHash(pool)
	require.NoError(t, err)
	assert.Equal(t, []string{"true"}, exampletest.Data(name))
}

func TestUnknownMember(t *testing.T) {
	for _, version := range []string{"1.33.0", "1.34.0", "1.37.0"} {
		pool := exampletest.Pool(version, nil)
		pool.ProviderConfig = &runtime.RawExtension{Raw: []byte(`{"volume":{"iopz":1}}`)}
		_, err := aws.GenerateWorkerPoolHash(pool)
		problems := fault.All(err)
		require.Len(t, problems, 1)
		assert.Equal(t, "unknown-member", problems[0].Code)
		assert.Equal(t, "volume.iopz", problems[0].Path)
		assert.ErrorContains(t, err, "worker pool pool: ")
	}
}
