package controller

import (
	"context"
	"slices"
	"time"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/driver"
)

// delete deletes the VM, waits until it is gone, and lets the machine go.
func (r *reconciliation) delete(ctx context.Context) (time.Duration, error) {
	if !slices.Contains(r.machine.Finalizers, api.Finalizer) {
		return 0, nil
	}
	if r.machine.Status.CurrentStatus.Phase != api.MachineTerminating {
		err := r.writeStatus(ctx, api.MachineTerminating, api.LastOperation{
			Description: "Deleting machine from cloud provider", State: api.StateProcessing, Type: api.OperationDelete,
		})
		if err != nil {
			return ShortRetry, err
		}
	}
	if err := r.config.Driver.DeleteMachine(ctx, r.request()); err != nil {
		return ShortRetry, err
	}
	if _, err := r.config.Driver.MachineStatus(ctx, r.request()); driver.CodeOf(err) != driver.NotFound {
		return ShortRetry, nil // reads lag, or the cloud takes its time
	}
	r.machine.Finalizers = slices.DeleteFunc(r.machine.Finalizers, func(f string) bool { return f == api.Finalizer })
	if err := r.write(ctx); err != nil {
		return ShortRetry, err
	}
	r.say("gone")
	return 0, nil
}
