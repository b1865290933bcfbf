package controller

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/driver"
)

// reconciliation is one reconcile of one machine.
type reconciliation struct {
	*Controller

	machine *api.Machine // result of the last write of this reconciliation
	class   *api.MachineClass
	secret  *corev1.Secret
	node    *corev1.Node // nil if there is none
}

// reconcile reconciles a machine and returns the delay of the next reconcile.
func (c *Controller) reconcile(ctx context.Context, key string) time.Duration {
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return 0
	}
	machine, err := lookup[api.Machine](c.Cache.Machines, namespace, name)
	if err != nil {
		return 0 // the machine is gone
	}
	return c.reconcileMachine(ctx, machine.DeepCopy())
}

func (c *Controller) reconcileMachine(ctx context.Context, machine *api.Machine) time.Duration {
	r := &reconciliation{Controller: c, machine: machine}
	delay, err := r.reconcile(ctx)
	if err != nil && ctx.Err() == nil && !apierrors.IsConflict(err) { // an ended process does not report
		c.Recorder.Event(r.machine, corev1.EventTypeWarning, "ReconcileFailed", err.Error())
	}
	return delay
}

// reconcile runs the steps, and repeats them soon after a conflict.
func (r *reconciliation) reconcile(ctx context.Context) (time.Duration, error) {
	delay, err := r.run(ctx)
	if apierrors.IsConflict(err) && ctx.Err() == nil {
		delay = r.Retry.Conflict
	}
	return delay, err
}

// run takes the steps in machine-controller-manager's order. An error ends it. In any case the
// machine is reconciled again in time for its update.
func (r *reconciliation) run(ctx context.Context) (delay time.Duration, err error) {
	if err := r.validate(); err != nil {
		return r.Retry.Long, err
	}
	if r.machine.DeletionTimestamp != nil {
		return r.delete(ctx)
	}
	if err := r.addFinalizer(ctx); err != nil {
		return r.Retry.Short, err
	}
	healthRetry, err := r.checkHealth(ctx)
	if err != nil {
		return r.Retry.Short, err
	}
	updated := r.update(ctx)
	defer func() { delay = updated.RequeueWithin(delay) }()
	if underway, inPlaceRetry, err := r.inPlaceUpdate(ctx); underway {
		return inPlaceRetry, err
	}
	creationRetry, err := r.create(ctx)
	return min(healthRetry, creationRetry, r.Retry.Long), err
}

// validate finds the machine's class, the class's secret, and the machine's node if there is one.
func (r *reconciliation) validate() (err error) {
	r.class, r.secret, err = r.classAndSecret(r.machine.Spec.Class.Name)
	if err != nil {
		return err
	}
	r.node, err = lookup[corev1.Node](r.Cache.Nodes, "", r.machine.Labels[api.NodeLabelKey])
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// classAndSecret finds a class and its secret.
func (c *Controller) classAndSecret(name string) (*api.MachineClass, *corev1.Secret, error) {
	class, err := lookup[api.MachineClass](c.Cache.MachineClasses, c.Namespace, name)
	if err != nil {
		return nil, nil, fmt.Errorf("class: %w", err)
	}
	secret, err := lookup[corev1.Secret](c.Cache.Secrets, c.Namespace, class.SecretRef.Name)
	if err != nil {
		return nil, nil, fmt.Errorf("secret: %w", err)
	}
	return class, secret, nil
}

func (r *reconciliation) addFinalizer(ctx context.Context) error {
	if slices.Contains(r.machine.Finalizers, api.Finalizer) {
		return nil
	}
	r.machine.Finalizers = append(r.machine.Finalizers, api.Finalizer)
	return r.write(ctx)
}

// write writes the machine without its status.
func (r *reconciliation) write(ctx context.Context) error {
	written, err := r.Machines.Update(ctx, r.machine, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	r.machine = written
	return nil
}

// writeStatus writes phase and last operation if they change.
func (r *reconciliation) writeStatus(ctx context.Context, phase api.MachinePhase, operation api.LastOperation) error {
	now := metav1.NewTime(r.Now())
	status := r.machine.Status
	operation.LastUpdateTime = status.LastOperation.LastUpdateTime
	if status.CurrentStatus.Phase == phase && status.LastOperation == operation {
		return nil
	}
	operation.LastUpdateTime = now
	if phase != status.CurrentStatus.Phase {
		r.machine.Status.CurrentStatus = api.CurrentStatus{Phase: phase, LastUpdateTime: now}
	}
	r.machine.Status.LastOperation = operation
	written, err := r.Machines.UpdateStatus(ctx, r.machine, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	r.machine = written
	return nil
}

// since returns the time since a time of the API.
func (r *reconciliation) since(t metav1.Time) time.Duration { return r.Now().Sub(t.Time) }

func (r *reconciliation) request() *driver.Request {
	return &driver.Request{Machine: r.machine, MachineClass: r.class, Secret: r.secret}
}
