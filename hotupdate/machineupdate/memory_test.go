package machineupdate_test

import (
	"context"
	"errors"
	"runtime"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// remembering is an executor with a Memory, whose writes fail.
type remembering struct {
	*machineupdate.Executor[*object]

	machine  *object
	observed machineupdate.Observation
	now      time.Time
	writeErr error
	tries    int // passes that were begun
	told     []string
	messages []string
}

func newRemembering(t *testing.T) *remembering {
	t.Helper()
	r := &remembering{
		now: start, machine: &object{ObjectMeta: metav1.ObjectMeta{Name: "m-1", UID: "u", ResourceVersion: "7", Generation: 1}},
		observed: machineupdate.Observation{
			ProviderID: "i-1", Phase: "Running", Class: classOf(t, `{"tags":{"k":"2"}}`), Secret: map[string][]byte{"token": []byte("a")},
		},
		writeErr: apierrors.NewForbidden(schema.GroupResource{Resource: "machines"}, "m-1", nil),
	}
	r.Executor = &machineupdate.Executor[*object]{
		Patch: func(context.Context, string, types.PatchType, []byte, metav1.PatchOptions, ...string) (*object, error) {
			r.tries++
			return nil, r.writeErr
		},
		UpdateMachine: func(context.Context, *machineupdate.UpdateMachineRequest) error { return nil },
		Event: func(_ kruntime.Object, _, reason, message string) {
			r.told = append(r.told, reason)
			r.messages = append(r.messages, message)
		},
		Memory: &machineupdate.Memory{}, Now: func() time.Time { return r.now },
	}
	return r
}

func (r *remembering) reconcile(t *testing.T) machineupdate.Result[*object] {
	t.Helper()
	return r.Reconcile(t.Context(), r.machine, r.observed)
}

// pass lets time pass until the next pass is made, and returns how long that took.
func (r *remembering) pass(t *testing.T) (waited time.Duration) {
	t.Helper()
	begin := r.now
	for tries := r.tries; r.tries == tries; {
		delay := r.reconcile(t).RequeueAfter
		require.Positive(t, delay)
		if r.tries == tries {
			r.now = r.now.Add(delay)
		}
	}
	return r.now.Sub(begin)
}

// TestWaitGrows: a pass that ends without a record is repeated after the short delay, and then later and later, up to
// ConfirmAfter, at any number of reconciles. It is told once.
func TestWaitGrows(t *testing.T) {
	r := newRemembering(t)
	r.pass(t)
	var waits []time.Duration
	for range 12 {
		for range 100 {
			r.reconcile(t) // an event
		}
		waits = append(waits, r.pass(t))
	}
	base := 5 * time.Second
	for _, wait := range waits {
		assert.GreaterOrEqual(t, wait, base)
		assert.LessOrEqual(t, wait, base*3/2)
		base = min(2*base, 10*time.Minute)
	}
	assert.Equal(t, []string{"HotUpdateFailed"}, r.told)
	assert.Equal(t, 13, r.tries)
}

// TestWhatEndsTheWait: what may end the fault ends the wait, and nothing else.
func TestWhatEndsTheWait(t *testing.T) {
	annotate := func(name, value string) func(*remembering) {
		return func(r *remembering) { r.machine.Annotations = map[string]string{name: value} }
	}
	for name, tc := range map[string]struct {
		change func(r *remembering)
		ends   bool
	}{
		"the machine's spec":         {func(r *remembering) { r.machine.Generation++ }, true},
		"its record":                 {annotate(machineupdate.AnnotationRecord, "{}"), true},
		"its annotation that pauses": {annotate("machine.sapcloud.io/pause-hot-update", "false"), true},
		"its mirrored spec":          {annotate("machine.sapcloud.io/last-applied-providerspec", "{}"), true},
		"its provider ID":            {func(r *remembering) { r.observed.ProviderID = "i-2" }, true},
		"its phase":                  {func(r *remembering) { r.observed.Phase = "InPlaceUpdating" }, true},
		"a node that is not ready":   {func(r *remembering) { r.observed.Phase = "Unknown" }, false},
		"the class's provider spec":  {func(r *remembering) { r.observed.Class = classOf(t, `{"tags":{"k":"3"}}`) }, true},
		"the class's provider spec, not hot": {
			func(r *remembering) { r.observed.Class = classOf(t, `{"tags":{"k":"2"},"image":"b"}`) }, true,
		},
		"the wanted class":             {func(r *remembering) { r.observed.Class = namedClass(t, "other") }, true},
		"the secret's content":         {func(r *remembering) { r.observed.Secret = map[string][]byte{"token": []byte("b")} }, true},
		"a status":                     {func(r *remembering) { r.machine.ResourceVersion = "8" }, false},
		"a foreign annotation":         {annotate("foreign", "1"), false},
		"another version of the class": {func(r *remembering) { r.observed.Class = classOf(t, `{"tags":{"k":"2"}}`) }, false},
		"a secret that was read again": {func(r *remembering) { r.observed.Secret = map[string][]byte{"token": []byte("a")} }, false},
		"another machine":              {func(r *remembering) { r.machine.UID = "other" }, true},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRemembering(t)
			for range 10 {
				r.pass(t)
			}
			r.machine = r.machine.DeepCopy()
			tries := r.tries
			tc.change(r)
			r.reconcile(t)
			assert.Equal(t, tc.ends, r.tries > tries)
			if tc.ends {
				assert.LessOrEqual(t, r.pass(t), 8*time.Second, "it begins with the short delay")
			}
		})
	}
}

func namedClass(t *testing.T, name string) *machineupdate.PreparedClass {
	t.Helper()
	class := machineupdate.MachineClass{
		Object: &metav1.ObjectMeta{Name: name, UID: "uid", ResourceVersion: "1"}, ProviderSpec: []byte(`{"tags":{"k":"2"}}`),
	}
	prepared, err := machineupdate.Prepare(class, schemaOf[spec](t), able)
	require.NoError(t, err)
	return prepared
}

// TestConflictsThatLast: a conflict waits for the newer version, and for no other time. A webhook that answers with
// conflicts is a fault, whether the machine changes meanwhile or not.
func TestConflictsThatLast(t *testing.T) {
	r := newRemembering(t)
	r.writeErr = errConflict
	for i := range 6 {
		tries := r.tries
		r.machine = r.machine.DeepCopy()
		r.machine.ResourceVersion = string(rune('a' + i))
		r.reconcile(t)
		require.Equal(t, tries+1, r.tries, "conflict %d is ordinary", i)
	}
	assert.Empty(t, r.told)
	begin := r.now
	for range 8 {
		r.machine = r.machine.DeepCopy()
		r.machine.ResourceVersion += "x"
		r.pass(t)
	}
	assert.Greater(t, r.now.Sub(begin), 10*time.Minute)
	assert.Equal(t, []string{"HotUpdateFailed"}, r.told)

	r = newRemembering(t)
	r.writeErr = errConflict
	for range 9 {
		r.pass(t)
	}
	assert.Greater(t, r.now.Sub(start), 10*time.Minute)
	assert.Equal(t, []string{"HotUpdateFailed"}, r.told)
}

// TestNewTerm: a new term begins with the short delay, and the machines do not come together.
func TestNewTerm(t *testing.T) {
	r := newRemembering(t)
	machines := []string{"a", "b", "c", "d", "e", "f", "g", "h"}
	for _, name := range machines {
		r.machine = &object{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), ResourceVersion: "7"}}
		for range 10 {
			r.pass(t)
		}
	}
	r.Memory.Restart(r.now)
	begin := r.now
	waits := map[time.Duration]bool{}
	for _, name := range machines {
		r.now = begin
		r.machine = &object{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), ResourceVersion: "7"}}
		wait := r.pass(t)
		assert.GreaterOrEqual(t, wait, 5*time.Second)
		assert.LessOrEqual(t, wait, 8*time.Second)
		waits[wait] = true
	}
	assert.Greater(t, len(waits), 4)
}

// TestWhatDoesNotWait: a pass that was not made for a reason that passes is made at the next reconcile.
func TestWhatDoesNotWait(t *testing.T) {
	r := newRemembering(t)
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for range 5 {
		r.Reconcile(canceled, r.machine, r.observed)
	}
	r.reconcile(t)
	assert.Equal(t, 1, r.tries, "canceled")

	r = newRemembering(t)
	r.Limiter = &machineupdate.Limiter{Every: time.Hour, Burst: 1, InFlight: 1}
	require.True(t, r.Limiter.Ask("SpecChanged", r.now))
	for range 5 {
		require.Equal(t, "Denied", machineupdate.EndingOf(result{Result: r.reconcile(t)}))
	}
	r.Limiter = nil
	r.reconcile(t)
	assert.Equal(t, 1, r.tries, "denied")
}

// TestGoexitWaits: a driver that ends its goroutine leaves no record.
func TestGoexitWaits(t *testing.T) {
	r := newRemembering(t)
	r.observed.Class = laneClass(t, machineupdate.Driver{Kinds: []string{"vm"}, ReadsFirst: true}, `{"tags":{"k":"1"}}`)
	calls := 0
	r.UpdateMachine = func(context.Context, *machineupdate.UpdateMachineRequest) error {
		calls++
		runtime.Goexit()
		return nil
	}
	for range 5 {
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			r.reconcile(t)
		}()
		<-ended
	}
	assert.Equal(t, 1, calls)
}

// notUpdated is the error of a driver that has updated a VM, but not its disks.
func notUpdated(cause error, disks ...string) error {
	partial := &machineupdate.PartialError{Done: []machineupdate.ResourceID{{Kind: "vm", ID: "i-1"}}, Err: cause}
	for _, disk := range disks {
		partial.NotDone = append(partial.NotDone, machineupdate.ResourceID{Kind: "disk", ID: disk})
	}
	return partial
}

// TestManyPartialUpdates: what was told of a machine is not told again, however many machines there are: a Memory drops
// entries of machines that were not looked at for long, and here each pass writes its marker.
func TestManyPartialUpdates(t *testing.T) {
	const fleet = 200 // more than a Memory holds before it drops
	class := laneClass(t, machineupdate.Driver{Kinds: []string{"vm"}, ReadsFirst: true}, `{"tags":{"k":"1"}}`)
	memory := &machineupdate.Memory{}
	told := 0
	beds := make([]*bed, fleet)
	for i := range beds {
		b := newBed(t, class)
		b.machine.UID = types.UID(strconv.Itoa(i))
		b.executor.Memory = memory
		b.executor.Event = func(kruntime.Object, string, string, string) { told++ }
		b.errs[""] = notUpdated(assert.AnError, "vol-1")
		beds[i] = b
	}
	for round := range 24 {
		for i, b := range beds {
			b.now = start.Add(time.Duration(round) * 90 * time.Minute) // the longest wait for a confirmation of an hour
			if i%24 <= round {                                         // more machines join
				lanes, _ := b.step(0)
				require.Len(t, lanes, 1)
			}
		}
	}
	assert.Equal(t, fleet, told)
}

// TestPartialUpdatesWait: a driver could update only some of the resources, and finds nothing to change any more. It is
// called later and later without a write, and each set of resources that were not updated is told once. A change of the
// class is tried at once.
func TestPartialUpdatesWait(t *testing.T) {
	driver := machineupdate.Driver{Kinds: []string{"vm"}, ReadsFirst: true}
	b := newBed(t, laneClass(t, driver, `{"tags":{"k":"1"}}`))
	b.executor.Memory = &machineupdate.Memory{}
	told := 0
	b.executor.Event = func(kruntime.Object, string, string, string) { told++ }
	without := func(disks ...string) error { return notUpdated(assert.AnError, disks...) }
	day := func() (calls, writes int) {
		for range 24 * 60 {
			lanes, result := b.step(time.Minute)
			calls += len(lanes)
			writes += b.writes
			require.Positive(t, result.RequeueAfter)
		}
		return calls, writes
	}
	b.errs[""] = without("vol-1")
	b.step(0)
	assert.Equal(t, "Calling", b.state(""), "the first pass has changed the VM")
	b.writing = func(*machineupdate.UpdateMachineRequest) bool { return false }
	calls, writes := day()
	assert.Zero(t, writes)
	assert.LessOrEqual(t, calls, 24*60/40+10, "each waits for 40 to 60 minutes")
	assert.GreaterOrEqual(t, calls, 24)
	assert.Equal(t, 1, told)
	b.errs[""] = without("vol-1", "vol-2")
	day()
	assert.Equal(t, 2, told, "another disk is missing")
	for _, request := range []string{"7f3a", "91bc"} {
		b.errs[""] = notUpdated(errors.New("403: the role lacks the right, request "+request), "vol-1", "vol-2")
		day()
		assert.Equal(t, 3, told, "another cause, told once whatever the request")
	}
	b.class = laneClass(t, driver, `{"tags":{"k":"2"}}`)
	b.writing = nil
	lanes, _ := b.step(0)
	assert.Len(t, lanes, 1, "it is tried at once")
	assert.Equal(t, 4, told, "another content of the class was not applied")
	b.errs[""] = nil
	b.step(time.Minute)
	assert.Equal(t, "Unconfirmed", b.state(""))
	assert.Equal(t, 5, told, "the machine was updated")

	// an adoption writes its record, without which nothing is forgotten
	b = newBed(t, b.class)
	b.executor.Memory = &machineupdate.Memory{}
	b.writing = func(*machineupdate.UpdateMachineRequest) bool { return false }
	b.errs[""] = without("vol-1")
	b.step(0)
	assert.Equal(t, "Calling", b.state(""))
	_, writes = day()
	assert.Zero(t, writes)
}

// TestMemoryIsBounded: machines that are gone are forgotten.
func TestMemoryIsBounded(t *testing.T) {
	r := newRemembering(t)
	for i := range 2000 {
		r.machine = &object{ObjectMeta: metav1.ObjectMeta{Name: "m", UID: types.UID(string(rune(i + 1000))), ResourceVersion: "7"}}
		r.reconcile(t)
		r.now = r.now.Add(time.Minute)
	}
	assert.Less(t, machineupdate.Remembered(r.Memory), 200)
}

// TestRecordEndsTheWait: a pass that writes a record forgets those before it. The next fault begins with the short delay, and is told.
func TestRecordEndsTheWait(t *testing.T) {
	r := newRemembering(t)
	fail := r.writeErr
	for range 8 {
		r.pass(t)
	}
	r.Patch = func(context.Context, string, types.PatchType, []byte, metav1.PatchOptions, ...string) (*object, error) {
		r.tries++
		if r.writeErr != nil {
			return nil, r.writeErr
		}
		written := r.machine.DeepCopy()
		written.ResourceVersion += "0"
		return written, nil // the annotations are as before, as in a cache that lags
	}
	r.writeErr = nil
	r.pass(t)
	r.writeErr = fail
	r.told = nil
	r.reconcile(t)
	assert.Equal(t, []string{"HotUpdateFailed"}, r.told)
	assert.LessOrEqual(t, r.pass(t), 8*time.Second)
}

// TestDeafCallGivesItsPlaceBack: a call that goes on when its time is over is no longer under way for the Limiter.
func TestDeafCallGivesItsPlaceBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRemembering(t)
		r.Now = time.Now
		r.observed.Class = laneClass(t, machineupdate.Driver{Kinds: []string{"vm"}, ReadsFirst: true}, `{"tags":{"k":"1"}}`)
		r.Limiter = &machineupdate.Limiter{Every: time.Millisecond, Burst: 100, InFlight: 1}
		proceed := make(chan struct{})
		r.UpdateMachine = func(context.Context, *machineupdate.UpdateMachineRequest) error {
			<-proceed
			return assert.AnError
		}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			r.reconcile(t)
		}()
		time.Sleep(4 * time.Minute)
		assert.False(t, r.Limiter.Ask("SpecChanged", time.Now()), "its place is taken")
		time.Sleep(2 * time.Minute)
		assert.True(t, r.Limiter.Ask("SpecChanged", time.Now()), "its time is over")
		close(proceed)
		<-ended
		assert.False(t, r.Limiter.Ask("SpecChanged", time.Now()), "it is given back once")
	})
}

// TestFaultsAreToldApart: of two refusals in a row each is told. Otherwise the only event of a machine that is not
// updated is about what was mended.
func TestFaultsAreToldApart(t *testing.T) {
	r := newRemembering(t)
	r.observed.Versions = func(context.Context) ([]machineupdate.HotSpec, error) {
		return nil, apierrors.NewForbidden(schema.GroupResource{Resource: "configmaps"}, "versions", nil)
	}
	hours := func() {
		for range 5 {
			r.now = r.now.Add(time.Hour)
			r.reconcile(t)
		}
	}
	hours()
	require.Len(t, r.messages, 1)
	assert.Contains(t, r.messages[0], "configmaps")
	r.observed.Versions = nil
	hours()
	require.Len(t, r.messages, 2)
	assert.Contains(t, r.messages[1], "machines")
}

// TestRefusedResultsAreTold: the record before the call is written, and that of its result never is. The machine is
// updated again and again, which is told once it lasts.
func TestRefusedResultsAreTold(t *testing.T) {
	for name, refusal := range map[string]error{
		"internal error": apierrors.NewInternalError(assert.AnError), "conflict": errConflict,
		"forbidden": apierrors.NewForbidden(schema.GroupResource{Resource: "machines"}, "m-1", nil),
	} {
		t.Run(name, func(t *testing.T) {
			b := newBed(t, laneClass(t, able, `{"tags":{"k":"1"}}`))
			b.executor.Memory = &machineupdate.Memory{}
			b.executor.Patch = func(
				ctx context.Context, name string, kind types.PatchType, data []byte, o metav1.PatchOptions, sub ...string,
			) (*object, error) {
				if b.writes == 1 {
					b.writes++
					return nil, refusal
				}
				return b.patch(ctx, name, kind, data, o, sub...)
			}
			told := 0
			b.executor.Event = func(_ kruntime.Object, level, _, _ string) {
				assert.Equal(t, "Warning", level)
				told++
			}
			for range 12 {
				b.step(2 * time.Hour)
			}
			assert.Equal(t, 1, told)
		})
	}
}

// TestDelayOfAWrite: the API server names a delay of hours for a write. The write is still tried within ConfirmAfter,
// and the secret looked at.
func TestDelayOfAWrite(t *testing.T) {
	r := newRemembering(t)
	r.writeErr = apierrors.NewTooManyRequests("busy", 7200)
	assert.LessOrEqual(t, r.reconcile(t).RequeueAfter, time.Minute)
	for range 10 {
		assert.LessOrEqual(t, r.pass(t), 15*time.Minute)
	}
}
