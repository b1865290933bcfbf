package controller_test

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/record"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/controller"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate/machineupdatetest"
)

// TestConformance: this controller keeps the promises on which hot updates depend.
func TestConformance(t *testing.T) {
	machineupdatetest.Check(t, machineIn, func(ctx context.Context, w *machineupdatetest.World[*api.Machine], machine *api.Machine) time.Duration {
		cached := controller.NewCache(&api.Client{}, 0)
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node"}}
		if machine.Status.CurrentStatus.Phase != api.MachinePending {
			node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
		}
		class := &api.MachineClass{ObjectMeta: metav1.ObjectMeta{Name: "class"}, SecretRef: api.SecretReference{Name: "secret"}}
		require.NoError(t, cached.Nodes.GetStore().Add(node))
		require.NoError(t, cached.MachineClasses.GetStore().Add(class))
		require.NoError(t, cached.Secrets.GetStore().Add(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "secret"}}))
		c := controller.New(controller.Config{
			Machines: w, Cache: cached, Driver: worldDriver{w}, CreationTimeout: math.MaxInt64, HealthTimeout: math.MaxInt64, Now: w.Now,
			Retry:    controller.Retry{Conflict: 200 * time.Millisecond, Short: 5 * time.Second, Medium: 3 * time.Minute, Long: 10 * time.Minute},
			Recorder: recorder{&record.FakeRecorder{}, w},
		})
		return c.ReconcileMachine(ctx, machine, w.Prepare)
	})
}

// recorder hands events to the World.
type recorder struct {
	*record.FakeRecorder

	world *machineupdatetest.World[*api.Machine]
}

func (r recorder) Event(object runtime.Object, eventType, reason, message string) {
	r.world.Event(object, eventType, reason, message)
}

// machineIn is a machine in the phase.
func machineIn(phase, providerID string) *api.Machine {
	machine := &api.Machine{ObjectMeta: metav1.ObjectMeta{
		Name: "m", UID: "u", Finalizers: []string{api.Finalizer}, Labels: map[string]string{api.NodeLabelKey: "node"},
	}}
	machine.Spec = api.MachineSpec{Class: api.ClassSpec{Name: "class"}, ProviderID: providerID}
	machine.Status.CurrentStatus.Phase = api.MachinePhase(phase)
	machine.Status.LastOperation.Type, machine.Status.LastOperation.State = api.MachineOperationCreate, api.MachineStateSuccessful
	if machine.Status.CurrentStatus.Phase == api.MachinePending {
		machine.Status.LastOperation.State = api.MachineStateProcessing
	}
	return machine
}

// worldDriver is the World's driver in the words of this controller's.
type worldDriver struct {
	*machineupdatetest.World[*api.Machine]
}

func (d worldDriver) call(ctx context.Context, method string) (*driver.Response, error) {
	providerID, err := d.Call(ctx, method)
	if kind, _ := machineupdate.ErrorKindOf(err); kind == machineupdate.ErrNotFound {
		return nil, &driver.Status{Code: driver.NotFound, Cause: err}
	}
	return &driver.Response{ProviderID: providerID, NodeName: "node"}, err
}

func (d worldDriver) CreateMachine(ctx context.Context, _ *driver.Request) (*driver.Response, error) {
	return d.call(ctx, "CreateMachine")
}

func (d worldDriver) InitializeMachine(ctx context.Context, _ *driver.Request) (*driver.Response, error) {
	return d.call(ctx, "InitializeMachine")
}

func (d worldDriver) GetMachineStatus(ctx context.Context, _ *driver.Request) (*driver.Response, error) {
	return d.call(ctx, "GetMachineStatus")
}

func (worldDriver) DeleteMachine(context.Context, *driver.Request) error { return nil }
