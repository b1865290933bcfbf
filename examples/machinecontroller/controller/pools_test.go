package controller_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/tools/record"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/controller"
	"github.com/hotupdate/providerconfig/hotupdate/inplace"
)

// poolFixture is a pool on the API server that is updated in place.
type poolFixture struct {
	*fixture

	controller *controller.Controller
	cached     *controller.Cache
	nodes      int
}

func newPoolFixture(t *testing.T, replicas int32) *poolFixture {
	t.Helper()
	f := &poolFixture{fixture: newFixture(t)}
	f.cached = controller.NewCache(f.client, 0)
	f.controller = controller.New(controller.Config{
		Namespace: f.machine.Namespace, Client: f.client, Machines: f.client.Machines, Nodes: f.client.Nodes, Cache: f.cached,
		Driver:          withoutUpdates{},
		CreationTimeout: time.Hour, HealthTimeout: time.Hour, Now: time.Now, Recorder: record.NewFakeRecorder(100),
	})
	pool := &api.MachineDeployment{ObjectMeta: metav1.ObjectMeta{Name: "pool"}}
	pool.Spec = api.MachineDeploymentSpec{Replicas: replicas, Strategy: api.MachineDeploymentStrategy{
		Type: api.InPlaceUpdateStrategyType, InPlaceUpdate: &api.InPlaceUpdateMachineDeployment{MaxUnavailable: intstr.FromInt32(1)},
	}}
	pool.Spec.Template.Spec.Class.Name = "old"
	_, err := f.client.MachineDeployments.Create(t.Context(), pool, metav1.CreateOptions{})
	require.NoError(t, err)
	return f
}

// change changes the pool.
func (f *poolFixture) change(do func(*api.MachineDeployment)) {
	f.t.Helper()
	pool := f.pool()
	do(pool)
	_, err := f.client.MachineDeployments.Update(f.t.Context(), pool, metav1.UpdateOptions{})
	require.NoError(f.t, err)
}

func (f *poolFixture) pool() *api.MachineDeployment {
	f.t.Helper()
	pool, err := f.client.MachineDeployments.Get(f.t.Context(), "pool", metav1.GetOptions{})
	require.NoError(f.t, err)
	return pool
}

// keep lets the controller of pools work until it has nothing to do, and joins new machines.
func (f *poolFixture) keep() {
	f.t.Helper()
	for range 4 {
		require.NoError(f.t, f.controller.KeepPool(f.t.Context(), f.pool()))
		for _, machine := range f.machines() {
			if machine.Status.CurrentStatus.Phase == "" {
				f.join(machine)
			}
		}
	}
}

// join lets a machine join, with a node that is a candidate.
func (f *poolFixture) join(machine *api.Machine) {
	f.t.Helper()
	f.nodes++
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{
		Name:   fmt.Sprintf("%s-%d", f.machine.Namespace, f.nodes),
		Labels: map[string]string{"node.machine.sapcloud.io/candidate-for-update": "true"},
	}}
	node, err := f.client.Nodes.Create(f.t.Context(), node, metav1.CreateOptions{})
	require.NoError(f.t, err)
	node.Status.Conditions = []corev1.NodeCondition{
		{Type: corev1.NodeReady, Status: corev1.ConditionTrue},
		{Type: inplace.ConditionType, Status: corev1.ConditionTrue, Reason: "CandidateForUpdate"},
	}
	_, err = f.client.Nodes.UpdateStatus(f.t.Context(), node, metav1.UpdateOptions{})
	require.NoError(f.t, err)
	machine.Labels = map[string]string{api.NodeLabelKey: node.Name}
	machine.Finalizers = []string{api.Finalizer}
	machine, err = f.client.Machines.Update(f.t.Context(), machine, metav1.UpdateOptions{})
	require.NoError(f.t, err)
	machine.Status.CurrentStatus.Phase = api.MachineRunning
	_, err = f.client.Machines.UpdateStatus(f.t.Context(), machine, metav1.UpdateOptions{})
	require.NoError(f.t, err)
}

// machines are those of the pool.
func (f *poolFixture) machines() (all []*api.Machine) {
	f.t.Helper()
	list, err := f.client.Machines.List(f.t.Context(), metav1.ListOptions{})
	require.NoError(f.t, err)
	for i := range list.Items {
		if metav1.GetControllerOf(&list.Items[i]) != nil {
			all = append(all, &list.Items[i])
		}
	}
	return all
}

// sets are the names of the machine sets.
func (f *poolFixture) sets() (names []string) {
	f.t.Helper()
	list, err := f.client.MachineSets.List(f.t.Context(), metav1.ListOptions{})
	require.NoError(f.t, err)
	for i := range list.Items {
		names = append(names, list.Items[i].Name)
	}
	slices.Sort(names)
	return names
}

func (f *poolFixture) owners() (names []string) {
	f.t.Helper()
	for _, machine := range f.machines() {
		names = append(names, metav1.GetControllerOf(machine).Name)
	}
	return names
}

// selected are the nodes that are selected.
func (f *poolFixture) selected() (nodes []*corev1.Node) {
	f.t.Helper()
	for _, machine := range f.machines() {
		node, err := f.client.Nodes.Get(f.t.Context(), machine.Labels[api.NodeLabelKey], metav1.GetOptions{})
		require.NoError(f.t, err)
		if node.Labels[inplace.SelectedLabel] == "true" {
			nodes = append(nodes, node)
		}
	}
	return nodes
}

// fill lets the cache of the machine controller follow the API server.
func (f *poolFixture) fill() {
	f.t.Helper()
	sets, err := f.client.MachineSets.List(f.t.Context(), metav1.ListOptions{})
	require.NoError(f.t, err)
	nodes, err := f.client.Nodes.List(f.t.Context(), metav1.ListOptions{})
	require.NoError(f.t, err)
	for i := range sets.Items {
		require.NoError(f.t, f.cached.MachineSets.GetStore().Add(&sets.Items[i]))
		class := &api.MachineClass{ObjectMeta: metav1.ObjectMeta{Name: sets.Items[i].Name, Namespace: f.machine.Namespace}}
		require.NoError(f.t, f.cached.MachineClasses.GetStore().Add(class))
	}
	for i := range nodes.Items {
		require.NoError(f.t, f.cached.Nodes.GetStore().Add(&nodes.Items[i]))
	}
	require.NoError(f.t, f.cached.MachineDeployments.GetStore().Add(f.pool()))
	require.NoError(f.t, f.cached.Secrets.GetStore().Add(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: f.machine.Namespace}}))
}

// TestPausedPool: during a pause, a new template has no machine set and no selected node, and the pool is scaled all the same.
func TestPausedPool(t *testing.T) {
	f := newPoolFixture(t, 2)
	f.keep()
	require.Equal(t, []string{"old", "old"}, f.owners())

	f.change(func(d *api.MachineDeployment) {
		d.Spec.Paused = true
		d.Spec.Template.Spec.Class.Name = "new"
	})
	f.keep()
	require.Equal(t, []string{"old"}, f.sets())
	require.Empty(t, f.selected())
	f.change(func(d *api.MachineDeployment) { d.Spec.Replicas = 3 })
	f.keep()
	require.Equal(t, []string{"old", "old", "old"}, f.owners())
	require.Empty(t, f.selected())

	f.change(func(d *api.MachineDeployment) { d.Spec.Paused = false })
	f.keep()
	require.Equal(t, []string{"new", "old"}, f.sets())
	require.Len(t, f.selected(), 1)
}

// TestPauseAfterTheSelection: a pause begins nothing more, is no new revision, and its end continues.
func TestPauseAfterTheSelection(t *testing.T) {
	f := newPoolFixture(t, 2)
	f.keep()
	f.change(func(d *api.MachineDeployment) { d.Spec.Template.Spec.Class.Name = "new" })
	f.keep()
	chosen := f.selected()
	require.Len(t, chosen, 1)
	revision := chosen[0].Annotations[inplace.SelectionAnnotation]
	require.NotEmpty(t, revision)

	f.change(func(d *api.MachineDeployment) {
		d.Spec.Paused = true
		d.Spec.Strategy.InPlaceUpdate.MaxUnavailable = intstr.FromInt32(2)
	})
	f.keep()
	require.Len(t, f.selected(), 1)
	f.change(func(d *api.MachineDeployment) { d.Spec.Paused = false })
	f.keep()
	both := f.selected()
	require.Len(t, both, 2)
	for _, node := range both {
		require.Equal(t, revision, node.Annotations[inplace.SelectionAnnotation])
	}
}

// TestDeselectedNode: the controller of pools does not select a node again that a user has deselected, although its promise was still open.
func TestDeselectedNode(t *testing.T) {
	f := newPoolFixture(t, 2)
	f.keep()
	f.change(func(d *api.MachineDeployment) { d.Spec.Template.Spec.Class.Name = "new" })
	for range 2 { // for the new set, and for the selection
		require.NoError(t, f.controller.KeepPool(t.Context(), f.pool()))
	}
	first := f.selected()
	require.Len(t, first, 1)
	require.Contains(t, f.pool().Annotations[inplace.RolloutAnnotation], "select", "the promise is open")
	delete(first[0].Labels, inplace.SelectedLabel)
	_, err := f.client.Nodes.Update(t.Context(), first[0], metav1.UpdateOptions{})
	require.NoError(t, err)
	f.keep()
	second := f.selected()
	require.Len(t, second, 1, "the other one takes its turn")
	require.NotEqual(t, first[0].Name, second[0].Name)
}

// setReason sets the condition of a node that says how far its update has come.
func (f *poolFixture) setReason(node *corev1.Node, reason string) {
	f.t.Helper()
	node.Status.Conditions[1].Reason = reason
	_, err := f.client.Nodes.UpdateStatus(f.t.Context(), node, metav1.UpdateOptions{})
	require.NoError(f.t, err)
}

// reconciled lets the machine controller work on the machine of a node, and returns the reason of the condition that its update then has.
func (f *poolFixture) reconciled(node string) string {
	f.t.Helper()
	for range 3 {
		f.fill()
		for _, machine := range f.machines() {
			if machine.Labels[api.NodeLabelKey] == node {
				_, err := f.controller.RunMachine(f.t.Context(), machine)
				require.NoError(f.t, err)
			}
		}
	}
	live, err := f.client.Nodes.Get(f.t.Context(), node, metav1.GetOptions{})
	require.NoError(f.t, err)
	at := slices.IndexFunc(live.Status.Conditions, func(c corev1.NodeCondition) bool { return c.Type == inplace.ConditionType })
	return live.Status.Conditions[at].Reason
}

// TestPausedMachine: the machine controller begins with no node during a pause, and goes on where the update has begun.
func TestPausedMachine(t *testing.T) {
	for name, test := range map[string]struct {
		paused       bool
		reason, want string
	}{
		"no pause":                {false, "CandidateForUpdate", "SelectedForUpdate"},
		"a pause":                 {true, "CandidateForUpdate", "CandidateForUpdate"},
		"a pause after its begin": {true, "SelectedForUpdate", "DrainSuccessful"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newPoolFixture(t, 1)
			f.keep()
			f.change(func(d *api.MachineDeployment) { d.Spec.Template.Spec.Class.Name = "new" })
			f.keep()
			f.change(func(d *api.MachineDeployment) { d.Spec.Paused = test.paused })
			node := f.selected()[0]
			f.setReason(node, test.reason)
			require.Equal(t, test.want, f.reconciled(node.Name))
		})
	}
}

// targetAnnotation has the target of a pool. Pools from before the annotation lack it.
const targetAnnotation = "machine.sapcloud.io/example-target"

// TestPausedPoolWithoutTarget: the controller is upgraded during a pause, and the former one has recorded no target.
// The pool is scaled all the same, and an update that has begun goes on.
func TestPausedPoolWithoutTarget(t *testing.T) {
	for name, template := range map[string]string{
		"its template has a set":   "new",
		"its template has changed": "newest",
	} {
		t.Run(name, func(t *testing.T) {
			f := newPoolFixture(t, 2)
			f.keep()
			time.Sleep(time.Second) // so that the sets have different creation times
			f.change(func(d *api.MachineDeployment) { d.Spec.Template.Spec.Class.Name = "new" })
			f.keep()
			node := f.selected()[0]
			f.setReason(node, "SelectedForUpdate")
			f.change(func(d *api.MachineDeployment) {
				delete(d.Annotations, targetAnnotation)
				d.Spec.Paused = true
				d.Spec.Replicas = 3
				d.Spec.Template.Spec.Class.Name = template
			})
			f.keep()
			require.Equal(t, []string{"new", "old"}, f.sets())
			require.ElementsMatch(t, []string{"old", "old", "new"}, f.owners())
			require.Len(t, f.selected(), 1, "nothing more begins")
			require.Equal(t, "DrainSuccessful", f.reconciled(node.Name))

			f.change(func(d *api.MachineDeployment) { d.Spec.Paused = false })
			f.keep()
			require.Contains(t, f.sets(), template)
		})
	}
}

// TestPoolThatIsPausedFromTheBeginning: it has no machine set, no target and no machine before the end of the pause.
func TestPoolThatIsPausedFromTheBeginning(t *testing.T) {
	f := newPoolFixture(t, 1)
	f.change(func(d *api.MachineDeployment) { d.Spec.Paused = true })
	f.keep()
	require.Empty(t, f.sets())
	require.NotContains(t, f.pool().Annotations, targetAnnotation)
	f.change(func(d *api.MachineDeployment) { d.Spec.Paused = false })
	f.keep()
	require.Equal(t, []string{"old"}, f.owners())
}
