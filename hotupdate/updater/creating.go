package updater

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// Creating stores the version of the class with which the driver is about to create or to
// initialize a VM. Call it at the top of CreateMachine and of InitializeMachine, with the objects
// of the request and the raw provider spec. It tries for at most 5 seconds. In every process it
// works, whether Run leads or not.
//
// If the version cannot be stored, the creation goes on: an event and a metric report it. If the
// class drops a key before this machine is adopted, the key then stays on the VM. A nil Updater
// stores nothing.
func (u *Updater) Creating(ctx context.Context, machine, class metav1.Object, providerSpec []byte) {
	if u == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	read := machineupdate.MachineClass{Object: class, ProviderSpec: providerSpec}
	version, _, err := u.creating.Prepare(read, u.Schema, u.driver())
	if err != nil {
		u.notStored(ctx, "Unreadable", machine, err)
		return
	}
	switch wrote, err := u.store.additions.add(ctx, class.GetName(), version); {
	case err != nil:
		u.notStored(ctx, "Failed", machine, err)
	case wrote:
		u.metrics.versions.WithLabelValues("Stored").Inc()
	default:
		u.metrics.versions.WithLabelValues("Known").Inc()
	}
}

// notStored reports a version that is not stored.
func (u *Updater) notStored(ctx context.Context, outcome string, machine metav1.Object, err error) {
	u.metrics.versions.WithLabelValues(outcome).Inc()
	named := &corev1.ObjectReference{ // the object need not know its kind
		APIVersion: machineAPI.String(), Kind: "Machine", Namespace: machine.GetNamespace(), Name: machine.GetName(),
		UID: machine.GetUID(),
	}
	u.recorder.Event(named, corev1.EventTypeWarning, "HotUpdateVersionNotStored",
		"the VM is created with a version of its class that is not stored: "+err.Error())
	klog.FromContext(ctx).Error(err, "version of the class not stored", "machine", klog.KObj(machine))
}
