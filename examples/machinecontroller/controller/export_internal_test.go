package controller

import (
	"context"
	"time"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// ReconcileMachine looks at a machine that prepared belongs to.
func (c *Controller) ReconcileMachine(ctx context.Context, machine *api.Machine, prepare func() (*machineupdate.Prepared, error)) time.Duration {
	c.prepareClass = func(*api.MachineClass) (*machineupdate.Prepared, error) { return prepare() }
	return c.reconcileMachine(ctx, machine)
}
