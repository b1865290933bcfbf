package hash_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
)

// published is the pool of the published vector.
func published() hash.Worker {
	return hash.Worker{
		Name: "test-worker", KubernetesVersion: "1.2.3", MachineType: "foo",
		Image:  &hash.Image{Name: "bar", Version: "baz"},
		Volume: &hash.Volume{Size: "20Gi", Type: new("fast")},
		Kubelet: &hash.Kubelet{
			KubeReserved: &hash.Reserved{
				CPU: quantityOf("80m"), Memory: quantityOf("1Gi"), PID: quantityOf("10k"), EphemeralStorage: quantityOf("20Gi"),
			},
			EvictionHard: &hash.EvictionHard{MemoryAvailable: new("100Mi")},
		},
	}
}

func TestNodeAgentSecretNameVector(t *testing.T) {
	t.Parallel()
	got, err := hash.NodeAgentSecretName(published())
	require.NoError(t, err)
	assert.Equal(t, "gardener-node-agent-test-worker-fb3e80fa722deacd", got.Text)
	assert.Equal(t, "fb3e80fa722deacd", got.Digest.String()[:16])
}

func TestNodeAgentSecretNameOfInPlacePools(t *testing.T) {
	t.Parallel()
	for _, strategy := range []hotupdate.Strategy{hotupdate.AutoInPlaceUpdate, hotupdate.ManualInPlaceUpdate} {
		w := published()
		w.UpdateStrategy = strategy
		w.KubernetesVersion = "not looked at"
		got, err := hash.NodeAgentSecretName(w)
		require.NoError(t, err)
		assert.Equal(t, hash.Name{Text: "gardener-node-agent-test-worker"}, got, strategy)
	}
}

// partsOf lists the values that a pool's names are made of, by name.
func partsOf(t *testing.T, f func(hash.Worker) (hash.Name, error), w hash.Worker) map[string]string {
	t.Helper()
	name, err := f(w)
	require.NoError(t, err)
	parts := map[string]string{}
	for _, p := range name.Inputs {
		parts[string(p.Name)] = p.Value
	}
	return parts
}

func TestNodeAgentSecretNameParts(t *testing.T) {
	t.Parallel()
	initiated := &metav1.Time{Time: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)}
	w := published()
	w.CRI = new("containerd")
	w.CARotation.LastInitiationTime = initiated
	w.ServiceAccountKeyRotation.LastInitiationTime = &metav1.Time{}
	w.NodeLocalDNS = true
	w.Kubelet.CPUManagerPolicy = new("static")
	got, err := hash.NodeAgentSecretName(w)
	require.NoError(t, err)
	want := []hash.Input{
		{Name: "Kubernetes version", Value: "1.2"},
		{Name: "machine type", Value: "foo"},
		{Name: "machine image", Value: "barbaz"},
		{Name: "volume size", Value: "20Gi"},
		{Name: "volume type", Value: "fast"},
		{Name: "container runtime", Value: "containerd"},
		{Name: "certificate authorities rotation", Value: "2026-03-04 05:06:07 +0000 UTC"},
		{Name: "service-account key rotation", Value: "0001-01-01 00:00:00 +0000 UTC"},
		{Name: "node-local DNS", Value: "node-local-dns"},
		{Name: "kubelet reservations", Value: "80m-1Gi-10k-20Gi"},
		{Name: "kubelet hard eviction", Value: "--100Mi--"},
		{Name: "kubelet CPU manager policy", Value: "static"},
	}
	assert.Equal(t, want, got.Inputs, "all parts, in Gardener's order")

	key, err := hash.InPlaceKey(w)
	require.NoError(t, err)
	assert.Equal(t, append([]hash.Input{
		{Name: "Kubernetes version", Value: "1.2"},
		{Name: "machine image version", Value: "baz"},
		want[6], want[7],
	}, want[9:]...), key.Inputs, "what an in-place update covers")

	bare, err := hash.NodeAgentSecretName(hash.Worker{Name: "p", KubernetesVersion: "1.34.0"})
	require.NoError(t, err)
	assert.Equal(t, []hash.Input{{Name: "Kubernetes version", Value: "1.34"}, {Name: "machine type"}}, bare.Inputs, "the rest is optional")
}

func TestNodeLocalDNS(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		version, mode string
		enabled       bool
		want          bool
		reason        string
	}{
		{"1.33.9", "IPTables", true, true, "below 1.34"},
		{"1.33.9", "IPVS", true, true, "both reasons"},
		{"1.34.0", "IPTables", true, false, "from 1.34 on enabling it needs no new machines"},
		{"1.34.0", "", true, false, "no kube-proxy"},
		{"1.34.0", "ipvs", true, false, "the mode's name is IPVS"},
		{"1.34.0", "IPVS", true, true, "except with IPVS"},
		{"1.34.0-rc.1", "IPTables", true, false, "a pre-release belongs to 1.34"},
		{"1.4.0", "IPTables", true, true, "1.4 is below 1.34"},
		{"2.0.0", "IPTables", true, false, "2.0 is above 1.34"},
		{"1.33.9", "IPVS", false, false, "not enabled"},
		{"1.34.0", "IPVS", false, false, "not enabled"},
	} {
		w := published()
		w.KubernetesVersion = test.version
		w.KubeProxyMode = test.mode
		w.NodeLocalDNS = test.enabled
		_, got := partsOf(t, hash.NodeAgentSecretName, w)["node-local DNS"]
		assert.Equalf(t, test.want, got, "%+v", test)
		_, got = partsOf(t, hash.InPlaceKey, w)["node-local DNS"]
		assert.Falsef(t, got, "an in-place update cannot change it: %+v", test)
	}
}

func TestRotationTime(t *testing.T) {
	t.Parallel()
	at := func(hour int) *metav1.Time { return &metav1.Time{Time: time.Date(2026, 1, 1, hour, 0, 0, 0, time.UTC)} }
	text := func(hour int) string { return at(hour).Time.String() }
	type rollouts = []hash.PendingWorkersRollout
	for _, test := range []struct {
		name   string
		in     hash.Rotation
		want   string
		reason string
	}{
		{"never", hash.Rotation{}, "", "left out"},
		{"cluster", hash.Rotation{LastInitiationTime: at(1)}, text(1), "no pending rollouts"},
		{
			"own",
			hash.Rotation{at(2), rollouts{{"other", at(3)}, {"test-worker", at(1)}}},
			text(1),
			"the pool still has the old credentials",
		},
		{"others", hash.Rotation{at(2), rollouts{{"other", at(1)}}}, text(2), "entries of other pools do not count"},
		{"own without time", hash.Rotation{at(2), rollouts{{"test-worker", nil}}}, "", "the pool has never seen a rotation"},
		{"only own", hash.Rotation{nil, rollouts{{"test-worker", at(1)}}}, text(1), "the cluster has no time"},
		{"twice", hash.Rotation{at(2), rollouts{{"test-worker", at(1)}, {"test-worker", at(3)}}}, text(1), "the first entry counts"},
		{"zero time", hash.Rotation{LastInitiationTime: &metav1.Time{}}, "0001-01-01 00:00:00 +0000 UTC", "the zero time is not nil"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, f := range []func(hash.Worker) (hash.Name, error){hash.NodeAgentSecretName, hash.InPlaceKey} {
				w := published()
				w.CARotation = test.in
				parts := partsOf(t, f, w)
				assert.Equal(t, test.want, parts["certificate authorities rotation"], test.reason)
				assert.NotContains(t, parts, "service-account key rotation")
				w = published()
				w.ServiceAccountKeyRotation = test.in
				parts = partsOf(t, f, w)
				assert.Equal(t, test.want, parts["service-account key rotation"], test.reason)
				assert.NotContains(t, parts, "certificate authorities rotation")
			}
		})
	}
}

// metav1.Time decodes into the process's zone, and time.Now has a monotonic reading: neither may get into a name.
func TestRotationTimeIsTheSameOnEveryMachine(t *testing.T) {
	t.Parallel()
	now := time.Now()
	utc := now.UTC().Round(0)
	for _, same := range []time.Time{
		now, now.In(time.FixedZone("CEST", 7200)), now.Local(), utc, utc.Add(0),
	} { //nolint:gosmopolitan // on purpose
		w := published()
		w.CARotation.LastInitiationTime = &metav1.Time{Time: same}
		assert.Equal(t, utc.String(), partsOf(t, hash.InPlaceKey, w)["certificate authorities rotation"])
	}
	assert.NotContains(t, utc.String(), "m=")
	assert.Contains(t, now.String(), "m=", "the reading that would spoil it")
}

type gardenerRollout struct {
	Name               string       `json:"name"`
	LastInitiationTime *metav1.Time `json:"lastInitiationTime,omitempty"`
}

func TestPendingWorkersRolloutIsConvertedFromGardenersType(t *testing.T) {
	t.Parallel()
	assert.Equal(t, hash.PendingWorkersRollout{Name: "p"}, hash.PendingWorkersRollout(gardenerRollout{Name: "p"}))
}

// trigger is one change of a pool and its effect. Source: GEP-31, "Worker pool hash calculations".
type trigger struct {
	name    string
	change  func(w *hash.Worker)
	rolling string // the part of the secret name that changes; empty if none
	inPlace string // the part of the in-place key that changes; empty if none
}

func triggers() []trigger {
	later := func(r *hash.Rotation) {
		*r = hash.Rotation{LastInitiationTime: &metav1.Time{Time: time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC)}}
	}
	both := func(name string, change func(w *hash.Worker), part string) trigger {
		return trigger{name, change, part, part}
	}
	return []trigger{
		both("Kubernetes minor", func(w *hash.Worker) { w.KubernetesVersion = "1.19.0" }, "Kubernetes version"),
		{name: "Kubernetes patch", change: func(w *hash.Worker) { w.KubernetesVersion += "9" }},
		{name: "Kubernetes pre-release", change: func(w *hash.Worker) { w.KubernetesVersion += "-rc.1" }},
		{"machine type", func(w *hash.Worker) { w.MachineType += "x" }, "machine type", ""},
		{
			"image name", func(w *hash.Worker) { w.Image = &hash.Image{Name: "x" + w.Image.Name, Version: w.Image.Version} },
			"machine image", "",
		},
		{
			"image version", func(w *hash.Worker) { w.Image = &hash.Image{Name: w.Image.Name, Version: w.Image.Version + ".1"} },
			"machine image", "machine image version",
		},
		{
			"volume size", func(w *hash.Worker) { w.Volume = &hash.Volume{Size: "1" + w.Volume.Size, Type: w.Volume.Type} }, "volume size",
			"",
		},
		{"volume type", func(w *hash.Worker) { w.Volume = &hash.Volume{Size: w.Volume.Size, Type: new("other")} }, "volume type", ""},
		{"container runtime", func(w *hash.Worker) { w.CRI = new("other") }, "container runtime", ""},
		both("CA rotation", func(w *hash.Worker) { later(&w.CARotation) }, "certificate authorities rotation"),
		both("service-account key rotation", func(w *hash.Worker) { later(&w.ServiceAccountKeyRotation) }, "service-account key rotation"),
		{"node-local DNS", func(w *hash.Worker) { w.NodeLocalDNS = !w.NodeLocalDNS }, "node-local DNS", ""},
		both("kubeReserved", func(w *hash.Worker) {
			w.Kubelet.KubeReserved = &hash.Reserved{CPU: resource.NewQuantity(1<<50, resource.DecimalSI)}
		}, "kubelet reservations"),
		both("evictionHard", func(w *hash.Worker) {
			w.Kubelet.EvictionHard = &hash.EvictionHard{NodeFSAvailable: new("other")}
		}, "kubelet hard eviction"),
		both("cpuManagerPolicy", func(w *hash.Worker) { w.Kubelet.CPUManagerPolicy = new("other") }, "kubelet CPU manager policy"),
		{name: "another pool's rollout", change: func(w *hash.Worker) {
			w.CARotation.PendingWorkersRollouts = append(w.CARotation.PendingWorkersRollouts, hash.PendingWorkersRollout{Name: "another"})
		}},
		{
			name:   "systemReserved",
			change: func(w *hash.Worker) { w.Kubelet.SystemReserved = &hash.Reserved{CPU: resource.NewQuantity(9, "")} },
		},
	}
}

// drawWorker draws a pool below Kubernetes 1.34, with optional parts absent at times.
func drawWorker(t *rapid.T) hash.Worker {
	text := rapid.StringMatching(`[a-z0-9]{0,6}`)
	optional := rapid.Ptr(text, true)
	moment := rapid.Custom(func(t *rapid.T) *metav1.Time {
		return &metav1.Time{Time: time.Unix(rapid.Int64Range(0, 1<<31).Draw(t, "seconds"), 0)}
	})
	rotation := rapid.Custom(func(t *rapid.T) hash.Rotation {
		if rapid.Bool().Draw(t, "never") {
			return hash.Rotation{}
		}
		return hash.Rotation{LastInitiationTime: moment.Draw(t, "time")}
	})
	return hash.Worker{
		Name:              rapid.StringMatching(`[a-z][a-z0-9-]{0,10}`).Draw(t, "pool"),
		KubernetesVersion: rapid.StringMatching(`1\.(2[0-9]|3[0-3])\.[1-9]`).Draw(t, "version"),
		MachineType:       text.Draw(t, "machine type"),
		Image:             &hash.Image{Name: text.Draw(t, "image"), Version: text.Draw(t, "image version")},
		Volume:            &hash.Volume{Size: text.Draw(t, "size"), Type: optional.Draw(t, "type")},
		CRI:               optional.Draw(t, "cri"),
		CARotation:        rotation.Draw(t, "CA"), ServiceAccountKeyRotation: rotation.Draw(t, "service-account key"),
		NodeLocalDNS: rapid.Bool().Draw(t, "node-local DNS"),
		Kubelet:      &hash.Kubelet{KubeReserved: drawReserved(t, "kube"), CPUManagerPolicy: optional.Draw(t, "policy")},
	}
}

func TestEachTriggerChangesTheNamesThatGEP31Lists(t *testing.T) {
	t.Parallel()
	for _, test := range triggers() {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				before := drawWorker(t)
				after := before
				after.Kubelet = new(*before.Kubelet)
				test.change(&after)
				checkTrigger(t, hash.NodeAgentSecretName, before, after, test.rolling)
				checkTrigger(t, hash.InPlaceKey, before, after, test.inPlace)
				checkMachineClass(t, before, after, test)
			})
		})
	}
}

// checkTrigger expects the name to change exactly if a part does, and Changed to list that part.
func checkTrigger(t *rapid.T, f func(hash.Worker) (hash.Name, error), before, after hash.Worker, part string) {
	a, err := f(before)
	require.NoError(t, err)
	b, err := f(after)
	require.NoError(t, err)
	assert.Equal(t, part == "", a.Digest == b.Digest)
	assert.Equal(t, part == "", a.Text == b.Text)
	want := []string{part}
	if part == "" {
		want = nil
	}
	assert.Equal(t, want, b.Changed(a))
}

// checkMachineClass expects that the MachineClass changes in both strategies if the nodes must change, with the same strings.
func checkMachineClass(t *rapid.T, before, after hash.Worker, test trigger) {
	hashOf := func(w hash.Worker, strategy hotupdate.Strategy) hash.Digest {
		w.UpdateStrategy = strategy
		secret, err := hash.NodeAgentSecretName(w)
		require.NoError(t, err)
		name, err := hash.WorkerPool(&secret.Text, "data")
		if strategy != hotupdate.AutoRollingUpdate {
			name, err = hash.WorkerPoolInPlace(&secret.Text, w, "data")
		}
		require.NoError(t, err)
		return name.Digest
	}
	rolls := hashOf(before, hotupdate.AutoRollingUpdate) != hashOf(after, hotupdate.AutoRollingUpdate)
	assert.Equal(t, test.rolling != "", rolls)
	updates := hashOf(before, hotupdate.AutoInPlaceUpdate) != hashOf(after, hotupdate.AutoInPlaceUpdate)
	assert.Equal(t, test.inPlace != "", updates)
}

func TestNodeAgentSecretNameIsTheDefinition(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorker(t)
		got, err := hash.NodeAgentSecretName(w)
		require.NoError(t, err)
		parts := []string{
			w.KubernetesVersion[:strings.LastIndex(w.KubernetesVersion, ".")], w.MachineType, w.Image.Name + w.Image.Version, w.Volume.Size,
		}
		for _, optional := range []*string{w.Volume.Type, w.CRI} {
			if optional != nil {
				parts = append(parts, *optional)
			}
		}
		for _, r := range []hash.Rotation{w.CARotation, w.ServiceAccountKeyRotation} {
			if r.LastInitiationTime != nil {
				parts = append(parts, r.LastInitiationTime.UTC().Format("2006-01-02 15:04:05 -0700 MST"))
			}
		}
		if w.NodeLocalDNS {
			parts = append(parts, "node-local-dns")
		}
		parts = append(parts, kubeletData(t, w.Kubelet)...)
		assert.Equal(t, "gardener-node-agent-"+w.Name+"-"+naive(16, parts...), got.Text)
	})
}

// Gardener's composition has no names for its parts. Its names cannot tell these pools apart, and neither can a guard.
func TestAbsentPartsShiftTheOthers(t *testing.T) {
	t.Parallel()
	a := published()
	b := published()
	a.Volume = &hash.Volume{Size: "20Gi", Type: new("containerd")}
	a.CRI = nil
	b.Volume = &hash.Volume{Size: "20Gi"}
	b.CRI = new("containerd")
	nameA, err := hash.NodeAgentSecretName(a)
	require.NoError(t, err)
	nameB, err := hash.NodeAgentSecretName(b)
	require.NoError(t, err)
	assert.Equal(t, nameA.Digest, nameB.Digest)
	assert.Equal(t, []string{"container runtime", "volume type"}, nameB.Changed(nameA), "the parts do tell them apart")
}
