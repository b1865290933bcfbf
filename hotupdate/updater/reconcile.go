package updater

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/klog/v2"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// Times after which a machine is reconciled again.
const (
	unknownRetry = 10 * time.Second // its class, owner or secret could not be read
	brokenRetry  = time.Minute      // its reconcile did not return
)

// writtenAge is how long the cache may lag behind a write of this process. After that the write is
// forgotten: an API server that was restored from a backup counts from an older version on.
const writtenAge = time.Minute

// reconcile updates a machine, and returns the time until its next reconcile.
func (u *Updater) reconcile(ctx context.Context, name string) time.Duration {
	machine, err := u.cache.get(u.cache.machines, name)
	if err != nil || !isFinished(machine) {
		return 0 // the next event of the machine brings it back
	}
	if u.isStale(machine) {
		return writtenAge // an event is on its way
	}
	observed, owned := u.observe(ctx, machine)
	result := u.executor.Reconcile(ctx, machine, observed)
	u.noteWrite(machine, result.Machine)
	u.log(ctx, machine, result.Err)
	if owned.inPlace && ctx.Err() == nil {
		u.reportInPlace(result.Machine, &observed, owned)
	}
	if observed.ClassError != nil {
		return result.RequeueWithin(unknownRetry)
	}
	return result.RequeueAfter
}

// isFinished reports whether MCM has finished creating a machine, and is not deleting it. A
// decision also excludes other machines, except those in the phase Pending; this check saves
// reading their classes and secrets.
func isFinished(machine *object) bool {
	switch text(machine, "status", "currentStatus", "phase") {
	case "", "Pending", "CrashLoopBackOff", "Failed", "Terminating":
		return false
	}
	return machine.GetDeletionTimestamp() == nil && text(machine, "spec", "providerID") != ""
}

// observe returns what a decision about the machine depends on. It reports a class that cannot be used.
func (u *Updater) observe(ctx context.Context, machine *object) (o machineupdate.Observation, of ownership) {
	o = machineupdate.Observation{
		ProviderID: text(machine, "spec", "providerID"), Settings: u.options.Settings,
		Phase: text(machine, "status", "currentStatus", "phase"),
	}
	o.Versions = func(ctx context.Context) (versions []machineupdate.HotSpec, err error) {
		found, err := readStore(ctx, u.store.objects)
		if err != nil {
			return nil, err
		}
		origins, err := u.cache.origins(machine)
		problems := []error{err}
		for _, class := range origins {
			ofClass, err := found.versions(class)
			versions = append(versions, ofClass...)
			problems = append(problems, err)
		}
		return versions, errors.Join(problems...)
	}
	of, o.ClassError = u.cache.ownership(machine)
	if o.ClassError != nil {
		u.tellMachine(machine, reasonUnusable, o.ClassError.Error())
		return o, of
	}
	var class *object
	class, o.Class, o.ClassError = u.prepare(of.wanted)
	if o.ClassError == nil {
		if of.inPlace {
			_, o.Former, _ = u.prepare(of.former) // it may be gone
		}
		o.Secret, o.ClassError = u.secrets.of(ctx, class, u.options.Namespace)
	}
	if o.ClassError != nil {
		o.Class = nil
	}
	if ctx.Err() == nil {
		u.tellClass(of.wanted, class, o.ClassError)
	}
	return o, of
}

// prepare reads and prepares a class.
func (u *Updater) prepare(name string) (class *object, prepared *machineupdate.PreparedClass, err error) {
	class, err = u.cache.get(u.cache.classes, name)
	if err != nil {
		return nil, nil, err
	}
	raw, err := json.Marshal(class.Object["providerSpec"])
	if err != nil {
		return nil, nil, err
	}
	read := machineupdate.MachineClass{Object: class, ProviderSpec: raw}
	prepared, err = u.classes.Prepare(read, u.driver)
	return class, prepared, err
}

// tellNonHotChange reports a change of a class that its machines do not get.
func (u *Updater) tellNonHotChange(class metav1.Object) {
	u.recorder.Event(class.(*object), corev1.EventTypeNormal, "HotUpdateBeyond", //nolint:forcetypeassert // see prepare
		"the class has changed outside of its hot part: running machines do not get that")
}

// reasonUnusable is the reason of the events of classes whose machines are not updated.
const reasonUnusable = "HotUpdateClassUnusable"

// event records an event of a machine. What concerns all machines of a class is an event of the
// class: see tellClass.
func (u *Updater) event(machine runtime.Object, level, reason, message string) {
	if reason != reasonUnusable {
		u.recorder.Event(machine, level, reason, message)
	}
}

// tellClass reports why the machines of a class are not updated, once for all of them. Class is nil
// if there is none.
func (u *Updater) tellClass(name string, class *object, err error) {
	level := corev1.EventTypeWarning
	problem := ""
	switch {
	case err != nil:
		problem = err.Error()
	case class.GetDeletionTimestamp() != nil:
		level = corev1.EventTypeNormal
		problem = "the class is being deleted, so its machines are not updated"
	default:
		u.told.Delete(name)
		return
	}
	if before, _ := u.told.Swap(name, problem); before == problem {
		return
	}
	if class == nil {
		class = &object{}
		class.SetGroupVersionKind(machineAPI.WithKind("MachineClass"))
		class.SetNamespace(u.options.Namespace)
		class.SetName(name)
	}
	u.recorder.Event(class, level, reasonUnusable, problem)
}

// tellMachine reports a problem of a machine once, and again only after the machine was written or
// had another problem.
func (u *Updater) tellMachine(machine *object, reason, problem string) {
	if before, _ := u.broken.Swap(machine.GetName(), problem); before != problem {
		u.recorder.Event(machine, corev1.EventTypeWarning, reason, problem)
	}
}

// log logs the error of an update, with the stack of a panic. It logs neither conflicts, which are
// frequent, nor errors at the end of a term, since the next term repeats the update.
func (u *Updater) log(ctx context.Context, machine *object, err error) {
	logger := klog.FromContext(ctx).WithValues("machine", klog.KObj(machine))
	if problem, ok := errors.AsType[*machineupdate.PanicError](err); ok {
		logger.Error(err, "hot update", "stack", problem.Stack)
	} else if err != nil && ctx.Err() == nil && !apierrors.IsConflict(err) {
		logger.Error(err, "hot update")
	}
}

// tellBroken reports a reconcile that did not return.
func (u *Updater) tellBroken(ctx context.Context, name string, problem error) {
	u.metrics.count("None", "", "Panicked")
	machine, err := u.cache.get(u.cache.machines, name)
	if err != nil {
		machine = &object{}
		machine.SetName(name)
	} else {
		u.tellMachine(machine, "HotUpdateFailed", "the update of the machine was broken off: "+problem.Error())
	}
	u.log(ctx, machine, problem)
}

// updateMachine calls the driver.
func (u *Updater) updateMachine(ctx context.Context, request *machineupdate.UpdateMachineRequest) error {
	end := u.calls.begin(ctx, request)
	defer end()
	return termOf(ctx).call(func() error { return u.options.Driver.UpdateMachine(ctx, request) })
}

// noteWrite notes that this process has written a machine.
func (u *Updater) noteWrite(before, after *object) {
	if version := versionOf(after); version != versionOf(before) {
		u.written.Set(after.GetName(), version, writtenAge)
		u.broken.Delete(after.GetName())
	}
}

// isStale reports whether the cache lags behind our own last write. That saves conflicts, and is
// not needed for safety.
func (u *Updater) isStale(machine *object) bool {
	written, ok := u.written.Get(machine.GetName())
	return ok && versionOf(machine) < written.(uint64) //nolint:forcetypeassert // it holds nothing else
}

// versionOf returns the resourceVersion as a number; zero if it is none.
func versionOf(machine *object) uint64 {
	version, _ := strconv.ParseUint(machine.GetResourceVersion(), 10, 64)
	return version
}

// reportInPlace reports the state of the InPlace part of a machine that is updated in place, once
// for each state.
func (u *Updater) reportInPlace(machine *object, observed *machineupdate.Observation, of ownership) {
	state := observed.InPlace(machine)
	name := machine.GetName()
	if observed.Class == nil {
		return
	}
	said := of.wanted + ": " + state.String()
	before, _ := u.reported.Swap(name, said)
	isDone := state == machineupdate.InPlaceApplied || state == machineupdate.InPlaceUnconfirmed
	if before != said && !isDone && of.former != of.wanted {
		u.recorder.Event(machine, corev1.EventTypeNormal, "InPlaceUpdate"+state.String(), undone(state, of.wanted))
	}
}

// undone says what is known about the InPlace part of a class that is not applied, and what to do.
func undone(state machineupdate.InPlaceState, class string) string {
	part := "the InPlace part of the class " + class
	//exhaustive:ignore
	switch state {
	case machineupdate.InPlaceUnknown:
		return "it is not known whether " + part + " is applied: applying it needs a gate at the drain of the node"
	case machineupdate.InPlaceUnable:
		return part + " may differ from the machine's, and the driver cannot apply it: do not drain the node"
	default:
		return part + " is not applied: that needs a gate at the drain of the node"
	}
}
