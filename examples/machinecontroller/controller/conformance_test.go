package controller_test

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	toolscache "k8s.io/client-go/tools/cache"
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
		machine.OwnerReferences = ownedBy("former")
		machine.Spec.Class.Name = "former"
		return machine
	}, reconcileIn(t), func(w *world, machine *api.Machine, class string) bool {
		return controllerIn(t, w, machine).Wants(machine, class)
	})
}

type world = machineupdatetest.World[*api.Machine]

func ownedBy(name string) []metav1.OwnerReference {
	return []metav1.OwnerReference{{Name: name, Controller: new(true)}}
}

// reconcileIn reconciles machines of Worlds.
func reconcileIn(t *testing.T) func(context.Context, *world, *api.Machine) (time.Duration, error) {
	t.Helper()
	controllers := map[*world]*controller.Controller{}
	return func(ctx context.Context, w *world, machine *api.Machine) (time.Duration, error) {
		if controllers[w] == nil {
			controllers[w] = controllerIn(t, w, machine)
		}
		fill(t, controllers[w].Cache, w, machine)
		return controllers[w].RunMachine(ctx, machine)
	}
}

// controllerIn returns the controller of a World.
func controllerIn(t *testing.T, w *world, machine *api.Machine) *controller.Controller {
	t.Helper()
	cached := controller.NewCache(&api.Client{}, 0)
	fill(t, cached, w, machine)
	return controller.New(controller.Config{
		Machines: w, Nodes: nodes{w}, Cache: cached, Driver: worldDriver{w}, Limiter: w.Limiter(), CreationTimeout: math.MaxInt64,
		HealthTimeout: math.MaxInt64, Now: w.Now,
		Retry: controller.Retry{
			Conflict: 200 * time.Millisecond, Short: 5 * time.Second, Medium: 3 * time.Minute, Long: 10 * time.Minute,
		},
		Recorder: recorder{&record.FakeRecorder{}, w},
	})
}

// fill fills the cache with a pool that is updated in place from the class "former" to the class
// "class".
func fill(t *testing.T, cached *controller.Cache, w *world, machine *api.Machine) {
	t.Helper()
	target := map[string]string{"machine.sapcloud.io/example-target": `{"set":"class","revision":1}`}
	pool := &api.MachineDeployment{ObjectMeta: metav1.ObjectMeta{Name: "pool", Annotations: target}}
	pool.Spec.Strategy = api.MachineDeploymentStrategy{
		Type: api.InPlaceUpdateStrategyType, InPlaceUpdate: &api.InPlaceUpdateMachineDeployment{OrchestrationType: "Auto"},
	}
	pool.Spec.Template.Spec.Class.Name = "class"
	set := &api.MachineSet{ObjectMeta: metav1.ObjectMeta{Name: "former", OwnerReferences: ownedBy("pool")}}
	set.Spec.Template.Spec.Class.Name = "former"
	var classes, secrets []any
	for _, class := range w.Classes() {
		o := class.Object
		secret := &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Name: "secret of " + o.GetName()}, Data: map[string][]byte{"class": []byte(o.GetName())},
		}
		secrets = append(secrets, secret)
		machineClass := &api.MachineClass{
			ObjectMeta: metav1.ObjectMeta{Name: o.GetName(), UID: o.GetUID(), ResourceVersion: o.GetResourceVersion()},
			SecretRef:  api.SecretReference{Name: secret.Name},
		}
		machineClass.ProviderSpec.Raw = class.ProviderSpec
		classes = append(classes, machineClass)
	}
	var joined []any
	if !slices.Contains([]api.MachinePhase{"", api.MachinePending, api.MachineCrashLoopBackOff}, machine.Status.CurrentStatus.Phase) {
		joined = []any{nodeIn(w)}
	}
	for informer, content := range map[toolscache.SharedIndexInformer][]any{
		cached.MachineDeployments: {pool}, cached.MachineSets: {set}, cached.Nodes: joined, cached.MachineClasses: classes,
		cached.Secrets: secrets,
	} {
		require.NoError(t, informer.GetStore().Replace(content, ""))
	}
}

// nodeIn returns the healthy node in the cache.
func nodeIn(w *world) *corev1.Node {
	found, waits := w.Drained()
	node := nodeOf(found)
	node.Status.Conditions = append(node.Status.Conditions, corev1.NodeCondition{Type: corev1.NodeReady, Status: corev1.ConditionTrue})
	if !waits {
		node.Status.Conditions[0].Reason = inplace.ReadyForUpdate
	}
	return node
}

func nodeOf(drained machineupdate.DrainedNode) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name: "node", UID: drained.UID, Labels: map[string]string{inplace.SelectedLabel: "true"},
			Annotations: map[string]string{
				inplace.RolloutAnnotation: `{"revision":1,"cordoned":true}`, "cluster-autoscaler.kubernetes.io/scale-down-disabled": "true",
			},
		},
		Spec: corev1.NodeSpec{Unschedulable: drained.Unschedulable},
		Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{
			Type: inplace.ConditionType, Status: corev1.ConditionTrue, Reason: "DrainSuccessful",
			LastTransitionTime: metav1.NewTime(drained.Drained),
		}}},
	}
}

// nodes adapts the World's node to client-go.
type nodes struct {
	*world
}

func (n nodes) Get(ctx context.Context, _ string, _ metav1.GetOptions) (*corev1.Node, error) {
	live, err := n.Node(ctx)
	return nodeOf(live), err
}

func (nodes) Update(_ context.Context, node *corev1.Node, _ metav1.UpdateOptions) (*corev1.Node, error) {
	return node, nil
}

func (n nodes) UpdateStatus(_ context.Context, node *corev1.Node, _ metav1.UpdateOptions) (*corev1.Node, error) {
	if slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool { return c.Reason == inplace.ReadyForUpdate }) {
		n.Ready()
	}
	return node, nil
}

// recorder passes events to the World.
type recorder struct {
	*record.FakeRecorder

	world *world
}

func (r recorder) Event(object runtime.Object, eventType, reason, message string) {
	r.world.Event(object, eventType, reason, message)
}

// machineIn returns a machine in the phase.
func machineIn(phase, providerID string) *api.Machine {
	machine := &api.Machine{ObjectMeta: metav1.ObjectMeta{
		Name: "shoot--project--name-pool-z1-7d9f6-x2k4q", UID: "u", Finalizers: []string{api.Finalizer},
		Labels: map[string]string{api.NodeLabelKey: "node"},
	}}
	machine.Spec = api.MachineSpec{Class: api.ClassSpec{Name: "class"}, ProviderID: providerID}
	machine.Status.CurrentStatus.Phase = api.MachinePhase(phase)
	machine.Status.LastOperation.Type = api.MachineOperationCreate
	machine.Status.LastOperation.State = api.MachineStateSuccessful
	if machine.Status.CurrentStatus.Phase == api.MachinePending {
		machine.Status.LastOperation.State = api.MachineStateProcessing
	}
	return machine
}

// worldDriver adapts the World's driver to this controller's interface.
type worldDriver struct {
	*world
}

func (d worldDriver) call(ctx context.Context, method string, request *driver.Request) (*driver.Response, error) {
	providerID, err := d.Call(ctx, method, classOf(request.MachineClass), request.Secret.Data)
	if kind, _ := machineupdate.DriverErrorOf(err); kind == machineupdate.ErrNotFound {
		return nil, &driver.Status{Code: driver.NotFound, Cause: err}
	}
	if err != nil && strings.Contains(err.Error(), "[Uninitialized]") {
		err = &driver.Status{Code: driver.Uninitialized, Cause: err}
	}
	return &driver.Response{ProviderID: providerID, NodeName: "node"}, err
}

func classOf(class *api.MachineClass) machineupdate.MachineClass {
	return machineupdate.MachineClass{Object: class, ProviderSpec: class.ProviderSpec.Raw}
}

func (d worldDriver) DescribeUpdates() []byte {
	described, _ := d.Describe() // has no error
	return described
}

func (d worldDriver) UpdateMachine(ctx context.Context, request *driver.UpdateMachineRequest) (*driver.UpdateMachineResponse, error) {
	update := &machineupdate.UpdateMachineRequest{
		Object: request.Machine, Class: classOf(request.MachineClass), Secret: request.Secret.Data, BeforeWrite: request.BeforeWrite,
	}
	if err := json.Unmarshal(request.Update, update); err != nil {
		return nil, err
	}
	return nil, d.world.UpdateMachine(ctx, update)
}

func (d worldDriver) CreateMachine(ctx context.Context, request *driver.Request) (*driver.Response, error) {
	return d.call(ctx, "CreateMachine", request)
}

func (d worldDriver) InitializeMachine(ctx context.Context, request *driver.Request) (*driver.Response, error) {
	return d.call(ctx, "InitializeMachine", request)
}

func (d worldDriver) GetMachineStatus(ctx context.Context, request *driver.Request) (*driver.Response, error) {
	return d.call(ctx, "GetMachineStatus", request)
}

func (worldDriver) DeleteMachine(context.Context, *driver.Request) error { return nil }
