package controller

import (
	"context"
	"time"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
)

// RunMachine reconciles a machine that is in no cache, and returns the error as well.
func (c *Controller) RunMachine(ctx context.Context, machine *api.Machine) (time.Duration, error) {
	r := &reconciliation{Controller: c, machine: machine.DeepCopy()}
	return r.reconcile(ctx)
}

// KeepPool gives a pool the machines that it should have.
func (c *Controller) KeepPool(ctx context.Context, d *api.MachineDeployment) error {
	return c.keepPool(ctx, d)
}

// Wants reports whether a change of the class reconciles the machine.
func (c *Controller) Wants(machine *api.Machine, class string) bool {
	return c.concerns(machine, class)
}
