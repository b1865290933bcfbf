package facts

import (
	"cmp"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// The values of a tree whose types have been checked. Absent values are nil or zero.

// valueIn returns what a function reads from a node.
func valueIn[T any](n *tree.Node, read func(*tree.Node) T) *T {
	if n == nil {
		return nil
	}
	return new(read(n))
}

func textIn(n *tree.Node) *string { return valueIn(n, (*tree.Node).Text) }

func textsIn(list *tree.Node) (texts []string) {
	for _, n := range list.Elements() {
		texts = append(texts, n.Text())
	}
	return texts
}

func wholeIn(n *tree.Node) int {
	number, _ := n.Number()
	whole, _ := number.Int64()
	return int(whole)
}

// checkWhole reports a number of machines that is below 0, which Gardener refuses.
func checkWhole(path string, n *tree.Node, problems *fault.List) {
	if wholeIn(n) < 0 {
		problems.Add(&fault.Error{
			Kind: fault.Invalid, Code: "negative-machines", Path: path, What: "is below 0",
			Hint: "write 0 or a greater number of machines",
		})
	}
}

// shareIn returns a number or a percentage.
func shareIn(n *tree.Node) *intstr.IntOrString {
	return valueIn(n, func(n *tree.Node) intstr.IntOrString {
		if n.Kind() == tree.Number {
			return intstr.FromInt32(int32(wholeIn(n)))
		}
		return intstr.FromString(n.Text())
	})
}

func timeIn(n *tree.Node) *metav1.Time {
	return valueIn(n, func(n *tree.Node) metav1.Time {
		t, _ := time.Parse(time.RFC3339, n.Text())
		return metav1.NewTime(t.Local())
	})
}

func quantityIn(n *tree.Node) *resource.Quantity {
	return valueIn(n, func(n *tree.Node) resource.Quantity {
		number, _ := n.Number()
		q, _ := leaf.ParseQuantity(cmp.Or(n.Text(), number.String()))
		return q
	})
}

func imageIn(n *tree.Node) *hash.Image {
	return valueIn(n, func(n *tree.Node) hash.Image {
		return hash.Image{Name: n.At("name").Text(), Version: n.At("version").Text()}
	})
}

func volumeIn(n *tree.Node) DataVolume {
	return DataVolume{
		Name: n.At("name").Text(), Size: n.At("size").Text(), Type: textIn(n.At("type")),
		Encrypted: valueIn(n.At("encrypted"), (*tree.Node).IsTrue),
	}
}

func rotationIn(n *tree.Node) hash.Rotation {
	r := hash.Rotation{LastInitiationTime: timeIn(n.At("lastInitiationTime"))}
	for _, p := range n.At("pendingWorkersRollouts").Elements() {
		r.PendingWorkersRollouts = append(r.PendingWorkersRollouts, hash.PendingWorkersRollout{
			Name: p.At("name").Text(), LastInitiationTime: timeIn(p.At("lastInitiationTime")),
		})
	}
	return r
}

func kubeletIn(n *tree.Node) *hash.Kubelet {
	return valueIn(n, func(n *tree.Node) hash.Kubelet {
		return hash.Kubelet{
			KubeReserved: reservedIn(n.At("kubeReserved")), SystemReserved: reservedIn(n.At("systemReserved")),
			EvictionHard:     valueIn(n.At("evictionHard"), thresholds),
			CPUManagerPolicy: textIn(n.At("cpuManagerPolicy")), SumReservations: true,
		}
	})
}

func reservedIn(n *tree.Node) *hash.Reserved {
	return valueIn(n, func(n *tree.Node) hash.Reserved {
		return hash.Reserved{
			CPU: quantityIn(n.At("cpu")), Memory: quantityIn(n.At("memory")),
			EphemeralStorage: quantityIn(n.At("ephemeralStorage")), PID: quantityIn(n.At("pid")),
		}
	})
}

func thresholds(n *tree.Node) hash.EvictionHard {
	return hash.EvictionHard{
		MemoryAvailable:  textIn(n.At("memoryAvailable")),
		ImageFSAvailable: textIn(n.At("imageFSAvailable")), ImageFSInodesFree: textIn(n.At("imageFSInodesFree")),
		NodeFSAvailable: textIn(n.At("nodeFSAvailable")), NodeFSInodesFree: textIn(n.At("nodeFSInodesFree")),
	}
}
