package controller_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/record"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/controller"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/driver"
	"github.com/hotupdate/providerconfig/hotupdate/inplace"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate/machineupdatetest"
)

// TestConformance: this controller keeps the promises on which hot updates depend.
func TestConformance(t *testing.T) {
	machineupdatetest.Check(t, machineIn, reconcileIn(t))
}

// TestConformanceInPlace: it also does for in-place updates of drained nodes.
func TestConformanceInPlace(t *testing.T) {
	machineupdatetest.CheckInPlace(t, func(phase, providerID string) *api.Machine {
		machine := machineIn(phase, providerID)
		machine.OwnerReferences, machine.Spec.Class.Name = ownedBy("former"), "former"
		return machine
	}, reconcileIn(t))
}

func ownedBy(name string) []metav1.OwnerReference {
	return []metav1.OwnerReference{{Name: name, Controller: new(true)}}
}

// reconcileIn reconciles a machine of a World with a pool that is updated in place from the class "former" to the class "class".
func reconcileIn(t *testing.T) func(context.Context, *machineupdatetest.World[*api.Machine], *api.Machine) time.Duration {
	t.Helper()
	return func(ctx context.Context, w *machineupdatetest.World[*api.Machine], machine *api.Machine) time.Duration {
		cached := controller.NewCache(&api.Client{}, 0)
		pool := &api.MachineDeployment{ObjectMeta: metav1.ObjectMeta{Name: "pool", Generation: 1}}
		pool.Spec.Strategy.Type, pool.Spec.Template.Spec.Class.Name = api.InPlaceUpdateStrategyType, "class"
		set := &api.MachineSet{ObjectMeta: metav1.ObjectMeta{Name: "former", OwnerReferences: ownedBy("pool")}}
		set.Spec.Template.Spec.Class.Name = "former"
		require.NoError(t, cached.MachineDeployments.GetStore().Add(pool))
		require.NoError(t, cached.MachineSets.GetStore().Add(set))
		require.NoError(t, cached.Nodes.GetStore().Add(nodeIn(w, machine)))
		for _, name := range []string{"class", "former"} {
			secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "secret of " + name}, Data: map[string][]byte{"class": []byte(name)}}
			class := &api.MachineClass{ObjectMeta: metav1.ObjectMeta{Name: name}, SecretRef: api.SecretReference{Name: secret.Name}}
			require.NoError(t, cached.MachineClasses.GetStore().Add(class))
			require.NoError(t, cached.Secrets.GetStore().Add(secret))
		}
		c := controller.New(controller.Config{
			Machines: w, Nodes: nodes{w}, Cache: cached, Driver: worldDriver{w, t}, CreationTimeout: math.MaxInt64, HealthTimeout: math.MaxInt64, Now: w.Now,
			Retry:    controller.Retry{Conflict: 200 * time.Millisecond, Short: 5 * time.Second, Medium: 3 * time.Minute, Long: 10 * time.Minute},
			Recorder: recorder{&record.FakeRecorder{}, w},
		})
		return c.ReconcileMachine(ctx, machine)
	}
}

// nodeIn returns the machine's node in the cache.
func nodeIn(w *machineupdatetest.World[*api.Machine], machine *api.Machine) *corev1.Node {
	found, waits := w.Drained()
	node := nodeOf(found)
	if machine.Status.CurrentStatus.Phase != api.MachinePending {
		node.Status.Conditions = append(node.Status.Conditions, corev1.NodeCondition{Type: corev1.NodeReady, Status: corev1.ConditionTrue})
	}
	if !waits {
		node.Status.Conditions[0].Reason = string(inplace.ReadyForUpdate)
	}
	return node
}

func nodeOf(drained machineupdate.DrainedNode) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name: "node", UID: drained.UID, Labels: map[string]string{inplace.CandidateLabel: "true", inplace.SelectedLabel: "true"},
			Annotations: map[string]string{inplace.RolloutAnnotation: `{"revision":1,"cordoned":true}`},
		},
		Spec: corev1.NodeSpec{Unschedulable: drained.Unschedulable},
		Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{
			Type: inplace.ConditionType, Status: corev1.ConditionTrue, Reason: string(inplace.DrainSuccessful), LastTransitionTime: metav1.NewTime(drained.Drained),
		}}},
	}
}

// nodes adapts the World's node to client-go.
type nodes struct {
	*machineupdatetest.World[*api.Machine]
}

func (n nodes) Get(ctx context.Context, _ string, _ metav1.GetOptions) (*corev1.Node, error) {
	live, err := n.Node(ctx)
	return nodeOf(live), err
}

func (nodes) Update(_ context.Context, node *corev1.Node, _ metav1.UpdateOptions) (*corev1.Node, error) {
	return node, nil
}

func (n nodes) UpdateStatus(_ context.Context, node *corev1.Node, _ metav1.UpdateOptions) (*corev1.Node, error) {
	if slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool { return c.Reason == string(inplace.ReadyForUpdate) }) {
		n.Ready()
	}
	return node, nil
}

// recorder passes events to the World.
type recorder struct {
	*record.FakeRecorder

	world *machineupdatetest.World[*api.Machine]
}

func (r recorder) Event(object runtime.Object, eventType, reason, message string) {
	r.world.Event(object, eventType, reason, message)
}

// machineIn returns a machine in the phase.
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

// worldDriver adapts the World's driver to this controller's interface.
type worldDriver struct {
	*machineupdatetest.World[*api.Machine]

	t *testing.T
}

func (d worldDriver) call(ctx context.Context, method string) (*driver.Response, error) {
	providerID, err := d.Call(ctx, method)
	if kind, _ := machineupdate.ErrorKindOf(err); kind == machineupdate.ErrNotFound {
		return nil, &driver.Status{Code: driver.NotFound, Cause: err}
	}
	if err != nil && strings.Contains(err.Error(), "[Uninitialized]") {
		err = &driver.Status{Code: driver.Uninitialized, Cause: err}
	}
	return &driver.Response{ProviderID: providerID, NodeName: "node"}, err
}

func (d worldDriver) Prepare(_ *machineupdate.Classes, class machineupdate.MachineClass) (prepared *machineupdate.Prepared, beyond bool, err error) {
	prepare := d.World.Prepare
	if class.Object.GetName() == "former" {
		prepare = d.PrepareFormer
	}
	prepared, err = prepare()
	return prepared, false, err
}

// UpdateMachine needs the secret of the class that it applies.
func (d worldDriver) UpdateMachine(ctx context.Context, request *machineupdate.UpdateMachineRequest) error {
	assert.Equal(d.t, "class", string(request.Secret["class"]))
	return d.World.UpdateMachine(ctx, request)
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
