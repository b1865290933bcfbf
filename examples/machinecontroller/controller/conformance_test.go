package controller_test

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/clock"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/controller"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/driver"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/store"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate/machineupdatetest"
)

// TestConformance: this controller keeps the promises on which hot updates depend.
func TestConformance(t *testing.T) {
	s := store.New(clock.New(time.Date(2024, time.January, 1, 0, 0, 0, 0, time.UTC)))
	_, err := store.Create(t.Context(), s, &api.MachineClass{ObjectMeta: metav1.ObjectMeta{Name: "class"}, SecretRef: &api.SecretReference{Name: "secret"}})
	require.NoError(t, err)
	_, err = store.Create(t.Context(), s, &api.Secret{ObjectMeta: metav1.ObjectMeta{Name: "secret"}})
	require.NoError(t, err)
	machineupdatetest.Check(t, machineIn, func(ctx context.Context, w *machineupdatetest.World[*api.Machine], machine *api.Machine) time.Duration {
		c := controller.New(controller.Config{
			Machines: w, Cache: store.NewCache(s, 0), Driver: worldDriver{w}, CreationTimeout: math.MaxInt64, HealthTimeout: math.MaxInt64,
			NodeReady: func(string) bool { return machine.Status.CurrentStatus.Phase != api.MachinePending }, Now: w.Now,
			Report: func(_, text string) {
				if strings.Contains(text, "not wholly, updated") {
					w.Event(nil, "Warning", "HotUpdateFailed", text)
				}
			},
		})
		return c.ReconcileMachine(ctx, machine, w.Prepare)
	})
}

// machineIn is a machine in the phase.
func machineIn(phase, providerID string) *api.Machine {
	machine := &api.Machine{ObjectMeta: metav1.ObjectMeta{Name: "m", UID: "u", Finalizers: []string{api.Finalizer}}}
	machine.Spec = api.MachineSpec{Class: api.ClassSpec{Name: "class"}, ProviderID: providerID}
	machine.Status.CurrentStatus.Phase = api.MachinePhase(phase)
	machine.Status.LastOperation.Type, machine.Status.LastOperation.State = api.OperationCreate, api.StateSuccessful
	if machine.Status.CurrentStatus.Phase == api.MachinePending {
		machine.Status.LastOperation.State = api.StateProcessing
	}
	return machine
}

// worldDriver is the World's driver in the words of this controller's.
type worldDriver struct {
	*machineupdatetest.World[*api.Machine]
}

func (d worldDriver) call(ctx context.Context, method string) (*driver.Response, error) {
	providerID, err := d.Call(ctx, method)
	if kind, _ := machineupdate.ErrorKindOf(err); kind == machineupdate.NotFound {
		return nil, &driver.Error{Code: driver.NotFound, Cause: err}
	}
	return &driver.Response{ProviderID: providerID, NodeName: "node"}, err
}

func (d worldDriver) CreateMachine(ctx context.Context, _ *driver.Request) (*driver.Response, error) {
	return d.call(ctx, "CreateMachine")
}

func (d worldDriver) InitializeMachine(ctx context.Context, _ *driver.Request) (*driver.Response, error) {
	return d.call(ctx, "InitializeMachine")
}

func (d worldDriver) MachineStatus(ctx context.Context, _ *driver.Request) (*driver.Response, error) {
	return d.call(ctx, "GetMachineStatus")
}

func (worldDriver) DeleteMachine(context.Context, *driver.Request) error { return nil }
