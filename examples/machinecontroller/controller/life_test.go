package controller_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/awsdriver"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/cloud"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/cloudapi"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/driver"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/simulation"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/store"
)

// TestInitializationIsRetried: the VM exists, but was not initialized (InitializeMachine proposal, "MCM Changes").
func TestInitializationIsRetried(t *testing.T) {
	w := start(t, spec(s1))
	w.Cloud.Inject(cloud.Fault{Action: cloudapi.ModifyInstanceAttribute, Code: cloudapi.InternalError})
	require.NoError(t, w.CreateMachine("m"))
	w.until(time.Minute, "initialization fails", func() bool { return w.phase() == api.MachineCrashLoopBackOff })
	operation := w.machine().Status.LastOperation
	assert.Equal(t, api.InstanceInitialization, operation.Description)
	assert.Equal(t, driver.Initialization.String(), operation.ErrorCode)
	assert.Equal(t, api.OperationCreate, operation.Type)
	assert.Equal(t, api.StateFailed, operation.State)

	w.until(10*time.Minute, "the machine runs", func() bool { return w.phase() == api.MachineRunning })
	instances := w.Cloud.Instances()
	require.Len(t, instances, 1)
	assert.False(t, instances[0].SourceDestCheck)
	assert.Equal(t, 2, w.tagCalls(cloudapi.ModifyInstanceAttribute))
	w.converged(s1, s1)
}

// TestWhatIsInitializedAgainIsUpdated: InitializeMachine may write what an update would have to undo, so the marker is written before it.
func TestWhatIsInitializedAgainIsUpdated(t *testing.T) {
	w := start(t, spec(s1))
	w.running(s1)
	require.NoError(t, w.CheckSourceAndDestination(vm))
	w.Run(readLag)
	w.loseStatus()
	w.kill()
	w.again()
	w.updated()
	assert.False(t, w.Cloud.Instances()[0].SourceDestCheck)
	w.converged(s1, s1)
}

// TestCreationIsInterrupted: the process ends, or hears nothing, while it creates the VM; the class changes before anybody looks again.
func TestCreationIsInterrupted(t *testing.T) {
	for _, tc := range []struct {
		name  string
		fault cloud.Fault
		kill  bool
	}{
		{"launched, unheard", cloud.Fault{Action: cloudapi.RunInstances, Effect: cloud.AnswerLost}, false},
		{"launched, killed", cloud.Fault{Action: cloudapi.RunInstances, Effect: cloud.AnswerLost}, true},
		{"lost, killed", cloud.Fault{Action: cloudapi.RunInstances, Effect: cloud.NeverLands}, true},
		{"launched late", cloud.Fault{Action: cloudapi.RunInstances, Effect: cloud.LandsLate, Delay: 40 * time.Second}, false},
		{"launched late, killed", cloud.Fault{Action: cloudapi.RunInstances, Effect: cloud.LandsLate, Delay: 40 * time.Second}, true},
		{"throttled", cloud.Fault{Action: cloudapi.RunInstances, Code: cloudapi.RequestLimitExceeded}, false},
		{"initialized, killed", cloud.Fault{Action: cloudapi.ModifyInstanceAttribute, Effect: cloud.AnswerLost}, true},
		{"not initialized, killed", cloud.Fault{Action: cloudapi.ModifyInstanceAttribute, Effect: cloud.NeverLands}, true},
		{"initialized late", cloud.Fault{Action: cloudapi.ModifyInstanceAttribute, Effect: cloud.LandsLate, Delay: 40 * time.Second}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := start(t, spec(s1))
			if tc.kill {
				tc.fault.Then = w.kill
			}
			w.Cloud.Inject(tc.fault)
			require.NoError(t, w.CreateMachine("m"))
			w.Run(2 * time.Second)
			w.change(s2)
			if tc.kill {
				w.again()
			}
			w.until(15*time.Minute, "the machine runs", func() bool { return w.phase() == api.MachineRunning })
			w.converged(s2, nil)
			assert.Equal(t, own(), []string{vm, card, root, data})
			assert.ElementsMatch(t, own(), w.Cloud.Resources(), "one VM")
			assert.False(t, w.Cloud.Instances()[0].SourceDestCheck)
		})
	}
}

func TestDeletionTakesWhatTheLaunchMade(t *testing.T) {
	w := start(t, spec(s1))
	w.running(s1)
	w.Cloud.Inject(cloud.Fault{Action: cloudapi.TerminateInstances, Code: cloudapi.RequestLimitExceeded})
	require.NoError(t, w.DeleteMachine("m"))
	w.change(s2)
	w.until(10*time.Minute, "the machine is gone", func() bool {
		_, err := w.Machine("m")
		return apierrors.IsNotFound(err)
	})
	assert.Equal(t, []string{cni, csi}, w.Cloud.Resources())
	assert.Zero(t, w.tagCalls(cloudapi.CreateTags), "a machine that is being deleted is not updated")
	w.Run(time.Hour)
}

func TestMachineWithoutVMIsDeleted(t *testing.T) {
	w := start(t, spec(s1))
	w.Cloud.Inject(cloud.Fault{Action: cloudapi.RunInstances, Code: cloudapi.InternalError})
	require.NoError(t, w.CreateMachine("m"))
	w.Run(time.Second)
	require.NoError(t, w.DeleteMachine("m"))
	w.until(time.Minute, "the machine is gone", func() bool {
		_, err := w.Machine("m")
		return apierrors.IsNotFound(err)
	})
	assert.Empty(t, w.Cloud.Resources())
}

func TestHealth(t *testing.T) {
	w := start(t, spec(s1))
	w.running(s1)
	w.BreakNode("m")
	w.until(11*time.Minute, "the machine is unhealthy", func() bool { return w.phase() == api.MachineUnknown })
	assert.Equal(t, api.OperationHealthCheck, w.machine().Status.LastOperation.Type)
	w.change(s2)
	w.updated()
	w.MendNode("m")
	w.until(time.Minute, "the machine is healthy again", func() bool { return w.phase() == api.MachineRunning })

	w.BreakNode("m")
	w.until(time.Hour, "the machine has failed", func() bool { return w.phase() == api.MachineFailed })
	before := len(w.writes)
	w.change(s1)
	w.Run(time.Hour)
	assert.Len(t, w.writes, before, "a failed machine is replaced, not updated")
}

func TestMachineThatNeverJoinsFails(t *testing.T) {
	for _, tc := range []struct {
		name  string
		world func(*simulation.Config)
	}{
		{"the node does not come", func(c *simulation.Config) { c.BootTime = time.Hour }},
		{"the VM cannot be made", func(c *simulation.Config) { c.Writes = cloud.Rate{PerSecond: 1e-9} }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := start(t, spec(s1), tc.world)
			require.NoError(t, w.CreateMachine("m"))
			w.until(time.Hour, "the machine has failed", func() bool { return w.phase() == api.MachineFailed })
		})
	}
}

func TestClassThatCannotBeRead(t *testing.T) {
	w := start(t, spec(s1))
	w.running(s1)
	broken := spec(s1)
	broken.Tags["owner"] = string([]byte{0xff})
	require.NoError(t, w.ChangeClass(broken))
	w.Run(time.Minute)
	w.change(s2)
	w.updated()
	w.converged(s2, s1)
}

// TestStaleReadReplacesNoMachine: after a control-plane migration the status of an old machine is empty, and the first read shows no VM. That
// must not count as the end of its creation timeout.
func TestStaleReadReplacesNoMachine(t *testing.T) {
	w := start(t, spec(s1))
	w.running(s1)
	w.Run(24 * time.Hour)
	w.Cloud.Inject(cloud.Fault{Action: cloudapi.DescribeInstances, Effect: cloud.Stale, Delay: 48 * time.Hour})
	w.loseStatus()
	w.kill()
	w.again()
	w.until(time.Minute, "the read is seen", func() bool { return w.said("The VM is not visible") })
	assert.Equal(t, api.MachineCrashLoopBackOff, w.phase())
	w.until(time.Minute, "the machine runs", func() bool { return w.phase() == api.MachineRunning })
	assert.Equal(t, 1, w.tagCalls(cloudapi.RunInstances))
}

// TestVMThatIsGoneFails: somebody terminated the VM, and the status was lost.
func TestVMThatIsGoneFails(t *testing.T) {
	w := start(t, spec(s1))
	w.running(s1)
	require.NoError(t, w.Terminate(vm))
	w.Run(readLag)
	w.loseStatus()
	w.kill()
	w.again()
	w.until(time.Hour, "the machine has failed", func() bool { return w.phase() == api.MachineFailed })
	assert.Equal(t, 1, w.tagCalls(cloudapi.RunInstances), "a machine gets one VM; its machine set replaces it")
}

// TestWhatTheMachineNeedsIsMissing: without class or secret nothing is done, and nothing is lost.
func TestWhatTheMachineNeedsIsMissing(t *testing.T) {
	w := start(t, spec(s1))
	w.running(s1)
	require.NoError(t, store.Delete[api.Secret](t.Context(), w.Store, simulation.Secret))
	before := len(w.writes)
	w.change(s2)
	w.Run(time.Minute)
	assert.Len(t, w.writes, before)
	assert.True(t, w.said("not found"))

	secret := &api.Secret{ObjectMeta: metav1.ObjectMeta{Name: simulation.Secret}}
	secret.Data = map[string][]byte{awsdriver.SecretAccessKey: []byte(simulation.ControllersKey)}
	_, err := store.Create(t.Context(), w.Store, secret)
	require.NoError(t, err)
	w.until(11*time.Minute, "the machine is updated", func() bool { return w.record().State == "Unconfirmed" })
	w.converged(s2, s1)

	class, err := store.Get[api.MachineClass](t.Context(), w.Store, simulation.Class)
	require.NoError(t, err)
	class.SecretRef = nil
	_, err = store.Update(t.Context(), w.Store, class)
	require.NoError(t, err)
	w.Run(time.Minute)
	assert.True(t, w.said("names no secret"))
}

// TestClassThatIsBeingDeleted: a machine that was updated in place keeps its old class, which the extension deletes and a finalizer holds. It is
// not updated to what that class says.
func TestClassThatIsBeingDeleted(t *testing.T) {
	w := start(t, spec(s1))
	w.running(s1)
	_, err := store.Patch[api.MachineClass](t.Context(), w.Store, simulation.Class, []byte(`{"metadata":{"finalizers":["in-use"]}}`))
	require.NoError(t, err)
	require.NoError(t, store.Delete[api.MachineClass](t.Context(), w.Store, simulation.Class))
	before := len(w.writes)
	w.change(s2)
	w.Run(time.Hour)
	assert.Len(t, w.writes, before)
	assert.True(t, w.said("class is being deleted"))
	require.NoError(t, w.DeleteMachine("m"))
	w.until(10*time.Minute, "the machine is gone", func() bool {
		_, err := w.Machine("m")
		return apierrors.IsNotFound(err)
	})
}
