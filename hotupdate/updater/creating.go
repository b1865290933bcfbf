package updater

import (
	"context"
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// Creating stores the version of the class with which the driver is about to create or to
// initialize a VM. Call it at the top of CreateMachine and of InitializeMachine, with the objects
// of the request and the raw provider spec. It tries for at most 5 seconds. It works in every
// process, whether or not Run has the lease.
//
// If the version cannot be stored, the creation goes on: an event and a metric report it. If the
// class then drops a key before this machine is adopted, the key stays on the VM. A machine outside
// of the Namespace of the Options is also reported, and nothing is stored for it. A nil Updater
// stores nothing.
//
// If Run was not called within a minute after New, the event HotUpdateNotRunning of the machine says
// so.
func (u *Updater) Creating(ctx context.Context, machine, class metav1.Object, providerSpec []byte) {
	if u == nil {
		return
	}
	u.record()
	u.tellNotRunning(ctx, machine)
	if own := machine.GetNamespace(); own != "" && own != u.options.Namespace {
		u.notStored(ctx, "Foreign", machine, &fault.Error{
			Kind: fault.Misuse, Code: "other-namespace", Where: "updater.Options", Field: "Namespace",
			What: "is " + u.options.Namespace + ", while the machine is in " + own,
			Hint: "set it to the namespace of the machines, which is MCM's flag --namespace",
		})
		return
	}
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	read := machineupdate.MachineClass{Object: class, ProviderSpec: providerSpec}
	version, err := u.creating.Prepare(read, u.driver)
	if err != nil {
		u.notStored(ctx, "Unreadable", machine, err)
		return
	}
	wrote, err := u.store.additions.add(ctx, class.GetName(), version)
	switch {
	case err != nil:
		u.notStored(ctx, "Failed", machine, err)
	case wrote:
		u.metrics.versions.WithLabelValues("Stored").Inc()
	default:
		u.metrics.versions.WithLabelValues("Known").Inc()
	}
}

// runGrace is the time after New within which Run must be called.
const runGrace = time.Minute

// tellNotRunning reports, as an event of a machine, that Run was not called, so that no machine is
// updated.
func (u *Updater) tellNotRunning(ctx context.Context, machine metav1.Object) {
	if u.ran.Load() || time.Since(u.made) < runGrace {
		return
	}
	const what = "hot updates do not run in this process: Updater.Run was not called"
	u.recorder.Event(u.reference(machine), corev1.EventTypeWarning, "HotUpdateNotRunning", what)
	klog.FromContext(ctx).Error(errors.New(what), "hot updates", "machine", klog.KObj(machine))
}

// reference refers to a Machine whose kind may not be set.
func (u *Updater) reference(machine metav1.Object) *corev1.ObjectReference {
	namespace := machine.GetNamespace()
	if namespace == "" {
		namespace = u.options.Namespace
	}
	return &corev1.ObjectReference{
		APIVersion: machineAPI.String(), Kind: "Machine", Namespace: namespace,
		Name: machine.GetName(), UID: machine.GetUID(),
	}
}

// notStored reports a version that is not stored.
func (u *Updater) notStored(ctx context.Context, outcome string, machine metav1.Object, err error) {
	u.metrics.versions.WithLabelValues(outcome).Inc()
	u.recorder.Event(u.reference(machine), corev1.EventTypeWarning, "HotUpdateVersionNotStored",
		"the VM is created with a version of its class that is not stored: "+err.Error())
	klog.FromContext(ctx).Error(err, "version of the class not stored", "machine", klog.KObj(machine))
}
