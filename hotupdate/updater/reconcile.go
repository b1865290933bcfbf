package updater

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// unknownRetry is when a machine is looked at again whose class, owner or secret could not be read.
const unknownRetry = 10 * time.Second

// reconcile updates a machine, and returns when to look at it again.
func (u *Updater) reconcile(ctx context.Context, name string) time.Duration {
	machine, err := u.cache.get(u.cache.machines, name)
	if err != nil || !isFinished(machine) || u.isStale(machine) {
		return 0 // the next event of the machine brings it back
	}
	observed, owned := u.observe(ctx, machine)
	result := u.executor.Reconcile(ctx, observed)
	u.written.Store(name, versionOf(result.Machine))
	if result.Err != nil && ctx.Err() == nil && !apierrors.IsConflict(result.Err) {
		klog.FromContext(ctx).Error(result.Err, "hot update", "machine", klog.KObj(machine))
	}
	if owned.inPlace {
		observed.Machine = result.Machine
		u.reportInPlace(&observed, owned)
	}
	if observed.ClassError != nil {
		return machineupdate.Earlier(result.Delay, unknownRetry)
	}
	return result.Delay
}

// isFinished reports whether MCM has finished creating a machine, and is not deleting it. A decision
// excludes such machines as well, apart from those with the phase Pending; here their classes and
// secrets are not even read.
func isFinished(machine *object) bool {
	switch text(machine, "status", "currentStatus", "phase") {
	case "", "Pending", "CrashLoopBackOff", "Failed", "Terminating":
		return false
	}
	return machine.GetDeletionTimestamp() == nil && text(machine, "spec", "providerID") != ""
}

// observe returns what a decision about the machine depends on.
func (u *Updater) observe(ctx context.Context, machine *object) (o machineupdate.Observation[*object], of ownership) {
	o = machineupdate.Observation[*object]{
		Machine: machine, ProviderID: text(machine, "spec", "providerID"), Settings: u.Settings,
		Phase: text(machine, "status", "currentStatus", "phase"),
	}
	o.Versions = func(ctx context.Context) (all []machineupdate.Hot, err error) {
		found, err := u.store.read(ctx)
		for _, class := range u.cache.origins(machine) {
			all = append(all, found.hots[class]...)
		}
		return all, err
	}
	if of, o.ClassError = u.cache.ownership(machine); o.ClassError != nil {
		return o, of
	}
	var class *object
	if class, o.Class, o.ClassError = u.prepare(of.wanted); o.ClassError != nil {
		return o, of
	}
	if of.inPlace {
		_, o.Former, _ = u.prepare(of.former) // it may be gone
	}
	if o.Secret, o.ClassError = u.secretOf(ctx, class); o.ClassError != nil {
		o.Class = nil
	}
	return o, of
}

// prepare reads a class.
func (u *Updater) prepare(name string) (class *object, prepared *machineupdate.Prepared, err error) {
	if class, err = u.cache.get(u.cache.classes, name); err != nil {
		return nil, nil, err
	}
	raw, err := json.Marshal(class.Object["providerSpec"])
	if err != nil {
		return nil, nil, err
	}
	read := machineupdate.MachineClass{Object: class, ProviderSpec: raw}
	prepared, beyond, err := u.classes.Prepare(read, u.Schema, u.driver())
	if beyond {
		u.recorder.Event(class, corev1.EventTypeNormal, "HotUpdateBeyond",
			"the class has changed outside of its hot part: running machines do not get that")
	}
	return class, prepared, err
}

// secretAge is how old the data of a secret may be.
const secretAge = 5 * time.Second

// secretOf returns the merged data of the secrets of a class. A secret that is missing is an error:
// MCM itself takes it as empty.
func (u *Updater) secretOf(ctx context.Context, class *object) (map[string][]byte, error) {
	data := map[string][]byte{}
	for _, member := range []string{"secretRef", "credentialsSecretRef"} {
		name, namespace := text(class, member, "name"), cmp.Or(text(class, member, "namespace"), u.Namespace)
		if name == "" {
			continue
		}
		found, err := u.secret(ctx, namespace, name)
		if err != nil {
			return nil, fmt.Errorf("the secret %s/%s of class %s: %w", namespace, name, class.GetName(), err)
		}
		maps.Copy(data, found.Data)
	}
	return data, nil
}

// secret reads a secret, or returns what was read a moment ago.
func (u *Updater) secret(ctx context.Context, namespace, name string) (*corev1.Secret, error) {
	key := namespace + "/" + name
	if known, ok := u.secrets.Get(key); ok {
		return known.(*corev1.Secret), nil //nolint:forcetypeassert // it holds nothing else
	}
	found, err := u.clients.core.Secrets(namespace).Get(ctx, name, metav1.GetOptions{})
	if err == nil {
		u.secrets.Set(key, found, secretAge)
	}
	return found, err
}

// isStale reports whether the cache lags behind our own last write. An event is on its way then.
// That saves conflicts, and is not needed for safety.
func (u *Updater) isStale(machine *object) bool {
	written, ok := u.written.Load(machine.GetName())
	return ok && versionOf(machine) < written.(uint64) //nolint:forcetypeassert // it holds nothing else
}

// versionOf returns the resourceVersion as a number; zero if it is none.
func versionOf(machine *object) uint64 {
	version, _ := strconv.ParseUint(machine.GetResourceVersion(), 10, 64)
	return version
}

// reportInPlace reports the InPlace part of a machine that is to be updated in place, once for each
// state.
func (u *Updater) reportInPlace(observed *machineupdate.Observation[*object], of ownership) {
	state, name := observed.InPlace(), observed.Machine.GetName()
	if observed.Class == nil {
		return
	}
	said := of.wanted + ": " + state.String()
	before, _ := u.reported.Swap(name, said)
	isDone := state == machineupdate.InPlaceApplied || state == machineupdate.InPlaceUnconfirmed
	if before != said && !isDone && of.former != of.wanted {
		u.recorder.Event(observed.Machine, corev1.EventTypeNormal, "InPlaceUpdate"+state.String(),
			"the InPlace part of the class "+of.wanted+" is not applied: that needs a gate at the drain of the node")
	}
}
