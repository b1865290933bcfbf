package beside_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/beside"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/hotupdate/updater"
)

// TestFleet: 300 machines are adopted by two patches each, and a change costs one call of each kind
// and three patches, without a conflict. Of twenty changes in a row the last one wins.
func TestFleet(t *testing.T) {
	t.Parallel()
	const n = 300
	f := newFixture(t)
	f.putClass(class, `{"tags":{"owner":"alice","team":"red"}}`)
	all := names(n)
	f.running(`{"tags":{"owner":"alice","team":"red"}}`, all...)
	p := f.start()
	f.settled(n)
	patches, conflicts := p.patches()
	sets, removes, reads := f.cloud.Calls()
	assert.Equal(t, []int{2 * n, 0, 0, 0, 2 * n}, []int{patches, conflicts, sets, removes, reads})

	f.putClass(class, `{"tags":{"owner":"alice","cost-center":"1"}}`)
	f.tagged(all, map[string]string{"owner": "alice", "cost-center": "1"})
	f.settled(n)
	again, conflicts := p.patches()
	sets, removes, _ = f.cloud.Calls()
	assert.Equal(t, []int{3 * n, 0, n, n}, []int{again - patches, conflicts, sets, removes})

	for i := range 20 {
		f.putClass(class, fmt.Sprintf(`{"tags":{"owner":"alice","cost-center":"%d"}}`, i+2))
		time.Sleep(50 * time.Millisecond)
	}
	f.tagged(all, map[string]string{"owner": "alice", "cost-center": "21"})
}

// TestCreations: MCM creates machines, with conflicts with itself, and the updater writes to none
// of them before it runs. The class changes meanwhile. No VM is created twice, although
// GetMachineStatus is not implemented and a conflict would create one; all end with the tags of the
// last class, also those of versions in between.
func TestCreations(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.provider.Blind = true
	p := f.start()
	f.provider.Creating = p.Creating
	f.provider.Between = func(machine string, used *beside.Spec) { // the version is stored before it is used
		stored := f.versions()[class]
		for key := range used.Tags {
			assert.Contains(t, stored, fmt.Sprintf("%q:", key), machine)
		}
	}
	f.putClass(class, `{"tags":{"v0":"1","owner":"alice"}}`)
	m := runMCM(t, f.namespace, f.client, f.provider, 50*time.Millisecond)
	all := names(60)
	for i := range 6 {
		f.create(all[10*i : 10*i+10]...)
		f.putClass(class, fmt.Sprintf(`{"tags":{"v%d":"1","owner":"alice"}}`, i+1))
	}
	f.tagged(all, map[string]string{"owner": "alice", "v6": "1"})
	for _, name := range all {
		assert.Len(t, f.cloud.Of(name), 1, name)
		assert.Contains(t, f.cloud.Of(name), f.machine(name).Spec.ProviderID, "the provider ID is not lost")
	}
	t.Logf("%d conflicts of MCM, %d of them with running machines", m.conflicts.Load(), m.late.Load())
	stored := p.metric(t, "hot_update_creations_total", "Stored")
	assert.LessOrEqual(t, stored, 7.0, "one write for each version")
	assert.Positive(t, stored)
	assert.Zero(t, p.metric(t, "hot_update_creations_total", "Failed"))
}

// blockCreations makes creations wait after they have told their version. It returns the function
// that lets them go on, and one that waits for the first.
func (f *fixture) blockCreations() (proceed, begun func()) {
	first := make(chan struct{})
	open := make(chan struct{})
	var once sync.Once
	f.provider.Between = func(string, *beside.Spec) {
		once.Do(func() { close(first) })
		<-open
	}
	return func() { close(open) }, func() { <-first }
}

// TestSupersededVersion: a creation uses a version of its class that is superseded before the
// machine is adopted, and the process is killed meanwhile. What the version has set is known to the
// next one.
func TestSupersededVersion(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	p := f.start()
	f.provider.Creating = p.Creating
	f.putClass(class, `{"tags":{"gone":"1","owner":"alice"}}`)
	runMCM(t, f.namespace, f.client, f.provider, 0)
	proceed, begun := f.blockCreations()
	f.create("m-1")
	begun()
	f.putClass(class, `{"tags":{"owner":"bob","later":"1"}}`)
	f.putClass(class, `{"tags":{"owner":"bob"}}`)
	p.killed.Store(true)
	p.stop()
	q := f.start()
	f.provider.Creating = q.Creating
	proceed()
	f.tagged([]string{"m-1"}, map[string]string{"owner": "bob"})
	f.settled(1)
	assert.Equal(t, `[{"tags":{"gone":"1","owner":"alice"}}]`, f.versions()[class])
	f.create("m-2")
	f.settled(2)
	f.until("the first version is forgotten", func() bool {
		return f.versions()[class] == `[{"tags":{"owner":"bob"}}]`
	})
	require.NoError(t, f.client.Machines.Delete(t.Context(), "m-1", metav1.DeleteOptions{}))
	require.NoError(t, f.client.Machines.Delete(t.Context(), "m-2", metav1.DeleteOptions{}))
	require.NoError(t, f.client.MachineClasses.Delete(t.Context(), class, metav1.DeleteOptions{}))
	f.until("a class that is gone with its machines is forgotten", func() bool { return len(f.versions()) == 0 })
}

// TestCreationsWhilePruning: a creation uses an old version while the leader removes versions of
// which all machines have records. The version stays, whether the creation reads it before the
// ConfigMap is marked or after that.
func TestCreationsWhilePruning(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]int{"before the mark": 1, "after the mark": 2} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			old := []byte(`{"tags":{"gone":"1"}}`)
			q := f.start()
			f.until("it leads", func() bool { return q.metric(t, "hot_update_leads", "") == 1 })
			q.stop() // its Creating goes on
			create := func(machine string) {
				f.create(machine)
				made := &metav1.ObjectMeta{Name: machine, Namespace: f.namespace}
				q.Creating(t.Context(), made, &metav1.ObjectMeta{Name: class, UID: "old", ResourceVersion: "1"}, old)
			}
			f.putClass(class, `{"tags":{"owner":"alice"}}`)
			create("m-0")
			q.Creating(t.Context(), &metav1.ObjectMeta{Name: "m-1"}, &metav1.ObjectMeta{Name: class, UID: "new", ResourceVersion: "2"},
				[]byte(`{"tags":{"owner":"alice"}}`))
			require.Len(t, strings.Split(f.versions()[class], "},{"), 2)
			require.NoError(t, f.client.Machines.Delete(t.Context(), "m-0", metav1.DeleteOptions{}))
			var writes atomic.Int32
			f.startAs(&process{refuse: func(r request) error {
				if r.Resource == "configmaps" && r.Verb == http.MethodPut && int(writes.Add(1)) == write {
					create("m-2")
				}
				return nil
			}})
			f.until("versions were to be removed", func() bool { return int(writes.Load()) >= write })
			time.Sleep(15 * time.Second) // longer than the time between two looks at versions to forget
			assert.Contains(t, f.versions()[class], "gone")
		})
	}
}

// TestCreationOutlivesItsClass: the class of a machine that is being created is deleted. Its
// versions stay until the machine was adopted by the class of its pool.
func TestCreationOutlivesItsClass(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.provider.Creating = f.start().Creating
	f.putClass(class, `{"tags":{"gone":"1","owner":"alice"}}`)
	f.putClass("next", `{"tags":{"owner":"bob"}}`)
	f.pool("InPlaceUpdate")
	m := runMCM(t, f.namespace, f.client, f.provider, 0)
	m.pending.Store(true)
	f.create("m-1")
	f.until("the machine is pending", func() bool {
		return f.machine("m-1").Status.CurrentStatus.Phase == api.MachinePending
	})
	require.NoError(t, f.client.MachineClasses.Delete(t.Context(), class, metav1.DeleteOptions{}))
	time.Sleep(12 * time.Second) // longer than the time between two looks at versions to forget
	require.NotEmpty(t, f.versions()[class])
	m.pending.Store(false)
	f.tagged([]string{"m-1"}, map[string]string{"owner": "bob"})
}

// TestTransferWithoutRecord: a machine is updated in place while hot updates are paused, before it has a
// record. A newer MCM writes the name of the new class into it, and the old class goes, and so does its
// MachineSet. What only a former version of the old class has set is removed nevertheless.
func TestTransferWithoutRecord(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var isPaused atomic.Bool
	isPaused.Store(true)
	f.settings.Paused = isPaused.Load
	f.putClass(class, `{"tags":{"owner":"alice"}}`)
	f.putClass("next", `{"tags":{"owner":"bob"}}`)
	deployment := f.pool(api.InPlaceUpdateStrategyType)
	wants := func(class string) {
		var err error
		deployment.Spec.Template.Spec.Class.Name = class
		deployment, err = f.client.MachineDeployments.Update(t.Context(), deployment, metav1.UpdateOptions{})
		require.NoError(t, err)
	}
	wants(class)
	const created = `{"tags":{"gone":"1","owner":"alice"}}`
	f.running(created, "m-1")
	p := f.start()
	p.Creating(t.Context(), &metav1.ObjectMeta{Name: "m-1"}, &metav1.ObjectMeta{Name: class}, []byte(created))
	f.until("the updater leads", func() bool { return p.metric(t, "hot_update_leads", "") == 1 })
	wants("next")
	f.until("the version is passed on", func() bool { return f.versions()["next"] == "["+created+"]" })

	set, err := f.client.MachineSets.Create(t.Context(), &api.MachineSet{
		ObjectMeta: metav1.ObjectMeta{Name: "pool-new", OwnerReferences: controlledBy("MachineDeployment", deployment)},
		Spec:       api.MachineSetSpec{Template: templateOf("next")},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	machine := f.machine("m-1")
	machine.OwnerReferences = controlledBy("MachineSet", set)
	machine.Spec.Class.Name = "next"
	_, err = f.client.Machines.Update(t.Context(), machine, metav1.UpdateOptions{})
	require.NoError(t, err)
	require.NoError(t, f.client.MachineSets.Delete(t.Context(), "pool-old", metav1.DeleteOptions{}))
	require.NoError(t, f.client.MachineClasses.Delete(t.Context(), class, metav1.DeleteOptions{}))
	f.until("the versions of the old class are forgotten", func() bool { return f.versions()[class] == "" })
	assert.Equal(t, "["+created+"]", f.versions()["next"])
	isPaused.Store(false)
	f.putClass("next", `{"tags":{"owner":"carol"}}`)
	f.tagged([]string{"m-1"}, map[string]string{"owner": "carol"})
}

// TestStoreFails: a version that cannot be stored is reported, and the creation goes on. A key that
// the class drops then stays. What the last class says is set nevertheless.
func TestStoreFails(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	p := f.startAs(&process{refuse: func(r request) error {
		if r.Resource == "configmaps" && r.Verb != http.MethodGet {
			return errors.New("no API server")
		}
		return nil
	}})
	f.provider.Creating = p.Creating
	f.putClass(class, `{"tags":{"gone":"1","owner":"alice"}}`)
	runMCM(t, f.namespace, f.client, f.provider, 0)
	proceed, begun := f.blockCreations()
	f.create("m-1")
	begun()
	f.putClass(class, `{"tags":{"owner":"bob"}}`)
	proceed()
	f.tagged([]string{"m-1"}, map[string]string{"gone": "1", "owner": "bob"})
	f.settled(1)
	assert.Positive(t, p.metric(t, "hot_update_creations_total", "Failed"))
	isTold := func(r request) bool {
		return r.Resource == "events" && strings.Contains(r.Body, "HotUpdateVersionNotStored")
	}
	f.until("an event reports it", func() bool { return len(p.log(isTold)) > 0 })
}

// TestUnreadStore: as long as the versions cannot be read, a machine is not adopted, and nothing is
// called.
func TestUnreadStore(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.putClass(class, `{"tags":{"owner":"bob"}}`)
	f.running(`{"tags":{"owner":"alice"}}`, "m-1")
	var down atomic.Bool
	down.Store(true)
	p := f.startAs(&process{refuse: func(r request) error {
		if down.Load() && r.Resource == "configmaps" {
			return errors.New("no API server")
		}
		return nil
	}})
	f.until("an adoption was tried", func() bool {
		return p.metric(t, "hot_update_reconciles_total", "Unrecalled") > 0
	})
	_, _, reads := f.cloud.Calls()
	patches, _ := p.patches()
	assert.Zero(t, reads+patches)
	down.Store(false)
	f.tagged([]string{"m-1"}, map[string]string{"owner": "bob"})
}

// TestMissingSecret: a missing secret is an error, and not an empty one. Nothing is called or
// written.
func TestMissingSecret(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	require.NoError(t, f.client.Secrets.Delete(t.Context(), secretName, metav1.DeleteOptions{}))
	f.putClass(class, `{"tags":{"owner":"bob"}}`)
	f.running(`{"tags":{"owner":"alice"}}`, "m-1")
	p := f.start()
	f.until("the class is unusable", func() bool {
		return p.metric(t, "hot_update_reconciles_total", "ClassUnusable") > 0
	})
	_, _, reads := f.cloud.Calls()
	patches, _ := p.patches()
	assert.Zero(t, reads+patches)
	f.putSecret("two")
	f.tagged([]string{"m-1"}, map[string]string{"owner": "bob"})
	assert.Zero(t, f.cloud.Credentials[""])
	assert.Positive(t, f.cloud.Credentials["two"])
}

// TestUnreadableClass: nothing is called or written as long as the class cannot be read.
func TestUnreadableClass(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.putClass(class, `{"tags":{"owner":"alice"}}`)
	f.running(`{"tags":{"owner":"alice"}}`, "m-1")
	p := f.start()
	f.settled(1)
	patches := 0
	f.until("both writes of an adoption are logged, after the API server has them", func() bool {
		patches, _ = p.patches()
		return patches == 2
	})
	_, _, reads := f.cloud.Calls()
	f.putClass(class, `{"tags":["bob"]}`)
	f.until("the class is unusable", func() bool {
		return p.metric(t, "hot_update_reconciles_total", "ClassUnusable") > 0
	})
	again, _ := p.patches()
	_, _, readAgain := f.cloud.Calls()
	assert.Equal(t, []int{patches, reads}, []int{again, readAgain})
	f.putClass(class, `{"tags":{"owner":"bob"}}`)
	f.tagged([]string{"m-1"}, map[string]string{"owner": "bob"})
}

// TestUnfinishedMachines: machines that MCM is creating or deleting, or that have failed, are not
// written, also with a provider ID.
func TestUnfinishedMachines(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.putClass(class, `{"tags":{"owner":"bob"}}`)
	phases := []api.MachinePhase{
		"", api.MachinePending, api.MachineCrashLoopBackOff, api.MachineFailed, api.MachineTerminating,
	}
	all := names(len(phases) + 2)
	f.running(`{"tags":{"owner":"alice"}}`, all...)
	for i, phase := range phases {
		machine := f.machine(all[i])
		machine.Status.CurrentStatus.Phase = phase
		_, err := f.client.Machines.UpdateStatus(t.Context(), machine, metav1.UpdateOptions{})
		require.NoError(t, err)
	}
	require.NoError(t, f.client.Machines.Delete(t.Context(), all[len(phases)], metav1.DeleteOptions{}))
	running := all[len(phases)+1:]
	p := f.start()
	f.tagged(running, map[string]string{"owner": "bob"})
	for _, r := range p.log(func(r request) bool { return r.Verb == http.MethodPatch }) {
		assert.Equal(t, running[0], r.Name)
	}
	for _, name := range all[:len(phases)+1] {
		assert.Equal(t, map[string]string{"owner": "alice"}, f.cloud.TagsOf(name), name)
	}
}

// TestPauseUnimplementedEpoch: they mean what they mean in package machineupdate.
func TestPauseUnimplementedEpoch(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.putClass(class, `{"tags":{"owner":"alice"}}`)
	f.running(`{"tags":{"owner":"alice"}}`, "m-1")
	p := f.start()
	f.settled(1)
	pause := func(value string) {
		patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:%s}}}`, "machine.sapcloud.io/pause-hot-update", value)
		_, err := f.client.Machines.Patch(t.Context(), "m-1", types.MergePatchType, patch, metav1.PatchOptions{})
		require.NoError(t, err)
	}
	pause(`"true"`)
	f.putClass(class, `{"tags":{"owner":"bob"}}`)
	f.until("the machine is paused", func() bool { return p.metric(t, "hot_update_reconciles_total", "Paused") > 0 })
	assert.Equal(t, map[string]string{"owner": "alice"}, f.cloud.TagsOf("m-1"))
	pause("null")
	f.tagged([]string{"m-1"}, map[string]string{"owner": "bob"})
	f.settled(1)
	p.stop()

	_, _, reads := f.cloud.Calls()
	q := f.start(func(o *updater.Options) { o.Epoch = "restored" })
	f.until("another epoch is one more pass", func() bool {
		_, _, again := f.cloud.Calls()
		return again > reads
	})
	f.settled(1)
	q.stop()

	f.provider.Unable = machineupdate.ErrUnimplemented
	before := f.machine("m-1").Annotations
	r := f.start()
	f.putClass(class, `{"tags":{"owner":"carol"}}`)
	f.until("the driver is unable", func() bool { return r.metric(t, "hot_update_reconciles_total", "Unable") > 0 })
	assert.Equal(t, before, f.machine("m-1").Annotations)
}

// TestDeletions: machines are deleted while their class changes, and nothing is left.
func TestDeletions(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.putClass(class, `{"tags":{"owner":"alice"}}`)
	all := names(20)
	f.running(`{"tags":{"owner":"alice"}}`, all...)
	f.start()
	runMCM(t, f.namespace, f.client, f.provider, 50*time.Millisecond)
	f.settled(len(all))
	f.putClass(class, `{"tags":{"owner":"bob"}}`)
	for _, name := range all[:10] {
		require.NoError(t, f.client.Machines.Delete(t.Context(), name, metav1.DeleteOptions{}))
	}
	f.tagged(all[10:], map[string]string{"owner": "bob"})
	f.until("their VMs are gone", func() bool {
		left := 0
		for _, name := range all[:10] {
			left += len(f.cloud.Of(name))
		}
		return left == 0
	})
}

// TestKill: a process is killed in the middle of a change, which is then taken back. Comparing
// classes would find nothing to do. The next process has the lease when it has expired.
func TestKill(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.cloud.Latency = 50 * time.Millisecond
	f.putClass(class, `{"tags":{"owner":"alice"}}`)
	all := names(60)
	f.running(`{"tags":{"owner":"alice"}}`, all...)
	p := f.start()
	f.settled(len(all))
	f.putClass(class, `{"tags":{"owner":"alice","team":"blue"}}`)
	f.until("some machines are updated", func() bool {
		sets, _, _ := f.cloud.Calls()
		return sets > 5
	})
	p.killed.Store(true)
	f.putClass(class, `{"tags":{"owner":"alice"}}`)
	p.stop()
	f.start()
	f.tagged(all, map[string]string{"owner": "alice"})
	f.settled(len(all))
}

// TestTwoReplicas: one leads, and the other takes over when the lease is stolen from the first.
// That one stops its updates, not its process, and competes again.
func TestTwoReplicas(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.putClass(class, `{"tags":{"owner":"alice"}}`)
	all := names(10)
	f.running(`{"tags":{"owner":"alice"}}`, all...)
	p := f.start()
	f.settled(len(all))
	q := f.start()
	leads := func(p *process) bool { return p.metric(t, "hot_update_leads", "") == 1 }
	require.True(t, leads(p))
	f.stealLease()
	f.until("the first stops its updates", func() bool { return !leads(p) })
	f.putClass(class, `{"tags":{"owner":"bob"}}`)
	f.until("one of them leads", func() bool { return leads(p) || leads(q) })
	assert.False(t, leads(p) && leads(q))
	f.tagged(all, map[string]string{"owner": "bob"})
	leader := p
	other := q
	if leads(q) {
		leader = q
		other = p
	}
	leader.stop()
	f.until("the other one leads", func() bool { return leads(other) })
}

// TestInPlaceIsReported: in a pool that is updated in place the class is that of the
// MachineDeployment, and its InPlace part is reported, and never applied.
func TestInPlaceIsReported(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.putClass(class, `{"tags":{"owner":"alice"},"kernel":"5"}`)
	f.putClass("next", `{"tags":{"owner":"bob"},"kernel":"6"}`)
	f.pool(api.InPlaceUpdateStrategyType)
	f.running(`{"tags":{"owner":"alice"},"kernel":"5"}`, "m-1")
	p := f.start()
	f.tagged([]string{"m-1"}, map[string]string{"owner": "bob"})
	f.settled(1)
	assert.Zero(t, f.cloud.Kernels)
	isTold := func(r request) bool { return r.Resource == "events" && strings.Contains(r.Body, "InPlaceUpdate") }
	f.until("an event reports it", func() bool { return len(p.log(isTold)) > 0 })
	assert.Equal(t, 1.0, p.metric(t, "hot_update_in_place", "Unknown"))
}

// TestRollingPool: in a pool that rolls the class is that of the machine.
func TestRollingPool(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.putClass(class, `{"tags":{"owner":"alice"}}`)
	f.putClass("next", `{"tags":{"owner":"bob"}}`)
	f.pool("RollingUpdate")
	f.running(`{"tags":{"owner":"eve"}}`, "m-1")
	f.start()
	f.tagged([]string{"m-1"}, map[string]string{"owner": "alice"})
}
