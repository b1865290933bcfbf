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

// Wants reports whether a change of the class reconciles the machine.
func (c *Controller) Wants(machine *api.Machine, class string) bool {
	return c.concerns(machine, class)
}
