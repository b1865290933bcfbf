package gardener

import (
	v1beta1helper "github.com/gardener/gardener/pkg/api/core/v1beta1/helper"
	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// typeOfProfile is the reason why the reservations of a pool are not known.
const typeOfProfile reason = "useGKEFormula reserves by the machine type in the CloudProfile, which is missing"

// What machines of a type by [permissiveProfileSpec] have, and what useGKEFormula reserves for them. No user
// reserves just as much.
var (
	assumedCPU    = *resource.NewQuantity(1<<20, resource.DecimalSI)
	assumedMemory = *resource.NewQuantity(1<<50, resource.BinarySI)

	assumedReservedCPU    = *resource.NewMilliQuantity(2_621_510, resource.DecimalSI)
	assumedReservedMemory = *resource.NewQuantity(22_525_256_631_576, resource.BinarySI)
)

// sameReservations returns copies of both workers of a pool without the CPU and the memory that only one side reserves
// by an assumed machine type: the other side may reserve the same. It is false if there are none.
func sameReservations(old, updated *gardencorev1beta1.Shoot, before, after *gardencorev1beta1.Worker) (
	first, second *gardencorev1beta1.Worker, found bool,
) {
	first, a := withEffectiveKubelet(old, before)
	second, b := withEffectiveKubelet(updated, after)
	if isAssumedOf(a, cpuOf, assumedReservedCPU) != isAssumedOf(b, cpuOf, assumedReservedCPU) {
		unset(cpuOf, a, b)
		found = true
	}
	if isAssumedOf(a, memoryOf, assumedReservedMemory) != isAssumedOf(b, memoryOf, assumedReservedMemory) {
		unset(memoryOf, a, b)
		found = true
	}
	return first, second, found
}

// withEffectiveKubelet returns a copy of a worker whose own kubelet configuration is the effective one.
func withEffectiveKubelet(shoot *gardencorev1beta1.Shoot, worker *gardencorev1beta1.Worker) (
	*gardencorev1beta1.Worker, *gardencorev1beta1.KubeletConfig,
) {
	all := worker.DeepCopy()
	kubelet := v1beta1helper.CalculateEffectiveKubeletConfiguration(shoot.Spec.Kubernetes.Kubelet, worker.Kubernetes)
	if kubelet == nil {
		return all, nil
	}
	if all.Kubernetes == nil {
		all.Kubernetes = &gardencorev1beta1.WorkerKubernetes{}
	}
	all.Kubernetes.Kubelet = kubelet.DeepCopy()
	return all, all.Kubernetes.Kubelet
}

// member is a reservation.
type member func(*gardencorev1beta1.KubeletConfigReserved) **resource.Quantity

func cpuOf(r *gardencorev1beta1.KubeletConfigReserved) **resource.Quantity    { return &r.CPU }
func memoryOf(r *gardencorev1beta1.KubeletConfigReserved) **resource.Quantity { return &r.Memory }

func isAssumedOf(kubelet *gardencorev1beta1.KubeletConfig, of member, assumed resource.Quantity) bool {
	if kubelet == nil || kubelet.KubeReserved == nil {
		return false
	}
	quantity := *of(kubelet.KubeReserved)
	return quantity != nil && quantity.Cmp(assumed) == 0
}

func unset(of member, kubelets ...*gardencorev1beta1.KubeletConfig) {
	for _, kubelet := range kubelets {
		if kubelet != nil && kubelet.KubeReserved != nil {
			*of(kubelet.KubeReserved) = nil
		}
	}
}
