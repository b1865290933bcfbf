package hash_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// errorsOf lists the problems in a joined error.
func errorsOf(err error) []*fault.Error { return fault.All(err) }

func codesOf(err error) []string {
	var all []string
	for _, e := range errorsOf(err) {
		all = append(all, e.Code)
	}
	return all
}

func TestWorkerPoolVectors(t *testing.T) {
	t.Parallel()
	rolling, err := hash.WorkerPool(new("sample-hash"), "sample")
	require.NoError(t, err)
	assert.Equal(t, "d062f", rolling.Text)
	rolling, err = hash.WorkerPool(new("sample-hash"))
	require.NoError(t, err)
	assert.Equal(t, "159ea", rolling.Text)

	worker := hash.Worker{Name: "test-worker", KubernetesVersion: "1.2.3", Image: &hash.Image{Name: "bar", Version: "baz"}}
	key, err := hash.InPlaceKey(worker)
	require.NoError(t, err)
	assert.Equal(t, "39cf435851056476", key.Text)
	inPlace, err := hash.WorkerPoolInPlace(new("sample-hash"), worker, "sample")
	require.NoError(t, err)
	assert.Equal(t, "d2857", inPlace.Text)
}

func TestWorkerPoolExplainsItself(t *testing.T) {
	t.Parallel()
	worker := hash.Worker{Name: "p", KubernetesVersion: "1.2.3", Image: &hash.Image{Version: "baz"}}
	got, err := hash.WorkerPoolInPlace(new("sample-hash"), worker, "sample", "")
	require.NoError(t, err)
	assert.Equal(t, []hash.Input{
		{Name: "node-agent secret name", Value: "sample-hash"},
		{Name: "in-place key", Value: "39cf435851056476"},
		{Name: "additional data 0", Value: "sample"},
		{Name: "additional data 1", Value: ""},
	}, got.Inputs)
	assert.Equal(t, hash.Compose("sample-hash", "39cf435851056476", "sample", ""), got.Digest)
	assert.Equal(t, got.Digest.String()[:5], got.Text)
	assert.Equal(t, got.Text, fmt.Sprintf("%v", got), "additional data stays out of logs")
}

func TestNameChanged(t *testing.T) {
	t.Parallel()
	of := func(parts ...hash.Input) hash.Name { return hash.Name{Inputs: parts} }
	a := hash.Input{"a", "1"}
	b := hash.Input{"b", "1"}
	b2 := hash.Input{"b", "2"}
	c := hash.Input{"c", "1"}
	for _, test := range []struct {
		name     string
		now, old hash.Name
		want     []string
	}{
		{"nothing", of(a, b), of(a, b), nil},
		{"changed", of(a, b2), of(a, b), []string{"b"}},
		{"added", of(a, b, c), of(a, c), []string{"b"}},
		{"removed", of(a, c), of(a, b, c), []string{"b"}},
		{"all", of(a), of(b, c), []string{"a", "b", "c"}},
		{"from nothing", of(a, b), hash.Name{}, []string{"a", "b"}},
	} {
		assert.Equal(t, test.want, test.now.Changed(test.old), test.name)
	}
}

func TestWorkerPoolErrors(t *testing.T) {
	t.Parallel()
	fine := hash.Worker{Name: "p", KubernetesVersion: "1.34.2"}
	for _, test := range []struct {
		name   string
		call   func() (hash.Name, error)
		want   []string
		reason string
	}{
		{"rolling, nil", func() (hash.Name, error) { return hash.WorkerPool(nil) }, []string{"no-secret-name"}, "not yet set"},
		{"rolling, empty", func() (hash.Name, error) { return hash.WorkerPool(new("")) }, []string{"no-secret-name"}, "no name"},
		{
			"in-place, nil", func() (hash.Name, error) { return hash.WorkerPoolInPlace(nil, fine) },
			[]string{"no-secret-name"},
			"not yet set",
		},
		{
			"in-place, all", func() (hash.Name, error) {
				return hash.WorkerPoolInPlace(nil, hash.Worker{KubernetesVersion: "x"})
			},
			[]string{"no-secret-name", "no-pool-name", "malformed-version"},
			"all at once",
		},
		{
			"key", func() (hash.Name, error) { return hash.InPlaceKey(hash.Worker{}) },
			[]string{"no-pool-name", "malformed-version"},
			"a missing version is not 0.0",
		},
		{
			"secret name, all", func() (hash.Name, error) {
				return hash.NodeAgentSecretName(hash.Worker{UpdateStrategy: 9})
			},
			[]string{"no-pool-name", "unknown-strategy", "malformed-version"},
			"all at once",
		},
		{
			"secret name, in-place", func() (hash.Name, error) { return hash.NodeAgentSecretName(hash.Worker{UpdateStrategy: 1}) },
			[]string{"no-pool-name"},
			"the version is not looked at",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			name, err := test.call()
			assert.Equal(t, test.want, codesOf(err), test.reason)
			assert.Zero(t, name, "no half of a name")
		})
	}
}

// The style of every message: field, problem, hint.
func TestErrorsNameTheHint(t *testing.T) {
	t.Parallel()
	_, err := hash.WorkerPoolInPlace(nil, hash.Worker{KubernetesVersion: "latest"})
	for _, e := range errorsOf(err) {
		assert.Regexp(t, `^hotupdate: field [A-Za-z.]+ [^;]+; .+$`, e.Error())
	}
	assert.ErrorContains(t, err, `Worker.KubernetesVersion is "latest", which is not a version`)
}

func TestAdditionalDataIsPositional(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringN(1, 20, -1).Draw(t, "secret")
		data := rapid.SliceOfN(rapid.StringN(0, 4, -1), 0, 5).Draw(t, "data")
		other := rapid.SliceOfN(rapid.StringN(0, 4, -1), 0, 5).Draw(t, "other")
		a, err := hash.WorkerPool(&secret, data...)
		require.NoError(t, err)
		b, err := hash.WorkerPool(&secret, other...)
		require.NoError(t, err)
		assert.Equal(t, slices.Equal(data, other), a.Digest == b.Digest, "the digest tells all lists apart, also by order and absence")
		assert.Equal(t, slices.Equal(data, other), len(a.Changed(b)) == 0)
		assert.Equal(t, naive(5, append([]string{secret}, data...)...), a.Text)
	})
}
