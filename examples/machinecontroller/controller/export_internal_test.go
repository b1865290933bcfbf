package controller

import (
	"context"
	"time"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
)

// ReconcileMachine reconciles a machine that is in no cache.
func (c *Controller) ReconcileMachine(ctx context.Context, machine *api.Machine) time.Duration {
	return c.reconcileMachine(ctx, machine)
}
