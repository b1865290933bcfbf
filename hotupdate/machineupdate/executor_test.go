package machineupdate_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate/internal/record"
)

// bench is an executor whose functions return the test's results, and record their arguments.
type bench struct {
	executor

	o        machineupdate.Observed
	now      time.Time
	writes   []machineupdate.Patch
	calls    []*machineupdate.UpdateMachineRequest
	writeErr map[int]error // by number of the write
	callErr  error
	onWrite  func(n int)
	onCall   func(ctx context.Context)
}

func newBench(t *testing.T, record string) *bench {
	t.Helper()
	b := &bench{now: start, o: machineupdate.Observed{Machine: machine(record), Class: classOf(t, `{"tags":{"k":"2"}}`)}}
	b.o.Settings = machineupdate.Settings{ConfirmAfter: time.Hour, RetryAfter: 10 * time.Second, VerifyPeriod: 24 * time.Hour}
	b.executor = executor{
		Now: func() time.Time { return b.now }, Counters: counters{},
		WriteMetadata: func(_ context.Context, patch machineupdate.Patch) (string, error) {
			b.writes = append(b.writes, patch)
			if b.onWrite != nil {
				b.onWrite(len(b.writes))
			}
			return fmt.Sprint("after-", len(b.writes)), b.writeErr[len(b.writes)]
		},
		UpdateMachine: func(ctx context.Context, request *machineupdate.UpdateMachineRequest) error {
			b.calls = append(b.calls, request)
			if b.onCall != nil {
				b.onCall(ctx)
			}
			return b.callErr
		},
	}
	return b
}

func (b *bench) reconcile(t *testing.T) result {
	t.Helper()
	result := b.Reconcile(t.Context(), b.o)
	label := [3]string{machineupdate.DecisionOf(result).Action, string(result.Reason), machineupdate.EndingOf(result)}
	assert.Equal(t, counters{label: 1}, b.Counters)
	return result
}

// TestMisuse: a wrong wiring is a typed error before anything is written, and all errors at once.
func TestMisuse(t *testing.T) {
	type real = machineupdate.Executor[*object]
	wrote := 0
	written := &object{ObjectMeta: metav1.ObjectMeta{Name: "m-1", ResourceVersion: "8"}}
	for _, tc := range []struct {
		name   string
		change func(*real, **object)
		codes  []string
		writes int
	}{
		{"no Patch and no clock", func(e *real, _ **object) {
			e.Patch = nil
			e.Now = nil
		}, []string{"missing-function Executor.Patch", "missing-function Executor.Now"}, 0},
		{"no driver", func(e *real, _ **object) { e.UpdateMachine = nil }, []string{"missing-function Executor.UpdateMachine"}, 0},
		{"no machine", func(_ *real, m **object) { *m = nil }, []string{"missing-machine machine"}, 0},
		{"no resourceVersion", func(_ *real, m **object) { (*m).ResourceVersion = "" }, []string{"missing-resource-version machine"}, 0},
		{
			"a write that returns nothing", func(_ *real, _ **object) { written = nil },
			[]string{"missing-machine what Executor.Patch returned"},
			1,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			wrote = 0
			e := &real{
				Now:           func() time.Time { return start },
				UpdateMachine: func(context.Context, *machineupdate.UpdateMachineRequest) error { return nil },
				Patch: func(context.Context, string, types.PatchType, []byte, metav1.PatchOptions, ...string) (*object, error) {
					wrote++
					return written, nil
				},
			}
			m := &object{ObjectMeta: metav1.ObjectMeta{Name: "m-1", ResourceVersion: "7"}}
			o := machineupdate.Observation{ProviderID: "i-1", Phase: "Running", Class: classOf(t, `{"tags":{"k":"2"}}`)}
			tc.change(e, &m)
			result := e.Reconcile(t.Context(), m, o)
			assert.Equal(t, tc.codes, codes(result.Err))
			assert.Equal(t, "WriteFailed", machineupdate.EndingOf(result))
			assert.Equal(t, m, result.Machine)
			assert.Equal(t, tc.writes, wrote)
			if tc.name == "no driver" {
				return // machines are created without it
			}
			creation, begun := e.BeginCreation(t.Context(), m, o, o.Class.Class())
			assert.Equal(t, tc.codes, codes(begun.Err))
			assert.Equal(t, tc.name == "no resourceVersion", creation != nil)
			assert.Contains(t, codes(e.FinishCreation(t.Context(), nil, m, "i-1").Err), "missing-creation FinishCreation")
		})
	}
}

// codes lists the codes of joined errors with their places.
func codes(err error) []string {
	if problem, ok := err.(*fault.Error); ok { //nolint:errorlint // all joined errors are wanted
		return []string{problem.Code + " " + problem.Where}
	}
	var all []string
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range joined.Unwrap() {
			all = append(all, codes(one)...)
		}
	}
	return all
}

func TestExecutor(t *testing.T) {
	class := classOf(t, `{"tags":{"k":"2"}}`)
	previous := settledRecord(class)
	unconfirmed := settledRecord(class, inState(record.Unconfirmed), func(r *machineupdate.Record) {
		r.Applied = hotTwo
		r.Since = start.Add(-time.Hour)
	})
	partialBy := func(err error) error {
		return fmt.Errorf(
			"driver: %w",
			&machineupdate.PartialError{
				Done: []machineupdate.ResourceID{{Kind: "vm", ID: "i-1"}}, NotDone: []machineupdate.ResourceID{{Kind: "disk", ID: "vol-1"}},
				Err: err,
			},
		)
	}
	partial := partialBy(assert.AnError)
	conflict := fmt.Errorf("write: %w", errConflict)
	missing := fmt.Errorf("write: %w", errMissing)
	noVM := fmt.Errorf("driver: %w", machineupdate.ErrNotFound)
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "machines"}, "m", nil)
	type outcome = string
	for _, tc := range []struct {
		name          string
		record        string
		given         func(*bench)
		want          outcome
		delay         time.Duration
		writes, calls int
		events        []string
		err           error
	}{
		{"success", previous, func(*bench) {}, "Updated", time.Hour, 2, 1, []string{"HotUpdated"}, nil},
		{"confirmation", unconfirmed, func(*bench) {}, "Confirmed", 24 * time.Hour, 2, 1, []string{"HotUpdateConfirmed"}, nil},
		{
			"conflict before the call", previous, func(b *bench) { b.writeErr = map[int]error{1: conflict} }, "Conflicted",
			200 * time.Millisecond, 1, 0, nil, conflict,
		},
		{
			"conflict after the call", previous, func(b *bench) { b.writeErr = map[int]error{2: conflict} }, "Conflicted",
			200 * time.Millisecond, 2, 1, nil, conflict,
		},
		{
			"write fails before the call", previous, func(b *bench) { b.writeErr = map[int]error{1: assert.AnError} }, "WriteFailed",
			5 * time.Second, 1, 0, nil, assert.AnError,
		},
		{
			"write fails after the call", previous, func(b *bench) { b.writeErr = map[int]error{2: assert.AnError} }, "WriteFailed",
			5 * time.Second, 2, 1, nil, assert.AnError,
		},
		{
			"the role lacks the verb patch", previous, func(b *bench) { b.writeErr = map[int]error{1: forbidden} }, "WriteFailed",
			5 * time.Second, 1, 0,
			[]string{"HotUpdateFailed"},
			forbidden,
		},
		{"machine is gone", previous, func(b *bench) { b.writeErr = map[int]error{1: missing} }, "Gone", 0, 1, 0, nil, missing},
		{"VM is gone, or reads lag", previous, func(b *bench) { b.callErr = noVM }, "Gone", 10 * time.Second, 1, 1, nil, noVM},
		{
			"call fails", previous, func(b *bench) { b.callErr = partial }, "Partial", 10 * time.Second, 1, 1,
			[]string{"HotUpdateFailed"},
			partial,
		},
		{
			"a disk is gone", previous, func(b *bench) { b.callErr = partialBy(machineupdate.ErrNotFound) }, "Partial", 10 * time.Second, 1,
			1,
			[]string{"HotUpdateFailed"},
			machineupdate.ErrNotFound,
		},
		{
			"the driver cannot update disks", previous, func(b *bench) { b.callErr = partialBy(machineupdate.ErrUnimplemented) }, "Partial",
			10 * time.Second, 1, 1,
			[]string{"HotUpdateFailed"},
			machineupdate.ErrUnimplemented,
		},
		{"call fails, and no time was to be lost", previous, func(b *bench) {
			b.callErr = partial
			b.o.Settings.RetryAfter = 1
		}, "Partial", 5 * time.Second, 1, 1, []string{"HotUpdateFailed"}, partial},
		{
			"confirmation fails", unconfirmed, func(b *bench) { b.callErr = partial }, "Partial", time.Hour, 1, 1,
			[]string{"HotUpdateFailed"},
			partial,
		},
		{"confirmation finds no VM", unconfirmed, func(b *bench) { b.callErr = noVM }, "Gone", time.Hour, 1, 1, nil, noVM},
		{
			"VM is gone, unreadable record", "{", func(b *bench) { b.callErr = noVM }, "Gone", 10 * time.Second, 1, 1,
			[]string{"HotUpdateRecordUnusable"},
			noVM,
		},
		{
			"driver turns out to be unable", previous, func(b *bench) { b.callErr = machineupdate.ErrUnimplemented }, "Unable",
			24 * time.Hour, 2, 1,
			[]string{"HotUpdateUnsupported"},
			machineupdate.ErrUnimplemented,
		},
		{"taking the marker back conflicts", previous, func(b *bench) {
			b.callErr = machineupdate.ErrUnimplemented
			b.writeErr = map[int]error{2: conflict}
		}, "Conflicted", 200 * time.Millisecond, 2, 1, nil, conflict},
		{
			"driver is known to be unable", previous, func(b *bench) { b.o.Class = preparedFor(t, b.o.Class, machineupdate.Driver{}) },
			"NotCalled", 0, 0, 0,
			[]string{"HotUpdateUnsupported"},
			nil,
		},
		{
			"nothing to do", settledRecord(class, func(r *machineupdate.Record) { r.Applied = hotTwo }), func(*bench) {}, "NotCalled",
			24 * time.Hour, 0, 0, nil, nil,
		},
		{"unreadable record", "{", func(*bench) {}, "Updated", time.Hour, 2, 1, []string{"HotUpdateRecordUnusable", "HotUpdated"}, nil},
		{"no class", previous, func(b *bench) { b.o.Class = nil }, "NotCalled", 0, 0, 0, []string{"HotUpdateClassUnusable"}, nil},
		{"unusable class", previous, func(b *bench) {
			b.o.Class = nil
			b.o.ClassError = assert.AnError
		}, "NotCalled", 0, 0, 0, []string{"HotUpdateClassUnusable"}, assert.AnError},
		{"limiter denies", previous, func(b *bench) {
			b.Limiter = exhausted(b.now)
		}, "Denied", -1, 0, 0, nil, nil},
		{"pause before the call", previous, func(b *bench) {
			b.onWrite = func(int) { b.now = b.now.Add(5 * time.Minute) }
		}, "Canceled", 5 * time.Second, 1, 0, nil, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := newBench(t, tc.record)
			tc.given(b)
			result := b.reconcile(t)
			assert.Equal(t, tc.want, machineupdate.EndingOf(result))
			if tc.delay >= 0 {
				assert.Equal(t, tc.delay, result.RequeueAfter)
			}
			assert.Equal(t, []int{tc.writes, tc.calls}, []int{len(b.writes), len(b.calls)})
			var reasons []string
			for _, event := range result.Events {
				reasons = append(reasons, event.Reason)
				assert.NotEmpty(t, event.Message)
			}
			assert.Equal(t, tc.events, reasons)
			if tc.err != nil {
				require.ErrorIs(t, result.Err, tc.err)
			} else {
				assert.Equal(t, machineupdate.DecisionOf(result).Err, result.Err)
			}
			for i, patch := range b.writes {
				assert.Equal(t, []string{"7", "after-1"}[i], patch.ResourceVersion, "every write says which version it is about")
			}
		})
	}
}

// TestUnableRestoresPreviousRecord: if the driver cannot update, the record is the same before and after.
func TestUnableRestoresPreviousRecord(t *testing.T) {
	for _, previous := range []string{"", "{", settledRecord(classOf(t, `{"image":""}`), inState(record.Calling, hotOne))} {
		b := newBench(t, previous)
		b.o.Settings.RetryAfter = 0
		b.callErr = machineupdate.ErrUnimplemented
		b.reconcile(t)
		require.Len(t, b.writes, 2)
		annotations := b.writes[1].Apply(b.writes[0].Apply(b.o.Machine.Annotations))
		assert.Equal(t, len(b.o.Machine.Annotations), len(annotations))
		assert.Equal(t, previous, annotations[machineupdate.AnnotationRecord])
	}
}

// TestPatchesAreBound: a patch names UID and resourceVersion, and waits as long as the API server says.
func TestPatchesAreBound(t *testing.T) {
	b := newBench(t, settledRecord(classOf(t, `{"image":""}`)))
	b.o.Machine.UID = "u"
	b.writeErr = map[int]error{1: apierrors.NewTooManyRequests("later", 42)}
	result := b.reconcile(t)
	assert.Equal(t, []any{"WriteFailed", 42 * time.Second}, []any{machineupdate.EndingOf(result), result.RequeueAfter})
	require.Len(t, b.writes, 1)
	assert.Equal(t, []any{types.UID("u"), "7"}, []any{b.writes[0].UID, b.writes[0].ResourceVersion})
}

// TestUnableIsRemembered: a driver that cannot update a class is asked again after a change of the
// class or of the driver, and after VerifyPeriod or an hour. Until then no machine costs writes.
// One Unimplemented switched off the updates of all classes.
func TestUnableIsRemembered(t *testing.T) {
	var classes machineupdate.Classes
	for i, tc := range []struct {
		class, version, value, revision string
		verify, at                      time.Duration
		calls                           int
		tells                           []string
		reason                          string
	}{
		{"a", "1", "1", "1", 0, 0, 1, []string{"HotUpdateUnsupported"}, "nothing is known"},
		{"a", "1", "1", "1", 0, time.Minute, 0, nil, "it is known"},
		{"b", "1", "1", "1", 0, time.Minute, 1, []string{"HotUpdateUnsupported"}, "another class"},
		{"a", "2", "1", "1", 0, 2 * time.Minute, 0, nil, "the same spec"},
		{"a", "2", "1", "1", 0, time.Hour - 1, 0, nil, "the hour is not over"},
		{"a", "2", "1", "1", 0, time.Hour, 1, nil, "the hour is over"},
		{"a", "2", "1", "1", 3 * time.Hour, 3 * time.Hour, 0, nil, "VerifyPeriod is not over"},
		{"a", "2", "1", "1", 3 * time.Hour, 4 * time.Hour, 1, nil, "VerifyPeriod is over"},
		{"a", "3", "2", "1", 0, 4 * time.Hour, 1, []string{"HotUpdateUnsupported"}, "another spec"},
		{"a", "3", "2", "2", 0, 4 * time.Hour, 1, []string{"HotUpdateUnsupported"}, "another driver"},
		{"fake", "", "1", "1", 0, 0, 1, []string{"HotUpdateUnsupported"}, "a class of a fake client"},
		{"fake", "", "1", "1", 0, time.Minute, 0, nil, "it is known as well"},
	} {
		class := machineupdate.MachineClass{
			Object:       &metav1.ObjectMeta{Name: tc.class, UID: "u", ResourceVersion: tc.version},
			ProviderSpec: []byte(`{"tags":{"k":"` + tc.value + `"}}`),
		}
		prepared, err := classes.Prepare(
			class, machineupdate.Driver{Schema: schemaOf[spec](t), Kinds: []string{machineupdate.Kind}, Revision: tc.revision},
		)
		require.NoError(t, err)
		b := newBench(t, "")
		b.now = start.Add(tc.at)
		b.o.Settings.VerifyPeriod = tc.verify
		b.callErr = fmt.Errorf("aws: %w", machineupdate.ErrUnimplemented)
		b.o.Class = prepared
		result := b.reconcile(t)
		var tells []string
		for _, event := range result.Events {
			tells = append(tells, event.Reason)
			assert.Contains(t, event.Message, "class "+tc.class)
		}
		assert.Equal(t, []any{2 * tc.calls, tc.calls, tc.tells}, []any{len(b.writes), len(b.calls), tells}, "%d: %s", i, tc.reason)
		if tc.calls > 0 {
			assert.Equal(t, cmp.Or(tc.verify, time.Hour), result.RequeueAfter, "when it is asked again")
		}
	}
}

// TestNoUpdates: a driver without hot updates is reported once for each class, and nothing else
// happens.
func TestNoUpdates(t *testing.T) {
	classes := machineupdate.Classes{OnNonHotChange: func(metav1.Object) { t.Error("the class is not read") }}
	var told []string
	counts := counters{}
	for i, tc := range []struct {
		class, value, record string
		tells                int
	}{
		{"a", "1", "", 1},
		{"a", "1", "", 0},
		{"b", "1", "", 1},
		{"a", "2", "", 1},
		{"a", "2", settledRecord(classOf(t, `{"image":""}`)), 0},
		{"a", "2", "{", 0},
	} {
		meta := &metav1.ObjectMeta{Name: tc.class, UID: "u", ResourceVersion: tc.value}
		prepared := classes.PrepareUnsupported(machineupdate.MachineClass{Object: meta, ProviderSpec: []byte(tc.value)})
		b := newBench(t, tc.record)
		b.o.Class = prepared
		result := b.reconcile(t)
		assert.Equal(t, []int{tc.tells, 0, 0}, []int{len(result.Events), len(b.writes), len(b.calls)}, i)
		assert.Equal(t, []any{"Unsupported", time.Duration(0)}, []any{machineupdate.DecisionOf(result).Action, result.RequeueAfter})
		for _, event := range result.Events {
			told = append(told, event.Reason)
		}
		for label, n := range b.Counters {
			counts[label] += n
		}
		o := machineupdate.Observation{Class: prepared}
		assert.Equal(t, machineupdate.InPlaceApplied, o.InPlace(&object{}), "there is nothing to apply")
		_, ready := (&machineupdate.Executor[*object]{}).ApplyInPlace(t.Context(), &object{}, o, nil)
		assert.True(t, ready)
	}
	assert.Equal(t, []string{"HotUpdateUnsupported", "HotUpdateUnsupported", "HotUpdateUnsupported"}, told)
	assert.Equal(t, counters{{"Unsupported", "NoUpdates", "NotCalled"}: 6}, counts)
}

func TestExecutorHonoursCancellation(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	b := newBench(t, "")
	b.onWrite = func(int) { cancel() }
	result := b.Reconcile(ctx, b.o)
	assert.Equal(t, "Canceled", machineupdate.EndingOf(result))
	require.ErrorIs(t, result.Err, context.Canceled)
	assert.Empty(t, b.calls, "canceled between marker and call")
	result = b.Reconcile(ctx, b.o)
	assert.Equal(t, "Canceled", machineupdate.EndingOf(result))
	assert.Len(t, b.writes, 1, "canceled before the marker")
}

// TestCanceledAnywhere: once the context is done, errors of functions are not reported as failures.
func TestCanceledAnywhere(t *testing.T) {
	canceled := fmt.Errorf("canceled: %w", context.Canceled)
	for _, tc := range []struct {
		name    string
		callErr error
		at      int // write; 0 is the call
		writes  int
	}{
		{"in the call", canceled, 0, 1},
		{"in the call, which says something else", assert.AnError, 0, 1},
		{"in the call, which finds no VM", machineupdate.ErrNotFound, 0, 1},
		{"in the write before it", nil, 1, 1},
		{"in the write after it", nil, 2, 2},
		{"in the write that takes the marker back", machineupdate.ErrUnimplemented, 2, 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			b := newBench(t, "{")
			b.callErr = tc.callErr
			b.writeErr = map[int]error{tc.at: canceled}
			b.onCall = func(context.Context) {
				if tc.at == 0 {
					cancel()
				}
			}
			b.onWrite = func(n int) {
				if n == tc.at {
					cancel()
				}
			}
			result := b.Reconcile(ctx, b.o)
			assert.Equal(t, []any{"Canceled", 5 * time.Second}, []any{machineupdate.EndingOf(result), result.RequeueAfter})
			assert.Empty(t, result.Events)
			require.Error(t, result.Err)
			assert.Len(t, b.writes, tc.writes)
		})
	}
}

// TestSuccessOfACanceledProcessIsWritten: if the write still succeeds, it saves a pass.
func TestSuccessOfACanceledProcessIsWritten(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	b := newBench(t, "")
	b.onCall = func(context.Context) { cancel() }
	assert.Equal(t, "Updated", machineupdate.EndingOf(b.Reconcile(ctx, b.o)))
	assert.Len(t, b.writes, 2)
}

// TestCallHasADeadline: nothing is sent after CallTimeout, or late requests would land after the confirmation.
func TestCallHasADeadline(t *testing.T) {
	b := newBench(t, "")
	b.o.Settings.CallTimeout = time.Millisecond
	b.onCall = func(ctx context.Context) {
		<-ctx.Done()
		b.callErr = ctx.Err()
	}
	result := b.reconcile(t)
	assert.Equal(t, "CallFailed", machineupdate.EndingOf(result))
	require.ErrorIs(t, result.Err, context.DeadlineExceeded)
}

// TestNotAppliedIsTold: what a driver leaves as it is, without a failure, is an event of the machine.
func TestNotAppliedIsTold(t *testing.T) {
	for _, events := range []bool{true, false} {
		p := newPool(t)
		var told []string
		p.executor.Event = nil
		if events {
			p.executor.Event = func(of runtime.Object, level, reason, message string) {
				told = append(told, fmt.Sprint(of.(*object).Name, " ", level, " ", reason, " ", message))
			}
		}
		p.executor.UpdateMachine = func(_ context.Context, r *machineupdate.UpdateMachineRequest) error {
			if assert.Equal(t, events, r.Tell != nil); events {
				r.Tell("it stays")
			}
			return nil
		}
		p.step(0)
		if events {
			assert.Contains(t, told, "m-1 Warning HotUpdateNotApplied it stays")
		}
	}
}

// TestClassIsToldOnce: what concerns every machine of a class is an event of one of them, again when the class has changed.
func TestClassIsToldOnce(t *testing.T) {
	p := newPool(t)
	var told []string
	p.executor.Event = func(of runtime.Object, _, _, message string) {
		if message == "left alone: a" || message == "left alone: b" {
			told = append(told, of.(*object).Name+" "+message)
		}
	}
	p.executor.UpdateMachine = func(_ context.Context, r *machineupdate.UpdateMachineRequest) error {
		r.TellClass("left alone: a")
		r.TellClass("left alone: b")
		return nil
	}
	p.step(0)
	p.step(time.Hour) // confirms
	once := []string{"m-1 left alone: a", "m-1 left alone: b"}
	assert.Equal(t, once, told)
	p.class = laneClass(t, accounts, `{"tags":{"k":"2"},"account":"a"}`)
	p.step(time.Hour)
	assert.Equal(t, slices.Concat(once, once), told)
}

// exhausted is a limiter that denies everything for an hour.
func exhausted(now time.Time) *machineupdate.Limiter {
	l := &machineupdate.Limiter{Every: time.Hour, Burst: 1}
	l.Ask("SpecChanged", now)
	return l
}

// TestFirstAdoptionAsksTheLimiter: the limiter is asked before the marker is written. Machines that are denied
// return at different times.
func TestFirstAdoptionAsksTheLimiter(t *testing.T) {
	limiter := &machineupdate.Limiter{Every: time.Minute, Burst: 4}
	delays := map[time.Duration]bool{}
	counted := counters{}
	for i := range 12 {
		b := newBench(t, "")
		b.Counters = counted
		b.Limiter = limiter
		b.o.Machine.Name = fmt.Sprint("m-", i)
		b.o.Settings.RetryAfter = 0
		result := b.Reconcile(t.Context(), b.o)
		if machineupdate.EndingOf(result) == "Denied" {
			assert.Empty(t, b.writes)
			delays[result.RequeueAfter] = true
			assert.GreaterOrEqual(t, result.RequeueAfter, time.Minute)
			assert.Less(t, result.RequeueAfter, 2*time.Minute)
		}
	}
	assert.Equal(t, []int{2, 10}, []int{counted.ended("Updated"), counted.ended("Denied")}, "a half is left to changes")
	assert.Greater(t, len(delays), 5)
}

// TestDriverPanics: a panic of the driver is an error of this machine alone, with the stack for the log. Whatever the
// panic's value says, the marker stays, and the next attempt waits.
func TestDriverPanics(t *testing.T) {
	unimplemented := &status{code: "Unimplemented"}
	for name, value := range map[string]any{
		"text": "index", "error": assert.AnError, "one of ours": machineupdate.ErrUnimplemented, "one of MCM's": unimplemented,
		"retry": &machineupdate.RetryError{After: 48 * time.Hour, Err: machineupdate.ErrNotFound}, "nil": nil,
	} {
		for _, isMarked := range []bool{true, false} {
			t.Run(fmt.Sprint(name, isMarked), func(t *testing.T) {
				b := newBench(t, settledRecord(classOf(t, `{"image":""}`)))
				if !isMarked {
					b.o.Class = preparedFor(t, b.o.Class, reader)
				}
				b.onCall = func(context.Context) { panic(value) }
				result := b.reconcile(t)
				assert.Equal(t, []any{"Panicked", 10 * time.Second}, []any{machineupdate.EndingOf(result), result.RequeueAfter})
				problem, ok := errors.AsType[*machineupdate.PanicError](result.Err)
				require.True(t, ok, "%v", result.Err)
				assert.Contains(t, problem.Stack, "TestDriverPanics")
				if value != nil {
					assert.Contains(t, result.Err.Error(), fmt.Sprint("panic: ", value))
				}
				require.Len(t, b.writes, 1, "the marker")
				assert.Contains(t, b.writes[0].Set()[machineupdate.AnnotationRecord], `"state":"Calling"`)
				require.Len(t, result.Events, 1)
				assert.Equal(t, "HotUpdateFailed", result.Events[0].Reason)
				assert.NotContains(t, result.Events[0].Message, "executor_test.go", "the stack is for the log")
			})
		}
	}
}

// TestUpdatesUnderWay: an update is under way until the call has returned, however it ended, also by a panic.
func TestUpdatesUnderWay(t *testing.T) {
	limiter := &machineupdate.Limiter{Every: time.Nanosecond, Burst: 100, InFlight: 1}
	for i, fail := range []func(*bench){
		func(*bench) {},
		func(b *bench) { b.callErr = assert.AnError },
		func(b *bench) { b.writeErr = map[int]error{1: errConflict} },
		func(b *bench) { b.onCall = func(context.Context) { panic("crash") } },
	} {
		b := newBench(t, settledRecord(classOf(t, `{"image":""}`)))
		b.Limiter = limiter
		fail(b)
		inner := newBench(t, settledRecord(classOf(t, `{"image":""}`)))
		inner.Limiter = limiter
		b.onWrite = func(int) {
			assert.Equal(t, "Denied", machineupdate.EndingOf(inner.Reconcile(t.Context(), inner.o)), "another machine meanwhile")
		}
		b.Reconcile(t.Context(), b.o)
		inner.onWrite = nil
		assert.Equal(t, "Updated", machineupdate.EndingOf(inner.Reconcile(t.Context(), inner.o)), "%d: and afterwards", i)
	}
}

func TestLimiter(t *testing.T) {
	var nothing machineupdate.Limiter
	assert.False(t, nothing.Ask("SpecChanged", start))
	l := machineupdate.Limiter{Every: time.Second, Burst: 4, InFlight: 4}
	const (
		spec    = "SpecChanged"
		confirm = "ConfirmationDue"
		adopt   = "FirstAdoption"
	)
	for i, tc := range []struct {
		reason machineupdate.Reason
		after  time.Duration
		done   int // updates that ended before
		want   bool
	}{
		{adopt, 0, 0, true},
		{adopt, 0, 1, true},
		{adopt, 0, 1, false}, // two tokens are left for others
		{confirm, 0, 0, true},
		{confirm, 0, 1, false}, // one is left for changes
		{"Unfinished", 0, 0, false},
		{spec, 0, 0, true},
		{spec, 0, 1, false},
		{spec, 500 * time.Millisecond, 0, false},
		{spec, time.Second, 0, true},
		{adopt, time.Hour, 0, true},
		{adopt, 2 * time.Hour, 0, false}, // two are under way
		{"VerifyDue", 2 * time.Hour, 0, false},
		{"SchemaChanged", 2 * time.Hour, 0, false},
		{confirm, 2 * time.Hour, 0, true},
		{confirm, 3 * time.Hour, 0, false}, // three
		{"RecordFull", 3 * time.Hour, 0, true},
		{spec, 4 * time.Hour, 0, false}, // four
		{spec, 4 * time.Hour, 1, true},
		{adopt, -time.Second, 4, true}, // clocks may be set back
	} {
		for range tc.done {
			l.Done()
		}
		assert.Equal(t, tc.want, l.Ask(tc.reason, start.Add(tc.after)), "%d: %v after %v", i, tc.reason, tc.after)
	}
	one := machineupdate.Limiter{Every: time.Second, Burst: 1, InFlight: 1}
	assert.True(t, one.Ask(adopt, start), "where nothing can be left, nothing is")
	assert.False(t, one.Ask(spec, start.Add(time.Hour)))
}

func TestRequeueWithin(t *testing.T) {
	for _, tc := range []struct{ ours, own, want time.Duration }{
		{0, 0, 0}, {1, 0, 1}, {0, 1, 1}, {1, 2, 1}, {2, 1, 1}, {2, -1, 2}, {0, -1, 0},
	} {
		result := machineupdate.Result[*object]{RequeueAfter: tc.ours}
		assert.Equal(t, tc.want, result.RequeueWithin(tc.own), tc)
	}
}

func TestCounters(t *testing.T) {
	b := newBench(t, "")
	b.reconcile(t)
	b.callErr = errors.New("failure")
	b.Reconcile(t.Context(), b.o)
	assert.Equal(t, counters{{"Update", "FirstAdoption", "Updated"}: 1, {"Update", "FirstAdoption", "CallFailed"}: 1}, b.Counters)
	var executor executor
	executor.Now = func() time.Time { return start }
	executor.Reconcile(t.Context(), machineupdate.Observed{}) // Count is nil
}
