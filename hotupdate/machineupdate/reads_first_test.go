package machineupdate_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

var reader = machineupdate.Driver{Kinds: []string{machineupdate.Kind}, ReadsFirst: true}

// readsFirst is a bench whose driver reads first, and then runs a function of the test.
func readsFirst(t *testing.T, update func(ctx context.Context, r *machineupdate.UpdateMachineRequest) error) *bench {
	t.Helper()
	b := newBench(t, "")
	b.o.Class = preparedFor(t, b.o.Class, reader)
	b.UpdateMachine = func(ctx context.Context, r *machineupdate.UpdateMachineRequest) error {
		b.calls = append(b.calls, r)
		return update(ctx, r)
	}
	return b
}

// TestMarkerBeforeTheFirstWrite: the marker is written once, also with several requests for it, and before anything is sent.
func TestMarkerBeforeTheFirstWrite(t *testing.T) {
	var b *bench
	b = readsFirst(t, func(ctx context.Context, r *machineupdate.UpdateMachineRequest) error {
		require.Empty(t, b.writes, "reads need no marker")
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() { assert.NoError(t, r.BeforeWrite(ctx)) })
		}
		group.Wait()
		require.Len(t, b.writes, 1)
		assert.Contains(t, b.writes[0].Set()[machineupdate.AnnotationRecord], `"state":"Calling"`)
		return nil
	})
	require.Equal(t, "Updated", machineupdate.EndingOf(b.reconcile(t)))
	require.Len(t, b.writes, 2)
	assert.Equal(t, []string{"7", "after-1"}, []string{b.writes[0].ResourceVersion, b.writes[1].ResourceVersion})
	assert.ErrorIs(t, b.calls[0].BeforeWrite(t.Context()), context.Canceled, "a driver that goes on after it has returned")
	assert.Len(t, b.writes, 2)
}

// TestNothingIsSentWithoutAMarker: without a marker the driver's result does not count, not even a success.
func TestNothingIsSentWithoutAMarker(t *testing.T) {
	for _, tc := range []struct {
		name  string
		given func(*bench)
		want  string
	}{
		{"conflict", func(b *bench) { b.writeErr = map[int]error{1: errConflict} }, "Conflicted"},
		{"failed write", func(b *bench) { b.writeErr = map[int]error{1: assert.AnError} }, "WriteFailed"},
		{"the machine is gone", func(b *bench) { b.writeErr = map[int]error{1: errMissing} }, "Gone"},
		{"a long pause before the marker", func(b *bench) { b.now = b.now.Add(5 * time.Minute) }, "Canceled"},
		{"a long pause in its write", func(b *bench) { b.onWrite = func(int) { b.now = b.now.Add(5 * time.Minute) } }, "Canceled"},
	} {
		for _, returned := range []error{nil, assert.AnError} {
			t.Run(tc.name, func(t *testing.T) {
				var b *bench
				b = readsFirst(t, func(ctx context.Context, r *machineupdate.UpdateMachineRequest) error {
					tc.given(b)
					require.Error(t, r.BeforeWrite(ctx))
					require.Error(t, r.BeforeWrite(ctx), "and again")
					return returned
				})
				assert.Equal(t, tc.want, machineupdate.EndingOf(b.reconcile(t)))
				assert.Len(t, b.writes, 1)
			})
		}
	}
}

// TestLateMarker: after the driver has returned, no marker can be written.
func TestLateMarker(t *testing.T) {
	b := readsFirst(t, func(context.Context, *machineupdate.UpdateMachineRequest) error { return nil })
	b.reconcile(t)
	require.Len(t, b.writes, 1)
	assert.ErrorIs(t, b.calls[0].BeforeWrite(t.Context()), context.Canceled)
	assert.Len(t, b.writes, 1)
}

// TestFailedReads: the marker records a failure of the driver, so that the next attempts wait. Other errors are not recorded.
func TestFailedReads(t *testing.T) {
	for _, tc := range []struct {
		name   string
		err    error
		want   string
		writes int
	}{
		{"failure", assert.AnError, "CallFailed", 1},
		{"throttled", errors.New("machine codes error: code = [ResourceExhausted] message = [slow down]"), "Throttled", 1},
		{"no VM", machineupdate.ErrNotFound, "Gone", 0},
		{"unable", machineupdate.ErrUnimplemented, "Unable", 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := readsFirst(t, func(context.Context, *machineupdate.UpdateMachineRequest) error { return tc.err })
			assert.Equal(t, tc.want, machineupdate.EndingOf(b.reconcile(t)))
			require.Len(t, b.writes, tc.writes)
			if tc.writes > 0 {
				b.o.Machine.Annotations = b.writes[0].Set()
				d := machineupdate.DecideAt(b.now.Add(time.Second), b.o)
				assert.Equal(t, []any{"Wait", "Unfinished"}, []any{d.Action, d.Reason})
			}
		})
	}
	t.Run("the marker conflicts", func(t *testing.T) {
		b := readsFirst(t, func(context.Context, *machineupdate.UpdateMachineRequest) error { return assert.AnError })
		b.writeErr = map[int]error{1: errConflict}
		result := b.reconcile(t)
		assert.Equal(t, "Conflicted", machineupdate.EndingOf(result))
		assert.ErrorIs(t, result.Err, assert.AnError)
	})
}

// TestBeforeWriteWithoutReadsFirst: the marker is written before the call, and BeforeWrite does nothing.
func TestBeforeWriteWithoutReadsFirst(t *testing.T) {
	b := newBench(t, "")
	b.onCall = func(ctx context.Context) {
		require.Len(t, b.writes, 1)
		require.NoError(t, b.calls[0].BeforeWrite(ctx))
		require.Len(t, b.writes, 1)
	}
	assert.Equal(t, "Updated", machineupdate.EndingOf(b.reconcile(t)))
}
