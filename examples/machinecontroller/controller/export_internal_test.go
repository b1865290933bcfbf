package controller

import (
	"context"
	"time"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// ReconcileMachine is one reconcile of a machine that stands in no cache, with classes that were prepared by the test.
func (c *Controller) ReconcileMachine(ctx context.Context, machine *api.Machine, prepare func(class *api.MachineClass) (*machineupdate.Prepared, error)) time.Duration {
	c.prepareClass = prepare
	return c.reconcileMachine(ctx, machine)
}
