package controller

import (
	"context"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/driver"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/store"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// reconciliation is one look at one machine.
type reconciliation struct {
	*Controller

	machine *api.Machine // as the last write of this reconciliation left it
	class   *api.MachineClass
	secret  *api.Secret

	prepared *machineupdate.Prepared
	classErr error
}

// reconcile looks at a machine and returns when to look again.
func (c *Controller) reconcile(ctx context.Context, name string) time.Duration {
	machine, err := store.Cached[api.Machine](ctx, c.config.Cache, name)
	if err != nil {
		return 0 // it is gone
	}
	return c.reconcileMachine(ctx, machine)
}

func (c *Controller) reconcileMachine(ctx context.Context, machine *api.Machine) time.Duration {
	r := &reconciliation{Controller: c, machine: machine}
	delay, err := r.run(ctx)
	switch {
	case err == nil || ctx.Err() != nil: // a process that has ended says nothing
	case apierrors.IsConflict(err):
		return ConflictRetry
	default:
		r.say(err.Error())
	}
	return delay
}

// run goes through the steps in machine-controller-manager's order. An error ends it.
func (r *reconciliation) run(ctx context.Context) (time.Duration, error) {
	if err := r.validate(ctx); err != nil {
		return LongRetry, err
	}
	if r.machine.DeletionTimestamp != nil {
		return r.delete(ctx)
	}
	if err := r.addFinalizer(ctx); err != nil {
		return ShortRetry, err
	}
	healthRetry, err := r.checkHealth(ctx)
	if err != nil {
		return ShortRetry, err
	}
	updateRetry := r.update(ctx)
	creationRetry, err := r.create(ctx)
	return machineupdate.Earlier(updateRetry, earliest(LongRetry, healthRetry, creationRetry)), err
}

// validate finds what the machine needs: its class and the class's secret.
func (r *reconciliation) validate(ctx context.Context) error {
	class, err := store.Cached[api.MachineClass](ctx, r.config.Cache, r.machine.Spec.Class.Name)
	if err != nil {
		return err
	}
	if class.SecretRef == nil {
		return fmt.Errorf("class %s names no secret", class.Name)
	}
	secret, err := store.Cached[api.Secret](ctx, r.config.Cache, class.SecretRef.Name)
	if err != nil {
		return err
	}
	r.class, r.secret = class, secret
	r.prepared, r.classErr = r.prepareClass(class)
	return nil
}

// prepare reads the class side of updates, once for each resourceVersion of the class.
func (c *Controller) prepare(class *api.MachineClass) (*machineupdate.Prepared, error) {
	prepared, beyond, err := c.classes.Prepare(machineupdate.ClassOf(class, class.ProviderSpec.Raw), c.config.Schema, c.config.Updates)
	if beyond {
		c.report(class.Name, "class "+class.Name+" changed in fields that no update applies: running machines keep what they were made with")
	}
	return prepared, err
}

func (r *reconciliation) addFinalizer(ctx context.Context) error {
	if slices.Contains(r.machine.Finalizers, api.Finalizer) {
		return nil
	}
	r.machine.Finalizers = append(r.machine.Finalizers, api.Finalizer)
	return r.write(ctx)
}

// write writes the machine, but not its status.
func (r *reconciliation) write(ctx context.Context) error {
	written, err := r.config.Machines.Update(ctx, r.machine, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	r.machine = written
	return nil
}

// writeStatus writes phase and last operation.
func (r *reconciliation) writeStatus(ctx context.Context, phase api.MachinePhase, operation api.LastOperation) error {
	now := metav1.NewTime(r.config.Now())
	operation.LastUpdateTime = now
	before := r.machine.Status.CurrentStatus.Phase
	if phase != before {
		r.machine.Status.CurrentStatus = api.CurrentStatus{Phase: phase, LastUpdateTime: now}
	}
	r.machine.Status.LastOperation = operation
	written, err := r.config.Machines.UpdateStatus(ctx, r.machine, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	r.machine = written
	if phase != before {
		r.say("phase " + string(phase))
	}
	return nil
}

func (r *reconciliation) request() *driver.Request {
	return &driver.Request{Machine: r.machine, MachineClass: r.class, Secret: r.secret}
}

func (r *reconciliation) say(text string) { r.report(r.machine.Name, text) }

// earliest returns the shortest delay that is not zero.
func earliest(delays ...time.Duration) time.Duration {
	var first time.Duration
	for _, delay := range delays {
		if delay > 0 && (first == 0 || delay < first) {
			first = delay
		}
	}
	return first
}
