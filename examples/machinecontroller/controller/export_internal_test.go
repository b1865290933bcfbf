package controller

import (
	"context"
	"time"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
)

// ReconcileMachine is one reconcile of a machine that stands in no cache.
func (c *Controller) ReconcileMachine(ctx context.Context, machine *api.Machine) time.Duration {
	return c.reconcileMachine(ctx, machine)
}
