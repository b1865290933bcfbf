package driver_test

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// policedFleet is a machine in a cloud whose policy gives the key team a value of its own within each write. The real Executor updates it.
type policedFleet struct {
	*world

	policy   string // the value; empty leaves what was written
	machine  *metav1.PartialObjectMetadata
	classes  machineupdate.Classes
	now      time.Time
	events   []string // other writers and what is not applied
	executor machineupdate.Executor[*metav1.PartialObjectMetadata]
}

func newPolicedFleet(t *testing.T) *policedFleet {
	t.Helper()
	f := &policedFleet{world: newWorld(t), policy: "theirs-1", now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	f.machine = &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "m", UID: "m-uid", ResourceVersion: "1"}}
	f.definition.Tags[0].Set = func(ctx context.Context, w *world, ids []string, all []tags.Tag) error {
		err := set(ctx, w, ids, all)
		for _, id := range ids {
			if _, ok := w.live(id)["team"]; ok && f.policy != "" {
				w.live(id)["team"] = f.policy
			}
		}
		return err
	}
	f.executor = machineupdate.Executor[*metav1.PartialObjectMetadata]{
		Patch: f.patch, Now: func() time.Time { return f.now },
		Event: func(_ runtime.Object, _, reason, message string) {
			if reason == "HotUpdateOtherWriter" || reason == "HotUpdateNotApplied" {
				f.events = append(f.events, reason+": "+message)
			}
			assert.NotContains(t, message, "theirs", "an event shows no value")
			assert.NotContains(t, message, "ours", "an event shows no value")
		},
	}
	return f
}

func (f *policedFleet) patch(
	_ context.Context, _ string, _ types.PatchType, data []byte, _ metav1.PatchOptions, _ ...string,
) (*metav1.PartialObjectMetadata, error) {
	var body struct {
		Metadata struct{ Annotations map[string]*string }
	}
	require.NoError(f.t, json.Unmarshal(data, &body))
	version, err := strconv.Atoi(f.machine.ResourceVersion)
	require.NoError(f.t, err)
	f.machine = f.machine.DeepCopy()
	f.machine.ResourceVersion = strconv.Itoa(version + 1)
	if f.machine.Annotations == nil {
		f.machine.Annotations = map[string]string{}
	}
	for key, value := range body.Metadata.Annotations {
		f.machine.Annotations[key] = *value
	}
	return f.machine, nil
}

// reconcile lets some time pass, and reconciles by a class with the tags. It returns the calls that change the cloud.
func (f *policedFleet) reconcile(after time.Duration, wanted map[string]string) []string {
	f.t.Helper()
	f.now = f.now.Add(after)
	f.calls = nil
	kit := f.kit()
	f.executor.UpdateMachine = kit.UpdateMachine
	spec, err := json.Marshal(map[string]any{"cluster": "c", "tags": uniform(wanted)})
	require.NoError(f.t, err)
	class := machineupdate.MachineClass{Object: &metav1.ObjectMeta{Name: "class"}, ProviderSpec: spec}
	prepared, err := f.classes.Prepare(class, kit.Driver())
	require.NoError(f.t, err)
	result := f.executor.Reconcile(f.t.Context(), f.machine, machineupdate.Observation{
		ProviderID: "aws:///i-1", Phase: "Running", Class: prepared,
		Settings: machineupdate.Settings{ConfirmAfter: policyConfirm, VerifyPeriod: policyVerify},
	})
	require.NoError(f.t, result.Err)
	return f.calls
}

const (
	policyConfirm = time.Hour
	policyVerify  = 24 * time.Hour
)

// told returns the new events.
func (f *policedFleet) told() (events []string) {
	events = f.events
	f.events = nil
	return events
}

// isRewritten asserts that one event names the key of every resource.
func (f *policedFleet) isRewritten(what string) {
	f.t.Helper()
	events := f.told()
	require.Len(f.t, events, 1, what)
	assert.True(f.t, strings.HasPrefix(events[0], "HotUpdateOtherWriter: "), events[0])
	assert.Contains(f.t, events[0], `: "team" of disk vol-1, "team" of disk vol-2, "team" of network eni-1, "team" of vm i-1;`)
}

// TestPolicy: a key that a policy of the cloud rewrites within each write is reported once for each of its values, and
// not at every verification. The driver fights for it until AnyValue leaves its value to the policy. Then nothing is
// written any more.
func TestPolicy(t *testing.T) {
	f := newPolicedFleet(t)
	everything := []string{"set [i-1 eni-1 vol-1 vol-2]"}
	wanted := map[string]string{"mine": "1", "team": "ours-1"}
	assert.Equal(t, everything, f.reconcile(0, wanted))
	assert.Empty(t, f.told(), "nothing was read since the write")
	assert.Equal(t, everything, f.reconcile(policyConfirm, wanted))
	f.isRewritten("the confirmation reads what the policy has written")
	for range 3 {
		assert.Equal(t, everything, f.reconcile(policyVerify, wanted), "the driver does not give up")
		assert.Equal(t, everything, f.reconcile(policyConfirm, wanted))
		assert.Empty(t, f.told(), "it was told before")
	}

	f.policy = "theirs-2"
	assert.Equal(t, everything, f.reconcile(policyVerify, wanted))
	assert.Empty(t, f.told(), "the former value is live")
	assert.Equal(t, everything, f.reconcile(policyConfirm, wanted))
	f.isRewritten("another value of the policy")

	f.definition.Tags[0].Rules.AnyValue = []string{"te*"}
	assert.Empty(t, f.reconcile(0, wanted), "another Revision: the machine is checked")
	assert.Empty(t, f.reconcile(policyConfirm, wanted))
	for range 3 {
		record := f.machine.Annotations[machineupdate.AnnotationRecord]
		assert.Empty(t, f.reconcile(policyVerify, wanted), "any value is right")
		assert.Empty(t, f.reconcile(policyConfirm, wanted))
		assert.NotEqual(t, record, f.machine.Annotations[machineupdate.AnnotationRecord], "it was verified")
	}
	assert.Empty(t, f.told())

	delete(f.live("vol-1"), "team")
	assert.Equal(t, []string{"set [vol-1]"}, f.reconcile(policyVerify, wanted), "the key is set where it is missing")
	assert.Empty(t, f.reconcile(policyConfirm, wanted))
	assert.Empty(t, f.told())

	wanted["team"] = "ours-2"
	assert.Empty(t, f.reconcile(0, wanted))
	const kept = ` keeps its values of ["team"]: AnyValue of the driver's Rules leaves them to others`
	assert.ElementsMatch(t, []string{
		"HotUpdateNotApplied: vm i-1" + kept, "HotUpdateNotApplied: network eni-1" + kept,
		"HotUpdateNotApplied: disk vol-1" + kept, "HotUpdateNotApplied: disk vol-2" + kept,
	}, f.told(), "a change of the class that does not reach a resource is told for each of them")
	assert.Empty(t, f.reconcile(policyConfirm, wanted))
	assert.Empty(t, f.told())

	delete(wanted, "team")
	assert.Empty(t, f.reconcile(0, wanted), "with a value of the policy the key is not ours")
	assert.Equal(t, "theirs-2", f.live("i-1")["team"])
}

// TestAnyValueIsRemoved: a key whose value is left to others, and that still has ours, goes with the class.
func TestAnyValueIsRemoved(t *testing.T) {
	f := newPolicedFleet(t)
	f.policy = ""
	f.definition.Tags[0].Rules.AnyValue = []string{"team"}
	f.reconcile(0, map[string]string{"mine": "1", "team": "ours-1"})
	f.reconcile(policyConfirm, map[string]string{"mine": "1", "team": "ours-1"})
	assert.Equal(t, "ours-1", f.live("vol-2")["team"])
	assert.Equal(t, []string{"remove [i-1 eni-1 vol-1 vol-2]"}, f.reconcile(0, map[string]string{"mine": "1"}))
	assert.NotContains(t, f.live("vol-2"), "team")
	assert.Empty(t, f.told())
}

// TestPolicyOfOneWrite: a key that somebody changes once, between two verifications, is reported and repaired, and
// reported again if it has the value of somebody else later.
func TestPolicyOfOneWrite(t *testing.T) {
	f := newPolicedFleet(t)
	f.policy = ""
	wanted := map[string]string{"mine": "1", "team": "ours-1"}
	f.reconcile(0, wanted)
	f.reconcile(policyConfirm, wanted)
	for i, value := range []string{"theirs-1", "theirs-1", "theirs-2"} {
		f.live("vol-1")["team"] = value
		assert.Equal(t, []string{"set [vol-1]"}, f.reconcile(policyVerify, wanted))
		assert.Empty(t, f.reconcile(policyConfirm, wanted))
		assert.Len(t, f.told(), []int{1, 0, 1}[i])
	}
}

// TestOtherWriter: what the kit reports, and when.
func TestOtherWriter(t *testing.T) {
	one := uniform(map[string]string{"mine": "1", "more": "1"})
	two := uniform(map[string]string{"mine": "1", "more": "2"})
	mandatory := uniform(map[string]string{"cluster": "c"})
	for _, tc := range []struct {
		name             string
		applied, desired tags.Tags
		live             map[string]string // of vol-1
		change           func(w *world, r *machineupdate.UpdateMachineRequest)
		want             []string
	}{
		{"rewritten", one, one, map[string]string{"mine": "x", "more": "1"}, nil, []string{"disk vol-1 mine x"}},
		{"removed", one, one, map[string]string{"more": "1"}, nil, nil},
		{"another desired value", one, two, map[string]string{"mine": "1", "more": "x"}, nil, nil},
		{"a value of ours", one, one, map[string]string{"mine": "1", "more": "2"}, func(w *world, r *machineupdate.UpdateMachineRequest) {
			for i := range r.Parts {
				r.Parts[i].Attempted = []machineupdate.HotSpec{w.hot(&providerSpec{Tags: &two})}
			}
		}, nil},
		{"an adoption", one, one, map[string]string{"mine": "x"}, func(_ *world, r *machineupdate.UpdateMachineRequest) {
			for i := range r.Parts {
				r.Parts[i].Applied = ""
			}
		}, nil},
		{"a mandatory key of the driver", one, one, map[string]string{"mine": "1", "more": "1", "cluster": "x"}, nil, nil},
		{"a mandatory key of the class", mandatory, mandatory, map[string]string{"cluster": "x"}, nil, []string{"disk vol-1 cluster x"}},
		{"the marker is not written", one, one, map[string]string{"mine": "x"}, func(w *world, _ *machineupdate.UpdateMachineRequest) {
			w.fail["BeforeWrite"] = errCloud
		}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t)
			for i := range w.resources {
				w.resources[i].Tags = maps.Clone(tc.desired.VM)
			}
			w.find("vol-1").Tags = tc.live
			request := w.request(&providerSpec{Tags: &tc.applied}, &providerSpec{Tags: &tc.desired})
			var told []string
			request.OtherWriter = func(resource, key, live string) {
				assert.NotZero(t, w.marked, "nothing is written before")
				told = append(told, strings.Join([]string{resource, key, live}, " "))
			}
			request.Tell = func(message string) { require.Fail(t, message) }
			if tc.change != nil {
				tc.change(w, request)
			}
			err := w.kit().UpdateMachine(t.Context(), request)
			require.ErrorIs(t, err, w.fail["BeforeWrite"])
			assert.Equal(t, tc.want, told)
		})
	}
}

// TestAnyValueIsARevision: machines are checked when a value is no longer left to others. Without AnyValue the Revision
// is what it was before there was AnyValue.
func TestAnyValueIsARevision(t *testing.T) {
	w := newWorld(t)
	var revisions []string
	for _, patterns := range [][]string{nil, {}, {"a"}, {"a", "b"}, {"a b"}} {
		w.definition.Tags[0].Rules.AnyValue = patterns
		revisions = append(revisions, w.kit().Driver().Revision)
	}
	assert.Equal(t, []string{"tags", "tags"}, revisions[:2])
	assert.Len(t, slices.Compact(slices.Sorted(slices.Values(revisions))), 4)
}
