package apply_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/apply"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
)

func TestWays(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]apply.Way{
		"client": {By: apply.Client}, "server": {By: apply.Server}, "server=flux": {By: apply.Server, Manager: "flux"},
		"replace": {By: apply.Replace},
	} {
		way, err := apply.Parse(text)
		require.NoError(t, err)
		assert.Equal(t, want, way)
		assert.Equal(t, text, way.String())
	}
	for _, text := range []string{"", "kubectl", "client=flux", "replace=", "server="} {
		_, err := apply.Parse(text)
		require.Error(t, err, text)
	}
}

// TestSchemas: the file is OpenAPI of all types in a Shoot.
func TestSchemas(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("openapi.json")
	require.NoError(t, err)
	var all map[string]struct {
		Properties map[string]struct {
			MergeKey string `json:"x-kubernetes-patch-merge-key"`
		}
	}
	require.NoError(t, json.Unmarshal(raw, &all))
	assert.Equal(t, "name", all["core.v1beta1.Provider"].Properties["workers"].MergeKey)
	for reference := range strings.SplitSeq(string(raw), `"$ref":"#/components/schemas/`) {
		if name, _, isFirst := strings.Cut(reference, `"`); !strings.HasPrefix(reference, "{") {
			assert.True(t, isFirst)
			assert.Contains(t, all, name)
		}
	}
}

// shootOf returns a Shoot with a spec and with metadata beside its name.
func shootOf(metadata, spec string) *tree.Node {
	return tree.Of([]byte(`{"apiVersion":"core.gardener.cloud/v1beta1","kind":"Shoot","metadata":{"name":"web","namespace":"garden-x"` +
		metadata + `},"spec":` + spec + `}`))
}

// stored are members of metadata that the API server sets.
const stored = `,"uid":"u","resourceVersion":"7","generation":2,"creationTimestamp":"2026-01-01T00:00:00Z"`

// lastApplied is the annotation of kubectl apply for a spec.
func lastApplied(spec string) string {
	text, _ := json.Marshal(string(shootOf("", spec).JSON()))
	return `,"annotations":{"kubectl.kubernetes.io/last-applied-configuration":` + string(text) + `}`
}

// managed are managedFields of managers, each with its operation and fields.
func managed(entries ...[3]string) string {
	var all []string
	for _, e := range entries {
		all = append(all, `{"manager":"`+e[0]+`","operation":"`+e[1]+`","apiVersion":"core.gardener.cloud/v1beta1",`+
			`"time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":`+e[2]+`}`)
	}
	return `,"managedFields":[` + strings.Join(all, ",") + `]`
}

const (
	pool     = `{"name":"a","machine":{"type":"m"},"maximum":3,"minimum":1}`
	other    = `{"name":"b","machine":{"type":"n"},"maximum":2,"minimum":1}`
	labelled = `{"name":"a","machine":{"type":"m"},"maximum":3,"minimum":1,"labels":{"x":"y"}}`
)

func workers(pools ...string) string {
	return `{"provider":{"type":"aws","workers":[` + strings.Join(pools, ",") + `]}}`
}

// purposed is a spec with a purpose.
func purposed(purpose, spec string) string {
	return strings.Replace(spec, "{", `{"purpose":"`+purpose+`",`, 1)
}

// fluxPool are the fields of a manager: all of pool a, and no purpose.
const fluxPool = `{"f:spec":{"f:provider":{"f:type":{},"f:workers":{"k:{\"name\":\"a\"}":` +
	`{".":{},"f:name":{},"f:machine":{"f:type":{}},"f:maximum":{},"f:minimum":{}}}}}}`

// TestApply: what the three ways make of a Shoot.
func TestApply(t *testing.T) {
	t.Parallel()
	config := func(raw string) string {
		return `{"name":"a","machine":{"type":"m"},"maximum":3,"minimum":1,"providerConfig":` + raw + `}`
	}
	for _, test := range []struct {
		name              string
		metadata, cluster string
		manifest, way     string
		want              string
		conflicts         int
	}{
		{
			"client: a pool of another client stays", lastApplied(workers(pool)), workers(pool, other),
			workers(pool), "client", workers(pool, other), 0,
		},
		{
			"client: a pool that was applied is removed", lastApplied(workers(pool, other)), workers(pool, other),
			workers(pool), "client", workers(pool), 0,
		},
		{
			"client: a field of a pool stays", lastApplied(workers(pool)), workers(labelled),
			workers(pool), "client", workers(labelled), 0,
		},
		{
			"client: a field of a pool that was applied is removed", lastApplied(workers(labelled)), workers(labelled),
			workers(pool), "client", workers(pool), 0,
		},
		{
			"client: nothing was applied", "", purposed("testing", workers(pool, other)),
			workers(pool), "client", purposed("testing", workers(pool, other)), 0,
		},
		{
			"client: null removes", "", purposed("testing", workers(pool)),
			strings.Replace(workers(pool), "{", `{"purpose":null,`, 1), "client", workers(pool), 0,
		},
		{
			"client: an object in a provider config differs, so the lists are replaced",
			lastApplied(workers(config(`{"volume":{"iops":1}}`))), workers(config(`{"volume":{"iops":1}}`), other),
			workers(config(`{"volume":{"iops":2}}`)), "client", workers(config(`{"volume":{"iops":2}}`)), 0,
		},
		{
			"client: a scalar of a provider config differs, and pools are merged",
			lastApplied(workers(config(`{"tier":1}`))), workers(config(`{"tier":1}`), other),
			workers(config(`{"tier":2}`)), "client", workers(config(`{"tier":2}`), other), 0,
		},
		{
			"server: what the manager no longer sends is removed",
			managed([3]string{"flux", "Apply", `{"f:spec":{"f:purpose":{}}}`}), purposed("testing", workers(pool)),
			workers(pool), "server=flux", workers(pool), 0,
		},
		{
			"server: unless another manager owns it too",
			managed([3]string{"flux", "Apply", `{"f:spec":{"f:purpose":{}}}`}, [3]string{"ui", "Update", `{"f:spec":{"f:purpose":{}}}`}),
			purposed("testing", workers(pool)), workers(pool), "server=flux", purposed("testing", workers(pool)), 0,
		},
		{
			"server: a pool of another manager stays", managed([3]string{"flux", "Apply", fluxPool}), workers(pool, other),
			workers(pool), "server=flux", workers(pool, other), 0,
		},
		{
			"server: a value of another manager is a conflict",
			managed([3]string{"flux", "Apply", fluxPool}, [3]string{"ui", "Update", `{"f:spec":{"f:purpose":{}}}`}),
			purposed("testing", workers(pool)), purposed("production", workers(pool)), "server=flux",
			purposed("production", workers(pool)), 1,
		},
		{
			"server: a member that this release of Gardener does not have",
			managed([3]string{"flux", "Apply", `{"f:spec":{"f:former":{}}}`}),
			strings.Replace(workers(pool), "{", `{"former":true,`, 1), workers(pool), "server=flux", workers(pool), 0,
		},
		{
			"server: kubectl takes over what it applied from its side",
			lastApplied(purposed("testing", workers(pool))) +
				managed([3]string{
					"kubectl-client-side-apply", "Update",
					`{"f:metadata":{"f:annotations":{"f:kubectl.kubernetes.io/last-applied-configuration":{}}},"f:spec":{"f:purpose":{}}}`,
				}),
			purposed("testing", workers(pool)), workers(pool), "server=kubectl", workers(pool), 0,
		},
		{
			"replace: what the manifest leaves out is removed", lastApplied(workers(pool)),
			purposed("testing", workers(labelled, other)), workers(pool), "replace", workers(pool), 0,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			way, err := apply.Parse(test.way)
			require.NoError(t, err)
			all := apply.All(shootOf(stored+test.metadata, test.cluster), shootOf("", test.manifest), way)
			require.Len(t, all, 1)
			require.NoError(t, all[0].Problem)
			assert.Equal(t, way, all[0].Way)
			assert.Equal(t, apply.OwnershipKnown, all[0].Owner)
			assert.JSONEq(t, test.want, string(all[0].Object.At("spec").Compact()))
			assert.Len(t, all[0].Conflicts, test.conflicts)
			metadata := all[0].Object.At("metadata")
			assert.Equal(t, "u", metadata.At("uid").Text(), "what the API server sets stays")
			assert.Equal(t, "web", metadata.At("name").Text())
		})
	}
}

// TestHiddenManagers: kubectl get hides managedFields. Then the manager may own nothing, or all.
func TestHiddenManagers(t *testing.T) {
	t.Parallel()
	all := apply.All(
		shootOf(stored, purposed("testing", workers(labelled, other))), shootOf("", workers(pool)), apply.Way{By: apply.Server},
	)
	require.Len(t, all, 2)
	assert.Equal(t, apply.OwnsNothing, all[0].Owner)
	assert.JSONEq(t, purposed("testing", workers(labelled, other)), string(all[0].Object.At("spec").JSON()))
	assert.Equal(t, apply.OwnsAll, all[1].Owner)
	assert.JSONEq(t, workers(pool), string(all[1].Object.At("spec").JSON()))
	assert.Empty(t, all[1].Conflicts)
}

// TestTakenOver: kubectl takes over what kubectl apply owned, whatever the name of its manager. Another client of that
// name does not, so both may happen.
func TestTakenOver(t *testing.T) {
	t.Parallel()
	byClient := managed([3]string{
		"kubectl-client-side-apply", "Update",
		`{"f:metadata":{"f:annotations":{"f:kubectl.kubernetes.io/last-applied-configuration":{}}},"f:spec":{"f:purpose":{}}}`,
	})
	cluster := shootOf(stored+byClient, purposed("testing", workers(pool)))
	all := apply.All(cluster, shootOf("", workers(pool)), apply.Way{By: apply.Server, Manager: "flux"})
	require.Len(t, all, 2)
	assert.Equal(t, apply.OwnershipKnown, all[0].Owner)
	assert.Equal(t, "testing", all[0].Object.At("spec", "purpose").Text())
	assert.Equal(t, apply.OwnsClients, all[1].Owner)
	assert.Nil(t, all[1].Object.At("spec", "purpose"))
}

// TestManagers: without a name, each manager that applies the object is computed.
func TestManagers(t *testing.T) {
	t.Parallel()
	purpose := `{"f:spec":{"f:purpose":{}}}`
	cluster := shootOf(stored+managed([3]string{"b", "Apply", purpose}, [3]string{"a", "Apply", `{}`}, [3]string{"c", "Update", `{}`}),
		purposed("testing", workers(pool)))
	all := apply.All(cluster, shootOf("", workers(pool)), apply.Way{By: apply.Server})
	require.Len(t, all, 2)
	assert.Equal(t, "server=a", all[0].Way.String())
	assert.Equal(t, "testing", all[0].Object.At("spec", "purpose").Text())
	assert.Equal(t, "server=b", all[1].Way.String())
	assert.Nil(t, all[1].Object.At("spec", "purpose"))
	_, isKnown := apply.Last(cluster)
	assert.False(t, isKnown, "two managers apply it")
}

// TestLast: the metadata of a Shoot tells how it was applied last.
func TestLast(t *testing.T) {
	t.Parallel()
	byFlux := managed([3]string{"flux", "Apply", `{}`})
	for name, test := range map[string]struct{ metadata, want string }{
		"nothing":             {"", ""},
		"kubectl apply":       {lastApplied(workers(pool)), "client"},
		"an empty annotation": {`,"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{}"}`, ""},
		"server-side apply":   {byFlux, "server=flux"},
		"an update":           {managed([3]string{"ui", "Update", `{}`}), ""},
		"both":                {lastApplied(workers(pool)) + byFlux, ""},
	} {
		way, isKnown := apply.Last(shootOf(stored+test.metadata, workers(pool)))
		assert.Equal(t, test.want != "", isKnown, name)
		assert.Equal(t, test.want, way.String(), name)
	}
}

// TestProblems: what cannot be computed has a problem, and no object.
func TestProblems(t *testing.T) {
	t.Parallel()
	broken := `,"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{"}`
	twice := workers(pool, pool)
	fields := managed([3]string{"flux", "Apply", `{"f:spec":1}`})
	for name, test := range map[string]struct{ metadata, manifest, way string }{
		"an annotation that is not JSON": {broken, workers(pool), "client"},
		"two pools of one name":          {managed([3]string{"flux", "Apply", `{}`}), twice, "server=flux"},
		"broken managedFields":           {fields, workers(pool), "server=flux"},
	} {
		way, err := apply.Parse(test.way)
		require.NoError(t, err)
		all := apply.All(shootOf(stored+test.metadata, workers(pool)), shootOf("", test.manifest), way)
		require.Len(t, all, 1, name)
		require.Error(t, all[0].Problem, name)
		assert.Nil(t, all[0].Object, name)
	}
}
