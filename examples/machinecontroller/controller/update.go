package controller

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// update is the whole of what a machine controller adds for hot updates to its reconcile, between the sync of the node template and the
// in-place update. It returns its own delay, and ends nothing. The steps behind it work on the machine that it hands on.
func (r *reconciliation) update(ctx context.Context) time.Duration {
	result := r.executor().Reconcile(ctx, r.observation())
	r.machine = result.Machine
	return result.Delay
}

// observation is what package machineupdate needs to know.
func (r *reconciliation) observation() machineupdate.Observation[*api.Machine] {
	return machineupdate.Observation[*api.Machine]{
		Machine: r.machine, ProviderID: r.machine.Spec.ProviderID, Phase: string(r.machine.Status.CurrentStatus.Phase),
		Settings: r.config.Settings,
		Class:    r.prepared, ClassError: r.classErr,
		Secret: r.secret.Data,
		Limit:  machineupdate.LimitKey{Credentials: r.secret.Name}, // one controller works in one region
	}
}

// executor carries decisions out with what this controller has.
func (r *reconciliation) executor() *machineupdate.Executor[*api.Machine] {
	return &machineupdate.Executor[*api.Machine]{
		Patch: r.config.Machines.Patch, Report: r.reportOperation, UpdateMachine: r.config.Driver.UpdateMachine, Limiter: r.config.Limiter, Now: r.config.Now,
		Counters: &r.counters, Event: func(_ runtime.Object, _, _, message string) { r.say(message) },
	}
}

// reportOperation tells people in the status that the machine is being updated.
func (r *reconciliation) reportOperation(ctx context.Context, machine *api.Machine, operation machineupdate.LastOperation) (*api.Machine, error) {
	machine = machine.DeepCopyObject().(*api.Machine)
	machine.Status.LastOperation = api.LastOperation{
		Description: operation.Description, State: api.MachineState(operation.State), Type: api.MachineOperationType(operation.Type),
		LastUpdateTime: metav1.NewTime(r.config.Now()),
	}
	return r.config.Machines.UpdateStatus(ctx, machine, metav1.UpdateOptions{})
}
