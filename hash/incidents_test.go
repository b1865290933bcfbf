package hash_test

import (
	"encoding/json"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// box is a configuration with one field.
type box[V any] struct {
	V V `json:"v,omitzero"`
}

func q(s string) resource.Quantity { return resource.MustParse(s) }

// sumOf hashes a valid value.
func sumOf[T any](t require.TestingT, v T) hotupdate.Sum {
	s, err := hotupdate.SchemaOf[T]()
	require.NoError(t, err)
	sum, err := s.Hash(v)
	require.NoError(t, err)
	return sum
}

// sumOfRaw hashes valid raw JSON of a T.
func sumOfRaw[T any](t require.TestingT, raw string) hotupdate.Sum {
	s, err := hotupdate.SchemaOf[T]()
	require.NoError(t, err)
	sum, err := s.HashRaw([]byte(raw))
	require.NoError(t, err, raw)
	return sum
}

const proposalExample = `{"apiVersion":"aws.provider.extensions.gardener.cloud/v1alpha1","kind":"WorkerConfig","volume":{"iops":10000},` +
	`"dataVolumes":[{"name":"kubelet-dir","snapshotID":"snap-13234"}],"iamInstanceProfile":{"name":"my-profile","arn":"my-instance-profile-arn"}}`

// The fix of a hash itself rolled every node of every cluster.
func TestIncidentGardenerExtensions474HashFixed(t *testing.T) {
	// printf %s DOCUMENT | sha256sum, with the document of the golden vector aws/proposal-example
	assert.Equal(t, "v1:f827954c32400bbb38395be4f4aaafff4372d7db044fd7ffd91052506fb9f1d0", sumOfRaw[awsConfig](t, proposalExample).String())
}

// Raw JSON was hashed: another key order or white space rolled nodes.
func TestIncidentProviderAWS1586KeyOrderAndWhitespace(t *testing.T) {
	want := sumOfRaw[awsConfig](t, proposalExample)
	var anything any
	require.NoError(t, json.Unmarshal([]byte(proposalExample), &anything))
	sorted, err := json.Marshal(anything)
	require.NoError(t, err)
	require.NotEqual(t, proposalExample, string(sorted), "encoding/json sorts the keys")
	indented, err := json.MarshalIndent(anything, "\t", "  ")
	require.NoError(t, err)
	assert.Equal(t, want, sumOfRaw[awsConfig](t, string(sorted)))
	assert.Equal(t, want, sumOfRaw[awsConfig](t, string(indented)))
}

// Raw JSON was hashed: a new sub-field that nobody had set, but every client sent, rolled nodes.
func TestIncidentProviderAWS1598NewSubField(t *testing.T) {
	type oldVolume struct {
		Iops *int32 `json:"iops,omitempty"`
	}
	type old struct {
		Volume *oldVolume `json:"volume,omitempty"`
	}
	want := sumOfRaw[old](t, `{"volume":{"iops":1}}`)
	for _, raw := range []string{`{"volume":{"iops":1}}`, `{"volume":{"iops":1,"throughput":null}}`} {
		assert.Equal(t, want, sumOfRaw[awsConfig](t, raw), raw)
	}
}

// Defaults were applied after hashing, so that the hash missed a change of what the machines got.
func TestIncidentGardener11416DefaultsAfterHashing(t *testing.T) {
	type config struct {
		Hops *int32 `json:"hops,omitempty" hotupdatable:"false,default=2"`
	}
	assert.Equal(t, sumOf(t, config{}), sumOf(t, config{Hops: new(int32(2))}), "before and after defaulting")
	assert.NotEqual(t, sumOf(t, config{}), sumOf(t, config{Hops: new(int32(1))}), "from the default to another value")
	assert.NotEqual(t, sumOf(t, config{Hops: new(int32(2))}), sumOf(t, config{Hops: new(int32(0))}), "from the default to explicit 0")
}

// Quantity has only unexported fields, so that a hash over exported fields never saw its value.
func TestIncidentKarpenterAWS5447Quantity(t *testing.T) {
	type config struct {
		Size   resource.Quantity            `json:"size"`
		Limits map[string]resource.Quantity `json:"limits,omitempty"`
	}
	assert.NotEqual(t, sumOf(t, config{Size: q("20Gi")}), sumOf(t, config{Size: q("21Gi")}))
	assert.NotEqual(
		t, sumOf(t, config{Limits: map[string]resource.Quantity{"cpu": q("1")}}),
		sumOf(t, config{Limits: map[string]resource.Quantity{"cpu": q("2")}}),
	)
}

// The same amount in another spelling drifted nodes, as in karpenter#1080.
func TestIncidentKarpenterAWS5816QuantitySpelling(t *testing.T) {
	same := []resource.Quantity{q("20Gi"), q("20480Mi"), q("21474836480"), *resource.NewQuantity(20<<30, resource.DecimalSI)}
	for _, size := range same {
		assert.Equal(t, sumOf(t, box[resource.Quantity]{q("20Gi")}), sumOf(t, box[resource.Quantity]{size}), "%#v", size)
	}
}

// A new default in a CRD drifted whole fleets.
func TestIncidentKarpenter957NewDefault(t *testing.T) {
	type before struct {
		Text string `json:"text,omitempty"`
	}
	type after struct {
		Text   string  `json:"text,omitempty"`
		Policy *string `json:"policy,omitempty" hotupdatable:"false,default=WhenEmpty"`
	}
	want := sumOfRaw[before](t, `{"text":"a"}`)
	assert.Equal(t, want, sumOfRaw[after](t, `{"text":"a"}`), "not yet defaulted")
	assert.Equal(t, want, sumOfRaw[after](t, `{"text":"a","policy":"WhenEmpty"}`), "defaulted")
	assert.NotEqual(t, want, sumOfRaw[after](t, `{"text":"a","policy":"Never"}`), "set")
}

// The removal of a field drifted the nodes of those who had never set it, as in karpenter#1016.
func TestIncidentKarpenter1015RemovedField(t *testing.T) {
	type before struct {
		Text string  `json:"text,omitempty"`
		Gone *string `json:"gone,omitempty"`
	}
	type after struct {
		Text string `json:"text,omitempty"`
	}
	assert.Equal(t, sumOf(t, before{Text: "a"}), sumOf(t, after{Text: "a"}))
}

// []byte was hashed as a set of bytes: 110 and 101 were equal.
func TestIncidentKarpenterAWS9461Bytes(t *testing.T) {
	distinct := map[hotupdate.Sum]string{}
	for _, data := range []string{"110", "101", "011", "10", "01", "1100"} {
		sum := sumOf(t, box[[]byte]{[]byte(data)})
		assert.Empty(t, distinct[sum], "%s has the same hash", data)
		distinct[sum] = data
	}
}

// A new field with a default rolled every control plane, as in k0smotron#1448.
func TestIncidentClusterAPI3170DefaultedField(t *testing.T) {
	type before struct {
		Replicas int32 `json:"replicas"`
	}
	type after struct {
		Replicas int32            `json:"replicas"`
		Timeout  *metav1.Duration `json:"timeout,omitempty" hotupdatable:"false,default=20m"`
		Count    int32            `json:"count"             hotupdatable:"false,default=3"`
	}
	want := sumOf(t, before{Replicas: 3})
	assert.Equal(t, want, sumOf(t, after{Replicas: 3}))
	assert.Equal(t, want, sumOf(t, after{Replicas: 3, Count: 3, Timeout: &metav1.Duration{Duration: 1200 * time.Second}}))
}

// A new field that is written although it is empty rolled every control plane.
func TestIncidentClusterAPI6093NewField(t *testing.T) {
	type before struct {
		Replicas int32 `json:"replicas"`
	}
	type after struct {
		Replicas int32             `json:"replicas"`
		Enabled  bool              `json:"enabled"`
		Names    []string          `json:"names"`
		Labels   map[string]string `json:"labels"`
		Spec     struct {
			Size resource.Quantity `json:"size"`
		} `json:"spec"`
	}
	want := sumOf(t, before{Replicas: 3})
	assert.Equal(t, want, sumOf(t, after{Replicas: 3}))
	assert.Equal(t, want, sumOf(t, after{Replicas: 3, Names: []string{}, Labels: map[string]string{}}))
	assert.Equal(t, want, sumOfRaw[after](t, `{"replicas":3,"enabled":false,"names":null,"labels":{},"spec":{"size":"0"}}`))
}

// A vendored type stopped writing creationTimestamp: null, and every StatefulSet rolled.
func TestIncidentKubernetes134773CreationTimestamp(t *testing.T) {
	type metaBefore struct {
		Name              string      `json:"name,omitempty"`
		CreationTimestamp metav1.Time `json:"creationTimestamp"`
	}
	type metaAfter struct {
		Name              string      `json:"name,omitempty"`
		CreationTimestamp metav1.Time `json:"creationTimestamp,omitzero"`
	}
	type before struct {
		Template []metaBefore `json:"template"`
	}
	type after struct {
		Template []metaAfter `json:"template"`
	}
	want := sumOf(t, before{[]metaBefore{{Name: "a"}, {}}})
	assert.Equal(t, want, sumOf(t, after{[]metaAfter{{Name: "a"}, {}}}))
	assert.Equal(t, want, sumOfRaw[after](t, `{"template":[{"name":"a","creationTimestamp":null},{}]}`))
}

// A change of tags redeployed the pool.
func TestIncidentCAPZ1763TagChange(t *testing.T) {
	want := sumOfRaw[awsConfig](t, `{"volume":{"iops":1}}`)
	for _, tags := range []string{
		`null`, `{}`, `{"vm":null}`, `{"vm":{}}`, `{"vm":{"a":"b"}}`, `{"vm":{"a":"c"},"disk":{"a":""},"network":{"x":"y"}}`,
	} {
		assert.Equal(t, want, sumOfRaw[awsConfig](t, `{"tags":`+tags+`,"volume":{"iops":1}}`), tags)
	}
}

// A change of labels on the machines' template drifted nodes, as in karpenter#3207.
func TestIncidentKarpenter1123LabelChange(t *testing.T) {
	type template struct {
		Labels map[string]string `json:"labels,omitempty" hotupdatable:"true"`
		Image  string            `json:"image,omitempty"`
	}
	type config struct {
		Template *template `json:"template,omitempty"`
	}
	want := sumOf(t, config{})
	assert.Equal(t, want, sumOf(t, config{Template: &template{}}), "the first label needs an object to stand in")
	assert.Equal(t, want, sumOf(t, config{Template: &template{Labels: map[string]string{"a": "b"}}}))
	assert.NotEqual(t, want, sumOf(t, config{Template: &template{Labels: map[string]string{"a": "b"}, Image: "i"}}))
}

// Users asked which field makes their machines roll, as in karpenter#1118.
func TestIncidentClusterAPI13863WhichField(t *testing.T) {
	s, err := hotupdate.SchemaOf[awsConfig]()
	require.NoError(t, err)
	changes, err := s.DiffRaw([]byte(`{"volume":{"iops":1},"tags":{"vm":{"a":"b"}}}`), []byte(`{"volume":{"iops":2}}`))
	require.NoError(t, err)
	immutable := changes.Of(hotupdate.Immutable)
	require.Len(t, immutable, 1)
	assert.Equal(t, "volume.iops", immutable[0].Path)
	assert.Equal(t, hotupdate.OutcomeRoll, changes.Outcome(hotupdate.AutoRollingUpdate))
}

// Options shared by goroutines gave hashstructure 8,664 wrong hashes of 16,000 without an error.
func TestWeaknessSharedByGoroutines(t *testing.T) {
	s, err := hotupdate.SchemaOf[awsConfig]()
	require.NoError(t, err)
	configs := make([]*awsConfig, 20)
	want := make([]hotupdate.Sum, len(configs))
	for i := range configs {
		configs[i] = awsLike(i*3, 1)
		want[i] = sumOf(t, *configs[i])
	}
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			random := rand.New(rand.NewPCG(uint64(g), 0))
			for range 200 {
				i := random.IntN(len(configs))
				got, err := s.Hash(configs[i])
				if err != nil || got != want[i] {
					assert.Equal(t, want[i], got, "config %d: %v", i, err)
				}
			}
		})
	}
	all.Wait()
}
