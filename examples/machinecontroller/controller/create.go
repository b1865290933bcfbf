package controller

import (
	"context"
	"time"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/driver"
)

// create makes the VM of a machine that has none, and initializes it. Both write to the cloud what an update would have to undo, so the
// marker is written before them.
func (r *reconciliation) create(ctx context.Context) (time.Duration, error) {
	if !r.needsCreation() {
		return 0, nil
	}
	found, err := r.config.Driver.MachineStatus(ctx, r.request())
	switch driver.CodeOf(err) {
	case driver.NotFound:
		if r.machine.Spec.ProviderID != "" {
			return r.crashLoop(ctx, err, "The VM is not visible") // reads lag: it may become so
		}
		return r.launch(ctx)
	case driver.Initialization:
		return r.initializeAgain(ctx)
	case driver.Unknown, driver.InvalidArgument, driver.DeadlineExceeded, driver.ResourceExhausted, driver.Unimplemented, driver.Internal,
		driver.Unauthenticated:
	}
	if err != nil {
		return MediumRetry, err
	}
	// The VM exists: the status was lost, or the process ended while it was made. Nobody knows with which spec, so nothing is recorded
	// but the VM; the missing record, or the marker, makes it be updated.
	if err := r.adopt(ctx, found); err != nil {
		return ShortRetry, err
	}
	return r.pending(ctx)
}

// needsCreation reports whether the creation flow has work: machine-controller-manager's own condition.
func (r *reconciliation) needsCreation() bool {
	phase := r.machine.Status.CurrentStatus.Phase
	return r.machine.Spec.ProviderID == "" || phase == "" || phase == api.MachineCrashLoopBackOff
}

// launch makes and initializes a VM, and records with which spec.
func (r *reconciliation) launch(ctx context.Context) (time.Duration, error) {
	executor := r.executor()
	creation, begun := executor.BeginCreation(ctx, r.observation())
	r.machine = begun.Machine
	if creation == nil {
		return begun.Delay, begun.Err
	}
	callCtx, cancel := creation.Context(ctx) // nothing is sent after its deadline
	defer cancel()
	made, err := r.config.Driver.CreateMachine(callCtx, r.request())
	if err != nil {
		return r.crashLoop(ctx, err, "Creating machine failed")
	}
	r.say("has the VM " + made.ProviderID)
	if err := r.adopt(ctx, made); err != nil {
		return ShortRetry, err
	}
	if _, err := r.config.Driver.InitializeMachine(callCtx, r.request()); err != nil {
		return r.crashLoop(ctx, err, api.InstanceInitialization)
	}
	finished := executor.FinishCreation(ctx, creation, r.machine, made.ProviderID)
	r.machine = finished.Machine
	if finished.Err != nil {
		return finished.Delay, finished.Err
	}
	return r.pending(ctx)
}

// initializeAgain initializes a VM that exists.
func (r *reconciliation) initializeAgain(ctx context.Context) (time.Duration, error) {
	creation, begun := r.executor().BeginCreation(ctx, r.observation())
	r.machine = begun.Machine
	if creation == nil {
		return begun.Delay, begun.Err
	}
	callCtx, cancel := creation.Context(ctx)
	defer cancel()
	made, err := r.config.Driver.InitializeMachine(callCtx, r.request())
	if err != nil {
		return r.crashLoop(ctx, err, api.InstanceInitialization)
	}
	if err := r.adopt(ctx, made); err != nil {
		return ShortRetry, err
	}
	return r.pending(ctx)
}

// adopt writes which VM and node are the machine's.
func (r *reconciliation) adopt(ctx context.Context, found *driver.Response) error {
	if r.machine.Spec.ProviderID == found.ProviderID && r.machine.Labels[api.NodeLabel] == found.NodeName {
		return nil
	}
	r.machine.Spec.ProviderID = found.ProviderID
	if r.machine.Labels == nil {
		r.machine.Labels = map[string]string{}
	}
	r.machine.Labels[api.NodeLabel] = found.NodeName
	return r.write(ctx)
}

// pending waits for the node.
func (r *reconciliation) pending(ctx context.Context) (time.Duration, error) {
	return ShortRetry, r.writeStatus(ctx, api.MachinePending, api.LastOperation{
		Description: "Creating machine on cloud provider", State: api.StateProcessing, Type: api.OperationCreate,
	})
}

// crashLoop notes that creation or initialization failed, and will be tried again.
func (r *reconciliation) crashLoop(ctx context.Context, cause error, description string) (time.Duration, error) {
	if ctx.Err() != nil {
		return 0, cause
	}
	r.say(description + ": " + cause.Error())
	return ShortRetry, r.failed(ctx, cause, description)
}

// failed writes that something went wrong. If that has been so for too long the machine has failed. The time counts from the first
// failure, not from the creation of the machine: after a control-plane migration, machines of any age come here, and one stale read
// must not replace them.
func (r *reconciliation) failed(ctx context.Context, cause error, description string) error {
	phase, status := api.MachineCrashLoopBackOff, r.machine.Status.CurrentStatus
	if status.Phase == phase && r.config.Now().Sub(status.LastUpdateTime.Time) > r.config.CreationTimeout {
		phase = api.MachineFailed
	}
	return r.writeStatus(ctx, phase, api.LastOperation{
		Description: description, ErrorCode: driver.CodeOf(cause).String(), State: api.StateFailed, Type: api.OperationCreate,
	})
}
