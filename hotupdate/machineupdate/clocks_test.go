package machineupdate_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate/internal/record"
)

// This file has clocks that jump: they are set, or their process is suspended.

// TestSinceByHand: the class drops a key while the cloud fails, and somebody writes another time into the record. A
// time that a record can have, however far ahead, loses nothing: the key is ours until it is gone. Any other text is no
// record, and an event says that the key stays.
func TestSinceByHand(t *testing.T) {
	const (
		keep = machineupdate.HotSpec(`{"tags":{"keep":"33632"}}`)
		skew = machineupdate.HotSpec(`{"tags":{"skew":"2a"}}`)
	)
	shifted := func(by time.Duration) func(since string) string {
		return func(since string) string {
			at, err := time.Parse(time.RFC3339, since)
			require.NoError(t, err)
			return at.Add(by).Format(time.RFC3339)
		}
	}
	for name, tc := range map[string]struct {
		edit   func(since string) string
		isLost bool
	}{
		"untouched":        {shifted(0), false},
		"two hours ahead":  {shifted(2 * time.Hour), false},
		"two hours back":   {shifted(-2 * time.Hour), false},
		"ten years ahead":  {shifted(10 * 365 * 24 * time.Hour), false},
		"the 25th hour":    {func(since string) string { return since[:11] + "25" + since[13:] }, true},
		"with an offset":   {func(since string) string { return strings.TrimSuffix(since, "Z") + "+02:00" }, true},
		"with white space": {func(since string) string { return since + `", "ignored":"` }, true},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBed(t, laneClass(t, machineupdate.Driver{Kinds: []string{"vm"}, ReadsFirst: true}, string(keep)))
			var events []string
			b.executor.Event = func(_ runtime.Object, _, reason, message string) { events = append(events, reason+" "+message) }
			b.step(0)
			b.step(b.settings.ConfirmAfter)
			require.Equal(t, "Settled", b.state(""))
			b.class = laneClass(t, machineupdate.Driver{Kinds: []string{"vm"}, ReadsFirst: true}, string(skew))
			b.errs[""] = assert.AnError
			b.step(0)
			require.Equal(t, "Calling", b.state(""))

			text := b.machine.Annotations[machineupdate.AnnotationRecord]
			_, since, _ := strings.Cut(text, `"since":"`)
			since, _, _ = strings.Cut(since, `"`)
			text = strings.Replace(text, since, tc.edit(since), 1)
			b.machine.Annotations[machineupdate.AnnotationRecord] = text
			b.errs[""] = nil
			events = nil
			b.step(time.Minute)
			require.Len(t, b.asked, 1, "nothing waits for a time of the future")
			told := strings.Join(events, "\n")
			if tc.isLost {
				assert.NotEqual(t, keep, b.asked[0].Parts[0].Applied)
				assert.Contains(t, told, "HotUpdateRecordUnusable")
				assert.Contains(t, told, "stay", "what is lost is said")
				return
			}
			assert.Equal(
				t, []machineupdate.HotSpec{keep, skew}, []machineupdate.HotSpec{b.asked[0].Parts[0].Applied, b.asked[0].Parts[0].Desired},
			)
			assert.NotContains(t, told, "Unusable")
			b.step(b.settings.ConfirmAfter)
			require.Len(t, b.asked, 1)
			assert.Contains(t, b.asked[0].Parts[0].Attempted, keep, "a late request may bring it back")
			assert.Equal(t, "Settled", b.state(""))
		})
	}
}

// TestNotBeforeOfAWrongClock: a refusal was recorded by a clock that was days ahead. It is respected for no longer than any other.
func TestNotBeforeOfAWrongClock(t *testing.T) {
	for _, ahead := range []time.Duration{0, 5 * 24 * time.Hour} {
		b := newBed(t, laneClass(t, machineupdate.Driver{Kinds: []string{"vm"}, ReadsFirst: true}, `{"tags":{"k":"1"}}`))
		b.errs[""] = &machineupdate.RetryError{After: 6 * time.Hour, Err: assert.AnError}
		b.now = start.Add(ahead)
		b.step(0)
		b.now = start
		_, result := b.step(time.Minute) // the cloud is read once more
		require.Len(t, b.asked, 1)
		assert.Equal(t, ahead > 0, b.asked[0].NotBefore.IsZero(), "%v", b.asked[0].NotBefore)
		assert.LessOrEqual(t, result.RequeueAfter, 24*time.Hour)
		b.step(result.RequeueAfter)
		assert.Len(t, b.asked, 1)
	}
}

// TestClockIsSetBackDuringACall: the call has no more time than CallTimeout, and the next decision does not wait until
// the clock is there again.
func TestClockIsSetBackDuringACall(t *testing.T) {
	b := newBed(t, laneClass(t, machineupdate.Driver{Kinds: []string{"vm"}, ReadsFirst: true}, `{"tags":{"k":"1"}}`))
	b.settings.CallTimeout = time.Minute
	b.versions = func(context.Context) ([]machineupdate.HotSpec, error) {
		b.now = b.now.Add(-2 * time.Hour)
		return nil, nil
	}
	update := b.executor.UpdateMachine
	b.executor.UpdateMachine = func(ctx context.Context, r *machineupdate.UpdateMachineRequest) error {
		deadline, ok := ctx.Deadline()
		assert.True(t, ok)
		assert.LessOrEqual(t, time.Until(deadline), time.Minute)
		return errors.Join(update(ctx, r), assert.AnError)
	}
	_, result := b.step(0)
	require.Len(t, b.asked, 1)
	assert.Less(t, result.RequeueAfter, time.Minute)
	b.versions = nil
	b.step(result.RequeueAfter)
	assert.Len(t, b.asked, 1)
}

// TestClockIsSetBackDuringACreation: the creation has no more time than CreationTimeout.
func TestClockIsSetBackDuringACreation(t *testing.T) {
	m := machine("")
	m.ProviderID = ""
	m.Phase = ""
	now := start
	executor := &executor{Now: func() time.Time { return now }, WriteMetadata: writer(t, &m)}
	o := machineupdate.Observed{Machine: m, Class: classOf(t, `{"tags":{"k":"1"}}`)}
	o.Settings.CreationTimeout = time.Minute
	creation, _, _ := executor.BeginCreation(t.Context(), o)
	now = now.Add(-2 * time.Hour)
	deadline, ok := creation.Context(t.Context()).Deadline()
	require.True(t, ok)
	assert.LessOrEqual(t, time.Until(deadline), time.Minute)
}

// clockReading is what time.Now returns: the wall clock and a monotonic clock, which only time.Now can read. The layout
// is that of time.Time.
func clockReading(wall time.Time, monotonic time.Duration) time.Time {
	type layout struct {
		wall     uint64
		ext      int64
		location *time.Location
	}
	since1885 := wall.Unix() - time.Date(1885, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	made := layout{1<<63 | uint64(since1885)<<30 | uint64(wall.Nanosecond()), int64(monotonic), time.UTC}
	return *(*time.Time)(unsafe.Pointer(&made))
}

// TestSuspendedProcess: a process sleeps after it has written its marker. Where the monotonic clock stands still
// meanwhile, as in a computer that sleeps, the wall clock tells: another process may have settled the machine.
func TestSuspendedProcess(t *testing.T) {
	require.Equal(
		t, 2*time.Hour, clockReading(start.Add(time.Hour), 3*time.Hour).Sub(clockReading(start, time.Hour)), "the monotonic clock counts",
	)
	require.Equal(t, time.Hour, clockReading(start.Add(time.Hour), 3*time.Hour).Round(0).Sub(start))
	for name, after := range map[string]time.Time{
		"both clocks go on":                clockReading(start.Add(time.Hour), 2*time.Hour),
		"the monotonic clock stands still": clockReading(start.Add(time.Hour), time.Hour),
		"the wall clock was set back":      clockReading(start.Add(-time.Hour), 2*time.Hour),
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, settledRecord(classOf(t, `{"image":""}`), inState(record.Settled)))
			b.now = clockReading(start, time.Hour)
			b.onWrite = func(int) { b.now = after }
			result := b.reconcile(t)
			assert.Empty(t, b.calls)
			assert.Equal(t, "Canceled", machineupdate.EndingOf(result))
		})
	}
}

// TestLimiterClockIsSetBack: tokens come back as before, and not only once the clock is there again.
func TestLimiterClockIsSetBack(t *testing.T) {
	l := machineupdate.Limiter{Every: time.Second, Burst: 1}
	require.True(t, l.Ask("SpecChanged", start))
	back := start.Add(-2 * time.Hour)
	require.False(t, l.Ask("SpecChanged", start.Add(-time.Millisecond)))
	require.False(t, l.Ask("SpecChanged", start.Add(999*time.Millisecond)), "the disorder of goroutines adds nothing")
	require.False(t, l.Ask("SpecChanged", back))
	require.True(t, l.Ask("SpecChanged", back.Add(time.Second)))
}

// TestLimiterAllowsExactlyEvery: a token is there when Every has passed, and not a moment before. A product with
// 1/Every, which is rounded, would deny every second update of 49 s.
func TestLimiterAllowsExactlyEvery(t *testing.T) {
	for _, every := range []time.Duration{
		time.Millisecond, 110 * time.Millisecond, time.Second / 3, 1700 * time.Millisecond, 49 * time.Second,
	} {
		l := machineupdate.Limiter{Every: every, Burst: 1}
		require.True(t, l.Ask("SpecChanged", start))
		for i := range time.Duration(10) {
			due := start.Add((i + 1) * every)
			require.False(t, l.Ask("SpecChanged", due.Add(-every/1000)), "%v: update %d", every, i)
			require.True(t, l.Ask("SpecChanged", due), "%v: update %d", every, i)
		}
	}
}

// TestWallClockJumpsAfterASuccess: two keys are dropped, the update succeeds, and the wall clock is set ten years
// ahead. Reads still show the state of before, in which a driver finds nothing to remove. The process that has written
// the success waits for ConfirmAfter by its monotonic clock, so that the keys stay ours. The confirmation names the
// keys that are ours no longer.
func TestWallClockJumpsAfterASuccess(t *testing.T) {
	driver := machineupdate.Driver{Kinds: []string{"vm"}, ReadsFirst: true}
	const years = 10 * 365 * 24 * time.Hour
	b := newBed(t, laneClass(t, driver, `{"tags":{"keep":"1","one":"1","two":"2"}}`))
	b.executor.Memory = &machineupdate.Memory{}
	var events []string
	b.executor.Event = func(_ runtime.Object, _, reason, message string) { events = append(events, reason+" "+message) }
	at := func(wall time.Time, monotonic time.Duration) { b.now = clockReading(wall, monotonic) }
	at(start, 0)
	b.step(0)
	at(start.Add(time.Hour), time.Hour)
	b.step(0)
	require.Equal(t, "Settled", b.state(""))
	b.class = laneClass(t, driver, `{"tags":{"keep":"1"}}`)
	at(start.Add(2*time.Hour), 2*time.Hour)
	b.step(0)
	require.Equal(t, "Unconfirmed", b.state(""))
	events = nil

	at(start.Add(years), 2*time.Hour+time.Second)
	_, result := b.step(0)
	assert.Empty(t, b.asked, "no read settles the record")
	assert.Equal(t, "Unconfirmed", b.state(""))
	assert.Greater(t, result.RequeueAfter, b.settings.ConfirmAfter-2*time.Second)
	assert.LessOrEqual(t, result.RequeueAfter, b.settings.ConfirmAfter)

	at(start.Add(years+time.Hour), 3*time.Hour+time.Second)
	b.step(0)
	require.Len(t, b.asked, 1)
	assert.NotEmpty(t, b.asked[0].Parts[0].Attempted, "the keys are still ours")
	assert.Equal(t, "Settled", b.state(""))
	told := strings.Join(events, "\n")
	assert.Contains(t, told, "HotUpdateConfirmed")
	assert.Contains(t, told, "/tags/one, /tags/two")
	assert.NotContains(t, told, "/tags/keep")
}

// TestOtherProcessGoesByTheWallClock: who has not written the success knows only its time. It names the keys that it forgets.
func TestOtherProcessGoesByTheWallClock(t *testing.T) {
	driver := machineupdate.Driver{Kinds: []string{"vm"}, ReadsFirst: true}
	b := newBed(t, laneClass(t, driver, `{"tags":{"one":"1"}}`))
	b.executor.Memory = &machineupdate.Memory{}
	b.step(0)
	b.step(b.settings.ConfirmAfter)
	b.class = laneClass(t, driver, `{"tags":{}}`)
	b.step(0)
	require.Equal(t, "Unconfirmed", b.state(""))
	b.executor.Memory = &machineupdate.Memory{}
	var events []string
	b.executor.Event = func(_ runtime.Object, _, reason, message string) { events = append(events, reason+" "+message) }
	b.step(10 * 365 * 24 * time.Hour)
	assert.Equal(t, "Settled", b.state(""))
	assert.Contains(t, strings.Join(events, "\n"), "/tags/one")
}
