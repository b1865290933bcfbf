package pool_test

import (
	"slices"
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
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/extensions"
)

// drawn has the values for pools: only a few, so that two pools often have much in common.
func drawn[T any](t *rapid.T, label string, values ...T) T {
	return rapid.SampledFrom(values).Draw(t, label)
}

func drawQuantity(t *rapid.T, label string) *resource.Quantity {
	text := drawn(t, label, "", "", "1Gi", "1024Mi", "1073741824", "0", "500m", "0.5", "2Gi")
	if text == "" {
		return nil
	}
	return new(resource.MustParse(text))
}

func drawReserved(t *rapid.T, label string) *hash.Reserved {
	if drawn(t, label, true, false, false) {
		return nil
	}
	return &hash.Reserved{
		CPU: drawQuantity(t, label+" cpu"), Memory: drawQuantity(t, label+" memory"),
		EphemeralStorage: drawQuantity(t, label+" storage"), PID: drawQuantity(t, label+" pid"),
	}
}

func drawKubelet(t *rapid.T) *hash.Kubelet {
	if drawn(t, "no kubelet", true, false, false, false) {
		return nil
	}
	k := &hash.Kubelet{
		KubeReserved: drawReserved(t, "kube"), SystemReserved: drawReserved(t, "system"),
		CPUManagerPolicy: drawn(t, "policy", nil, new(""), new("static")),
		SumReservations:  drawn(t, "sum", false, true),
	}
	if drawn(t, "eviction", true, false) {
		k.EvictionHard = &hash.EvictionHard{
			MemoryAvailable: drawn(t, "memory available", nil, new(""), new("1Gi")),
			NodeFSAvailable: drawn(t, "node FS available", nil, new("5%")),
		}
	}
	return k
}

func drawRotation(t *rapid.T, label string) hash.Rotation {
	at := func(label string) *metav1.Time {
		return drawn(t, label, nil, &metav1.Time{}, &metav1.Time{Time: time.Unix(1e9, 0)}, &metav1.Time{Time: time.Unix(2e9, 0).UTC()})
	}
	r := hash.Rotation{LastInitiationTime: at(label)}
	if drawn(t, label+" pending", true, false, false) {
		r.PendingWorkersRollouts = []hash.PendingWorkersRollout{
			{Name: drawn(t, label+" of", "p", "q"), LastInitiationTime: at(label + " own")},
		}
	}
	return r
}

// drawPool draws a pool. Names of images have letters and versions digits: Gardener joins them
// without a separator.
func drawPool(t *rapid.T) facts.Pool {
	p := facts.Pool{Provider: drawn(t, "provider", "aws"), Worker: hash.Worker{
		Name:              "p",
		KubernetesVersion: drawn(t, "version", "1.32.0", "1.33.1", "1.33.2", "1.34.0-rc.1", "1.34.5"),
		MachineType:       drawn(t, "type", "", "m", "n"),
		CRI:               drawn(t, "cri", nil, new(""), new("containerd")),
		CARotation:        drawRotation(t, "ca"), ServiceAccountKeyRotation: drawRotation(t, "sa"),
		NodeLocalDNS: drawn(t, "dns", true, false), KubeProxyMode: drawn(t, "proxy", "", "IPTables", "IPVS"),
		Kubelet: drawKubelet(t),
	}}
	if drawn(t, "image", true, true, false) {
		p.Worker.Image = &hash.Image{Name: drawn(t, "image name", "", "a", "b"), Version: drawn(t, "image version", "", "1", "2")}
	}
	if drawn(t, "volume", true, true, false) {
		p.Worker.Volume = &hash.Volume{Size: drawn(t, "size", "", "1Gi", "2Gi"), Type: drawn(t, "volume type", nil, new(""), new("fast"))}
	}
	return p
}

// changed draws a pool that differs from p in about one part.
func changed(t *rapid.T, p facts.Pool) facts.Pool {
	other := drawPool(t)
	q := p
	for range rapid.IntRange(0, 2).Draw(t, "changes") {
		switch rapid.IntRange(0, 9).Draw(t, "part") {
		case 0:
			q.Worker.KubernetesVersion = other.Worker.KubernetesVersion
		case 1:
			q.Worker.MachineType = other.Worker.MachineType
		case 2:
			q.Worker.CRI = other.Worker.CRI
		case 3:
			q.Worker.CARotation = other.Worker.CARotation
		case 4:
			q.Worker.ServiceAccountKeyRotation = other.Worker.ServiceAccountKeyRotation
		case 5:
			q.Worker.NodeLocalDNS = other.Worker.NodeLocalDNS
		case 6:
			q.Worker.KubeProxyMode = other.Worker.KubeProxyMode
		case 7:
			q.Worker.Kubelet = other.Worker.Kubelet
		case 8:
			q.Worker.Image = other.Worker.Image
		case 9:
			q.Worker.Volume = other.Worker.Volume
		}
	}
	return q
}

func needsMachines(changes []judge.Finding) bool {
	return len(of(changes, hotupdate.Immutable))+len(of(changes, hotupdate.InPlace)) > 0
}

// of returns the changes of one class.
func of(changes []judge.Finding, class hotupdate.Class) (findings []judge.Finding) {
	for _, c := range changes {
		if c.Class == class {
			findings = append(findings, c)
		}
	}
	return findings
}

// The plan agrees with Gardener's names: the changes concern machines exactly if a part of the name
// changed.
func TestChangesAgreeWithTheNames(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		old := drawPool(t)
		updated := changed(t, old)
		if rapid.Bool().Draw(t, "all different") {
			updated = drawPool(t)
		}
		secret := func(p facts.Pool) hash.Name {
			name, err := hash.NodeAgentSecretName(p.Worker)
			require.NoError(t, err)
			return name
		}
		rolling, err := comparePools(old, updated, judge.Options{Providers: extensions.All()})
		require.NoError(t, err)
		assert.Equal(t, len(secret(updated).Changed(secret(old))) > 0, needsMachines(rolling.Changes), "%v", rolling.Changes)
		if lowered := old.Worker.KubernetesVersion > updated.Worker.KubernetesVersion; !lowered { // which is refused
			assert.Equal(t, secret(updated).Digest != secret(old).Digest, rolling.Verdict == verdict.Roll, "%v", rolling.Changes)
		}

		key := func(p facts.Pool) hash.Name {
			name, err := hash.WorkerPoolInPlace(new("secret"), p.Worker)
			require.NoError(t, err)
			return name
		}
		strategy := hotupdate.AutoInPlaceUpdate
		inPlace, err := comparePools(old, updated, judge.Options{Providers: extensions.All(), Strategy: &strategy})
		require.NoError(t, err)
		// names hash values without the names of their fields, so rotations that change places cancel out
		rotations := func(p facts.Pool) (times []string) {
			for _, part := range secret(p).Inputs {
				if strings.Contains(string(part.Name), "rotation") {
					times = append(times, part.Value)
				}
			}
			return times
		}
		changes := slices.DeleteFunc(of(inPlace.Changes, hotupdate.InPlace), func(c judge.Finding) bool {
			return strings.HasPrefix(c.Path, "credentials.") && slices.Equal(rotations(old), rotations(updated))
		})
		assert.Equal(t, len(key(updated).Changed(key(old))) > 0, len(changes) > 0, "%v", inPlace.Changes)
	})
}

func TestDataVolumesOfEachProvider(t *testing.T) {
	t.Parallel()
	a := facts.DataVolume{Name: "a", Size: "1Gi"}
	b := facts.DataVolume{Name: "b", Size: "1Gi", Type: new("")}
	renamed := b
	encrypted := b
	larger := b
	renamed.Name = "c"
	encrypted.Encrypted = new(true)
	larger.Size = "2Gi"
	none := verdict.None
	roll := verdict.Roll
	unknown := verdict.Indeterminate
	type list = []facts.DataVolume
	for _, test := range []struct {
		provider                                        string
		root, order, rename, encrypt, enlarge, one, two verdict.Verdict
		reason                                          string
	}{
		{"aws", roll, roll, none, roll, roll, roll, roll, "in order, without names"},
		{"alicloud", roll, roll, none, roll, roll, roll, roll, "in order, without names"},
		{"azure", none, none, none, none, roll, roll, roll, "size and type, in the order of the names"},
		{"gcp", none, none, roll, none, roll, roll, roll, "by name, size and type"},
		{"openstack", none, none, none, none, none, none, none, "not at all"},
		{"metal", unknown, unknown, unknown, unknown, unknown, unknown, unknown, "not known"},
	} {
		of := func(volumes list) facts.Pool {
			return facts.Pool{
				Provider: test.provider, Worker: hash.Worker{Name: "p", KubernetesVersion: "1.34.0", Volume: &hash.Volume{Size: "1Gi"}},
				DataVolumes: volumes,
			}
		}
		judged := func(old, updated facts.Pool) verdict.Verdict {
			got, err := comparePools(old, updated, judge.Options{Providers: extensions.All()})
			require.NoError(t, err)
			return got.Verdict
		}
		outcome := func(old, updated list) verdict.Verdict { return judged(of(old), of(updated)) }
		name := test.provider + ": " + test.reason
		assert.Equal(t, none, outcome(list{a, b}, list{a, b}), name)
		rootEncrypted := of(list{a})
		rootEncrypted.Encrypted = new(true)
		assert.Equal(t, test.root, judged(of(list{a}), rootEncrypted), name)
		assert.Equal(t, test.order, outcome(list{a, b}, list{b, a}), name)
		assert.Equal(t, test.rename, outcome(list{a, b}, list{a, renamed}), name)
		assert.Equal(t, test.encrypt, outcome(list{a, b}, list{a, encrypted}), name)
		assert.Equal(t, test.enlarge, outcome(list{a, b}, list{a, larger}), name)
		assert.Equal(t, test.one, outcome(list{a}, list{a, b}), name)
		assert.Equal(t, test.two, outcome(list{b}, list{b, renamed}), name)
	}
}

// Gardener hashes an empty object of reservations or thresholds, an empty image and an empty volume
// differently from absent ones.
func TestEmptyObjectsAreNoAbsentOnes(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(w *hash.Worker){
		"kubeReserved": func(w *hash.Worker) { w.Kubelet.KubeReserved = &hash.Reserved{} },
		"evictionHard": func(w *hash.Worker) { w.Kubelet.EvictionHard = &hash.EvictionHard{} },
		"image":        func(w *hash.Worker) { w.Image = &hash.Image{} },
		"volume":       func(w *hash.Worker) { w.Volume = &hash.Volume{} },
	} {
		old := facts.Pool{Provider: "aws", Worker: hash.Worker{Name: "p", KubernetesVersion: "1.34.0", Kubelet: &hash.Kubelet{}}}
		updated := old
		updated.Worker.Kubelet = new(*old.Worker.Kubelet)
		change(&updated.Worker)
		got, err := comparePools(old, updated, judge.Options{Providers: extensions.All()})
		require.NoError(t, err)
		assert.Equal(t, verdict.Roll, got.Verdict, name)
		before, err := hash.NodeAgentSecretName(old.Worker)
		require.NoError(t, err)
		after, err := hash.NodeAgentSecretName(updated.Worker)
		require.NoError(t, err)
		assert.NotEqual(t, before.Text, after.Text, name)
	}
}

// Gardener joins an image's name and version, and leaves absent parts out: two pools can differ and
// have one name. Then Gardener notices nothing.
func TestPoolsThatGardenerCannotTellApart(t *testing.T) {
	t.Parallel()
	of := func(image hash.Image) facts.Pool {
		return facts.Pool{Provider: "gcp", Worker: hash.Worker{Name: "p", KubernetesVersion: "1.34.0", Image: &image}}
	}
	old := of(hash.Image{Name: "linux", Version: "1.2"})
	updated := of(hash.Image{Name: "linux1", Version: ".2"})
	before, err := hash.NodeAgentSecretName(old.Worker)
	require.NoError(t, err)
	after, err := hash.NodeAgentSecretName(updated.Worker)
	require.NoError(t, err)
	require.Equal(t, before.Text, after.Text)
	got, err := comparePools(old, updated, judge.Options{Providers: extensions.All()})
	require.NoError(t, err)
	assert.Equal(t, verdict.None, got.Verdict)
	assert.Equal(t, verdict.NameStays, got.Changes[0].Rule)
}
