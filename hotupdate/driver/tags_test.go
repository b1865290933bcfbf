package driver_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

var errCloud = errors.New("the cloud says no")

// TestTags: resources of all kinds share calls, foreign and mandatory keys stay, and what others wrote is a takeover.
func TestTags(t *testing.T) {
	w := newWorld(t)
	w.find("vol-1").Tags["theirs"] = "x"
	w.find("vol-2").Tags["mine"] = "changed by hand"
	require.NoError(t, w.update(map[string]string{"mine": "2", "more": "3"}))
	assert.Equal(t, []string{"set [i-1 eni-1 vol-1 vol-2]"}, w.calls)
	assert.Equal(t, map[string]string{"mine": "2", "more": "3", "cluster": "c", "theirs": "x"}, w.live("vol-1"))
	assert.Equal(t, []string{"vol-2 mine"}, w.takeovers)

	require.NoError(t, w.update(nil))
	assert.Equal(t, map[string]string{"mine": "2", "more": "3", "cluster": "c"}, w.live("i-1"), "not owned: the request has mine=1")
}

// TestAttemptedIsOwned: a key that was sent and not confirmed is ours.
func TestAttemptedIsOwned(t *testing.T) {
	w := newWorld(t)
	sent := uniform(map[string]string{"mine": "1"})
	request := w.request(&providerSpec{}, &providerSpec{})
	for i := range request.Parts {
		request.Parts[i].Applied = ""
		request.Parts[i].Attempted = []machineupdate.HotSpec{"{}", w.hot(&providerSpec{Tags: &sent})}
	}
	require.NoError(t, w.kit().UpdateMachine(t.Context(), request))
	assert.NotContains(t, w.live("i-1"), "mine")
}

// TestNothingDiffers: a machine that is right costs no marker.
func TestNothingDiffers(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.update(map[string]string{"mine": "1"}))
	assert.Zero(t, w.marked)
	assert.Empty(t, w.calls)
}

// TestKindsHaveTheirOwnParts: a kind of which the request has no part is left as it is.
func TestKindsHaveTheirOwnParts(t *testing.T) {
	w := newWorld(t)
	one := uniform(map[string]string{"mine": "1"})
	request := w.request(&providerSpec{Tags: &one}, &providerSpec{})
	request.Parts = slices.DeleteFunc(request.Parts, func(p machineupdate.Part) bool { return p.Kind != "disk" })
	require.NoError(t, w.kit().UpdateMachine(t.Context(), request))
	assert.Equal(t, []string{"remove [vol-1 vol-2]"}, w.calls)
}

// TestNothingIsWrittenWithoutMarker: the marker may not have been written.
func TestNothingIsWrittenWithoutMarker(t *testing.T) {
	w := newWorld(t)
	w.fail["BeforeWrite"] = errCloud
	require.ErrorIs(t, w.update(nil), errCloud)
	assert.Empty(t, w.calls)
	assert.Equal(t, 1, w.marked)
}

// TestPlanComesBeforeCalls: a key too many on one volume, and a reserved key on all resources; nothing is called, and all is told.
func TestPlanComesBeforeCalls(t *testing.T) {
	w := newWorld(t)
	for i := range 49 {
		w.find("vol-1").Tags["foreign"+strconv.Itoa(i)] = "x"
	}
	var codes []string
	for _, problem := range fault.All(w.update(map[string]string{"mine": "1", "more": "1"})) {
		codes = append(codes, problem.Code+" "+problem.Path)
	}
	assert.Equal(t, []string{"over-limit disk vol-1"}, codes)
	codes = nil
	for _, problem := range fault.All(w.update(map[string]string{"kubernetes.io/cluster/other": "1"})) {
		codes = append(codes, problem.Code)
	}
	assert.Equal(t, []string{"unusable-key"}, codes, "one for all kinds")
	assert.Zero(t, w.marked)
	assert.Empty(t, w.calls)
}

// oneByOne are the rules of a cloud whose calls take one resource.
func oneByOne(t *testing.T) tags.Rules {
	t.Helper()
	rules, err := tags.Azure.Rules(tags.VM)
	require.NoError(t, err)
	return rules
}

// TestPartialFailure: a resource whose call failed gets no further one, others go on.
func TestPartialFailure(t *testing.T) {
	w := newWorld(t)
	w.definition.Tags[0].Rules = oneByOne(t)
	w.fail["set [vol-1]"] = errCloud
	err := w.update(map[string]string{"more": "1"})
	partial, ok := errors.AsType[*machineupdate.PartialError](err)
	require.True(t, ok)
	assert.Equal(t, []machineupdate.ResourceID{{Kind: "disk", ID: "vol-1"}}, partial.NotDone)
	assert.Equal(
		t, []machineupdate.ResourceID{{Kind: "vm", ID: "i-1"}, {Kind: "network", ID: "eni-1"}, {Kind: "disk", ID: "vol-2"}}, partial.Done,
	)
	require.ErrorIs(t, err, errCloud)
	assert.NotContains(t, w.calls, "remove [vol-1]")
	assert.Contains(t, w.calls, "remove [vol-2]")
	assert.Equal(t, map[string]string{"mine": "1", "cluster": "c"}, w.live("vol-1"))
	assert.Equal(t, 1, w.marked)
}

// TestBatchGoesOnWithoutFailedResources: removals are shared by resources of which one could not be set.
func TestBatchGoesOnWithoutFailedResources(t *testing.T) {
	w := newWorld(t)
	w.find("vol-1").Tags["more"] = "9"
	w.find("i-1").Tags["more"] = "1"
	w.fail["set [eni-1 vol-1 vol-2]"] = errCloud
	require.Error(t, w.update(map[string]string{"more": "1"}))
	assert.Equal(t, []string{"set [eni-1 vol-1 vol-2]", "remove [i-1]"}, w.calls)
}

// TestPanics: a panic in a function of the definition is an error of this update, with its stack and without secrets,
// whatever its value is. A panic of a call is the failure of that call: the others go on, and are counted.
func TestPanics(t *testing.T) {
	value := &status{"NotFound", "secret-key"}
	for name, panicking := range map[string]func(w *world){
		"Connect": func(w *world) {
			w.definition.Connect = func(context.Context, *machineupdate.UpdateMachineRequest, *providerSpec) (*world, error) {
				panic(value)
			}
		},
		"Resources": func(w *world) {
			w.definition.Resources = func(context.Context, *world) ([]driver.Resource, error) { panic(value) }
		},
		"Project": func(w *world) {
			w.definition.Tags[0].Project = func(*providerSpec, tags.Kind) map[string]string { panic(value) }
		},
		"Mandatory": func(w *world) {
			w.definition.Tags[0].Mandatory = func(*providerSpec, string) map[string]string { panic(value) }
		},
		"Set": func(w *world) {
			w.definition.Tags[0].Set = func(context.Context, *world, []string, []tags.Tag) error { panic(value) }
		},
		"Takeover": func(w *world) {
			w.find("i-1").Tags["mine"] = "changed by hand"
			w.definition.Takeover = func(machineupdate.ResourceID, string) { panic(value) }
		},
		"Count": func(w *world) { w.definition.Count = func(string, string) { panic(value) } },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			panicking(w)
			err := w.update(map[string]string{"mine": "2"})
			problem, ok := errors.AsType[*machineupdate.PanicError](err)
			require.True(t, ok, "%v", err)
			assert.Contains(t, problem.Stack, "driver_test.TestPanics")
			assert.Contains(t, err.Error(), "panic: ")
			assert.NotContains(t, err.Error(), "secret-key")
			kind, _ := machineupdate.DriverErrorOf(err)
			assert.Empty(t, kind)
		})
	}
}

// TestPanicOfOneCall: see TestPanics.
func TestPanicOfOneCall(t *testing.T) {
	w := newWorld(t)
	w.definition.Tags[0].Rules = oneByOne(t)
	counts := map[string]int{}
	w.definition.Count = func(function, outcome string) { counts[function+" "+outcome]++ }
	w.definition.Tags[0].Set = func(ctx context.Context, w *world, ids []string, tags []tags.Tag) error {
		if ids[0] == "vol-1" {
			panic("oh")
		}
		return set(ctx, w, ids, tags)
	}
	err := w.update(map[string]string{"mine": "2"})
	partial, ok := errors.AsType[*machineupdate.PartialError](err)
	require.True(t, ok, "%v", err)
	assert.Equal(t, []machineupdate.ResourceID{{Kind: "disk", ID: "vol-1"}}, partial.NotDone)
	assert.Equal(t, map[string]int{"Resources Succeeded": 1, "Set Succeeded": 3, "Set Failed": 1}, counts)
}

// status is MCM's status.Status.
type status struct{ code, text string }

func (s *status) Error() string {
	return "machine codes error: code = [" + s.code + "] message = [" + s.text + "]"
}

// TestTotalFailure: nothing was taken by the cloud, so the error keeps its kind.
func TestTotalFailure(t *testing.T) {
	for _, want := range []error{machineupdate.ErrNotFound, machineupdate.ErrUnimplemented} {
		w := newWorld(t)
		w.fail["remove [i-1 eni-1 vol-1 vol-2]"] = want
		err := w.update(nil)
		require.ErrorIs(t, err, want)
		assert.NotErrorAs(t, err, new(*machineupdate.PartialError))
	}
	// The same error after a call that the cloud took: something was sent.
	w := newWorld(t)
	w.fail["remove [i-1 eni-1 vol-1 vol-2]"] = machineupdate.ErrUnimplemented
	kind, _ := machineupdate.DriverErrorOf(w.update(map[string]string{"more": "1"}))
	assert.NotEqual(t, machineupdate.ErrUnimplemented, kind)
}

// TestNoVM: an empty discovery is no success.
func TestNoVM(t *testing.T) {
	w := newWorld(t)
	w.resources = nil
	require.ErrorIs(t, w.update(nil), machineupdate.ErrNotFound)
}

// TestWholeSets: where the cloud writes everything at once each resource gets one call with its version, and foreign keys are in it.
func TestWholeSets(t *testing.T) {
	w := newWorld(t)
	tagging := &w.definition.Tags[0]
	tagging.Rules.Guard = tags.GuardVersion
	tagging.Set = nil
	tagging.Remove = nil
	tagging.Replace = func(_ context.Context, w *world, r *driver.Resource, all map[string]string) error {
		err := w.called(fmt.Sprint("replace ", r.ID, " ", r.Version, " ", all))
		w.find(r.ID).Tags = maps.Clone(all)
		return err
	}
	for i := range w.resources {
		w.resources[i].Version = fmt.Sprint("v", i)
	}
	w.find("vol-1").Tags = map[string]string{"cluster": "c", "mine": "2", "theirs": "1"}
	w.find("vol-2").Tags["theirs"] = "1"
	require.NoError(t, w.update(map[string]string{"mine": "2"}))
	assert.Equal(t, []string{
		"replace i-1 v1 map[cluster:c mine:2]", "replace eni-1 v3 map[cluster:c mine:2]", "replace vol-2 v0 map[cluster:c mine:2 theirs:1]",
	}, w.calls, "vol-1 is right")
}

// replaceWhole makes the cloud of a world one that writes everything at once, without a condition.
func (w *world) replaceWhole() {
	tagging := &w.definition.Tags[0]
	tagging.Rules.Guard = tags.Unguarded
	tagging.Set = nil
	tagging.Remove = nil
	tagging.Replace = func(_ context.Context, w *world, r *driver.Resource, all map[string]string) error {
		if err := w.called(fmt.Sprint("replace ", r.ID)); err != nil {
			return err
		}
		w.find(r.ID).Tags = maps.Clone(all)
		return nil
	}
}

// readShared gives the world no other read than the one that machines share. It answers the machine if answers holds.
func (w *world) readShared(answers func() bool) {
	w.definition.Resources = nil
	w.definition.Sharing = driver.Sharing[*world]{
		Key: func(*world) []string { return nil }, Buckets: buckets(map[string]float64{"Resources": 20}), MaxMachines: 2,
		Resources: func(_ context.Context, clouds []*world, answer func(string, []driver.Resource)) error {
			require.Len(w.t, clouds, 1)
			if answers() {
				answer("aws:///i-1", w.read())
			}
			return w.fail["Resources"]
		},
	}
}

// TestWholeSetsWithoutVersion: where nothing guards a write, the kit merges its change with what it reads immediately
// before the write, and again before it repeats a throttled one. An earlier read would take away what others have
// written while the marker was written or while the kit waited.
func TestWholeSetsWithoutVersion(t *testing.T) {
	t.Run("read alone", func(t *testing.T) { checkWholeSets(t, newWorld(t)) })
	t.Run("read together", func(t *testing.T) {
		w := newWorld(t)
		w.readShared(func() bool { return true })
		checkWholeSets(t, w)
	})
}

func checkWholeSets(t *testing.T, w *world) {
	t.Helper()
	w.replaceWhole()
	w.fail["replace vol-2"] = machineupdate.ErrThrottled
	w.definition.Wait = func(context.Context, time.Duration) error {
		w.find("vol-2").Tags["waited"] = "theirs"
		delete(w.fail, "replace vol-2")
		return nil
	}
	one := tags.Tags{Disk: map[string]string{"mine": "1", "old": "1"}}
	other := tags.Tags{Disk: map[string]string{"mine": "2"}}
	for _, id := range []string{"vol-1", "vol-2"} {
		w.find(id).Tags["old"] = "1"
	}
	request := w.request(&providerSpec{Tags: &one}, &providerSpec{Tags: &other})
	request.BeforeWrite = func(context.Context) error {
		w.find("vol-1").Tags["marked"] = "theirs"
		w.find("vol-1").Tags["old"] = "theirs"
		return nil
	}
	require.NoError(t, w.kit().UpdateMachine(t.Context(), request))
	assert.Equal(
		t, map[string]string{"cluster": "c", "mine": "2", "marked": "theirs", "old": "theirs"}, w.live("vol-1"),
		"old has somebody else's value",
	)
	assert.Equal(t, map[string]string{"cluster": "c", "mine": "2", "waited": "theirs"}, w.live("vol-2"))
	assert.Equal(t, []string{"replace vol-1", "replace vol-2", "replace vol-2"}, w.calls)
}

// TestWholeSetsOfMissing: a resource that is missing when it is read again, before its write, is not written.
func TestWholeSetsOfMissing(t *testing.T) {
	w := newWorld(t)
	w.replaceWhole()
	isMarked := false
	w.definition.Resources = func(context.Context, *world) ([]driver.Resource, error) {
		live := w.read()
		for i := range live {
			live[i].IsMissing = isMarked && live[i].ID == "vol-1"
		}
		return live, nil
	}
	one := tags.Tags{Disk: map[string]string{"mine": "1"}}
	other := tags.Tags{Disk: map[string]string{"mine": "2"}}
	request := w.request(&providerSpec{Tags: &one}, &providerSpec{Tags: &other})
	request.BeforeWrite = func(context.Context) error {
		isMarked = true
		return nil
	}
	err := w.kit().UpdateMachine(t.Context(), request)
	partial, isPartial := errors.AsType[*machineupdate.PartialError](err)
	require.True(t, isPartial, err)
	assert.Equal(t, []machineupdate.ResourceID{{Kind: "disk", ID: "vol-1"}}, partial.NotDone)
	assert.Equal(t, []string{"replace vol-2"}, w.calls)
}

// TestWholeSetsHideWhatTheyRead: the cloud quotes values in its errors, also those that only the second read has shown.
func TestWholeSetsHideWhatTheyRead(t *testing.T) {
	w := newWorld(t)
	w.replaceWhole()
	w.fail["replace vol-1"] = fmt.Errorf("bad label: theirs=%s: %w", "somebody's", machineupdate.ErrUnimplemented)
	one := tags.Tags{Disk: map[string]string{"mine": "1"}}
	other := tags.Tags{Disk: map[string]string{"mine": "2"}}
	request := w.request(&providerSpec{Tags: &one}, &providerSpec{Tags: &other})
	request.BeforeWrite = func(context.Context) error {
		w.find("vol-1").Tags["theirs"] = "somebody's"
		return nil
	}
	err := w.kit().UpdateMachine(t.Context(), request)
	require.ErrorIs(t, err, machineupdate.ErrUnimplemented)
	assert.NotContains(t, err.Error(), "somebody's")
	assert.Contains(t, err.Error(), "theirs=…")
}

// TestWholeSetsAreNotWrittenUnread: without the second read nothing is written.
func TestWholeSetsAreNotWrittenUnread(t *testing.T) {
	for name, test := range map[string]struct {
		isShared bool
		spoil    func(w *world)
		says     string
	}{
		"the read fails":        {false, func(w *world) { w.fail["Resources"] = errCloud }, errCloud.Error()},
		"the resource is gone":  {false, func(w *world) { w.resources = w.resources[1:2] }, "is gone"},
		"the shared read fails": {true, func(w *world) { w.fail["Resources"] = errCloud }, errCloud.Error()},
		"no answer for it":      {true, func(*world) {}, "aws:///i-1: is not answered"},
	} {
		w := newWorld(t)
		w.replaceWhole()
		if test.isShared {
			w.readShared(func() bool { return w.marked == 0 })
		}
		one := tags.Tags{Disk: map[string]string{"mine": "1"}}
		other := tags.Tags{Disk: map[string]string{"mine": "2"}}
		request := w.request(&providerSpec{Tags: &one}, &providerSpec{Tags: &other})
		request.BeforeWrite = func(context.Context) error {
			test.spoil(w)
			w.marked++
			return nil
		}
		require.ErrorContains(t, w.kit().UpdateMachine(t.Context(), request), test.says, name)
		assert.Empty(t, w.calls, name)
	}
}

// TestKindsWithEqualIDs: the boot disk of a VM on GCP often has the VM's name. Each resource gets its own call, and is named by its kind.
func TestKindsWithEqualIDs(t *testing.T) {
	w := newWorld(t)
	tagging := &w.definition.Tags[0]
	tagging.Rules.Guard = tags.GuardVersion
	tagging.Set = nil
	tagging.Remove = nil
	tagging.Replace = func(_ context.Context, w *world, r *driver.Resource, all map[string]string) error {
		return w.called(fmt.Sprint("replace ", r.Kind, " ", r.ID, " ", all))
	}
	w.resources = []driver.Resource{
		{Kind: tags.Disk, ID: "m", Tags: map[string]string{"cluster": "c"}}, {Kind: tags.VM, ID: "m", Tags: map[string]string{"mine": "0"}},
	}
	require.NoError(t, w.update(map[string]string{"mine": "2"}))
	assert.Equal(t, []string{"replace vm m map[cluster:c mine:2]", "replace disk m map[cluster:c mine:2]"}, w.calls)
}

// TestThrottling: a throttled call is made again with growing delays, which differ between machines, and nothing else is.
func TestThrottling(t *testing.T) {
	waits := map[string][]time.Duration{}
	for _, machine := range []string{"m", "n"} {
		w := newWorld(t)
		calls := 0
		w.definition.Tags[0].Remove = func(context.Context, *world, []string, []tags.Tag) error {
			if calls++; calls < 9 {
				return fmt.Errorf("slow down: %w", machineupdate.ErrThrottled)
			}
			return nil
		}
		one := uniform(map[string]string{"mine": "1"})
		request := w.request(&providerSpec{Tags: &one}, &providerSpec{})
		request.Machine = machine
		counts := map[[2]string]int{}
		w.definition.Count = func(function, outcome string) { counts[[2]string{function, outcome}]++ }
		require.NoError(t, w.kit().UpdateMachine(t.Context(), request))
		assert.Equal(t, 1, w.marked)
		for i, d := range w.waits {
			longest := min(time.Second<<i, 20*time.Second)
			assert.GreaterOrEqual(t, d, longest/2)
			assert.LessOrEqual(t, d, longest)
		}
		waits[machine] = w.waits
		assert.Equal(t, map[[2]string]int{{"Resources", "Succeeded"}: 1, {"Remove", "Throttled"}: 8, {"Remove", "Succeeded"}: 1}, counts)
	}
	assert.Len(t, waits["m"], 8)
	assert.NotEqual(t, waits["m"], waits["n"])
}

// TestThrottlingEndsWithTheContext, and the error says that the cloud throttled.
func TestThrottlingEndsWithTheContext(t *testing.T) {
	for _, call := range []string{"Connect", "Resources", "remove [i-1 eni-1 vol-1 vol-2]"} {
		w := newWorld(t)
		w.fail[call] = machineupdate.ErrThrottled
		ctx, cancel := context.WithCancel(t.Context())
		w.definition.Wait = func(context.Context, time.Duration) error {
			if w.waits = append(w.waits, 0); len(w.waits) == 3 {
				cancel()
			}
			return ctx.Err()
		}
		one := uniform(map[string]string{"mine": "1"})
		err := w.kit().UpdateMachine(ctx, w.request(&providerSpec{Tags: &one}, &providerSpec{}))
		kind, _ := machineupdate.DriverErrorOf(err)
		assert.Equal(t, machineupdate.ErrThrottled, kind, err)
		assert.Len(t, w.waits, 3)
	}
}

// TestLongThrottling: for a minute that the cloud names the kit waits, and for longer it holds no worker.
func TestLongThrottling(t *testing.T) {
	w := newWorld(t)
	w.fail["Resources"] = &machineupdate.RetryError{After: time.Minute + 1, Err: machineupdate.ErrThrottled}
	w.definition.Wait = func(context.Context, time.Duration) error {
		t.Error("a worker is held")
		return errCloud
	}
	_, after := machineupdate.DriverErrorOf(w.update(nil))
	assert.Equal(t, time.Minute+1, after)
	w.fail["Resources"] = &machineupdate.RetryError{After: time.Minute, Err: machineupdate.ErrThrottled}
	ctx, cancel := context.WithCancel(t.Context())
	w.definition.Wait = func(_ context.Context, d time.Duration) error {
		assert.Equal(t, time.Minute, d, "the cloud's delay, as it is longer than ours")
		cancel()
		return ctx.Err()
	}
	require.Error(t, w.kit().UpdateMachine(ctx, w.request(&providerSpec{}, &providerSpec{})))
	assert.Empty(t, w.waits)
}

// TestRealWait: without Wait the delay is real, and ends with the context.
func TestRealWait(t *testing.T) {
	t.Parallel()
	for _, isCanceled := range []bool{false, true} {
		w := newWorld(t)
		w.definition.Wait = nil
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		calls := 0
		w.definition.Resources = func(context.Context, *world) ([]driver.Resource, error) {
			if isCanceled {
				cancel()
			}
			if calls++; calls == 1 {
				return nil, machineupdate.ErrThrottled
			}
			return nil, nil
		}
		err := w.kit().UpdateMachine(ctx, w.request(&providerSpec{}, &providerSpec{}))
		require.ErrorIs(t, err, map[bool]error{false: machineupdate.ErrNotFound, true: machineupdate.ErrThrottled}[isCanceled])
	}
}

// TestNothingIsSentAfterTheContext is done.
func TestNothingIsSentAfterTheContext(t *testing.T) {
	w := newWorld(t)
	w.definition.Tags[0].Rules = oneByOne(t)
	ctx, cancel := context.WithCancel(t.Context())
	w.definition.Tags[0].Remove = func(context.Context, *world, []string, []tags.Tag) error {
		w.calls = append(w.calls, "remove")
		cancel()
		return nil
	}
	one := uniform(map[string]string{"mine": "1"})
	err := w.kit().UpdateMachine(ctx, w.request(&providerSpec{Tags: &one}, &providerSpec{}))
	require.ErrorIs(t, err, context.Canceled)
	assert.Len(t, w.calls, 1)
}

// suspended is a context whose deadline has passed by the wall clock, and which does not know it: the timer of a
// context stands still while a computer sleeps.
type suspended struct {
	context.Context
	isOver func() bool
}

func (s suspended) Deadline() (time.Time, bool) {
	if s.isOver() {
		return time.Now().Add(-time.Minute), true
	}
	return time.Now().Add(time.Minute), true
}

// TestNothingIsSentAfterASuspension: the deadline counts by the wall clock before each call.
func TestNothingIsSentAfterASuspension(t *testing.T) {
	w := newWorld(t)
	w.definition.Tags[0].Rules = oneByOne(t)
	one := uniform(map[string]string{"mine": "1"})
	other := uniform(map[string]string{"mine": "2"})
	ctx := suspended{t.Context(), func() bool { return len(w.calls) >= 2 }}
	err := w.kit().UpdateMachine(ctx, w.request(&providerSpec{Tags: &one}, &providerSpec{Tags: &other}))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Len(t, w.calls, 2)
}

// TestInFlight: one update makes its calls one after the other, and none once the context is done.
func TestInFlight(t *testing.T) {
	w := newWorld(t)
	var underWay atomic.Int32
	calls := 0
	set := w.definition.Tags[0].Set
	w.definition.Tags[0].Set = func(ctx context.Context, w *world, resources []string, all []tags.Tag) error {
		assert.EqualValues(t, 1, underWay.Add(1))
		defer underWay.Add(-1)
		time.Sleep(time.Millisecond)
		calls++
		return set(ctx, w, resources, all)
	}
	apart := tags.Tags{VM: map[string]string{"a": "1"}, Network: map[string]string{"a": "2"}, Disk: map[string]string{"a": "3"}}
	request := w.request(&providerSpec{}, &providerSpec{Tags: &apart})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, w.kit().UpdateMachine(ctx, request), context.Canceled)
	assert.Zero(t, calls)
	require.NoError(t, w.kit().UpdateMachine(t.Context(), request))
	assert.Equal(t, 3, calls)
}

// TestErrorsShowNoSecrets: clouds quote what they refuse.
func TestErrorsShowNoSecrets(t *testing.T) {
	for _, call := range []string{"Connect", "Resources", "set [i-1 eni-1 vol-1 vol-2]"} {
		w := newWorld(t)
		w.find("i-1").Tags["theirs"] = "live-value"
		w.fail[call] = errors.New("secret-key may not set wanted-value or wanted-value-2 beside live-value")
		desired := map[string]string{"a": "wanted-value", "b": "wanted-value-2"}
		if call != "set [i-1 eni-1 vol-1 vol-2]" {
			w.fail[call] = errors.New("secret-key is unknown")
		}
		err := w.update(desired)
		require.ErrorIs(t, err, w.fail[call])
		for _, secret := range []string{"secret-key", "wanted-value", "live-value", "value-2"} {
			assert.NotContains(t, err.Error(), secret)
		}
		assert.Contains(
			t, err.Error(),
			map[bool]string{true: "… may not set … or … beside …", false: "… is unknown"}[call == "set [i-1 eni-1 vol-1 vol-2]"],
		)
	}
}

// TestUnusableRequests are typed errors, and nothing is read.
func TestUnusableRequests(t *testing.T) {
	for name, spoil := range map[string]func(*machineupdate.UpdateMachineRequest){
		"class":    func(r *machineupdate.UpdateMachineRequest) { r.Class.ProviderSpec = []byte(`{"tags":"secret"}`) },
		"no class": func(r *machineupdate.UpdateMachineRequest) { r.Class.ProviderSpec = nil },
		"kind":     func(r *machineupdate.UpdateMachineRequest) { r.Parts[0].Kind = "address" },
		"desired":  func(r *machineupdate.UpdateMachineRequest) { r.Parts[0].Desired = `{"tags":"secret"}` },
		"applied":  func(r *machineupdate.UpdateMachineRequest) { r.Parts[0].Applied = `{"tags":"secret"}` },
		"attempted": func(r *machineupdate.UpdateMachineRequest) {
			r.Parts[0].Attempted = []machineupdate.HotSpec{`{"tags":"secret"}`}
		},
		"other schema": func(r *machineupdate.UpdateMachineRequest) { r.Parts[0].Desired = `{"color":"secret"}` },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.definition.Connect = func(context.Context, *machineupdate.UpdateMachineRequest, *providerSpec) (*world, error) {
				t.Error("connected")
				return w, nil
			}
			request := w.request(&providerSpec{}, &providerSpec{})
			spoil(request)
			err := w.kit().UpdateMachine(t.Context(), request)
			problems := fault.All(err)
			require.NotEmpty(t, problems)
			assert.Equal(t, "unusable-request", problems[0].Code)
			assert.NotContains(t, err.Error(), "secret")
		})
	}
}

func TestUnusableResources(t *testing.T) {
	for _, r := range []driver.Resource{{Kind: tags.Disk}, {Kind: tags.Disk, ID: "vol-1"}} {
		w := newWorld(t)
		w.resources = append(w.resources, r)
		problems := fault.All(w.update(nil))
		require.Len(t, problems, 1)
		assert.Equal(t, "unusable-resource", problems[0].Code)
	}
}

func replaceNothing(context.Context, *world, *driver.Resource, map[string]string) error { return nil }

// TestRulesOfADefinition: the mistakes in the description of a cloud are told when the kit is made.
func TestRulesOfADefinition(t *testing.T) {
	w := newWorld(t)
	w.definition.Tags[0].Rules.Key.Max = 0
	w.definition.Tags[0].Rules.ClusterKeys = []string{"*"}
	_, err := driver.New(w.definition)
	problems := fault.All(err)
	require.Len(t, problems, 2)
	for i, field := range []string{"Key.Max", "ClusterKeys[0]"} {
		assert.Equal(t, "unusable-rules", problems[i].Code)
		assert.Equal(t, field, problems[i].Field)
	}
}

// TestDefinitions: what is missing or contradicts itself is told when the kit is made, all at once.
func TestDefinitions(t *testing.T) {
	other, err := hotupdate.SchemaOf[struct {
		A int `json:"a"`
	}]()
	require.NoError(t, err)
	type definition = driver.Definition[providerSpec, *world]
	for _, tc := range []struct {
		name  string
		spoil func(*definition)
		want  []string
	}{
		{"nothing", func(*definition) {}, nil},
		{"no Connect", func(d *definition) { d.Connect = nil }, []string{"Connect"}},
		{"no Resources", func(d *definition) { d.Resources = nil }, []string{"Resources"}},
		{"zero Schema", func(d *definition) { d.Schema = &hotupdate.Schema{} }, []string{"Schema"}},
		{"another Schema", func(d *definition) { d.Schema = other }, []string{"Schema"}},
		{"no kinds", func(d *definition) { d.Tags = nil }, []string{"Tags, Groups and Sets"}},
		{
			"a kind twice", func(d *definition) { d.Tags = append(d.Tags, d.Tags[0]) },
			[]string{"Tagging.Kinds", "Tagging.Kinds", "Tagging.Kinds"},
		},
		{"no kind", func(d *definition) { d.Tags[0].Kinds = []tags.Kind{"x"} }, []string{"Tags, Groups and Sets", "Tagging.Kinds"}},
		{"no Project", func(d *definition) { d.Tags[0].Project = nil }, []string{"Tagging"}},
		{"no Remove", func(d *definition) { d.Tags[0].Remove = nil }, []string{"Tagging"}},
		{"no Replace", func(d *definition) { d.Tags[0].Rules.Guard = tags.GuardVersion }, []string{"Tagging"}},
		{"neither Replace nor Remove", func(d *definition) {
			d.Tags[0].Set = nil
			d.Tags[0].Remove = nil
		}, []string{"Tagging"}},
		{"both Replace and Remove", func(d *definition) {
			d.Tags[0].Replace = replaceNothing
			d.Tags[0].Rules.Guard = tags.Unguarded
		}, []string{"Tagging"}},
		{"Replace and a guard by value", func(d *definition) {
			d.Tags[0].Replace = replaceNothing
			d.Tags[0].Set = nil
			d.Tags[0].Remove = nil
		}, []string{"Tagging"}},
		{"all", func(d *definition) { *d = definition{} }, []string{"Connect", "Resources", "Tags, Groups and Sets"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t)
			tc.spoil(&w.definition)
			_, err := driver.New(w.definition)
			var fields []string
			for _, problem := range fault.All(err) {
				assert.Equal(t, "unusable-driver", problem.Code)
				fields = append(fields, problem.Field)
			}
			assert.Equal(t, tc.want, fields)
		})
	}
}

// TestDriver: what the kit says of itself follows from the definition.
func TestDriver(t *testing.T) {
	w := newWorld(t)
	w.definition.Tags[0].Kinds = []tags.Kind{tags.Disk, tags.VM}
	assert.Equal(
		t, machineupdate.Driver{Schema: w.definition.Schema, Kinds: []string{"vm", "disk"}, Revision: "tags", ReadsFirst: true},
		w.kit().Driver(),
	)
}
