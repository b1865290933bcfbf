package controller

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate/machineupdatetest"

	machineinternal "github.com/gardener/machine-controller-manager/pkg/apis/machine"
	"github.com/gardener/machine-controller-manager/pkg/apis/machine/v1alpha1"
	machineapi "github.com/gardener/machine-controller-manager/pkg/client/clientset/versioned/typed/machine/v1alpha1"
	machinelisters "github.com/gardener/machine-controller-manager/pkg/client/listers/machine/v1alpha1"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/driver"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/machinecodes/codes"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/machinecodes/status"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/machineutils"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/options"
)

// TestHotUpdates: the controller keeps the promises on which hot updates depend.
func TestHotUpdates(t *testing.T) {
	machineupdatetest.Check(t, machineIn, reconcileIn(t))
}

// TestHotUpdatesInPlace: it also does for in-place updates of drained nodes.
func TestHotUpdatesInPlace(t *testing.T) {
	machineupdatetest.CheckInPlace(t, func(phase, providerID string) *v1alpha1.Machine {
		machine := machineIn(phase, providerID)
		machine.Labels["name"] = "pool"
		machine.Spec.Class.Name = "former"
		return machine
	}, reconcileIn(t), func(w *world, machine *v1alpha1.Machine, class string) bool {
		c := newWorldController(t, w)
		c.fill(t, machine)
		found, err := c.findMachinesForClass(machineutils.MachineClassKind, class)
		if err != nil {
			t.Fatal(err)
		}
		return len(found) == 1
	})
}

type world = machineupdatetest.World[*v1alpha1.Machine]

const testedNamespace = "shoot--project--name"

// machineIn returns a machine in the phase.
func machineIn(phase, providerID string) *v1alpha1.Machine {
	machine := &v1alpha1.Machine{
		ObjectMeta: metav1.ObjectMeta{
			Name: "shoot--project--name-pool-z1-7d9f6-x2k4q", Namespace: testedNamespace, UID: "u", CreationTimestamp: metav1.Now(),
			Finalizers:  []string{MCMFinalizerName},
			Labels:      map[string]string{v1alpha1.NodeLabelKey: "node"},
			Annotations: map[string]string{machineutils.MachinePriority: "3"},
		},
		Spec: v1alpha1.MachineSpec{
			Class: v1alpha1.ClassSpec{Kind: machineutils.MachineClassKind, Name: "class"}, ProviderID: providerID,
		},
	}
	machine.Status.CurrentStatus.Phase = v1alpha1.MachinePhase(phase)
	machine.Status.LastOperation.Type = v1alpha1.MachineOperationCreate
	machine.Status.LastOperation.State = v1alpha1.MachineStateSuccessful
	if machine.Status.CurrentStatus.Phase == v1alpha1.MachinePending {
		machine.Status.LastOperation.State = v1alpha1.MachineStateProcessing
	}
	return machine
}

// reconcileIn reconciles machines of Worlds. Each World has one controller.
func reconcileIn(t *testing.T) func(context.Context, *world, *v1alpha1.Machine) (time.Duration, error) {
	t.Helper()
	controllers := map[*world]*worldController{}
	return func(ctx context.Context, w *world, machine *v1alpha1.Machine) (time.Duration, error) {
		if controllers[w] == nil {
			controllers[w] = newWorldController(t, w)
		}
		controllers[w].fill(t, machine)
		delay, err := controllers[w].reconcileClusterMachine(ctx, machine)
		return time.Duration(delay), err
	}
}

// worldController is a controller with what surrounds it in a World.
type worldController struct {
	*controller

	world *world
	// the caches
	machines, classes, deployments, secrets, nodes cache.Indexer
}

func newWorldController(t *testing.T, w *world) *worldController {
	t.Helper()
	index := func() cache.Indexer {
		return cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	}
	factory := informers.NewSharedInformerFactory(fake.NewClientset(), 0)
	c := &worldController{world: w, machines: index(), classes: index(), deployments: index()}
	c.secrets = factory.Core().V1().Secrets().Informer().GetIndexer()
	c.nodes = factory.Core().V1().Nodes().Informer().GetIndexer()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{machineinternal.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	c.controller = &controller{
		namespace: testedNamespace, internalExternalScheme: scheme, driver: worldDriver{w},
		controlMachineClient: machineClient{w: w}, controlCoreClient: fake.NewClientset(), targetCoreClient: c.nodeClient(),
		recorder: recorder{&record.FakeRecorder{}, w}, updateLimiter: w.Limiter(), now: w.Now,
		machineQueue: workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]()),
		safetyOptions: options.SafetyOptions{
			MachineCreationTimeout:      metav1.Duration{Duration: math.MaxInt64},
			MachineHealthTimeout:        metav1.Duration{Duration: math.MaxInt64},
			MachineInPlaceUpdateTimeout: metav1.Duration{Duration: math.MaxInt64},
		},
		secretLister: factory.Core().V1().Secrets().Lister(), nodeLister: factory.Core().V1().Nodes().Lister(),
		machineLister: machinelisters.NewMachineLister(c.machines), machineClassLister: machinelisters.NewMachineClassLister(c.classes),
		machineDeploymentLister: machinelisters.NewMachineDeploymentLister(c.deployments),
	}
	return c
}

// fill fills the caches with the machine, and a pool that is updated in place from the class "former" to the class
// "class".
func (c *worldController) fill(t *testing.T, machine *v1alpha1.Machine) {
	t.Helper()
	pool := &v1alpha1.MachineDeployment{ObjectMeta: metav1.ObjectMeta{Name: "pool", Namespace: testedNamespace}}
	pool.Spec.Strategy.Type = v1alpha1.InPlaceUpdateMachineDeploymentStrategyType
	pool.Spec.Template.Spec.Class.Name = "class"
	var classes, secrets, nodes []any
	for _, class := range c.world.Classes() {
		meta := metav1.ObjectMeta{
			Name: class.Object.GetName(), Namespace: testedNamespace, UID: class.Object.GetUID(),
			ResourceVersion: class.Object.GetResourceVersion(), Finalizers: []string{MCMFinalizerName},
		}
		classes = append(classes, &v1alpha1.MachineClass{
			ObjectMeta: meta, ProviderSpec: runtime.RawExtension{Raw: class.ProviderSpec},
			SecretRef: &corev1.SecretReference{Name: meta.Name, Namespace: testedNamespace},
		})
		secrets = append(secrets, &corev1.Secret{
			ObjectMeta: meta, Data: map[string][]byte{"class": []byte(meta.Name), "userData": []byte("#cloud-config")},
		})
	}
	waiting := []v1alpha1.MachinePhase{"", v1alpha1.MachinePending, v1alpha1.MachineCrashLoopBackOff}
	if !slices.Contains(waiting, machine.Status.CurrentStatus.Phase) {
		nodes = []any{c.cachedNode()}
	}
	for indexer, content := range map[cache.Indexer][]any{
		c.machines: {machine}, c.classes: classes, c.deployments: {pool}, c.secrets: secrets, c.nodes: nodes,
	} {
		if err := indexer.Replace(content, ""); err != nil {
			t.Fatal(err)
		}
	}
}

// cachedNode returns the node in the cache, which is healthy.
func (c *worldController) cachedNode() *corev1.Node {
	drained, waits := c.world.Drained()
	node := nodeOf(drained)
	if !waits && drained.Unschedulable {
		node.Status.Conditions[1].Reason = v1alpha1.ReadyForUpdate
	}
	return node
}

// nodeOf returns a node of the API server. It has what the controller would write otherwise.
func nodeOf(drained machineupdate.DrainedNode) *corev1.Node {
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name: "node", UID: drained.UID, Labels: map[string]string{machineutils.MachineLabelKey: machineIn("", "").Name},
			Annotations: map[string]string{},
		},
		Spec:   corev1.NodeSpec{Unschedulable: drained.Unschedulable},
		Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}},
	}
	if !drained.Drained.IsZero() {
		node.Status.Conditions = append(node.Status.Conditions, corev1.NodeCondition{
			Type: v1alpha1.NodeInPlaceUpdate, Status: corev1.ConditionTrue, Reason: v1alpha1.DrainSuccessful,
			LastTransitionTime: metav1.NewTime(drained.Drained),
		})
	}
	return node
}

// nodeClient is a client whose node is that of the World.
func (c *worldController) nodeClient() *fake.Clientset {
	client := fake.NewClientset()
	client.PrependReactor("get", "nodes", func(clienttesting.Action) (bool, runtime.Object, error) {
		live, err := c.world.Node(context.Background())
		node := nodeOf(live)
		if _, waits := c.world.Drained(); !waits && len(node.Status.Conditions) > 1 {
			node.Status.Conditions[1].Reason = v1alpha1.ReadyForUpdate
		}
		return true, node, err
	})
	client.PrependReactor("update", "nodes", func(action clienttesting.Action) (bool, runtime.Object, error) {
		node := action.(clienttesting.UpdateAction).GetObject().(*corev1.Node)
		isReady := func(c corev1.NodeCondition) bool { return c.Reason == v1alpha1.ReadyForUpdate }
		if _, waits := c.world.Drained(); waits && slices.ContainsFunc(node.Status.Conditions, isReady) {
			c.world.Ready()
		}
		return true, node, nil
	})
	return client
}

// machineClient is a client whose machines are those of the World.
type machineClient struct {
	machineapi.MachineV1alpha1Interface

	w *world
}

func (c machineClient) Machines(string) machineapi.MachineInterface { return machineWriter{w: c.w} }

type machineWriter struct {
	machineapi.MachineInterface

	w *world
}

func (m machineWriter) Update(
	ctx context.Context, machine *v1alpha1.Machine, options metav1.UpdateOptions,
) (*v1alpha1.Machine, error) {
	return m.w.Update(ctx, machine, options)
}

func (m machineWriter) UpdateStatus(
	ctx context.Context, machine *v1alpha1.Machine, options metav1.UpdateOptions,
) (*v1alpha1.Machine, error) {
	return m.w.UpdateStatus(ctx, machine, options)
}

func (m machineWriter) Patch(
	ctx context.Context, name string, patch types.PatchType, data []byte, options metav1.PatchOptions, subresources ...string,
) (*v1alpha1.Machine, error) {
	return m.w.Patch(ctx, name, patch, data, options, subresources...)
}

// recorder passes events to the World.
type recorder struct {
	*record.FakeRecorder

	w *world
}

func (r recorder) Event(object runtime.Object, eventType, reason, message string) {
	r.w.Event(object, eventType, reason, message)
}

// worldDriver is a driver whose VM is that of the World.
type worldDriver struct {
	w *world
}

func (d worldDriver) call(
	ctx context.Context, method string, class *v1alpha1.MachineClass, secret *corev1.Secret,
) (providerID string, err error) {
	id, err := d.w.Call(ctx, method, classOf(class), secret.Data)
	if err != nil {
		for _, code := range []codes.Code{codes.NotFound, codes.Uninitialized, codes.Unimplemented} {
			if strings.Contains(err.Error(), "["+code.String()+"]") {
				return id, status.Error(code, err.Error())
			}
		}
		return id, status.Error(codes.Internal, err.Error())
	}
	return id, nil
}

func (d worldDriver) DescribeUpdates() []byte {
	described, _ := d.w.Describe() // has no error
	return described
}

func (d worldDriver) UpdateMachine(ctx context.Context, r *driver.UpdateMachineRequest) (*driver.UpdateMachineResponse, error) {
	update := &machineupdate.UpdateMachineRequest{
		Object: r.Machine, Class: classOf(r.MachineClass), Secret: r.Secret.Data, BeforeWrite: r.BeforeWrite,
	}
	if err := json.Unmarshal(r.Update, update); err != nil {
		return nil, err
	}
	return &driver.UpdateMachineResponse{}, d.w.UpdateMachine(ctx, update)
}

func (d worldDriver) CreateMachine(ctx context.Context, r *driver.CreateMachineRequest) (*driver.CreateMachineResponse, error) {
	id, err := d.call(ctx, "CreateMachine", r.MachineClass, r.Secret)
	return &driver.CreateMachineResponse{ProviderID: id, NodeName: "node"}, err
}

func (d worldDriver) InitializeMachine(
	ctx context.Context, r *driver.InitializeMachineRequest,
) (*driver.InitializeMachineResponse, error) {
	id, err := d.call(ctx, "InitializeMachine", r.MachineClass, r.Secret)
	return &driver.InitializeMachineResponse{ProviderID: id, NodeName: "node"}, err
}

func (d worldDriver) GetMachineStatus(ctx context.Context, r *driver.GetMachineStatusRequest) (*driver.GetMachineStatusResponse, error) {
	id, err := d.call(ctx, "GetMachineStatus", r.MachineClass, r.Secret)
	return &driver.GetMachineStatusResponse{ProviderID: id, NodeName: "node"}, err
}

func (worldDriver) DeleteMachine(context.Context, *driver.DeleteMachineRequest) (*driver.DeleteMachineResponse, error) {
	return nil, status.Error(codes.Unimplemented, "no scenario deletes a machine")
}

func (worldDriver) ListMachines(context.Context, *driver.ListMachinesRequest) (*driver.ListMachinesResponse, error) {
	return nil, status.Error(codes.Unimplemented, "no scenario lists machines")
}

func (worldDriver) GetVolumeIDs(context.Context, *driver.GetVolumeIDsRequest) (*driver.GetVolumeIDsResponse, error) {
	return nil, status.Error(codes.Unimplemented, "no scenario has volumes")
}
