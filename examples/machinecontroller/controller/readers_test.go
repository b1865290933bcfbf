package controller_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/controller"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/driver"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/simulation"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// failing is a driver whose updates fail, with words by which machine-controller-manager acts.
type failing struct{ driver.Driver }

func (failing) UpdateMachine(ctx context.Context, request *machineupdate.UpdateMachineRequest) error {
	if err := request.BeforeWrite(ctx); err != nil {
		return err
	}
	return &driver.Error{Code: driver.Internal, Cause: errOutOfRange}
}

type constantError string

func (e constantError) Error() string { return string(e) }

const errOutOfRange = constantError("OutOfRange: initiate drain")

// TestReadersOfLastOperation: an update that fails for hours changes nothing for those who read the last operation: machine set, health check and
// creation.
func TestReadersOfLastOperation(t *testing.T) {
	w := start(t, spec(s1), func(c *simulation.Config) {
		c.Driver = func(d driver.Driver) driver.Driver { return failing{d} }
		c.BootTime = 4 * time.Minute
	})
	w.running(s1)
	assert.Equal(t, []string{"m"}, w.Tokens, "the machine has joined")
	w.change(s2)
	for range 6 * 60 {
		w.Run(time.Minute)
		operation := w.machine().Status.LastOperation
		assert.Empty(t, controller.FailedMachines([]*api.Machine{w.machine()}))
		assert.NotContains(t, operation.Description, string(errOutOfRange))
		assert.Equal(t, api.MachineRunning, w.phase())
	}
	assert.True(t, w.said("not wholly, updated"), "it is told by events")
	assert.Equal(t, api.OperationUpdate, w.machine().Status.LastOperation.Type)

	w.BreakNode("m")
	w.until(10*time.Minute, "health check", func() bool { return w.phase() == api.MachineUnknown })
	assert.Equal(t, api.OperationHealthCheck, w.machine().Status.LastOperation.Type)
	w.Run(5 * time.Minute)
	assert.Equal(t, api.OperationHealthCheck, w.machine().Status.LastOperation.Type, "no report of a machine that is not healthy")
	w.MendNode("m")
	w.until(10*time.Minute, "health check", func() bool { return w.phase() == api.MachineRunning })
	assert.Equal(t, []string{"m"}, w.Tokens, "it has joined again")

	// A VM that was found is updated before its node has joined.
	w.loseStatus()
	w.kill()
	w.BreakNode("m")
	w.again()
	w.until(10*time.Minute, "creation", func() bool { return w.phase() == api.MachinePending })
	w.Run(3 * time.Minute)
	operation := w.machine().Status.LastOperation
	assert.Equal(t, []any{api.OperationCreate, api.StateProcessing}, []any{operation.Type, operation.State})
	w.MendNode("m")
	w.until(10*time.Minute, "the machine runs", func() bool { return w.phase() == api.MachineRunning })
	assert.Equal(t, []string{"m", "m"}, w.Tokens, "the bootstrap token goes")
}
