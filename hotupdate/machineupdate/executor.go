package machineupdate

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// Executor carries out decisions, with functions that the caller supplies. It has no state of its
// own, is safe for concurrent use if the functions are, and may be created for each reconcile.
//
// Its functions are fields, because client-go's methods fit them as they are, and a controller calls
// its drivers by a signature that differs from UpdateMachine.
//
// It never ends the machine's reconcile and never blocks it longer than the functions do: it
// returns a delay instead. If a required function is missing, or the Limiter would deny updates for
// ever, it updates nothing, and the error of the result says so.
type Executor[M MachineObject] struct {
	// Patch is client-go's method, as in client.MachineV1alpha1().Machines(namespace).Patch. Every
	// patch names the resourceVersion that the machine must still have. Return the API server's
	// errors for conflicts and missing machines unchanged, and do not repeat the write.
	Patch func(
		ctx context.Context, name string, patchType types.PatchType, data []byte, options metav1.PatchOptions,
		subresources ...string,
	) (M, error)
	// UpdateMachine calls the driver. It may be nil where the [Driver] cannot update. It wraps an
	// error whose kind [DriverErrorOf] does not know in one of this package: fmt.Errorf("%w: %v",
	// ErrNotFound, err). Its panic is a [*PanicError] of the machine.
	UpdateMachine func(ctx context.Context, request *UpdateMachineRequest) error
	// Event is client-go's record.EventRecorder.Event. Nil reports nothing.
	Event func(object runtime.Object, eventType, reason, message string)
	// Limiter bounds the calls of the driver. With nil, the updates of a fleet may occupy all workers
	// of the controller.
	Limiter *Limiter
	// With a Memory, a fault that lasts costs few calls and writes and is reported once. Pass the
	// Memory of the process. With nil, a pass that ends without a record is repeated at every
	// reconcile.
	Memory *Memory
	Now    func() time.Time
	// Count is called for each lane of a machine with the action, its reason and its ending, for a
	// counter with these labels. They are strings, because only a counter needs them. Nil counts
	// nothing.
	//
	//   - The actions are None, Wait, Unsupported, Update and Confirm.
	//   - The endings are NotCalled, Denied (by the limiter), Conflicted, WriteFailed, Canceled,
	//     Pending, Refused, Unrecalled, Undrained, Differing, CallFailed, Partial, Panicked,
	//     Throttled, Unable, Gone, Updated and Confirmed; and BackingOff: the pass waits, see [Memory].
	Count func(action string, reason Reason, ending string)
}

// Result is the result of a reconcile.
type Result[M MachineObject] struct {
	// Machine is the machine that the last write returned, or the observed one. The rest of the
	// caller's reconcile must use it: a write of an older object is a conflict, or removes the
	// record.
	Machine M
	// why the machine was updated or not: the reason of the first updated lane, else of the first
	// lane; empty if nothing was decided
	Reason Reason
	// RequeueAfter is the time until the next reconcile, as in controller-runtime. Zero means that
	// only another event calls for one; a work queue would read zero as at once. The caller's
	// reconcile continues in any case, and returns [Result.RequeueWithin] of its own delay.
	RequeueAfter time.Duration
	// Err is the error of a function, of the record or of the class. It is for logs, and not a
	// reason to end the reconcile.
	Err error

	decision decision
	ending   ending
	marked   bool // the marker was written before the driver returned
	lasting  bool // the fault of the ending has lasted for several passes
}

// RequeueWithin returns the time until the next reconcile for a caller whose own steps ask for the
// delay own: RequeueAfter if that is sooner, and otherwise own. As in RequeueAfter, zero means that
// no reconcile is asked for. Call it where the caller's reconcile returns: the steps after Reconcile
// must not lose its time, even if they return an error.
func (r *Result[M]) RequeueWithin(own time.Duration) time.Duration {
	switch {
	case own <= 0:
		return r.RequeueAfter
	case r.RequeueAfter <= 0:
		return own
	}
	return min(r.RequeueAfter, own)
}

// Delays of retries, with MCM's values.
const (
	conflictRetry = 200 * time.Millisecond
	shortRetry    = 5 * time.Second
)

// Reconcile decides about the machine and carries out the decision, for one lane of the driver
// after the other. The next lane has its turn whatever the result of a lane, unless the machine has
// changed meanwhile.
//
// The machine is the object that the last write or the cache returned. It is not changed.
func (e *Executor[M]) Reconcile(ctx context.Context, machine M, observed Observation) Result[M] {
	result := Result[M]{Machine: machine}
	if err := errors.Join(e.unusable(), versioned("machine", machine)); err != nil {
		result.end(writeFailed, 0, err)
		return result
	}
	observed.complete()
	if read := observed.Versions; read != nil { // once for all lanes
		once := sync.OnceValues(func() ([]HotSpec, error) { return read(ctx) })
		observed.Versions = func(context.Context) ([]HotSpec, error) { return once() }
	}
	lanes := lanesOf(observed.Class)
	for i := range lanes {
		machine = result.Machine
		one := e.reconcile(ctx, observed.at(e.Now(), machine, &lanes[i]), machine)
		if i == 0 {
			result = one
		} else {
			result.join(&one)
		}
		if one.ending == conflicted {
			break
		}
	}
	return result
}

func (e *Executor[M]) reconcile(ctx context.Context, o *observation, machine M) Result[M] {
	o.unripe = e.Memory.unripe(o)
	d := decide(o)
	result := Result[M]{
		Machine: machine, Reason: d.reason, RequeueAfter: d.delay, Err: d.err, decision: d, ending: notCalled,
	}
	if d.pass != nil {
		e.attempt(ctx, o, &result)
	}
	e.tell(o, &result)
	if e.Count != nil {
		e.Count(string(d.action), d.reason, string(result.ending))
	}
	return result
}

// attempt carries out the pass of a decision, unless it has to wait because the passes before it ended
// without a record.
func (e *Executor[M]) attempt(ctx context.Context, o *observation, result *Result[M]) {
	if wait := e.Memory.rest(o); wait > 0 {
		result.end(backingOff, min(wait, lookAgain), nil)
		return
	}
	hasReturned := false
	defer func() {
		if !hasReturned && e.Memory != nil { // a function has panicked, or has ended its goroutine
			e.Memory.add(o, callFailed, shortRetry, e.Now())
		}
	}()
	e.carryOut(ctx, o, result)
	hasReturned = true
	e.remember(o, result)
}

// remember remembers how a pass ended, if it ended without a record.
func (e *Executor[M]) remember(o *observation, result *Result[M]) {
	hasWritten := result.Machine.GetResourceVersion() != o.Machine.GetResourceVersion()
	isRepeated := result.RequeueAfter > 0
	switch {
	case e.Memory == nil:
	case hasWritten && result.ending.isFutile(): // the marker was written: the record makes the pass be repeated
		e.Memory.marked(o, result.RequeueAfter, e.Now())
		result.lasting = result.decision.pass.Marker.Retries >= lastingSteps
	case hasWritten:
		e.Memory.wrote(o, result.Machine.GetAnnotations()[o.lane.annotation], e.Now())
	case !result.ending.isFutile() || !isRepeated:
	default:
		wait, isLasting := e.Memory.add(o, result.ending, result.RequeueAfter, e.Now())
		result.lasting = isLasting
		if result.ending != conflicted { // a newer version may be on its way
			result.RequeueAfter = min(wait, lookAgain)
		}
	}
}

// join adds the result of a further lane.
func (r *Result[M]) join(next *Result[M]) {
	joined := *r
	if r.decision.pass == nil && next.decision.pass != nil {
		joined = *next
	}
	joined.Machine = next.Machine
	joined.RequeueAfter = next.RequeueWithin(r.RequeueAfter)
	joined.Err = r.Err
	joined.note(next.Err)
	*r = joined
}

// unusable returns an error if the executor cannot update machines: functions are missing, or the
// limiter would deny updates for ever.
func (e *Executor[M]) unusable() error { return errors.Join(e.missing(), e.Limiter.Validate()) }

// missing returns an error if the executor lacks functions that every method needs.
func (e *Executor[M]) missing() error {
	var problems fault.List
	if e.Patch == nil {
		problems.Add(missingFunction("Patch"))
	}
	if e.Now == nil {
		problems.Add(missingFunction("Now"))
	}
	return problems.Err()
}

func missingFunction(name string) *fault.Error {
	return misuse("missing-function", "Executor."+name, "is nil", "set it")
}

func (r *Result[M]) end(how ending, delay time.Duration, err error) {
	r.ending = how
	r.RequeueAfter = delay
	r.note(err)
}

func (r *Result[M]) note(err error) {
	switch {
	case r.Err == nil:
		r.Err = err
	case err != nil:
		r.Err = errors.Join(r.Err, err)
	}
}

// patch is the metadata of a JSON merge patch, which the API server refuses with a conflict if the
// machine has another resourceVersion or UID. Without the check of the resourceVersion two leaders
// could overwrite each other's records.
type patch struct {
	UID             types.UID   `json:"uid,omitempty"`
	ResourceVersion string      `json:"resourceVersion"`
	Annotations     annotations `json:"annotations"`
}

// write writes annotations to the machine of the result, and keeps the object that the API server
// returns. A write that fails ends the reconcile.
func (e *Executor[M]) write(ctx context.Context, a annotations, result *Result[M]) (ok bool) {
	m := result.Machine
	crowded := a.makeRoom(m.GetAnnotations())
	body, _ := json.Marshal(map[string]patch{"metadata": {m.GetUID(), m.GetResourceVersion(), a}}) // texts
	written, err := e.Patch(ctx, m.GetName(), types.MergePatchType, body, metav1.PatchOptions{})
	if err == nil {
		err = versioned("what Executor.Patch returned", written)
	}
	switch {
	case err == nil:
		result.Machine = written
		if crowded && e.Event != nil {
			e.Event(written, normal, "HotUpdateSpecNotMirrored",
				"the annotations of the machine have no room for the provider spec")
		}
		return true
	case ctx.Err() != nil:
		result.end(canceled, shortRetry, err)
	case apierrors.IsConflict(err):
		result.end(conflicted, conflictRetry, err)
	case apierrors.IsNotFound(err):
		result.end(gone, 0, err)
	default:
		wait, _ := apierrors.SuggestsClientDelay(err)
		result.end(writeFailed, max(shortRetry, time.Duration(wait)*time.Second), err)
	}
	return false
}
