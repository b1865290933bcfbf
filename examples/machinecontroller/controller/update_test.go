package controller_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/awsdriver"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/cloud"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/cloudapi"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/driver"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/simulation"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/store"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

var (
	s1 = map[string]string{"cost-center": "1000", "owner": "alice"}
	s2 = map[string]string{"cost-center": "2000", "team": "blue"}
)

func TestCreatedMachineIsSettled(t *testing.T) {
	w := start(t, spec(s1))
	w.running(s1)
	assert.True(t, w.settled())
	w.converged(s1, s1)
}

func TestTagsChange(t *testing.T) {
	w := start(t, spec(s1))
	w.running(s1)
	w.change(s2)
	w.updated()
	w.carry(own(), s2)
	assert.Equal(t, api.OperationUpdate, w.machine().Status.LastOperation.Type)
	w.converged(s2, s1)
	assert.Equal(t, 1, w.tagCalls(cloudapi.CreateTags), "all resources share a call, and the pass that confirms finds nothing to do")
}

func TestTagsOfOneKindChange(t *testing.T) {
	w := start(t, spec(s1))
	w.running(s1)
	changed := spec(s1)
	changed.ResourceTags = &tags.Tags{VM: map[string]string{"owner": "bob"}, Disk: map[string]string{"backup": "daily"}}
	require.NoError(t, w.ChangeClass(changed))
	w.updated()
	w.until(time.Hour, "the machine settles", w.settled)
	w.carry([]string{vm}, map[string]string{"cost-center": "1000", "owner": "bob"})
	w.carry([]string{card}, s1)
	w.carry([]string{root, data}, map[string]string{"cost-center": "1000", "owner": "alice", "backup": "daily"})
	w.change(s1)
	w.updated()
	w.converged(s1, s1)
}

// TestProposalEdgeCase1: an update fails in part, and the class is reverted before it is tried again.
func TestProposalEdgeCase1(t *testing.T) {
	w := start(t, spec(s1))
	w.running(s1)
	refusals := slices.Repeat([]cloud.Fault{{Action: cloudapi.DeleteTags, Code: cloudapi.InternalError}}, 3)
	w.Cloud.Inject(refusals...)
	w.change(s2)
	w.until(time.Minute, "the first call has landed", func() bool { return w.tagCalls(cloudapi.CreateTags) == 1 })
	w.Run(time.Second)
	assert.True(t, w.said("updated 0 of 4 resources"))
	assert.Equal(t, "Calling", w.record().State)
	w.carry(own(), map[string]string{"cost-center": "2000", "team": "blue", "owner": "alice"})
	w.change(s1)
	w.converged(s1, s1)
}

// TestProposalEdgeCase2: the controller ends in the middle of an update, and the class is reverted before the next one starts.
func TestProposalEdgeCase2(t *testing.T) {
	w := start(t, spec(s1))
	w.running(s1)
	w.Cloud.Inject(cloud.Fault{Action: cloudapi.CreateTags, Effect: cloud.AnswerLost, Then: w.kill})
	w.change(s2)
	w.Run(time.Minute)
	w.carry(own(), map[string]string{"cost-center": "2000", "team": "blue", "owner": "alice"})
	w.change(s1)
	w.again()
	w.converged(s1, s1)
}

// TestCrashAnywhere ends the controller at every request of an update, before and after it takes effect, and when it lands late.
func TestCrashAnywhere(t *testing.T) {
	for _, action := range []cloudapi.Action{cloudapi.DescribeInstances, cloudapi.DescribeTags, cloudapi.CreateTags, cloudapi.DeleteTags} {
		for _, fault := range []cloud.Fault{{Effect: cloud.AnswerLost}, {Effect: cloud.NeverLands}, {Effect: cloud.LandsLate, Delay: 2 * time.Minute}} {
			for _, next := range []map[string]string{s1, s2, {"owner": "carol"}, nil} {
				t.Run(fmt.Sprintf("%s %s then %v", action, fault.Effect, next), func(t *testing.T) {
					w := start(t, spec(s1))
					w.running(s1)
					fault.Action, fault.Then = action, w.kill
					w.Run(time.Minute)
					w.Cloud.Inject(fault)
					w.change(s2)
					w.Run(time.Minute)
					w.change(next)
					w.again()
					w.converged(next, s1)
				})
			}
		}
	}
}

// TestLateRequests: a request that nobody waits for any more takes effect after the class was reverted and the machine updated.
func TestLateRequests(t *testing.T) {
	for _, action := range []cloudapi.Action{cloudapi.CreateTags, cloudapi.DeleteTags} {
		t.Run(string(action), func(t *testing.T) {
			w := start(t, spec(s1))
			w.running(s1)
			w.Cloud.Inject(cloud.Fault{Action: action, Effect: cloud.LandsLate, Delay: 5 * time.Minute})
			w.change(s2)
			w.until(time.Minute, "the request is under way", func() bool { return w.said("it will take effect in") })
			w.change(s1)
			w.updated()
			w.carry(own(), s1)
			w.until(5*time.Minute, "the request has landed", func() bool { return w.said("nobody waited for it") })
			live, _ := w.Cloud.Tags(vm)
			assert.NotEqual(t, "alice 1000", live["owner"]+" "+live["cost-center"], "it has undone the revert")
			w.converged(s1, s1)
		})
	}
}

// TestStaleReadHidesWhatWasApplied: on success the former spec stays owned until the pass that confirms. Otherwise a key whose value the
// read before the update did not show would become foreign, and stay.
func TestStaleReadHidesWhatWasApplied(t *testing.T) {
	w := start(t, spec(s1))
	w.running(s1)
	require.NoError(t, w.Tag(vm, "owner", "bob"))
	w.Run(readLag)
	require.NoError(t, w.Tag(vm, "owner", "alice")) // somebody puts it back; the read of the update does not show it
	w.change(s2)
	w.updated()
	live, _ := w.Cloud.Tags(vm)
	assert.Contains(t, live, "owner")
	w.converged(s2, s1)
}

func TestForeignTagsStay(t *testing.T) {
	w := start(t, spec(s1))
	w.running(s1)
	require.NoError(t, w.Tag(vm, "backup", "nightly"))
	require.NoError(t, w.Tag(root, "backup", "nightly"))
	w.change(s2)
	w.updated()
	w.until(time.Hour, "the machine settles", w.settled)
	w.carry([]string{vm, root}, map[string]string{"cost-center": "2000", "team": "blue", "backup": "nightly"})
	w.carry([]string{card, data}, s2)
}

// TestKeyThatChangedHandsStays: somebody gives a key of ours another value just before it is dropped. The read does not show it yet.
func TestKeyThatChangedHandsStays(t *testing.T) {
	w := start(t, spec(s1))
	w.running(s1)
	require.NoError(t, w.Tag(data, "owner", "bob"))
	w.change(s2)
	w.updated()
	w.until(time.Hour, "the machine settles", w.settled)
	w.carry([]string{vm, card, root}, s2)
	w.carry([]string{data}, map[string]string{"cost-center": "2000", "team": "blue", "owner": "bob"})
}

func TestDesiredKeyOfSomebodyElseIsTakenOver(t *testing.T) {
	w := start(t, spec(s1))
	w.running(s1)
	require.NoError(t, w.Tag(vm, "team", "green"))
	w.Run(readLag)
	w.change(s2)
	w.updated()
	assert.True(t, w.said("i-1: takes over the key team"))
	w.converged(s2, s1)
}

func TestMandatoryKeysAreRestoredAndNeverRemoved(t *testing.T) {
	w := start(t, spec(s1))
	w.running(s1)
	require.NoError(t, w.Untag(data, "kubernetes.io/role/node"))
	w.change(nil)
	w.updated()
	w.converged(nil, s1)
}

func TestVerifyPeriodRepairsDrift(t *testing.T) {
	w := start(t, spec(s1), func(c *simulation.Config) { c.Settings.VerifyPeriod = 6 * time.Hour })
	w.running(s1)
	require.NoError(t, w.Untag(vm, "owner"))
	w.Run(time.Hour)
	live, _ := w.Cloud.Tags(vm)
	assert.NotContains(t, live, "owner")
	w.Run(7 * time.Hour)
	w.carry(own(), s1)
}

// TestOverTheLimit: what does not fit on a resource is refused before anything is called.
func TestOverTheLimit(t *testing.T) {
	w := start(t, spec(s1))
	w.running(s1)
	tooMany := map[string]string{}
	for i := range 48 {
		tooMany[fmt.Sprintf("k%d", i)] = "v"
	}
	before := len(w.writes)
	w.change(tooMany)
	w.Run(time.Minute)
	assert.Len(t, w.writes, before)
	assert.Equal(t, "Calling", w.record().State)
	assert.True(t, w.said("InvalidArgument"))
	delete(tooMany, "k0")
	w.change(tooMany)
	w.updated()
	w.converged(tooMany, s1)
}

// TestFirstAdoption: machines from before hot updates have no record. The limiter keeps them from calling the cloud all at once, and leaves a half to changes.
func TestFirstAdoption(t *testing.T) {
	w := start(t, spec(s1), func(c *simulation.Config) {
		c.Limiter = func() *machineupdate.Limiter { return &machineupdate.Limiter{Every: 30 * time.Second, Burst: 4} }
		c.Settings.DenialDelay = 10 * time.Second
	})
	const fleet = 12
	forAll := func(holds func(*api.Machine) bool) bool {
		for i := range fleet {
			machine, err := w.Machine(fmt.Sprintf("m%d", i))
			require.NoError(t, err)
			if !holds(machine) {
				return false
			}
		}
		return true
	}
	for i := range fleet {
		require.NoError(t, w.CreateMachine(fmt.Sprintf("m%d", i)))
	}
	w.until(time.Hour, "all machines run", func() bool {
		return forAll(func(m *api.Machine) bool { return m.Status.CurrentStatus.Phase == api.MachineRunning })
	})
	w.kill()
	for i := range fleet {
		_, err := store.Patch[api.Machine](t.Context(), w.Store, fmt.Sprintf("m%d", i),
			[]byte(`{"metadata":{"annotations":{"`+machineupdate.AnnotationRecord+`":null}}}`))
		require.NoError(t, err)
	}
	w.again()
	w.Run(time.Second)
	counters := w.process.Controller.Counters()
	endings := maps.Collect(counters.Endings())
	assert.Equal(t, uint64(2), endings["Updated"])
	assert.Equal(t, uint64(fleet-2), endings["Denied"])
	w.until(3*time.Hour, "all machines are settled", func() bool {
		return forAll(func(m *api.Machine) bool {
			record, ok := recordOf(m)
			return ok && record.settled()
		})
	})
	assert.GreaterOrEqual(t, maps.Collect(counters.Endings())["Updated"], uint64(fleet), "each was updated")
}

// TestThrottling: there are fewer calls than every pass would make. A driver that gives up at the first refusal would spend them all on
// the first call of its passes, and never get to the second.
func TestThrottling(t *testing.T) {
	w := start(t, spec(s1), func(c *simulation.Config) { c.Writes = cloud.Rate{Burst: 4, PerSecond: 0.2} })
	w.running(s1)
	for range 3 {
		w.change(s2)
		w.Run(20 * time.Second)
		w.change(s1)
		w.Run(20 * time.Second)
	}
	assert.True(t, w.said("RequestLimitExceeded"))
	w.converged(s1, s1)
}

// TestTwoLeaders: a controller that has lost its lease goes on for a while beside its successor.
func TestTwoLeaders(t *testing.T) {
	w := start(t, spec(s1), func(c *simulation.Config) { c.CacheLag = 7 * time.Second })
	w.running(s1)
	first := w.process
	w.Run(time.Minute)
	w.Cloud.Inject(cloud.Fault{Action: cloudapi.CreateTags, Effect: cloud.LandsLate, Delay: 2 * time.Minute})
	w.change(s2)
	w.Run(8 * time.Second)
	w.again()
	w.Run(3 * time.Second)
	w.change(s1)
	w.Run(30 * time.Second)
	w.change(s2)
	w.Run(time.Minute)
	first.Kill()
	w.converged(s2, s1)
}

// cannotUpdate is a driver from before UpdateMachine.
type cannotUpdate struct{ driver.Driver }

func (cannotUpdate) UpdateMachine(context.Context, *machineupdate.UpdateMachineRequest) error {
	return &driver.Error{Code: driver.Unimplemented, Cause: assert.AnError}
}

// TestDriverLearnsToUpdate: what a driver that cannot update did not do is done as soon as it can.
func TestDriverLearnsToUpdate(t *testing.T) {
	for _, tc := range []struct {
		name   string
		before func(*simulation.Config)
	}{
		{"it says so", func(c *simulation.Config) { c.Updates = machineupdate.Driver{} }},
		{"it turns out", func(c *simulation.Config) {
			c.Driver = func(d driver.Driver) driver.Driver { return cannotUpdate{d} }
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := start(t, spec(s1), tc.before)
			w.running(s1)
			w.change(s2)
			w.Run(time.Hour)
			w.carry(own(), s1)
			assert.True(t, w.said("the driver cannot update machines"))
			w.kill()
			w.Config.Driver, w.Config.Updates = nil, awsdriver.Updates()
			w.again()
			w.updated()
			w.converged(s2, s1)
		})
	}
}

// interfering is a driver beside which somebody else writes the machine.
type interfering struct {
	driver.Driver

	write func()
}

func (i interfering) UpdateMachine(ctx context.Context, request *machineupdate.UpdateMachineRequest) error {
	i.write()
	return i.Driver.UpdateMachine(ctx, request)
}

// TestConflicts: a write after the call that meets a conflict is given up, and the machine is updated again.
func TestConflicts(t *testing.T) {
	var w *world
	conflicts := 3
	w = start(t, spec(s1), func(c *simulation.Config) {
		c.Driver = func(d driver.Driver) driver.Driver {
			return interfering{d, func() {
				if conflicts--; conflicts >= 0 {
					_, err := store.Patch[api.Machine](t.Context(), w.Store, "m", []byte(`{"metadata":{"annotations":{"by":"autoscaler"}}}`))
					assert.NoError(t, err)
				}
			}}
		}
	})
	w.running(s1)
	w.change(s2)
	w.updated()
	assert.GreaterOrEqual(t, maps.Collect(w.process.Controller.Counters().Endings())["Conflicted"], uint64(3))
	assert.Equal(t, "autoscaler", w.machine().Annotations["by"])
	w.converged(s2, s1)
}

// TestControlPlaneMigration: the status is lost, the annotations survive. The VM is found, and what was under way is finished.
func TestControlPlaneMigration(t *testing.T) {
	w := start(t, spec(s1))
	w.running(s1)
	w.Cloud.Inject(cloud.Fault{Action: cloudapi.CreateTags, Effect: cloud.AnswerLost, Then: w.kill})
	w.change(s2)
	w.Run(time.Minute)
	w.loseStatus()
	w.change(s1)
	w.again()
	w.converged(s1, s1)
	assert.Equal(t, api.MachineRunning, w.phase())
	assert.Equal(t, 1, w.tagCalls(cloudapi.RunInstances))
}

// TestCopiedRecord: machine templates copy annotations to new machines. The record of another VM says nothing, and does no harm.
func TestCopiedRecord(t *testing.T) {
	w := start(t, spec(s1))
	w.running(s1)
	for _, annotation := range []string{strings.Replace(w.machine().Annotations[machineupdate.AnnotationRecord], vm, "i-9", 1), "{", ""} {
		merge, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]string{machineupdate.AnnotationRecord: annotation}}})
		require.NoError(t, err)
		_, err = store.Patch[api.Machine](t.Context(), w.Store, "m", merge)
		require.NoError(t, err)
		w.until(time.Hour, "the record is read", func() bool { return w.machine().Annotations[machineupdate.AnnotationRecord] != annotation })
		w.converged(s1, s1)
	}
}

// TestFieldsThatNoUpdateApplies: another image in a class of the same name is reported once, and touches nothing.
func TestFieldsThatNoUpdateApplies(t *testing.T) {
	w := start(t, spec(s1))
	w.running(s1)
	changed := spec(s1)
	changed.AMI = "ami-2"
	before := len(w.writes)
	require.NoError(t, w.ChangeClass(changed))
	w.Run(time.Hour)
	assert.Len(t, w.writes, before)
	reports := slices.DeleteFunc(slices.Clone(w.log), func(line string) bool { return !strings.Contains(line, "keep what they were made with") })
	assert.Len(t, reports, 1)
}

// TestFullRecord: attempts that fail, one after the other, until the record only keeps digests of them; all are removed in the end.
func TestFullRecord(t *testing.T) {
	w := start(t, spec(s1))
	w.running(s1)
	long := strings.Repeat("x", 240)
	full := false
	for i := range 8 {
		attempt := map[string]string{fmt.Sprintf("only-%d", i): "1"}
		for k := range 30 {
			attempt[fmt.Sprintf("k%d", k)] = fmt.Sprintf("%d-%s", i, long)
		}
		for range 2 { // VM and interface need one call, the volumes another
			w.Cloud.Inject(cloud.Fault{Action: cloudapi.DeleteTags, Code: cloudapi.InternalError})
		}
		changed := spec(attempt)
		changed.ResourceTags = &tags.Tags{Disk: map[string]string{fmt.Sprintf("disk-%d", i): "1"}}
		require.NoError(t, w.ChangeClass(changed))
		w.Run(8 * time.Second)
		_, wanted := w.record().Parts[0].Attempted[0].Tags[fmt.Sprintf("only-%d", i)]
		full = full || !wanted // what the class wants is not sent any more
	}
	assert.True(t, full, "the test is meant to fill the record")
	live, _ := w.Cloud.Tags(data)
	assert.Contains(t, live, "only-0")
	assert.Contains(t, live, "disk-0")
	w.change(s2)
	w.converged(s2, s1)
}
