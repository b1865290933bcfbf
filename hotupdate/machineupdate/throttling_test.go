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

// throttled is a cloud that allows a call for each period, and two at once, behind a driver that gives up at the first refusal.
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
	state := tags.State{Applied: flatTags(c.t, request.Applied), Desired: flatTags(c.t, request.Desired)}
	for _, attempted := range request.Attempted {
		state.Attempted = append(state.Attempted, flatTags(c.t, attempted))
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
		step := tags.ResourcePlan{Set: batch.Tags}
		if batch.Op == tags.Remove {
			step = tags.ResourcePlan{Remove: batch.Tags}
		}
		c.live = step.Apply(c.live)
	}
	return nil
}

// TestThrottlingStarvesNobody: contested keys are set in each pass again, so passes which begin as soon as a single call is allowed would
// spend it on the same call for ever. Waiting grows until all calls of a pass are allowed.
func TestThrottlingStarvesNobody(t *testing.T) {
	for _, tc := range []struct {
		name    string
		forgets bool // the number of retries
		want    machineupdate.State
	}{
		{"waiting grows", false, machineupdate.Settled},
		{"waiting does not grow", true, machineupdate.Calling},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := &throttled{t: t, now: start, period: time.Minute, at: start, live: map[string]string{"k": "1"}}
			class := classOf(t, `{"tags":{"l":"1"}}`)
			o := machineupdate.Observation{Machine: machine(settledRecord(class)), Class: class}
			write := writer(t, &o.Machine)
			executor := machineupdate.Executor{
				Now: func() time.Time { return c.now }, UpdateMachine: c.update, Counters: &machineupdate.Counters{},
				WriteMetadata: func(ctx context.Context, patch machineupdate.Patch) (string, error) {
					if r := recordIn(t, patch.Set); tc.forgets {
						r.Retries = 0
						patch.Set[machineupdate.AnnotationRecord] = r.Annotation()
					}
					return write(ctx, patch)
				},
			}
			for range 100 {
				result := executor.Reconcile(t.Context(), o)
				if result.Outcome == machineupdate.Confirmed {
					break
				}
				require.Positive(t, result.Delay)
				c.now = c.now.Add(result.Delay)
			}
			assert.Equal(t, tc.want, recordIn(t, o.Machine.Annotations).State)
			if tc.want == machineupdate.Settled {
				assert.Equal(t, map[string]string{"l": "1"}, c.live)
				assert.LessOrEqual(t, executor.Counters.Ended(machineupdate.CallFailed), uint64(5))
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

// TestRetries: they count up with every pass since the last success, whatever it wanted.
func TestRetries(t *testing.T) {
	b := newBench(t, "")
	b.callErr = assert.AnError
	classes := []*machineupdate.Prepared{b.o.Class, classOf(t, `{"tags":{"k":"1"}}`)}
	var delays []time.Duration
	for i := range 40 {
		b.o.Class = classes[i/3%2]
		result := b.Reconcile(t.Context(), b.o)
		require.Equal(t, machineupdate.CallFailed, result.Outcome)
		b.o.Machine.Annotations = b.writes[i].Apply(b.o.Machine.Annotations)
		require.Equal(t, min(i, 32), recordIn(t, b.o.Machine.Annotations).Retries)
		b.now = b.now.Add(result.Delay)
		if i < 9 {
			delays = append(delays, result.Delay)
		}
		assert.LessOrEqual(t, result.Delay, 90*time.Minute, "ConfirmAfter and a half")
		d := machineupdate.Decide(machineupdate.Observation{Now: b.now.Add(-2 * time.Second), Machine: b.o.Machine, Class: b.o.Class, Settings: b.o.Settings})
		assert.Equal(t, machineupdate.Wait, d.Action, "the delay is the one of the next decision")
	}
	assert.IsIncreasing(t, delays)
	b.callErr = nil
	b.Reconcile(t.Context(), b.o)
	assert.Zero(t, recordIn(t, b.writes[len(b.writes)-1].Set).Retries)
}
