package gardener

import (
	v1beta1helper "github.com/gardener/gardener/pkg/api/core/v1beta1/helper"
	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// typeOfProfile is the reason why the reservations of a pool are not known.
const typeOfProfile reason = "useGKEFormula reserves by the machine type in the CloudProfile, which is missing"

// Real machines are smaller, and their pools reserve less, than machines of a type by [permissiveProfileSpec].
var (
	assumedCPU    = *resource.NewQuantity(1<<20, resource.DecimalSI)
	assumedMemory = *resource.NewQuantity(1<<50, resource.BinarySI)

	mostReservedCPU    = *resource.NewQuantity(1<<11, resource.DecimalSI)
	mostReservedMemory = *resource.NewQuantity(1<<42, resource.BinarySI)
)

// sameReservations returns copies of both workers of a pool without the CPU and the memory that only one side reserves
// by an assumed machine type: the other side may reserve the same. It is false if there are none.
func sameReservations(old, updated *gardencorev1beta1.Shoot, before, after *gardencorev1beta1.Worker) (
	first, second *gardencorev1beta1.Worker, found bool,
) {
	first, a := withEffectiveKubelet(old, before)
	second, b := withEffectiveKubelet(updated, after)
	if isAssumedOf(a, cpuOf, mostReservedCPU) != isAssumedOf(b, cpuOf, mostReservedCPU) {
		unset(cpuOf, a, b)
		found = true
	}
	if isAssumedOf(a, memoryOf, mostReservedMemory) != isAssumedOf(b, memoryOf, mostReservedMemory) {
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

func isAssumedOf(kubelet *gardencorev1beta1.KubeletConfig, of member, most resource.Quantity) bool {
	if kubelet == nil || kubelet.KubeReserved == nil {
		return false
	}
	quantity := *of(kubelet.KubeReserved)
	return quantity != nil && quantity.Cmp(most) > 0
}

func unset(of member, kubelets ...*gardencorev1beta1.KubeletConfig) {
	for _, kubelet := range kubelets {
		if kubelet != nil && kubelet.KubeReserved != nil {
			*of(kubelet.KubeReserved) = nil
		}
	}
}
