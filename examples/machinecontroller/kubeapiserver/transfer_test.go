package kubeapiserver_test

import (
	"encoding/json"
	"sync"
	"testing"

	"github.com/gardener/machine-controller-manager/pkg/apis/machine/v1alpha1"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/app"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/kubeapiserver/editedmcm"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// TestMCMTransfer: after an in-place update, MCM transfers a machine to the new MachineSet. Up to v0.62.1 the machine
// keeps the name of its old class, from the next release on it gets the name of the new one. The updater works beside
// both, and beside one after the other: hot updates that are under way in that moment are finished, later ones reach
// the machines, and no machine is replaced.
func TestMCMTransfer(t *testing.T) {
	next := build(t, editedmcm.NextRelease, editedmcm.Module+"/cmd/machine-controller-manager")
	s := startForMCM(t)
	t.Run("v0.62.1", func(t *testing.T) {
		f := s.transfers(t, "keeps", v1alpha1.OrchestrationTypeAuto)
		f.runDeployments()
		f.testTransfer()
		f.expectClasses("old")
		class, err := f.machines.MachineClasses(f.namespace).Get(t.Context(), "old", metav1.GetOptions{})
		require.NoError(t, err)
		assert.NotNil(t, class.DeletionTimestamp, "machines name the class")
	})
	t.Run("next release", func(t *testing.T) {
		f := s.transfers(t, "names", v1alpha1.OrchestrationTypeAuto)
		f.runProgram(next)
		f.testTransfer()
		f.expectClasses("new")
		f.untilGone("old")
	})
	t.Run("one after the other", func(t *testing.T) {
		s.transfers(t, "both", v1alpha1.OrchestrationTypeManual).testBoth(next)
	})
	t.Run("without a record", func(t *testing.T) { s.testTransferWithoutRecord(t, next) })
}

// transfers is a landscape with a pool that is updated in place. The pool, and so the machines and their nodes, are
// named like the namespace.
type transfers struct {
	*landscape

	created map[types.UID]string // provider IDs, by machine
}

// members is the number of machines.
const members = 4

// transfers creates a namespace without MCM's controllers of deployments and sets, in which nothing has run yet.
func (s *server) transfers(t *testing.T, namespace string, by v1alpha1.OrchestrationType) *transfers {
	t.Helper()
	f := &transfers{landscape: s.landscape(t, namespace)}
	f.runGated(f.start())
	f.createInPlace(by)
	return f
}

// createInPlace creates the pool. All machines may be updated at once.
func (f *transfers) createInPlace(by v1alpha1.OrchestrationType) {
	f.Helper()
	f.putClass("old", `{"tags":{"owner":"alice","team":"red"},"kernel":"5"}`)
	f.createPool(f.namespace, "old", members, v1alpha1.MachineDeploymentStrategy{
		Type: v1alpha1.InPlaceUpdateMachineDeploymentStrategyType, InPlaceUpdate: &v1alpha1.InPlaceUpdateMachineDeployment{
			UpdateConfiguration: updates(0, members), OrchestrationType: by,
		},
	})
}

// runs waits until all machines run, and their VMs have exactly these tags.
func (f *transfers) runs(tags map[string]string) {
	f.Helper()
	f.landscape.runs(f.namespace, members, tags)
	now := map[types.UID]string{}
	for _, machine := range f.pool(f.namespace) {
		now[machine.UID] = machine.Spec.ProviderID
	}
	if f.created == nil {
		f.created = now
	}
	assert.Equal(f, f.created, now, "no machine is replaced")
	assert.Equal(f, members, f.cloud.Len())
}

// testTransfer updates all machines at once.
func (f *transfers) testTransfer() {
	f.runs(map[string]string{"owner": "alice", "team": "red"})
	f.putClass("new", `{"tags":{"owner":"bob"},"kernel":"6"}`)
	f.wants("new")
	f.deleteClass("old")
	f.transferWhileUpdating("new", "6", f.names())
	f.putClass("new", `{"tags":{"owner":"frank"},"kernel":"6"}`)
	f.runs(map[string]string{"owner": "frank"})
	assert.Equal(f, members, f.cloud.Kernels, "an InPlace part is applied once")
	f.expectAllowed()
}

// testBoth lets MCM v0.62.1 transfer half of the machines, and its next release the other half. Then the next release
// updates all of them once more.
func (f *transfers) testBoth(next string) {
	stop := f.runDeployments()
	f.runs(map[string]string{"owner": "alice", "team": "red"})
	f.putClass("new", `{"tags":{"owner":"bob"},"kernel":"6"}`)
	f.wants("new")
	f.deleteClass("old")
	all := f.names()
	f.selected(all[:2])
	f.transferWhileUpdating("new", "6", all[:2])
	stop()
	f.putClass("new", `{"tags":{"owner":"grace"},"kernel":"6"}`)
	f.runs(map[string]string{"owner": "grace"})

	f.runProgram(next)
	f.selected(all[2:])
	f.transferWhileUpdating("new", "6", all[2:])
	f.expectClasses("old", "old", "new", "new")
	f.putClass("new", `{"tags":{"owner":"heidi"},"kernel":"6"}`)
	f.runs(map[string]string{"owner": "heidi"})
	assert.Equal(f, members, f.cloud.Kernels)
	_, err := f.machines.MachineClasses(f.namespace).Get(f.Context(), "old", metav1.GetOptions{})
	require.NoError(f, err, "machines name the class")

	f.putClass("newer", `{"tags":{"owner":"ivan"},"kernel":"7"}`)
	f.wants("newer")
	f.deleteClass("new")
	f.selected(all)
	f.transferWhileUpdating("newer", "7", all)
	f.expectClasses("newer")
	f.untilGone("old")
	f.untilGone("new")
	assert.Equal(f, 2*members, f.cloud.Kernels)
	f.expectAllowed()
}

// transferWhileUpdating lets MCM transfer machines to a class with a kernel while a hot update of each machine of the
// pool is under way. Before that ends, the class changes once more.
func (f *transfers) transferWhileUpdating(class, kernel string, machines []string) {
	f.Helper()
	f.until("the nodes are ready for their agent", func() bool { return f.areReady(machines) })
	for _, name := range machines {
		for _, vm := range f.cloud.Of(name) {
			assert.Equal(f, kernel, vm.Kernel, name)
		}
	}
	release := sync.OnceFunc(f.cloud.Hold())
	f.Cleanup(release)
	f.putClass(class, `{"tags":{"owner":"carol","gone":"1"},"kernel":"`+kernel+`"}`)
	f.until("an update of each machine is under way", func() bool { return f.inState("Calling") == members })
	f.answer(machines)
	f.until("the machines are transferred", func() bool { return f.areTransferred(class, machines) })
	f.putClass(class, `{"tags":{"owner":"dave"},"kernel":"`+kernel+`"}`)
	assert.Equal(f, members, f.inState("Calling"), "no update has ended meanwhile")
	release()
	f.runs(map[string]string{"owner": "dave"})
}

// testTransferWithoutRecord: a machine is transferred before it has a record, since the class is paused. What only a
// former version of its first class has set is removed, although the machine does not name that class any more, which
// is gone with its MachineSet.
func (s *server) testTransferWithoutRecord(t *testing.T, next string) {
	f := &transfers{landscape: s.landscape(t, "unrecorded")}
	f.start()
	kubeconfig := f.kubeconfig(f.server.mcm)
	go func() { panic(app.Run(f.machineOptions(kubeconfig), f.driver)) }()
	f.runProgram(next)
	f.putClass("new", `{"tags":{"owner":"bob"},"kernel":"5"}`)
	f.putClass("old", `{"tags":{"owner":"alice"},"kernel":"5"}`)
	f.pause("old", "true")
	f.pause("new", "true")
	f.createInPlace(v1alpha1.OrchestrationTypeAuto)
	f.untilAll(f.namespace, members, func(m *v1alpha1.Machine) bool { return m.Status.CurrentStatus.Phase == v1alpha1.MachineRunning })
	f.putClass("old", `{"tags":{"owner":"alice"},"kernel":"5"}`)
	f.wants("new")
	f.deleteClass("old")
	f.until("the nodes are ready for their agent", func() bool { return f.areReady(f.names()) })
	f.answer(f.names())
	f.until("the machines are transferred", func() bool { return f.areTransferred("new", f.names()) })
	f.untilGone("old")
	f.deleteFormerSet("new")
	for _, machine := range f.pool(f.namespace) {
		assert.NotContains(t, machine.Annotations, machineupdate.AnnotationRecord)
	}
	f.pause("new", "false")
	f.runs(map[string]string{"owner": "bob"})
	f.expectAllowed()
}

// deleteFormerSet deletes the MachineSet without machines, as MCM may do with the history limit 0, which Gardener's
// MachineDeployments have. The other one has the class.
func (f *transfers) deleteFormerSet(class string) {
	f.Helper()
	sets, err := f.machines.MachineSets(f.namespace).List(f.Context(), metav1.ListOptions{})
	require.NoError(f, err)
	require.Len(f, sets.Items, 2)
	for _, set := range sets.Items {
		if set.Spec.Template.Spec.Class.Name != class {
			require.NoError(f, f.machines.MachineSets(f.namespace).Delete(f.Context(), set.Name, metav1.DeleteOptions{}))
		}
	}
	f.until("the former MachineSet is gone", func() bool {
		sets, err = f.machines.MachineSets(f.namespace).List(f.Context(), metav1.ListOptions{})
		require.NoError(f, err)
		return len(sets.Items) == 1
	})
}

// pause pauses the hot updates of machines that should have a class, or ends that.
func (f *transfers) pause(class, value string) {
	f.Helper()
	patch := []byte(`{"metadata":{"annotations":{"machine.sapcloud.io/pause-hot-update":"` + value + `"}}}`)
	_, err := f.machines.MachineClasses(f.namespace).Patch(f.Context(), class, types.MergePatchType, patch, metav1.PatchOptions{})
	require.NoError(f, err)
}

// expectClasses expects which classes the machines name, whatever their order. One name is for all machines.
func (f *transfers) expectClasses(want ...string) {
	f.Helper()
	var names []string
	for _, machine := range f.pool(f.namespace) {
		names = append(names, machine.Spec.Class.Name)
	}
	for len(want) < members {
		want = append(want, want[0])
	}
	assert.ElementsMatch(f, want, names)
}

// inState returns how many machines have a record in the state.
func (f *transfers) inState(state string) (n int) {
	f.Helper()
	for _, machine := range f.pool(f.namespace) {
		var record struct{ State string }
		text := machine.Annotations[machineupdate.AnnotationRecord]
		if json.Unmarshal([]byte(text), &record) == nil && record.State == state {
			n++
		}
	}
	return n
}

// expectAllowed expects that the updater has done nothing but what it may do, and that each VM was created once.
func (f *transfers) expectAllowed() {
	f.Helper()
	for name, count := range f.driver.created() {
		assert.Equal(f, 1, count, name)
	}
	f.server.patches(f.T, f.namespace)
	for request, isAllowed := range f.server.asked(f.T, updaterUser) {
		assert.True(f, isAllowed, request)
	}
}
