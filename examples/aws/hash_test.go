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

// TestPoolsKeepTheirNames checks existing pools of each kind, with the strings that name them today.
func TestPoolsKeepTheirNames(t *testing.T) {
	const full = `"volume":{"iops":3000},"dataVolumes":[{"name":"b","snapshotID":"s"},{"name":"a","throughput":125}],` +
		`"iamInstanceProfile":{"name":"p"},"instanceMetadataOptions":{"httpTokens":"required","httpPutResponseHopLimit":2},` +
		`"cpuOptions":{"coreCount":4,"threadsPerCore":2,"amdSevSnp":"enabled"},"capacityReservation":{"capacityReservationPreference":"open"},` +
		`"networkInterfaces":[{"deviceIndex":0,"description":"d"},{"deviceIndex":1,"type":"efa","networkCardIndexRange":{"from":1,"to":3}}],` +
		`"placement":{"groupId":"g","tenancy":"host","hostId":"h","partitionNumber":1,"affinity":"default"},"instanceMarketOptions":{"marketType":"spot"},` +
		`"nodeTemplate":{"capacity":{"memory":"1Gi","cpu":"100m"}}`
	const becameHot = `"volume":{"iops":3000,"throughput":125},"dataVolumes":[{"name":"a","iops":3000,"throughput":125}],` +
		`"instanceMetadataOptions":{"httpTokens":"required","httpPutResponseHopLimit":2}`
	provider.CheckVectors(t, []exampletest.Vector{
		{Name: "raw bytes, no config", Version: "1.33.1", Reason: "no string"},
		{
			Name: "raw bytes, no version", Raw: provider.Config(`"volume":{}`), Want: []string{`{` + typeMeta + `,"volume":{}}`},
			Reason: "the first era",
		},
		{
			Name: "raw bytes", Version: "1.33.1", Raw: []byte(`{"volume": {"iops": 3000}}`), Want: []string{`{"volume": {"iops": 3000}}`},
			Reason: "byte by byte",
		},
		{
			Name: "raw bytes, virtual capacity only", Version: "1.33.1",
			Raw:  provider.Config(`"nodeTemplate":{"virtualCapacity":{"a":"1"}}`),
			Want: []string{`{` + typeMeta + `}`}, Reason: "its TypeMeta",
		},
		{
			Name: "raw bytes, virtual capacity", Version: "1.33.1",
			Raw:    provider.Config(`"nodeTemplate":{"capacity":{"cpu":"8"},"virtualCapacity":{"a":"1"}},"volume":{"iops":1}`),
			Want:   []string{`{` + typeMeta + `,"nodeTemplate":{"capacity":{"cpu":"8"}},"volume":{"iops":1}}`},
			Reason: "as the expressions cut it",
		},
		{
			Name: "raw bytes, null", Version: "1.33.1", Raw: provider.Config(`"nodeTemplate":{"virtualCapacity":null}`),
			Want: []string{`{` + typeMeta + `,"nodeTemplate":{"virtualCapacity":null}}`}, Reason: "the expressions let it stand",
		},
		{
			Name: "raw bytes, tags", Version: "1.33.1", Raw: provider.Config(`"tags":{"vm":{"a":"1"}},"volume":{"iops":1}`),
			Want: []string{`{` + typeMeta + `,"volume":{"iops":1}}`}, Reason: "a new hot field is hot here too",
		},
		{
			Name: "raw bytes, what became hot later", Version: "1.33.1", Raw: provider.Config(becameHot + `,"tags":{"vm":{"a":"1"}}`),
			Want: []string{`{` + typeMeta + `,` + becameHot + `}`}, Reason: "it names living pools",
		},
		{Name: "list, no config", Version: "1.34.0", Reason: "no string"},
		{
			Name: "list", Version: "1.34.0", Raw: provider.Config(full + `,"tags":{"vm":{"a":"1"}}`), Want: []string{
				"cpu=1", "memory=1073741824", "3000", "b", "s", "a", "125", "p", "required", "2", "4", "2", "open", "spot",
				"interface", "0", "efa", "1", "1", "3", "g", "host", "h", "1", "default",
			}, Reason: "value by value, without names",
		},
		{Name: "canonical, no config", Version: "1.37.0", Sum: new(""), Reason: "the empty config"},
		{
			Name: "list, what became hot later", Version: "1.36.0", Raw: provider.Config(becameHot),
			Want: []string{"3000", "125", "a", "3000", "125", "required", "2"}, Reason: "it names living pools",
		},
		{
			Name: "canonical, what became hot", Version: "1.37.0", Raw: provider.Config(becameHot),
			Sum:    new(`"dataVolumes":[{"name":"a"}]`),
			Reason: "nobody runs this era yet",
		},
		{Name: "canonical", Version: "1.38.0", Raw: provider.Config(full + `,"tags":{"vm":{"a":"1"}}`), Sum: new(full), Reason: "one sum"},
		{
			Name: "in place", Version: "1.36.0", Strategy: hotupdate.AutoInPlaceUpdate, Raw: provider.Config(full),
			Reason: "the config never was in it",
		},
		{
			Name: "in place, canonical", Version: "1.37.0", Strategy: hotupdate.ManualInPlaceUpdate, Raw: provider.Config(full),
			Sum: new(full), Reason: "one sum",
		},
	})
}

// TestYesterday shows where the hand-written list and the raw bytes are wrong.
func TestYesterday(t *testing.T) {
	const (
		list = "1.36.0"
		raw  = "1.33.0"
	)
	provider.CheckDefects(t, []exampletest.Defect{
		exampletest.Missed(
			"tenancy to affinity", list, `"placement":{"tenancy":"host"}`, `"placement":{"affinity":"host"}`, "values have no names",
		),
		exampletest.Missed(
			"SEV-SNP", list, `"cpuOptions":{"coreCount":1}`, `"cpuOptions":{"coreCount":1,"amdSevSnp":"enabled"}`, "forgotten",
		),
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

// TestBecameHot: a change of attributes that the driver applies replaces machines in the eras of today's releases,
// which hash it, but not in the canonical era. The names of pools that are updated in place never depended on it.
func TestBecameHot(t *testing.T) {
	for _, c := range []struct{ name, old, updated string }{
		{"iops", `"volume":{"iops":3000}`, `"volume":{"iops":4000}`},
		{"throughput", `"volume":{"throughput":125}`, `"volume":{"throughput":250}`},
		{
			"iops of a data volume", `"dataVolumes":[{"name":"kubelet-dir","iops":3000}]`,
			`"dataVolumes":[{"name":"kubelet-dir","iops":4000}]`,
		},
		{
			"throughput of a data volume", `"dataVolumes":[{"name":"kubelet-dir","throughput":125}]`,
			`"dataVolumes":[{"name":"kubelet-dir","throughput":250}]`,
		},
		{"tokens", `"instanceMetadataOptions":{"httpTokens":"optional"}`, `"instanceMetadataOptions":{"httpTokens":"required"}`},
		{"hop limit", `"instanceMetadataOptions":{"httpPutResponseHopLimit":1}`, `"instanceMetadataOptions":{"httpPutResponseHopLimit":2}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			for version, want := range map[string]bool{"1.33.0": true, "1.36.0": true, exampletest.Canonical: false} {
				old := exampletest.Pool(version, provider.Config(c.old))
				updated := exampletest.Pool(version, provider.Config(c.updated))
				assert.Equal(t, want, renamed(t, old, updated), version)
				old.UpdateStrategy = hotupdate.AutoInPlaceUpdate
				updated.UpdateStrategy = hotupdate.AutoInPlaceUpdate
				assert.False(t, renamed(t, old, updated), "%s, in place", version)
			}
		})
	}
}

// TestOtherVolumesAreReplaced: the driver changes only gp3 volumes, so the performance of others stays in the hash.
func TestOtherVolumesAreReplaced(t *testing.T) {
	for _, config := range [][2]string{
		{`"volume":{"iops":3000}`, `"volume":{"iops":4000}`},
		{`"volume":{}`, `"volume":{"throughput":250}`},
		{`"volume":{"iops":250}`, `"volume":{"throughput":250}`},
		{`"dataVolumes":[{"name":"a","iops":3000}]`, `"dataVolumes":[{"name":"a","iops":4000}]`},
	} {
		for volumeType, want := range map[string]bool{"gp3": false, "io2": true} {
			var pools [2]*gardener.WorkerPool
			for i := range config {
				pools[i] = exampletest.Pool(exampletest.Canonical, provider.Config(config[i]))
				pools[i].Volume = &gardener.Volume{Size: "20Gi", Type: &volumeType}
				pools[i].DataVolumes[0].Type = &volumeType
			}
			assert.Equal(t, want, renamed(t, pools[0], pools[1]), "%s, %v", volumeType, config)
		}
	}
}

func renamed(t *testing.T, old, updated *gardener.WorkerPool) bool {
	t.Helper()
	before, err := aws.GenerateWorkerPoolHash(old)
	require.NoError(t, err)
	after, err := aws.GenerateWorkerPoolHash(updated)
	require.NoError(t, err)
	return before.Digest != after.Digest
}

func TestPoolFields(t *testing.T) {
	pool := exampletest.Pool(exampletest.Canonical, exampletest.Manifest(t, "after.yaml"))
	pool.Volume.Encrypted = new(true)
	pool.DataVolumes = []gardener.DataVolume{{Name: "a", Size: "30Gi", Type: new("gp3"), Encrypted: new(false)}, {Name: "b", Size: "40Gi"}}
	sum := provider.Sum(t, exampletest.Manifest(t, "before.yaml"))

	name, err := aws.GenerateWorkerPoolHash(pool)
	require.NoError(t, err)
	assert.Equal(t, []string{sum, "true", "30Gi", "gp3", "false", "40Gi"}, exampletest.Data(name))

	pool.UpdateStrategy = hotupdate.AutoInPlaceUpdate
	name, err = aws.GenerateWorkerPoolHash(pool)
	require.NoError(t, err)
	assert.Equal(t, []string{sum, "true"}, exampletest.Data(name))

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
