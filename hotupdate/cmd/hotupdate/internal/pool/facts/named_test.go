package facts_test

import (
	"reflect"
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
)

// drawOptional draws a value or none.
func drawOptional[T any](t *rapid.T, label string, values ...T) *T {
	if rapid.Bool().Draw(t, "no "+label) {
		return nil
	}
	return new(rapid.SampledFrom(values).Draw(t, label))
}

func drawReserved(t *rapid.T, label string) *hash.Reserved {
	if rapid.Bool().Draw(t, "no "+label) {
		return nil
	}
	quantity := func(of string) *resource.Quantity {
		text := drawOptional(t, label+" "+of, "0", "1", "2", "1000m", "1Gi", "1024Mi", "1073741824")
		if text == nil {
			return nil
		}
		return new(resource.MustParse(*text))
	}
	return &hash.Reserved{CPU: quantity("cpu"), Memory: quantity("memory"), EphemeralStorage: quantity("ephemeral"), PID: quantity("pid")}
}

func drawRotation(t *rapid.T, label string) (r hash.Rotation) {
	times := []metav1.Time{
		{},
		metav1.NewTime(time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("x", 3600))),
		metav1.NewTime(time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC)),
	}
	r.LastInitiationTime = drawOptional(t, label, times...)
	if rapid.Bool().Draw(t, label+" is pending") {
		pool := rapid.SampledFrom([]string{"a", "b"}).Draw(t, label+" of")
		r.PendingWorkersRollouts = []hash.PendingWorkersRollout{
			{Name: pool, LastInitiationTime: drawOptional(t, "pending "+label, times...)},
		}
	}
	return r
}

// drawWorker draws what Gardener's names cover.
func drawWorker(t *rapid.T) hash.Worker {
	text := func(label string, values ...string) string { return rapid.SampledFrom(values).Draw(t, label) }
	w := hash.Worker{
		Name: "a", UpdateStrategy: hotupdate.AutoRollingUpdate,
		KubernetesVersion: text("version", "", "1.33.1", "1.33.2", "1.34.0"), MachineType: text("machine type", "", "m"),
		CRI: drawOptional(t, "cri", "", "c"), CARotation: drawRotation(t, "ca"), ServiceAccountKeyRotation: drawRotation(t, "key"),
		NodeLocalDNS: rapid.Bool().Draw(t, "dns"), KubeProxyMode: text("mode", "", "IPTables", "IPVS"),
	}
	if rapid.Bool().Draw(t, "image") {
		w.Image = &hash.Image{Name: text("image name", "", "i", "i1"), Version: text("image version", "", "1.2", ".2")}
	}
	if rapid.Bool().Draw(t, "volume") {
		w.Volume = &hash.Volume{Size: text("size", "", "1Gi"), Type: drawOptional(t, "volume type", "", "c")}
	}
	if rapid.Bool().Draw(t, "kubelet") {
		w.Kubelet = &hash.Kubelet{
			KubeReserved: drawReserved(t, "kube"), SystemReserved: drawReserved(t, "system"), SumReservations: true,
			CPUManagerPolicy: drawOptional(t, "policy", "", "static"),
		}
		if rapid.Bool().Draw(t, "eviction") {
			w.Kubelet.EvictionHard = &hash.EvictionHard{
				MemoryAvailable: drawOptional(t, "memory available", "", "1Gi"), ImageFSAvailable: drawOptional(t, "imagefs", "5%"),
				ImageFSInodesFree: drawOptional(t, "imagefs inodes", "5%"), NodeFSAvailable: drawOptional(t, "nodefs", "5%"),
				NodeFSInodesFree: drawOptional(t, "nodefs inodes", "5%"),
			}
		}
	}
	return w
}

// TestEveryOtherNameHasACause: if Gardener gives a pool another name, some field is the cause; one whose class is
// InPlace if the name of a pool changes that is updated in place.
func TestEveryOtherNameHasACause(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		old := facts.Pool{Worker: drawWorker(rt)}
		updated := old
		if rapid.Bool().Draw(rt, "one field") {
			other := drawWorker(rt)
			i := rapid.IntRange(1, reflect.TypeFor[hash.Worker]().NumField()-1).Draw(rt, "field")
			reflect.ValueOf(&updated.Worker).Elem().Field(i).Set(reflect.ValueOf(other).Field(i))
		} else {
			updated.Worker = drawWorker(rt)
		}
		changed, err := facts.ChangedFields(&old, &updated, func(string) bool { return false })
		require.NoError(rt, err)
		if keyOf(t, &old, hotupdate.AutoRollingUpdate) != keyOf(t, &updated, hotupdate.AutoRollingUpdate) {
			require.NotEmpty(rt, changed.Named)
		}
		isInPlace := false
		for _, c := range changed.Named {
			isInPlace = isInPlace || c.Class == hotupdate.InPlace
		}
		isOther := keyOf(t, &old, hotupdate.AutoInPlaceUpdate) != keyOf(t, &updated, hotupdate.AutoInPlaceUpdate)
		require.Equal(rt, isOther, isInPlace, "%v", changed.Named)
		same, err := facts.ChangedFields(&updated, &updated, func(string) bool { return false })
		require.NoError(rt, err)
		assert.Empty(rt, same.All())
	})
}
