package pool_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

func TestReadWorker(t *testing.T) {
	t.Parallel()
	m := read(t, manifest(t, "worker.yaml"))
	assert.Equal(t, facts.Worker, m.Kind)
	assert.Equal(t, "aws", m.Provider)
	assert.Equal(t, "shoot--dev--crazy-botany/crazy-botany", m.Namespace+"/"+m.Name)
	require.Len(t, m.Pools, 1)
	p := m.Pools[0]
	assert.Equal(t, "cpu-worker", p.Worker.Name)
	assert.Equal(t, "1.33.2", p.Worker.KubernetesVersion)
	assert.Equal(t, &hash.Image{Name: "gardenlinux", Version: "1443.8.0"}, p.Worker.Image)
	assert.Equal(t, &hash.Volume{Size: "50Gi", Type: new("gp3")}, p.Worker.Volume)
	assert.Equal(t, new(true), p.Encrypted)
	assert.Equal(t, []facts.DataVolume{
		{Name: "kubelet-dir", Size: "25Gi", Type: new("gp3"), Encrypted: new(true)}, {Name: "cache", Size: "30Gi", Type: new("gp3")},
	}, p.DataVolumes)
	assert.Equal(t, "gardener-node-agent-cpu-worker-0123456789abcdef", *p.NodeAgentSecretName)
	assert.Nil(t, p.Worker.CRI)
	assert.JSONEq(t, `{"apiVersion":"`+configVersion+`","kind":"WorkerConfig","volume":{"iops":10000}}`, string(p.Config.Raw()))
	secret, err := hash.NodeAgentSecretName(p.Worker)
	require.NoError(t, err)
	var data []string
	for _, part := range secret.Inputs[len(secret.Inputs)-3:] {
		data = append(data, part.Value)
	}
	assert.Equal(t, []string{"80m-1Gi-10k-20Gi", "--100Mi-5%-", "static"}, data, "of the kubelet")
}

func TestReadShoot(t *testing.T) {
	t.Parallel()
	m := read(t, manifest(t, "shoot.yaml",
		edit{shootsPool + "updateStrategy", "ManualInPlaceUpdate"}, edit{"spec.kubernetes.kubeProxy.mode", "IPVS"},
		edit{"spec.systemComponents.nodeLocalDNS.enabled", true},
		edit{"status.credentials.rotation.certificateAuthorities.pendingWorkersRollouts", []any{
			map[string]any{"name": "cpu-worker", "lastInitiationTime": "2025-01-01T00:00:00Z"}, map[string]any{"name": "other"},
		}}))
	assert.Equal(t, facts.Shoot, m.Kind)
	require.Len(t, m.Pools, 1)
	w := m.Pools[0].Worker
	assert.Equal(t, hotupdate.ManualInPlaceUpdate, w.UpdateStrategy)
	assert.Equal(t, "m5.large", w.MachineType)
	assert.Equal(t, new("containerd"), w.CRI)
	assert.True(t, w.NodeLocalDNS)
	assert.Equal(t, "IPVS", w.KubeProxyMode)
	assert.Equal(t, "2026-01-02 03:04:05 +0000 UTC", w.CARotation.LastInitiationTime.UTC().String())
	require.Len(t, w.CARotation.PendingWorkersRollouts, 2)
	assert.Equal(t, "2025-01-01 00:00:00 +0000 UTC", w.CARotation.PendingWorkersRollouts[0].LastInitiationTime.UTC().String())
	assert.Nil(t, w.CARotation.PendingWorkersRollouts[1].LastInitiationTime)
	w.UpdateStrategy = hotupdate.AutoRollingUpdate
	secret, err := hash.NodeAgentSecretName(w)
	require.NoError(t, err)
	rotation := slices.IndexFunc(secret.Inputs, func(p hash.Input) bool { return p.Name == "certificate authorities rotation" })
	assert.Equal(t, "2025-01-01 00:00:00 +0000 UTC", secret.Inputs[rotation].Value, "the pool's own rollout counts")
}

// A pool gets omitted values from the Shoot. A kubelet configuration is not merged.
func TestPoolsInheritFromTheShoot(t *testing.T) {
	t.Parallel()
	own := manifest(
		t, "shoot.yaml", edit{shootsPool + "kubernetes.version", "1.32.1"}, edit{"spec.kubernetes.kubelet.cpuManagerPolicy", "none"},
		edit{shootsPool + "kubernetes.kubelet.cpuManagerPolicy", nil},
	)
	w := read(t, own).Pools[0].Worker
	assert.Equal(t, "1.32.1", w.KubernetesVersion)
	assert.Nil(t, w.Kubelet.CPUManagerPolicy, "the pool has a kubelet configuration of its own")
	inherited := manifest(t, "shoot.yaml", edit{"spec.kubernetes.kubelet.cpuManagerPolicy", "none"}, edit{shootsPool + "kubernetes", nil})
	w = read(t, inherited).Pools[0].Worker
	assert.Equal(t, "1.33.2", w.KubernetesVersion)
	assert.Equal(t, new("none"), w.Kubelet.CPUManagerPolicy)
	bare := manifest(t, "shoot.yaml", edit{"spec.kubernetes.kubelet", nil}, edit{shootsPool + "kubernetes", nil})
	assert.Nil(t, read(t, bare).Pools[0].Worker.Kubelet)
}

func TestShootWithoutWorkers(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		`{"apiVersion":"core.gardener.cloud/v1beta1","kind":"Shoot"}`,
		`{"apiVersion":"core.gardener.cloud/v1beta1","kind":"Shoot","spec":null}`,
		`{"apiVersion":"core.gardener.cloud/v1beta1","kind":"Shoot","spec":{"provider":{"type":"aws","workers":[]}}}`,
		`{"apiVersion":"core.gardener.cloud/v1beta1","kind":"Shoot","spec":{"provider":{"type":"aws","workers":null}}}`,
	} {
		assert.Empty(t, read(t, []byte(raw)).Pools, raw)
	}
}

// Members that are not known are ignored with any values, and names in another case are other names.
func TestReadIgnoresTheRest(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"shoot.yaml", "worker.yaml"} {
		at := map[string]string{"shoot.yaml": shootsPool, "worker.yaml": workersPool}[file]
		raw := manifest(t, file, edit{at + "labelz", 7}, edit{"status.newer", "x"},
			edit{at + "MACHINETYPE", 5}, edit{at + "Volume", 5}, edit{"spec.REGION", 1})
		got := compare(t, manifest(t, file), raw, options(t))
		assert.Empty(t, triggersOf(got.Changes), file)
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	shoot := func(edits ...edit) string { return string(manifest(t, "shoot.yaml", edits...)) }
	worker := func(edits ...edit) string { return string(manifest(t, "worker.yaml", edits...)) }
	own := shootsPool + "kubernetes.kubelet."
	type problem struct {
		code       string
		pool, path string
	}
	const (
		first    = "spec.provider.workers[0]."
		reserved = "spec.provider.workers[0].kubernetes.kubelet.kubeReserved.cpu"
	)
	for _, test := range []struct {
		name, raw string
		want      []problem
	}{
		{"nothing", "", []problem{{"unknown-kind", "", ""}}},
		{"null", "null", []problem{{"unknown-kind", "", ""}}},
		{"a list", "[]", []problem{{"unknown-kind", "", ""}}},
		{"another kind", `{"apiVersion":"core.gardener.cloud/v1beta1","kind":"Seed"}`, []problem{{"unknown-kind", "", ""}}},
		{"another version", `{"apiVersion":"core.gardener.cloud/v2","kind":"Shoot"}`, []problem{{"unknown-kind", "", ""}}},
		{"kind of another type", `{"apiVersion":1,"kind":"Shoot"}`, []problem{{"unknown-kind", "", ""}}},
		{
			"spec of another type", `{"apiVersion":"core.gardener.cloud/v1beta1","kind":"Shoot","spec":"x"}`,
			[]problem{{"wrong-json-type", "", "spec"}},
		},
		{
			"workers of another type", shoot(edit{"spec.provider.workers", map[string]any{}}),
			[]problem{{"wrong-json-type", "", "spec.provider.workers"}},
		},
		{"worker of another type", shoot(edit{"spec.provider.workers.0", "x"}), []problem{
			{"wrong-json-type", "", "spec.provider.workers[0]"}, {"no-pool-name", "", "spec.provider.workers[0]"},
		}},
		{"null worker", shoot(edit{"spec.provider.workers.0", nil}), []problem{{"no-pool-name", "", "spec.provider.workers[0]"}}},
		{"machines below 0", shoot(edit{"spec.provider.workers.0.minimum", -2}, edit{"spec.provider.workers.0.maximum", -1}), []problem{
			{"negative-machines", "", "spec.provider.workers[0].minimum"}, {"negative-machines", "", "spec.provider.workers[0].maximum"},
		}},
		{
			"machines below 0 of a Worker", worker(edit{workersPool + "maximum", -1}),
			[]problem{{"negative-machines", "", "spec.pools[0].maximum"}},
		},
		{"no name", worker(edit{workersPool + "name", nil}), []problem{{"no-pool-name", "", "spec.pools[0]"}}},
		{"one name twice", worker(edit{"spec.pools", []any{
			map[string]any{"name": "a"}, map[string]any{"name": "b"}, map[string]any{"name": "a"}, map[string]any{"name": "a"},
		}}), []problem{{"duplicate-pool-name", "a", ""}}},
		{
			"version without quotes", shoot(edit{"spec.kubernetes.version", 1.3}),
			[]problem{{"wrong-json-type", "", "spec.kubernetes.version"}},
		},
		{"machine", shoot(edit{shootsPool + "machine", "m5"}), []problem{{"wrong-json-type", "", first + "machine"}}},
		{
			"image", worker(edit{workersPool + "machineImage.version", 27}),
			[]problem{{"wrong-json-type", "", "spec.pools[0].machineImage.version"}},
		},
		{
			"encrypted", worker(edit{workersPool + "dataVolumes.1.encrypted", "yes"}),
			[]problem{{"wrong-json-type", "", "spec.pools[0].dataVolumes[1].encrypted"}},
		},
		{"strategy", shoot(edit{shootsPool + "updateStrategy", "Recreate"}), []problem{{"unknown-strategy", "", first + "updateStrategy"}}},
		{"quantity", shoot(edit{own + "kubeReserved.cpu", "one"}), []problem{{"wrong-json-type", "", reserved}}},
		{
			"quantity that takes minutes to compute", shoot(edit{own + "kubeReserved.cpu", "1e-100000000"}),
			[]problem{{"number-range", "", reserved}},
		},
		{"quantity of another type", shoot(edit{own + "kubeReserved.cpu", []any{}}), []problem{{"wrong-json-type", "", reserved}}},
		{"time", shoot(edit{"status.credentials.rotation.serviceAccountKey.lastInitiationTime", "yesterday"}), []problem{
			{"wrong-json-type", "", "status.credentials.rotation.serviceAccountKey.lastInitiationTime"},
		}},
		{
			"all at once",
			shoot(edit{shootsPool + "machine.type", 1}, edit{shootsPool + "volume.size", 1}, edit{own + "systemReserved.pid", "x"}),
			[]problem{
				{"wrong-json-type", "", first + "kubernetes.kubelet.systemReserved.pid"},
				{"wrong-json-type", "", first + "machine.type"},
				{"wrong-json-type", "", first + "volume.size"},
			},
		},
		{
			"a member twice", strings.Replace(worker(), `"machineType":"m5.large"`, `"machineType":"m5.large","machineType":"x"`, 1),
			[]problem{{"duplicate-member", "", "spec.pools[0].machineType"}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := facts.Read(tree.Of([]byte(test.raw)))
			var got []problem
			for _, e := range fault.All(err) {
				got = append(
					got, problem{e.Code, strings.Trim(strings.TrimPrefix(strings.TrimPrefix(e.Where, "manifest"), "pool "), `"`), e.Path},
				)
				assert.True(t, strings.HasPrefix(e.Error(), "hotupdate: "), e.Error())
			}
			assert.Equal(t, test.want, got, "%v", err)
		})
	}
}

// Messages name places and never quote values, which may be confidential.
func TestErrorsAreDiscreet(t *testing.T) {
	t.Parallel()
	const secret = "hunter2"
	raw := manifest(
		t, "shoot.yaml", edit{shootsPool + "machine", secret}, edit{shootsPool + "updateStrategy", secret},
		edit{shootsPool + "kubernetes.kubelet.kubeReserved.cpu", secret},
	)
	_, err := facts.Read(tree.Of(raw))
	require.Error(t, err)
	assert.NotContains(t, err.Error(), secret)
}

func TestKindOf(t *testing.T) {
	t.Parallel()
	assert.Equal(t, facts.Worker, facts.KindOf(facts.TypeMeta{APIVersion: "extensions.gardener.cloud/v1alpha1", Kind: "Worker"}))
	assert.Equal(t, facts.Shoot, facts.KindOf(facts.TypeMeta{APIVersion: "core.gardener.cloud/v1beta1", Kind: "Shoot"}))
	assert.Equal(t, facts.NoKind, facts.KindOf(facts.TypeMeta{APIVersion: "core.gardener.cloud/v1beta1", Kind: "Worker"}))
}

// Reading, explaining and planning never panic, and a manifest that can be read differs in nothing
// from itself.
func FuzzRead(f *testing.F) {
	for _, file := range []string{"shoot.yaml", "worker.yaml"} {
		f.Add(manifest(f, file))
	}
	f.Add([]byte(`{"apiVersion":"core.gardener.cloud/v1beta1","kind":"Shoot","spec":{"provider":{"workers":[null,{"name":"a"},{"name":"a","volume":[]}]}}}`))
	f.Add([]byte(`{"apiVersion":"core.gardener.cloud/v1beta1","kind":"Shoot","spec":{"provider":{"type":"aws","workers":[{"name":"a","machine":{"type":"m"},"providerConfig":{"` + "\xff" + `":1}}]}}}`))
	o := options(f)
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := facts.Read(tree.Of(raw))
		if err != nil {
			require.NotEmpty(t, fault.All(err))
			return
		}
		require.True(t, json.Valid(raw))
		planned, err := pool.NewPlan(m, m, o)
		if err != nil {
			require.NotEmpty(t, fault.All(err))
			return
		}
		for _, p := range planned.Pools {
			require.Equal(t, pool.Kept, p.State)
			require.Empty(t, p.Changes)
		}
		// A provider config that is the same byte by byte is not read for a plan, but checked.
		for _, problem := range fault.All(pool.Check(m.Pools, o)) {
			require.Regexp(t, `^providerConfig`, problem.Path)
		}
	})
}
