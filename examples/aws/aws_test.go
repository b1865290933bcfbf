package aws_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/hotupdate/providerconfig/examples/aws"
	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
)

func schema(t *testing.T) *hotupdate.Schema {
	t.Helper()
	s, err := aws.Schema()
	require.NoError(t, err)
	return s
}

// raw returns a manifest of testdata as the raw JSON that a worker pool holds.
func raw(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/" + file)
	require.NoError(t, err)
	data, err = yaml.YAMLToJSONStrict(data)
	require.NoError(t, err)
	return data
}

// config returns the raw JSON of a WorkerConfig with the members.
func config(members string) []byte {
	return []byte(`{"apiVersion":"` + aws.APIVersion + `","kind":"` + aws.Kind + `",` + members + `}`)
}

func TestProposalExample(t *testing.T) {
	const document = `{"dataVolumes":[{"name":"kubelet-dir","snapshotID":"snap-13234"}],` +
		`"iamInstanceProfile":{"arn":"my-instance-profile-arn","name":"my-profile"},"volume":{"iops":10000}}`
	for _, file := range []string{"before.yaml", "after.yaml"} {
		got, err := hash.DocumentRaw(schema(t), raw(t, file))
		require.NoError(t, err)
		assert.Equal(t, document, string(got), file)
	}
	changes, err := hotupdate.DiffRaw(schema(t), raw(t, "before.yaml"), raw(t, "after.yaml"))
	require.NoError(t, err)
	assert.Len(t, changes.Of(hotupdate.Hot), 4)
	assert.Len(t, changes, 4, "only tags changed")
}

// TestClasses changes one thing at a time and says what happens to machines.
func TestClasses(t *testing.T) {
	for _, tc := range []struct {
		name, old, updated string
		want               hotupdate.Outcome
		reason             string
	}{
		{"tag value", `"tags":{"vm":{"a":"1"}}`, `"tags":{"vm":{"a":"2"}}`, hotupdate.HotUpdate, "tags are hot"},
		{"first tag", `"volume":{"iops":1}`, `"volume":{"iops":1},"tags":{"disk":{"a":""}}`, hotupdate.HotUpdate, "also with an empty value"},
		{"empty tags", `"volume":{"iops":1}`, `"volume":{"iops":1},"tags":{"vm":{}}`, hotupdate.NoUpdate, "nothing to set"},
		{"virtual capacity", `"volume":{}`, `"nodeTemplate":{"capacity":{},"virtualCapacity":{"x":"1"}}`, hotupdate.HotUpdate, "applied to nodes that exist"},
		{"capacity", `"nodeTemplate":{"capacity":{"cpu":"1"}}`, `"nodeTemplate":{"capacity":{"cpu":"2"}}`, hotupdate.Roll, "as today"},
		{"quantity spelled anew", `"nodeTemplate":{"capacity":{"memory":"1Gi"}}`, `"nodeTemplate":{"capacity":{"memory":"1024Mi"}}`, hotupdate.NoUpdate, "equal in meaning"},
		{"data volumes reordered", `"dataVolumes":[{"name":"a","iops":1},{"name":"b"}]`, `"dataVolumes":[{"name":"b"},{"name":"a","iops":1}]`, hotupdate.NoUpdate, "looked up by name"},
		{"data volume renamed", `"dataVolumes":[{"name":"a"}]`, `"dataVolumes":[{"name":"b"}]`, hotupdate.Roll, "another volume"},
		{"interface type written out", `"networkInterfaces":[{"deviceIndex":0}]`, `"networkInterfaces":[{"deviceIndex":0,"type":"interface"}]`, hotupdate.NoUpdate, "the default"},
		{"interface type", `"networkInterfaces":[{"deviceIndex":0}]`, `"networkInterfaces":[{"deviceIndex":0,"type":"efa"}]`, hotupdate.Roll, "another device"},
		{"interfaces reordered", `"networkInterfaces":[{"deviceIndex":0},{"deviceIndex":1}]`, `"networkInterfaces":[{"deviceIndex":1},{"deviceIndex":0}]`, hotupdate.Roll, "attached in order"},
		{"SEV-SNP", `"cpuOptions":{"coreCount":1}`, `"cpuOptions":{"coreCount":1,"amdSevSnp":"enabled"}`, hotupdate.Roll, "forgotten by the hand-written list"},
		{"iops to throughput", `"volume":{"iops":3000}`, `"volume":{"throughput":3000}`, hotupdate.Roll, "hashes alike in the hand-written list"},
		{"tenancy to affinity", `"placement":{"tenancy":"host"}`, `"placement":{"affinity":"host"}`, hotupdate.Roll, "hashes alike in the hand-written list"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			changes, err := hotupdate.DiffRaw(schema(t), config(tc.old), config(tc.updated))
			require.NoError(t, err)
			assert.Equal(t, tc.want, changes.Outcome(hotupdate.AutoRollingUpdate), tc.reason)
			before, err := aws.GenerateWorkerPoolHash(pool(config(tc.old)), join)
			require.NoError(t, err)
			after, err := aws.GenerateWorkerPoolHash(pool(config(tc.updated)), join)
			require.NoError(t, err)
			assert.Equal(t, tc.want == hotupdate.Roll, before != after, "the hash changes exactly if machines roll: "+tc.reason)
		})
	}
}

func pool(config []byte) aws.WorkerPool {
	return aws.WorkerPool{Name: "pool", ProviderConfig: &runtime.RawExtension{Raw: config}}
}

// join stands for Gardener's composition in a way that shows every part.
func join(_ aws.WorkerPool, additionalData, inPlace []string) (string, error) {
	return strings.Join(additionalData, ",") + ";" + strings.Join(inPlace, ","), nil
}

func TestGenerateWorkerPoolHash(t *testing.T) {
	yes, fast := true, "gp3"
	full := pool(raw(t, "after.yaml"))
	full.Volume = &aws.PoolVolume{Size: "20Gi", Encrypted: &yes}
	full.DataVolumes = []aws.PoolVolume{{Name: "a", Size: "30Gi", Type: &fast, Encrypted: &yes}, {Name: "b", Size: "40Gi"}}
	sum, err := hash.OfRaw(schema(t), raw(t, "before.yaml"))
	require.NoError(t, err)
	got, err := aws.GenerateWorkerPoolHash(full, join)
	require.NoError(t, err)
	assert.Equal(t, "true,30Gi,gp3,true,40Gi,"+sum.String()+";true,"+sum.String(), got)

	without, err := aws.GenerateWorkerPoolHash(aws.WorkerPool{Name: "pool"}, join)
	require.NoError(t, err)
	empty, err := hash.OfRaw(schema(t), nil)
	require.NoError(t, err)
	assert.Equal(t, empty.String()+";"+empty.String(), without, "no providerConfig is the empty one")

	_, err = aws.GenerateWorkerPoolHash(pool([]byte(`{"volume":{"iopz":1}}`)), join)
	problems := hotupdate.Errors(err)
	require.Len(t, problems, 1)
	assert.Equal(t, hotupdate.CodeUnknownMember, problems[0].Code)
	assert.Equal(t, "volume.iopz", problems[0].Path)
	assert.ErrorContains(t, err, "worker pool pool: ")
}
