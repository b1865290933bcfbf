package updater

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/klog/v2"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// phasePending is the phase of a machine that has a VM and has not joined. MCM still writes to it.
const phasePending = "Pending"

// unknownRetry is when a machine is looked at again whose class, owner or secret could not be read.
const unknownRetry = 10 * time.Second

// reconcile updates a machine, and returns when to look at it again.
func (u *Updater) reconcile(ctx context.Context, name string) time.Duration {
	machine, err := u.cache.get(u.cache.machines, name)
	if err != nil || !isFinished(machine) || u.isStale(machine) {
		return 0 // the next event of the machine brings it back
	}
	observed, pool := u.observe(ctx, machine)
	result := u.executor.Reconcile(ctx, observed)
	u.remember(result.Machine)
	if result.Err != nil && ctx.Err() == nil && !apierrors.IsConflict(result.Err) {
		klog.FromContext(ctx).Error(result.Err, "hot update", "machine", klog.KObj(machine))
	}
	if pool.inPlace {
		observed.Machine = result.Machine
		u.reportInPlace(&observed, pool)
	}
	if observed.ClassError != nil {
		return machineupdate.Earlier(result.Delay, unknownRetry)
	}
	return result.Delay
}

// isFinished reports whether MCM has finished creating a machine, and is not deleting it.
func isFinished(machine *object) bool {
	switch text(machine, "status", "currentStatus", "phase") {
	case "", phasePending, "CrashLoopBackOff", "Failed", "Terminating":
		return false
	}
	return machine.GetDeletionTimestamp() == nil && text(machine, "spec", "providerID") != ""
}

// observe returns what a decision about the machine depends on.
func (u *Updater) observe(ctx context.Context, machine *object) (o machineupdate.Observation[*object], of pool) {
	o = machineupdate.Observation[*object]{
		Machine: machine, ProviderID: text(machine, "spec", "providerID"), Settings: u.Settings,
		Phase: text(machine, "status", "currentStatus", "phase"),
	}
	own := text(machine, "spec", "class", "name")
	o.Versions = func(ctx context.Context) ([]machineupdate.Hot, error) { return u.store.read(ctx, own) }
	if of, o.ClassError = u.cache.pool(machine); o.ClassError != nil {
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
	raw, err := u.cache.providerSpec(class)
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

// fetched is the data of a secret, or the error, at a time.
type fetched struct {
	at   time.Time
	data map[string][]byte
	err  error
}

// secretAge is how old the data of a secret may be.
const secretAge = 5 * time.Second

// secretOf returns the merged data of the secrets of a class. A secret that is missing is an error:
// MCM itself takes it as empty.
func (u *Updater) secretOf(ctx context.Context, class *object) (map[string][]byte, error) {
	data := map[string][]byte{}
	for _, member := range []string{"secretRef", "credentialsSecretRef"} {
		name, namespace := text(class, member, "name"), text(class, member, "namespace")
		if name == "" {
			continue
		}
		if namespace == "" {
			namespace = u.Namespace
		}
		found := u.secret(ctx, namespace, name)
		if found.err != nil {
			return nil, fmt.Errorf("the secret %s/%s of class %s: %w", namespace, name, class.GetName(), found.err)
		}
		maps.Copy(data, found.data)
	}
	return data, nil
}

// secret reads a secret, or returns what was read a moment ago.
func (u *Updater) secret(ctx context.Context, namespace, name string) fetched {
	key := namespace + "/" + name
	u.mutex.Lock()
	known, ok := u.secrets[key]
	u.mutex.Unlock()
	if ok && now().Sub(known.at) < secretAge {
		return known
	}
	known = fetched{at: now(), data: map[string][]byte{}}
	secret, err := u.clients.secrets.Resource(corev1.SchemeGroupVersion.WithResource("secrets")).Namespace(namespace).
		Get(ctx, name, metav1.GetOptions{})
	if known.err = err; err == nil {
		known.data, known.err = dataOf(secret)
	}
	if ctx.Err() == nil {
		u.mutex.Lock()
		u.secrets[key] = known
		u.mutex.Unlock()
	}
	return known
}

func dataOf(secret *object) (map[string][]byte, error) {
	var typed corev1.Secret
	err := runtime.DefaultUnstructuredConverter.FromUnstructured(secret.Object, &typed)
	return typed.Data, err
}

// isStale reports whether the cache lags behind our own last write. An event is on its way then.
// That saves conflicts, and is not needed for safety.
func (u *Updater) isStale(machine *object) bool {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	return versionOf(machine) < u.written[machine.GetName()]
}

// remember remembers the version of our last write.
func (u *Updater) remember(machine *object) {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	u.written[machine.GetName()] = max(u.written[machine.GetName()], versionOf(machine))
}

// versionOf returns the resourceVersion as a number; zero if it is none, which is never stale.
func versionOf(machine *object) uint64 {
	version, _ := strconv.ParseUint(machine.GetResourceVersion(), 10, 64)
	return version
}

// forgetMachine drops what is remembered about a machine that is gone.
func (u *Updater) forgetMachine(name string) {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	delete(u.written, name)
	delete(u.reported, name)
}

// reportInPlace reports the InPlace part of a machine that is to be updated in place, once for each
// state.
func (u *Updater) reportInPlace(observed *machineupdate.Observation[*object], of pool) {
	state, name := observed.InPlace(), observed.Machine.GetName()
	if observed.Class == nil {
		return
	}
	said := of.wanted + ": " + state.String()
	u.mutex.Lock()
	before := u.reported[name]
	u.reported[name] = said
	u.mutex.Unlock()
	isDone := state == machineupdate.InPlaceApplied || state == machineupdate.InPlaceUnconfirmed
	if before != said && !isDone && of.former != of.wanted {
		u.recorder.Event(observed.Machine, corev1.EventTypeNormal, "InPlaceUpdate"+state.String(),
			"the InPlace part of the class "+of.wanted+" is not applied: that needs a gate at the drain of the node")
	}
}
