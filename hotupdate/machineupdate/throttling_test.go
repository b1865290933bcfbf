package machineupdate_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// throttled is a cloud that allows one call in each period, and two at once. Its driver gives up at the first refusal.
type throttled struct {
	t      *testing.T
	now    time.Time
	period time.Duration
	calls  float64 // that are allowed now
	at     time.Time
	live   map[string]string
}

var errThrottled = errors.New("throttled")

func (c *throttled) update(_ context.Context, request *machineupdate.UpdateMachineRequest) error {
	rules, err := tags.AWS.Rules(tags.VM)
	require.NoError(c.t, err)
	part := request.Parts[0]
	state := tags.State{Recorded: []map[string]string{flatTags(c.t, part.Applied)}, Desired: flatTags(c.t, part.Desired)}
	for _, attempted := range part.Attempted {
		state.Recorded = append(state.Recorded, flatTags(c.t, attempted))
	}
	plans, err := rules.Plan(state, []string{"vm"}, map[string]map[string]string{"vm": c.live})
	require.NoError(c.t, err)
	for _, batch := range rules.Batches(plans) {
		c.calls = min(c.calls+c.now.Sub(c.at).Seconds()/c.period.Seconds(), 2)
		c.at = c.now
		if c.calls < 1 {
			return errThrottled
		}
		c.calls--
		step := tags.ResourcePlan{Set: batch.Set, Remove: batch.Remove}
		c.live = step.Apply(c.live)
	}
	return nil
}

// TestThrottledPassesFinish: each pass makes the calls whose effect reads do not show yet. The wait grows until all calls of a pass are allowed.
func TestThrottledPassesFinish(t *testing.T) {
	for _, tc := range []struct {
		name    string
		forgets bool // the number of retries
		want    machineupdate.State
	}{
		{"waiting grows", false, machineupdate.Settled},
		{"waiting does not grow", true, machineupdate.Settled},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := &throttled{t: t, now: start, period: time.Minute, at: start, live: map[string]string{"k": "1"}}
			class := classOf(t, `{"tags":{"l":"1"}}`)
			o := machineupdate.Observed{Machine: machine(settledRecord(class)), Class: class}
			write := writer(t, &o.Machine)
			executor := executor{
				Now: func() time.Time { return c.now }, UpdateMachine: c.update, Counters: counters{},
				WriteMetadata: func(ctx context.Context, patch machineupdate.Patch) (string, error) {
					if r := recordIn(t, patch.Set()); tc.forgets {
						r.Retries = 0
						patch.Annotations[machineupdate.AnnotationRecord] = new(r.Annotation())
					}
					return write(ctx, patch)
				},
			}
			for range 100 {
				result := executor.Reconcile(t.Context(), o)
				if machineupdate.EndingOf(result) == machineupdate.Confirmed {
					break
				}
				require.Positive(t, result.Delay)
				c.now = c.now.Add(result.Delay)
			}
			assert.Equal(t, tc.want, recordIn(t, o.Machine.Annotations).State)
			if tc.want == machineupdate.Settled {
				assert.Equal(t, map[string]string{"l": "1"}, c.live)
				assert.LessOrEqual(t, executor.Counters.ended(machineupdate.CallFailed), 5)
			}
		})
	}
}

func recordIn(t *testing.T, annotations map[string]string) machineupdate.Record {
	t.Helper()
	r, err := machineupdate.ParseRecord(annotations[machineupdate.AnnotationRecord])
	require.NoError(t, err)
	return r
}

// TestRetries: Retries count how often a failed update was repeated. Another spec begins at zero.
func TestRetries(t *testing.T) {
	b := newBench(t, "")
	b.callErr = assert.AnError
	two, one := b.o.Class, classOf(t, `{"tags":{"k":"1"}}`)
	classes := []*machineupdate.Prepared{two, two, two, one, one, two, one}
	want := []int{0, 1, 2, 0, 1, 0, 0}
	for i := range 40 {
		b.o.Class = classes[min(i, len(classes)-1)]
		result := b.Reconcile(t.Context(), b.o)
		require.Equal(t, machineupdate.CallFailed, machineupdate.EndingOf(result))
		b.o.Machine.Annotations = b.writes[i].Apply(b.o.Machine.Annotations)
		retries := min(i-6, 32)
		if i < len(want) {
			retries = want[i]
		}
		require.Equal(t, retries, recordIn(t, b.o.Machine.Annotations).Retries, "%d", i)
		assert.GreaterOrEqual(t, result.Delay, min(10*time.Second<<min(retries, 20), time.Hour))
		assert.LessOrEqual(t, result.Delay, min(15*time.Second<<min(retries, 20), 90*time.Minute)+time.Second, "and a half, and up to a second for the time of the record")
		b.now = b.now.Add(result.Delay)
		d := machineupdate.DecideAt(b.now.Add(-2*time.Second), machineupdate.Observed{Machine: b.o.Machine, Class: b.o.Class, Settings: b.o.Settings})
		assert.Equal(t, machineupdate.Wait, d.Action, "the delay is that of the next decision")
	}
	b.callErr = nil
	b.Reconcile(t.Context(), b.o)
	assert.Zero(t, recordIn(t, b.writes[len(b.writes)-1].Set()).Retries)
}

// TestRetriesOfFullRecords: the wait grows as well where the record is full.
func TestRetriesOfFullRecords(t *testing.T) {
	b := newBench(t, "")
	b.callErr = assert.AnError
	fail := func(class *machineupdate.Prepared) machineupdate.Record {
		t.Helper()
		b.o.Class = class
		result := b.Reconcile(t.Context(), b.o)
		require.Equal(t, machineupdate.CallFailed, machineupdate.EndingOf(result))
		b.o.Machine.Annotations = b.writes[len(b.writes)-1].Apply(b.o.Machine.Annotations)
		b.now = b.now.Add(result.Delay)
		return recordIn(t, b.o.Machine.Annotations)
	}
	full := false
	for i := range 18 {
		class := classOf(t, wide(t, 300, 20+i, i))
		r := fail(class)
		require.Zero(t, r.Retries, "another spec")
		for range 2 {
			before := r.Retries
			r = fail(class)
			require.Equal(t, before+1, r.Retries)
		}
		d := machineupdate.DecideAt(b.now, machineupdate.Observed{Machine: b.o.Machine, Class: class, Settings: b.o.Settings})
		full = full || d.Reason == machineupdate.RecordFull
	}
	assert.True(t, full)
}
