package pool_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/examples/providers"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
)

// The outcomes under AutoRollingUpdate, and under both strategies that update in place.
type outcomes struct{ rolling, inPlace pool.Verdict }

var (
	updatedInPlace = outcomes{pool.Roll, pool.InPlaceUpdate}
	onlyRolled     = outcomes{pool.Roll, pool.Forbidden}
	untouched      = outcomes{pool.None, pool.None}
)

const (
	shootsPool  = "spec.provider.workers.0."
	workersPool = "spec.pools.0."
	kubelet     = "spec.kubernetes.kubelet."
)

// trigger is a line of the list of rolling update triggers that GEP-31 refers to, or another
// change.
type trigger struct {
	line   string
	file   string
	before []edit // in both manifests
	change []edit // in the new one
	want   outcomes
	paths  []string
}

// shootTriggers are the lines of "Rolling Update Triggers", which GEP-31 lists under "Goals" and
// "Worker pool hash calculations".
func shootTriggers() []trigger {
	own := shootsPool + "kubernetes.kubelet."
	none := []edit{{shootsPool + "kubernetes", nil}} // so that the Shoot's own values count
	both := func(path string, value any) []edit { return []edit{none[0], {path, value}} }
	config := shootsPool + "providerConfig."
	return []trigger{
		{".spec.kubernetes.version", "", nil, []edit{{"spec.kubernetes.version", "1.34.0"}}, updatedInPlace, []string{"spec.kubernetes.version"}},
		{
			".spec.provider.workers[].kubernetes.version", "",
			[]edit{{shootsPool + "kubernetes.version", "1.32.7"}},
			[]edit{{shootsPool + "kubernetes.version", "1.33.0"}},
			updatedInPlace,
			[]string{"kubernetes.version"},
		},
		{".spec.provider.workers[].machine.image.name", "", nil, []edit{{shootsPool + "machine.image.name", "ubuntu"}}, onlyRolled, []string{"machine.image.name"}},
		{".spec.provider.workers[].machine.image.version", "", nil, []edit{{shootsPool + "machine.image.version", "1443.9.0"}}, updatedInPlace, []string{"machine.image.version"}},
		{".spec.provider.workers[].machine.type", "", nil, []edit{{shootsPool + "machine.type", "m5.xlarge"}}, onlyRolled, []string{"machine.type"}},
		{".spec.provider.workers[].volume.type", "", nil, []edit{{shootsPool + "volume.type", "io1"}}, onlyRolled, []string{"volume.type"}},
		{".spec.provider.workers[].volume.size", "", nil, []edit{{shootsPool + "volume.size", "51Gi"}}, onlyRolled, []string{"volume.size"}},
		{".spec.provider.workers[].providerConfig", "", nil, []edit{{config + "volume.iops", 12000}}, onlyRolled, []string{"providerConfig.volume.iops"}},
		{".spec.provider.workers[].providerConfig, a field that is updated in place", "", nil, []edit{{config + "agent", "2"}}, updatedInPlace, []string{"providerConfig.agent"}},
		{
			".spec.provider.workers[].providerConfig, a hot field", "", nil,
			[]edit{{config + "tags", map[string]any{"a": "b"}}},
			outcomes{pool.HotUpdate, pool.HotUpdate},
			[]string{"providerConfig.tags[a]"},
		},
		{".spec.provider.workers[].providerConfig, an ignored field", "", nil, []edit{{config + "hint", "x"}}, untouched, []string{"providerConfig.hint"}},
		{".spec.provider.workers[].cri.name", "", nil, []edit{{shootsPool + "cri.name", "other"}}, outcomes{pool.Forbidden, pool.Forbidden}, []string{"cri.name"}}, // containerd is the only one
		{".spec.systemComponents.nodeLocalDNS.enabled", "", nil, []edit{{"spec.systemComponents.nodeLocalDNS.enabled", true}}, onlyRolled, []string{"spec.systemComponents.nodeLocalDNS.enabled"}},
		{
			".status.credentials.rotation.certificateAuthorities.lastInitiationTime", "", nil,
			[]edit{{"status.credentials.rotation.certificateAuthorities.lastInitiationTime", "2026-05-06T07:08:09Z"}},
			updatedInPlace,
			[]string{"status.credentials.rotation.certificateAuthorities.lastInitiationTime"},
		},
		{
			".status.credentials.rotation.serviceAccountKey.lastInitiationTime", "", nil,
			[]edit{{"status.credentials.rotation.serviceAccountKey.lastInitiationTime", "2026-05-06T07:08:09Z"}},
			updatedInPlace,
			[]string{"status.credentials.rotation.serviceAccountKey.lastInitiationTime"},
		},
		{".spec.kubernetes.kubelet.kubeReserved", "", both(kubelet+"kubeReserved.memory", "1Gi"), []edit{{kubelet + "kubeReserved.memory", "2Gi"}}, updatedInPlace, []string{"spec.kubernetes.kubelet.kubeReserved.memory"}},
		{".spec.kubernetes.kubelet.systemReserved", "", both(kubelet+"kubeReserved.memory", "1Gi"), []edit{{kubelet + "systemReserved.memory", "2Gi"}}, updatedInPlace, []string{"spec.kubernetes.kubelet.systemReserved.memory"}},
		{".spec.kubernetes.kubelet.evictionHard", "", both(kubelet+"evictionHard.memoryAvailable", "1Gi"), []edit{{kubelet + "evictionHard.memoryAvailable", "2Gi"}}, updatedInPlace, []string{"spec.kubernetes.kubelet.evictionHard.memoryAvailable"}},
		{".spec.kubernetes.kubelet.cpuManagerPolicy", "", none, []edit{{kubelet + "cpuManagerPolicy", "static"}}, updatedInPlace, []string{"spec.kubernetes.kubelet.cpuManagerPolicy"}},
		{".spec.provider.workers[].kubernetes.kubelet.kubeReserved", "", nil, []edit{{own + "kubeReserved.pid", "20k"}}, updatedInPlace, []string{"kubernetes.kubelet.kubeReserved.pid"}},
		{".spec.provider.workers[].kubernetes.kubelet.systemReserved", "", nil, []edit{{own + "systemReserved.cpu", "1m"}}, updatedInPlace, []string{"kubernetes.kubelet.systemReserved.cpu"}},
		{".spec.provider.workers[].kubernetes.kubelet.evictionHard", "", nil, []edit{{own + "evictionHard.imageFSAvailable", "5%"}}, updatedInPlace, []string{"kubernetes.kubelet.evictionHard.imageFSAvailable"}},
		{".spec.provider.workers[].kubernetes.kubelet.cpuManagerPolicy", "", nil, []edit{{own + "cpuManagerPolicy", "none"}}, updatedInPlace, []string{"kubernetes.kubelet.cpuManagerPolicy"}},
	}
}

// workerTriggers are the same lines for a Worker.
func workerTriggers() []trigger {
	const file = "worker.yaml"
	kubelet, secret := workersPool+"kubeletConfig.", edit{workersPool + "nodeAgentSecretName", "gardener-node-agent-cpu-worker-another"}
	return []trigger{
		{"Worker: Kubernetes version", file, nil, []edit{{workersPool + "kubernetesVersion", "1.34.0"}}, updatedInPlace, []string{"kubernetesVersion"}},
		{"Worker: image name", file, nil, []edit{{workersPool + "machineImage.name", "ubuntu"}}, onlyRolled, []string{"machineImage.name"}},
		{"Worker: image version", file, nil, []edit{{workersPool + "machineImage.version", "1443.9.0"}}, updatedInPlace, []string{"machineImage.version"}},
		{"Worker: machine type", file, nil, []edit{{workersPool + "machineType", "m5.xlarge"}}, onlyRolled, []string{"machineType"}},
		{"Worker: volume type", file, nil, []edit{{workersPool + "volume.type", "io1"}}, onlyRolled, []string{"volume.type"}},
		{"Worker: volume size", file, nil, []edit{{workersPool + "volume.size", "51Gi"}}, onlyRolled, []string{"volume.size"}},
		{"Worker: provider config", file, nil, []edit{{workersPool + "providerConfig.volume.iops", 12000}}, onlyRolled, []string{"providerConfig.volume.iops"}},
		{"Worker: kubeReserved", file, nil, []edit{{kubelet + "kubeReserved.memory", "2Gi"}, secret}, updatedInPlace, []string{"kubeletConfig.kubeReserved.memory"}},
		{"Worker: systemReserved", file, nil, []edit{{kubelet + "systemReserved.memory", "2Gi"}, secret}, updatedInPlace, []string{"kubeletConfig.systemReserved.memory"}},
		{"Worker: evictionHard", file, nil, []edit{{kubelet + "evictionHard.memoryAvailable", "2Gi"}, secret}, updatedInPlace, []string{"kubeletConfig.evictionHard.memoryAvailable"}},
		{"Worker: cpuManagerPolicy", file, nil, []edit{{kubelet + "cpuManagerPolicy", "none"}, secret}, updatedInPlace, []string{"kubeletConfig.cpuManagerPolicy"}},
		{"Worker on AWS: volume encryption", file, nil, []edit{{workersPool + "volume.encrypted", false}}, onlyRolled, []string{"volume.encrypted"}},
		{"Worker on AWS: size of a data volume", file, nil, []edit{{workersPool + "dataVolumes.1.size", "31Gi"}}, onlyRolled, []string{"dataVolumes[1].size"}},
		{"Worker on AWS: type of a data volume", file, nil, []edit{{workersPool + "dataVolumes.1.type", "io1"}}, onlyRolled, []string{"dataVolumes[1].type"}},
		{"Worker on AWS: encryption of a data volume", file, nil, []edit{{workersPool + "dataVolumes.1.encrypted", true}}, onlyRolled, []string{"dataVolumes[1].encrypted"}},
	}
}

// notTriggers are changes that touch no machine.
func notTriggers() []trigger {
	const worker = "worker.yaml"
	own := shootsPool + "kubernetes.kubelet."
	moved := []edit{{own + "systemReserved.memory", "1Gi"}, {own + "kubeReserved.memory", "1Gi"}}
	return []trigger{
		{"patch upgrade", "", nil, []edit{{"spec.kubernetes.version", "1.33.9"}}, untouched, nil},
		{"patch upgrade of the pool", "", []edit{{shootsPool + "kubernetes.version", "1.33.1"}}, []edit{{shootsPool + "kubernetes.version", "1.33.2"}}, untouched, nil},
		{"the control plane alone", "", []edit{{shootsPool + "kubernetes.version", "1.33.1"}}, []edit{{"spec.kubernetes.version", "1.34.0"}}, untouched, nil},
		{"Worker: patch upgrade", worker, nil, []edit{{workersPool + "kubernetesVersion", "v1.33.9"}}, untouched, nil},
		{"1Gi to 1024Mi", "", nil, []edit{{own + "kubeReserved.memory", "1024Mi"}}, untouched, nil},
		{"Worker: 1Gi to 1024Mi", worker, nil, []edit{{workersPool + "kubeletConfig.kubeReserved.memory", "1024Mi"}}, untouched, nil},
		{"a number without quotes", "", []edit{{own + "kubeReserved.cpu", "1"}}, []edit{{own + "kubeReserved.cpu", 1}}, untouched, nil},
		{
			"a reservation moved from systemReserved to kubeReserved", "", moved,
			[]edit{{own + "systemReserved", nil}, {own + "kubeReserved.memory", "2Gi"}},
			untouched, nil,
		},
		{"containerd written out", "", []edit{{shootsPool + "cri", nil}}, []edit{{shootsPool + "cri", map[string]any{"name": "containerd"}}}, untouched, nil},
		{"node-local DNS from Kubernetes 1.34 on", "", []edit{{"spec.kubernetes.version", "1.34.0"}}, []edit{{"spec.systemComponents.nodeLocalDNS.enabled", true}}, untouched, nil},
		{"kubelet options that need no drain", "", nil, []edit{{own + "maxPods", 200}, {own + "containerLogMaxFiles", 3}}, untouched, nil},
		{"the Shoot's kubelet where the pool has its own", "", nil, []edit{{kubelet + "kubeReserved.memory", "9Gi"}, {kubelet + "cpuManagerPolicy", "none"}}, untouched, nil},
		{
			"labels, annotations", "", nil,
			[]edit{{shootsPool + "labels", map[string]any{"c": "d"}}, {shootsPool + "annotations", map[string]any{"a": "b"}}},
			untouched, nil,
		},
		{
			"another pool's rollout of credentials", "", nil,
			[]edit{{"status.credentials.rotation.certificateAuthorities.pendingWorkersRollouts", []any{map[string]any{"name": "other", "lastInitiationTime": "2020-01-01T00:00:00Z"}}}},
			untouched, nil,
		},
		{
			"what a cluster writes", worker, nil,
			[]edit{
				{"metadata.resourceVersion", "4712"},
				{"metadata.generation", 8},
				{"metadata.finalizers", nil},
				{"metadata.managedFields", []any{map[string]any{"manager": "x"}}},
				{"status", nil},
				{"spec.infrastructureProviderStatus", map[string]any{"vpc": "another shape"}},
				{workersPool + "userDataSecretRef", map[string]any{"name": "another", "key": "x"}},
				{workersPool + "nodeTemplate.capacity.cpu", "4"},
				{workersPool + "clusterAutoscaler", map[string]any{"scaleDownUnneededTime": "1h"}},
			},
			untouched, nil,
		},
		{"Worker: names of data volumes on AWS", worker, nil, []edit{{workersPool + "dataVolumes.1.name", "renamed"}}, outcomes{pool.None, pool.Forbidden}, nil},
	}
}

func TestTriggersOfGEP31(t *testing.T) {
	t.Parallel()
	for _, list := range [][]trigger{shootTriggers(), workerTriggers(), notTriggers()} {
		for _, test := range list {
			t.Run(test.line, func(t *testing.T) {
				t.Parallel()
				for _, strategy := range strategies {
					checkTrigger(t, test, strategy)
				}
			})
		}
	}
}

func checkTrigger(t *testing.T, test trigger, strategy hotupdate.Strategy) {
	t.Helper()
	file, at := "shoot.yaml", shootsPool
	if test.file != "" {
		file, at = test.file, workersPool
	}
	before := append([]edit{{at + "updateStrategy", strategy.String()}}, test.before...)
	got := compare(t, manifest(t, file, before...), manifest(t, file, append(before, test.change...)...), options(t))
	want := test.want.rolling
	if strategy != hotupdate.AutoRollingUpdate {
		want = test.want.inPlace
	}
	assert.Equal(t, want, got.Verdict, strategy)
	assert.Equal(t, strategy, got.Strategy)
	if got.Verdict != pool.Forbidden || test.paths != nil {
		assert.Equal(t, test.paths, paths(triggersOf(got.Changes)), strategy)
	}
	// With another strategy in the options, the pools are compared as if they had it.
	for _, asked := range strategies {
		o := options(t)
		o.Strategy = &asked
		compared := compare(t, manifest(t, file, before...), manifest(t, file, append(before, test.change...)...), o)
		want := test.want.rolling
		if asked != hotupdate.AutoRollingUpdate {
			want = test.want.inPlace
		}
		assert.Equal(t, want, compared.Verdict, "%s asked as %s", strategy, asked)
	}
}

// triggersOf returns the changes that have a class: those of triggers and provider configs.
func triggersOf(changes []pool.Judged) []pool.Judged {
	none := []pool.Rule{pool.RuleOf("NotHashed"), pool.RuleOf("PatchVersion"), pool.RuleOf("NameStays"), pool.RuleOf("SameMeaning")}
	return slices.DeleteFunc(slices.Clone(changes), func(c pool.Judged) bool { return slices.Contains(none, c.Rule) })
}

func TestSpellingIsNoTrigger(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"shoot.yaml", "worker.yaml"} {
		raw := manifest(t, file)
		var spread bytes.Buffer
		require.NoError(t, json.Indent(&spread, raw, " ", "\t"))
		for name, other := range map[string][]byte{"white space": spread.Bytes(), "key order": reversed(t, raw)} {
			require.NotEqual(t, string(raw), string(other))
			got := compare(t, raw, other, options(t))
			assert.Equal(t, pool.None, got.Verdict, "%s: %s", file, name)
			assert.Empty(t, got.Changes, "%s: %s", file, name)
			got = compare(t, raw, other, pool.Options{Providers: providers.All()})
			assert.Empty(t, got.Changes, "also where the provider config is compared as a whole")
		}
	}
}

// reversed writes every object's members in the opposite order.
func reversed(tb testing.TB, raw []byte) []byte {
	tb.Helper()
	var value any
	require.NoError(tb, json.Unmarshal(raw, &value))
	return appendReversed(tb, nil, value)
}

func appendReversed(tb testing.TB, dst []byte, value any) []byte {
	tb.Helper()
	switch v := value.(type) {
	case map[string]any:
		members := [][]byte{}
		for _, name := range sortedKeys(v) {
			member := append(mustJSON(tb, name), ':')
			members = append([][]byte{appendReversed(tb, member, v[name])}, members...)
		}
		return append(append(append(dst, '{'), bytes.Join(members, []byte(","))...), '}')
	case []any:
		elements := [][]byte{}
		for _, element := range v {
			elements = append(elements, appendReversed(tb, nil, element))
		}
		return append(append(append(dst, '['), bytes.Join(elements, []byte(","))...), ']')
	default:
		return append(dst, mustJSON(tb, value)...)
	}
}

func mustJSON(tb testing.TB, value any) []byte {
	tb.Helper()
	raw, err := json.Marshal(value)
	require.NoError(tb, err)
	return raw
}
