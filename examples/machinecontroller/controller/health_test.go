package controller_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/record"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/controller"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/driver"
	"github.com/hotupdate/providerconfig/hotupdate/inplace"
)

// TestReadersOfLastOperation: the health check recognises a first join by the last operation, and machine sets a
// failure. A report of an update on a machine that has not joined would keep its bootstrap token for ever.
func TestReadersOfLastOperation(t *testing.T) {
	const (
		processing = api.MachineStateProcessing
		successful = api.MachineStateSuccessful
		failed     = api.MachineStateFailed
		create     = api.MachineOperationCreate
		update     = api.MachineOperationUpdate
		health     = api.MachineOperationHealthCheck
	)
	for name, test := range map[string]struct {
		phase        api.MachinePhase
		last         api.LastOperation
		ready        bool
		want         api.MachinePhase
		wantType     api.MachineOperationType
		tokenDeleted bool
		isFailed     bool // before
	}{
		"first join": {
			api.MachinePending, api.LastOperation{Type: create, State: processing}, true, api.MachineRunning, create, true, false,
		},
		"join after a failed try": {
			api.MachinePending, api.LastOperation{Type: create, State: failed}, true, api.MachineRunning, create, true, true,
		},
		"join after a report": {
			api.MachinePending, api.LastOperation{Type: update, State: processing}, true, api.MachineRunning, health, false, false,
		},
		"has not joined": {
			api.MachinePending, api.LastOperation{Type: create, State: processing}, false, api.MachinePending, create, false, false,
		},
		"unhealthy": {
			api.MachineRunning, api.LastOperation{Type: update, State: successful}, false, api.MachineUnknown, health, false, false,
		},
		"healthy again": {
			api.MachineUnknown, api.LastOperation{Type: health, State: processing}, true, api.MachineRunning, health, false, false,
		},
		"a report of failure does harm": {
			api.MachineRunning, api.LastOperation{Type: update, State: failed}, true, api.MachineRunning, update, false, true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.machine.Labels = map[string]string{api.NodeLabelKey: "node"}
			f.machine.Finalizers = []string{api.Finalizer}
			machine, err := f.client.Machines.Update(t.Context(), f.machine, metav1.UpdateOptions{})
			require.NoError(t, err)
			machine.Status.CurrentStatus.Phase = test.phase
			machine.Status.LastOperation = test.last
			machine, err = f.client.Machines.UpdateStatus(t.Context(), machine, metav1.UpdateOptions{})
			require.NoError(t, err)
			assert.Equal(t, test.isFailed, len(controller.FailedMachines([]*api.Machine{machine})) == 1)

			node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node"}}
			if test.ready {
				node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
			}
			live, deleted := checked(t, f, machine, node)
			assert.Equal(t, test.want, live.Status.CurrentStatus.Phase)
			assert.Equal(t, test.wantType, live.Status.LastOperation.Type)
			assert.Equal(t, test.tokenDeleted, deleted)
		})
	}
}

// checked returns the machine after a reconcile with its node, and whether its bootstrap token was deleted.
func checked(t *testing.T, f *fixture, machine *api.Machine, node *corev1.Node) (live *api.Machine, deleted bool) {
	t.Helper()
	cached := controller.NewCache(f.client, 0)
	meta := metav1.ObjectMeta{Namespace: machine.Namespace}
	require.NoError(t, cached.Nodes.GetStore().Add(node))
	require.NoError(t, cached.MachineClasses.GetStore().Add(&api.MachineClass{ObjectMeta: meta}))
	require.NoError(t, cached.Secrets.GetStore().Add(&corev1.Secret{ObjectMeta: meta}))
	c := controller.New(controller.Config{
		Namespace: machine.Namespace, Machines: f.client.Machines, Cache: cached, Driver: withoutUpdates{}, CreationTimeout: time.Hour,
		HealthTimeout: time.Hour,
		Now:           time.Now, Recorder: record.NewFakeRecorder(100), DeleteBootstrapToken: func(string) { deleted = true },
	})
	_, _ = c.RunMachine(t.Context(), machine) // the status tells
	return f.live(), deleted
}

// TestCanceledInPlaceUpdate: a machine whose node was deselected after the drain does not keep the phase of an update.
// Machine-controller-manager would count it as failed, and replace it.
func TestCanceledInPlaceUpdate(t *testing.T) {
	for name, test := range map[string]struct {
		phase  api.MachinePhase
		reason string
		ready  corev1.ConditionStatus
		want   api.MachinePhase
	}{
		"canceled":                 {api.MachineInPlaceUpdating, "CandidateForUpdate", corev1.ConditionTrue, api.MachineRunning},
		"canceled after its time":  {api.MachineInPlaceUpdateFailed, "CandidateForUpdate", corev1.ConditionTrue, api.MachineRunning},
		"canceled and not healthy": {api.MachineInPlaceUpdating, "CandidateForUpdate", corev1.ConditionFalse, api.MachineUnknown},
		"the drain is over": {
			api.MachineInPlaceUpdating, inplace.DrainSuccessful, corev1.ConditionTrue, api.MachineInPlaceUpdating,
		},
		"the agent is at work": {
			api.MachineInPlaceUpdating, inplace.ReadyForUpdate, corev1.ConditionTrue, api.MachineInPlaceUpdating,
		},
		"the agent is at work still": {
			api.MachineInPlaceUpdateFailed, inplace.ReadyForUpdate, corev1.ConditionFalse, api.MachineInPlaceUpdateFailed,
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.machine.Labels = map[string]string{api.NodeLabelKey: "node"}
			f.machine.Finalizers = []string{api.Finalizer}
			machine, err := f.client.Machines.Update(t.Context(), f.machine, metav1.UpdateOptions{})
			require.NoError(t, err)
			machine.Status.CurrentStatus.Phase = test.phase
			machine, err = f.client.Machines.UpdateStatus(t.Context(), machine, metav1.UpdateOptions{})
			require.NoError(t, err)
			node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node"}}
			node.Status.Conditions = []corev1.NodeCondition{
				{Type: inplace.ConditionType, Status: corev1.ConditionTrue, Reason: test.reason},
				{Type: corev1.NodeReady, Status: test.ready},
			}
			live, _ := checked(t, f, machine, node)
			assert.Equal(t, test.want, live.Status.CurrentStatus.Phase)
		})
	}
}

// withoutUpdates is a driver without hot updates.
type withoutUpdates struct{ driver.Driver }
