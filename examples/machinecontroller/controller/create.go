package controller

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/driver"
)

// create makes and initializes the VM of a machine without one. Both write to the cloud, and an
// update may have to undo that. So the marker is written before.
func (r *reconciliation) create(ctx context.Context) (time.Duration, error) {
	if phase := r.machine.Status.CurrentStatus.Phase; r.machine.Spec.ProviderID != "" && phase != "" &&
		phase != api.MachineCrashLoopBackOff {
		return r.Retry.Long, nil
	}
	found, err := r.Driver.GetMachineStatus(ctx, r.request())
	switch code := driver.CodeOf(err); {
	// made by a process that could not record it, or before a control-plane migration: the spec is
	// not known
	case err == nil:
	case code == driver.Uninitialized:
		return r.initializeAgain(ctx, found)
	case code == driver.NotFound && r.machine.Spec.ProviderID == "":
		return r.launch(ctx)
	case code == driver.NotFound: // reads lag
		found = &driver.Response{ProviderID: r.machine.Spec.ProviderID, NodeName: r.machine.Labels[api.NodeLabelKey]}
	default:
		return r.failed(ctx, err, "Cloud provider message - "+err.Error())
	}
	if err := r.adopt(ctx, found); err != nil {
		return r.Retry.Short, err
	}
	return r.Retry.Short, r.writeStatus(ctx, api.MachinePending, api.LastOperation{
		Description: "Creating machine on cloud provider", State: api.MachineStateProcessing,
		Type: api.MachineOperationCreate,
	})
}

// launch makes and initializes a VM, and records the spec.
func (r *reconciliation) launch(ctx context.Context) (time.Duration, error) {
	executor := r.executor()
	creation, begun := executor.BeginCreation(ctx, r.machine, r.observation(), classOf(r.class))
	r.machine = begun.Machine
	if creation == nil {
		return begun.RequeueWithin(r.Retry.Long), begun.Err
	}
	// nothing is sent after the context's deadline
	made, err := r.Driver.CreateMachine(creation.Context(ctx), r.request())
	if err != nil {
		return r.failed(ctx, err, "Cloud provider message - "+err.Error())
	}
	if err := r.adopt(ctx, made); err != nil {
		return r.Retry.Short, err
	}
	if _, err := r.Driver.InitializeMachine(creation.Context(ctx), r.request()); err != nil {
		return r.failed(ctx, err, "Provider error: "+err.Error()+". "+api.InstanceInitialization)
	}
	finished := executor.FinishCreation(ctx, creation, r.machine, made.ProviderID)
	r.machine = finished.Machine
	return r.Retry.Short, finished.Err
}

// initializeAgain initializes a VM that exists.
func (r *reconciliation) initializeAgain(ctx context.Context, found *driver.Response) (time.Duration, error) {
	creation, begun := r.executor().BeginCreation(ctx, r.machine, r.observation(), classOf(r.class))
	r.machine = begun.Machine
	if creation == nil {
		return begun.RequeueWithin(r.Retry.Long), begun.Err
	}
	if err := r.adopt(ctx, found); err != nil {
		return r.Retry.Short, err
	}
	if _, err := r.Driver.InitializeMachine(creation.Context(ctx), r.request()); err != nil {
		return r.failed(ctx, err, "Provider error: "+err.Error()+". "+api.InstanceInitialization)
	}
	return r.Retry.Short, nil
}

// adopt writes the provider ID and the node of the machine.
func (r *reconciliation) adopt(ctx context.Context, found *driver.Response) error {
	if r.machine.Spec.ProviderID == found.ProviderID && r.machine.Labels[api.NodeLabelKey] == found.NodeName {
		return nil
	}
	r.machine.Spec.ProviderID = found.ProviderID
	metav1.SetMetaDataLabel(&r.machine.ObjectMeta, api.NodeLabelKey, found.NodeName)
	return r.write(ctx)
}

// failed writes that creation or initialization failed. They are repeated until CreationTimeout.
func (r *reconciliation) failed(ctx context.Context, cause error, description string) (time.Duration, error) {
	if ctx.Err() != nil {
		return r.Retry.Long, cause
	}
	phase := api.MachineCrashLoopBackOff
	if r.since(r.machine.CreationTimestamp) > r.CreationTimeout {
		phase = api.MachineFailed
	}
	err := r.writeStatus(ctx, phase, api.LastOperation{
		Description: description, ErrorCode: string(driver.CodeOf(cause)), State: api.MachineStateFailed,
		Type: api.MachineOperationCreate,
	})
	if err == nil {
		err = cause
	}
	return r.Retry.Short, err
}
