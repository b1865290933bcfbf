package controller

import (
	"context"
	"slices"
	"time"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/driver"
)

// delete deletes the VM, waits until it is gone, and removes the machine's finalizer.
func (r *reconciliation) delete(ctx context.Context) (time.Duration, error) {
	if !slices.Contains(r.machine.Finalizers, api.Finalizer) {
		return 0, nil
	}
	err := r.writeStatus(ctx, api.MachineTerminating, api.LastOperation{
		Description: "Deleting machine from cloud provider. Initiate VM deletion", State: api.MachineStateProcessing,
		Type: api.MachineOperationDelete,
	})
	if err != nil {
		return r.Retry.Short, err
	}
	if err := r.Driver.DeleteMachine(ctx, r.request()); err != nil {
		return r.Retry.Short, err
	}
	if _, err := r.Driver.GetMachineStatus(ctx, r.request()); driver.CodeOf(err) != driver.NotFound {
		return r.Retry.Short, nil // reads lag, or the deletion takes time
	}
	r.machine.Finalizers = slices.DeleteFunc(r.machine.Finalizers, func(f string) bool { return f == api.Finalizer })
	return r.Retry.Short, r.write(ctx)
}
