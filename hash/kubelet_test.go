package hash_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hash"
)

func quantityOf(text string) *resource.Quantity { return new(resource.MustParse(text)) }

func TestKubeletData(t *testing.T) {
	t.Parallel()
	cpu := func(text string) *hash.Reserved { return &hash.Reserved{CPU: quantityOf(text)} }
	for _, test := range []struct {
		name   string
		in     *hash.Kubelet
		want   []string
		reason string
	}{
		{"nil", nil, nil, "a Shoot without kubelet configuration"},
		{"empty", &hash.Kubelet{}, nil, "nothing that counts"},
		{
			"all reservations",
			&hash.Kubelet{KubeReserved: &hash.Reserved{
				CPU: quantityOf("80m"), Memory: quantityOf("1Gi"), EphemeralStorage: quantityOf("20Gi"), PID: quantityOf("10k"),
			}},
			[]string{"80m-1Gi-10k-20Gi"},
			"CPU, memory, PID, ephemeral storage, which is not the order of the fields",
		},
		{"one reservation", &hash.Kubelet{KubeReserved: cpu("80m")}, []string{"80m-<nil>-<nil>-<nil>"}, "absent ones are <nil>"},
		{"no reservation", &hash.Kubelet{KubeReserved: &hash.Reserved{}}, []string{"<nil>-<nil>-<nil>-<nil>"}, "an empty object counts"},
		{"zero", &hash.Kubelet{KubeReserved: cpu("0")}, []string{"0-<nil>-<nil>-<nil>"}, "zero is not absent"},
		{"canonical form", &hash.Kubelet{KubeReserved: cpu("0.080")}, []string{"80m-<nil>-<nil>-<nil>"}, "spelling does not count"},
		{
			"form counts",
			&hash.Kubelet{KubeReserved: &hash.Reserved{Memory: quantityOf("1073741824")}},
			[]string{"<nil>-1073741824-<nil>-<nil>"},
			"1Gi would be another string, although it is the same value",
		},
		{"system, newest", &hash.Kubelet{SystemReserved: cpu("1")}, nil, "the newest releases do not look at it"},
		{
			"both, newest",
			&hash.Kubelet{KubeReserved: cpu("1"), SystemReserved: cpu("2")},
			[]string{"1-<nil>-<nil>-<nil>"},
			"the newest releases do not look at it",
		},
		{
			"system, older",
			&hash.Kubelet{SystemReserved: cpu("1"), SumReservations: true},
			[]string{"1-<nil>-<nil>-<nil>"},
			"nil + x = x for the object",
		},
		{
			"both, older",
			&hash.Kubelet{
				KubeReserved:    &hash.Reserved{CPU: quantityOf("80m"), Memory: quantityOf("1Gi")},
				SystemReserved:  &hash.Reserved{CPU: quantityOf("20m"), PID: quantityOf("10k")},
				SumReservations: true,
			},
			[]string{"100m-1Gi-10k-<nil>"},
			"field by field; nil + x = x for a field",
		},
		{
			"mixed forms, older",
			&hash.Kubelet{
				KubeReserved:    &hash.Reserved{Memory: quantityOf("1Gi")},
				SystemReserved:  &hash.Reserved{Memory: quantityOf("1024")},
				SumReservations: true,
			},
			[]string{"<nil>-1048577Ki-<nil>-<nil>"},
			"the sum has the form of the kube reservation",
		},
		{"neither, older", &hash.Kubelet{SumReservations: true}, nil, "nil + nil = nil"},
		{
			"eviction",
			&hash.Kubelet{EvictionHard: &hash.EvictionHard{
				MemoryAvailable: new("100Mi"), ImageFSAvailable: new("5%"), ImageFSInodesFree: new("6%"),
				NodeFSAvailable: new("7%"), NodeFSInodesFree: new("8%"),
			}},
			[]string{"5%-6%-100Mi-7%-8%"},
			"image file system, memory, node file system, which is not the order of the fields",
		},
		{
			"one threshold", &hash.Kubelet{EvictionHard: &hash.EvictionHard{MemoryAvailable: new("100Mi")}},
			[]string{"--100Mi--"},
			"absent ones are empty",
		},
		{"no threshold", &hash.Kubelet{EvictionHard: &hash.EvictionHard{}}, []string{"----"}, "an empty object counts"},
		{"policy", &hash.Kubelet{CPUManagerPolicy: new("static")}, []string{"static"}, "as it is"},
		{"empty policy", &hash.Kubelet{CPUManagerPolicy: new("")}, []string{""}, "empty is not nil"},
		{
			"all", &hash.Kubelet{
				KubeReserved: cpu("1"), EvictionHard: &hash.EvictionHard{MemoryAvailable: new("1Gi")}, CPUManagerPolicy: new("none"),
			},
			[]string{"1-<nil>-<nil>-<nil>", "--1Gi--", "none"},
			"in this order",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, kubeletData(t, test.in), test.reason)
		})
	}
}

// The types of Gardener's API, in its order and with struct tags: an adapter converts pointers to them.
type (
	gardenerReserved struct {
		CPU              *resource.Quantity `json:"cpu,omitempty"`
		Memory           *resource.Quantity `json:"memory,omitempty"`
		EphemeralStorage *resource.Quantity `json:"ephemeralStorage,omitempty"`
		PID              *resource.Quantity `json:"pid,omitempty"`
	}
	gardenerEviction struct {
		MemoryAvailable   *string `json:"memoryAvailable,omitempty"`
		ImageFSAvailable  *string `json:"imageFSAvailable,omitempty"`
		ImageFSInodesFree *string `json:"imageFSInodesFree,omitempty"`
		NodeFSAvailable   *string `json:"nodeFSAvailable,omitempty"`
		NodeFSInodesFree  *string `json:"nodeFSInodesFree,omitempty"`
	}
)

func TestKubeletIsConvertedFromGardenersTypes(t *testing.T) {
	t.Parallel()
	var none *gardenerReserved
	k := &hash.Kubelet{
		KubeReserved:    (*hash.Reserved)(&gardenerReserved{PID: quantityOf("10k")}),
		SystemReserved:  (*hash.Reserved)(none),
		EvictionHard:    (*hash.EvictionHard)(&gardenerEviction{NodeFSInodesFree: new("5%")}),
		SumReservations: true,
	}
	assert.Equal(t, []string{"<nil>-<nil>-10k-<nil>", "----5%"}, kubeletData(t, k))
}

// Quantity.String keeps its result in the quantity. Informers share their objects, so the caller's must not be written to.
func TestKubeletDataLeavesQuantitiesAlone(t *testing.T) {
	t.Parallel()
	fresh := func() *hash.Reserved {
		return &hash.Reserved{CPU: resource.NewMilliQuantity(80, resource.DecimalSI), PID: resource.NewQuantity(1000, resource.DecimalSI)}
	}
	for _, sum := range []bool{false, true} {
		k := &hash.Kubelet{KubeReserved: fresh(), SystemReserved: fresh(), SumReservations: sum}
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() { _ = kubeletData(t, k) })
		}
		group.Wait()
		assert.Equal(t, fresh(), k.KubeReserved, sum)
		assert.Equal(t, fresh(), k.SystemReserved, sum)
	}
}

// drawReserved draws reservations in one form for each field, with each field absent at times.
func drawReserved(t *rapid.T, label string) *hash.Reserved {
	amount := rapid.Ptr(rapid.Int64Range(0, 1<<40), true)
	quantity := func(field string, format resource.Format) *resource.Quantity {
		if n := amount.Draw(t, label+" "+field); n != nil {
			return resource.NewQuantity(*n, format)
		}
		return nil
	}
	if rapid.IntRange(0, 4).Draw(t, label+" absent") == 0 {
		return nil
	}
	return &hash.Reserved{
		CPU: quantity("cpu", resource.DecimalSI), Memory: quantity("memory", resource.BinarySI),
		EphemeralStorage: quantity("storage", resource.BinarySI), PID: quantity("pid", resource.DecimalSI),
	}
}

func TestSumRuleMovingReservationsChangesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := drawReserved(t, "a")
		b := drawReserved(t, "b")
		whole := kubeletData(t, &hash.Kubelet{KubeReserved: a, SystemReserved: b, SumReservations: true})
		swapped := kubeletData(t, &hash.Kubelet{KubeReserved: b, SystemReserved: a, SumReservations: true})
		assert.Equal(t, whole, swapped, "moved over as a whole")

		hasMemory := func(r *hash.Reserved) bool { return r != nil && r.Memory != nil }
		if !hasMemory(a) || !hasMemory(b) {
			return
		}
		part := rapid.Int64Range(0, a.Memory.Value()).Draw(t, "part")
		left := *a
		right := *b
		left.Memory = new(a.Memory.DeepCopy())
		right.Memory = new(b.Memory.DeepCopy())
		left.Memory.Sub(*resource.NewQuantity(part, resource.BinarySI))
		right.Memory.Add(*resource.NewQuantity(part, resource.BinarySI))
		moved := kubeletData(t, &hash.Kubelet{KubeReserved: &left, SystemReserved: &right, SumReservations: true})
		assert.Equal(t, whole, moved, "a part of the memory moved over")
	})
}

func TestSumRuleNilIsNeutral(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		x := drawReserved(t, "x")
		alone := kubeletData(t, &hash.Kubelet{KubeReserved: x})
		assert.Equal(t, alone, kubeletData(t, &hash.Kubelet{KubeReserved: x, SumReservations: true}), "x + nil = x")
		assert.Equal(t, alone, kubeletData(t, &hash.Kubelet{SystemReserved: x, SumReservations: true}), "nil + x = x")
		if x != nil {
			empty := &hash.Reserved{}
			assert.Equal(
				t, alone, kubeletData(t, &hash.Kubelet{KubeReserved: empty, SystemReserved: x, SumReservations: true}), "field by field",
			)
		}
	})
}

func TestNewestRuleIgnoresSystemReserved(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		kube := drawReserved(t, "kube")
		system := drawReserved(t, "system")
		assert.Equal(
			t, kubeletData(t, &hash.Kubelet{KubeReserved: kube}), kubeletData(t, &hash.Kubelet{KubeReserved: kube, SystemReserved: system}),
		)
	})
}

// The reservations are what the first string of the data says, whatever the rule.
func TestReservationsAreThoseOfTheData(t *testing.T) {
	t.Parallel()
	text := func(q *resource.Quantity) string {
		if q == nil {
			return "<nil>"
		}
		return new(q.DeepCopy()).String()
	}
	rapid.Check(t, func(t *rapid.T) {
		k := &hash.Kubelet{
			KubeReserved: drawReserved(t, "kube"), SystemReserved: drawReserved(t, "system"),
			SumReservations: rapid.Bool().Draw(t, "sum"),
		}
		r := k.Reservations()
		if r == nil {
			assert.Empty(t, kubeletData(t, k))
			return
		}
		assert.Equal(
			t, []string{text(r.CPU) + "-" + text(r.Memory) + "-" + text(r.PID) + "-" + text(r.EphemeralStorage)}, kubeletData(t, k),
		)
	})
}

func TestReservationsOfNothing(t *testing.T) {
	t.Parallel()
	var none *hash.Kubelet
	assert.Nil(t, none.Reservations())
	assert.Nil(t, kubeletData(t, none))
}

// kubeletData are the strings by which a kubelet's configuration is in a name.
func kubeletData(t require.TestingT, k *hash.Kubelet) []string {
	name, err := hash.NodeAgentSecretName(hash.Worker{Name: "p", KubernetesVersion: "1.34.0", Kubelet: k})
	require.NoError(t, err)
	var data []string
	for _, part := range name.Inputs[2:] {
		data = append(data, part.Value)
	}
	return data
}
