package machineupdate

import (
	"context"
	"errors"
	"time"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// Executor carries decisions out, with functions that the caller gives. It logs nothing, keeps nothing but counters, and is safe for
// concurrent use if the functions are.
//
// It never ends the machine's reconcile and never blocks it longer than the functions do: it returns its own delay. Without a function that
// it needs it does nothing, and its result says so.
type Executor struct {
	// WriteMetadata makes one write and returns the machine's new resourceVersion. It returns ErrConflict if the machine has another
	// resourceVersion than the patch says, and ErrNotFound if there is no such machine. It never reads anew to write in spite of a conflict.
	WriteMetadata func(ctx context.Context, patch Patch) (resourceVersion string, err error)
	UpdateMachine func(ctx context.Context, request *UpdateMachineRequest) error // calls the driver
	// AskLimiter reports whether the driver may be called now, for the update as a whole. It does not block. Nil allows everything.
	AskLimiter func(key LimitKey, reason Reason) bool
	Now        func() time.Time
	Counters   *Counters // nil counts nothing
}

// Result is what a reconcile did.
type Result struct {
	Reason Reason // why the machine was updated or not
	// Delay is when to reconcile the machine again; zero if only another event calls for it. The caller's reconcile goes on
	// whatever it is, and takes the earlier of it and its own.
	Delay time.Duration
	// Err is what a function returned, or what is wrong with record or class. It is for logs, and no reason to end the reconcile.
	Err error
	// Events are what the machine's owner may want to know. There are none if the context was done: a process that ends reports nothing.
	Events []Event

	decision decision
	ending   ending
}

// Delays of retries, as MCM has them.
const (
	conflictRetry = 200 * time.Millisecond
	shortRetry    = 5 * time.Second
	mediumRetry   = 3 * time.Minute
)

// Reconcile decides about the machine and carries the decision out.
func (e *Executor) Reconcile(ctx context.Context, o Observation) Result {
	if err := e.missing(); err != nil {
		return failed(err)
	}
	if e.UpdateMachine == nil {
		return failed(missingFunction("UpdateMachine"))
	}
	o.now = e.Now()
	d := decide(&o)
	result := Result{Reason: d.reason, Delay: d.delay, Err: d.err, decision: d}
	if d.pass != nil {
		e.carryOut(ctx, &o, &result)
	}
	result.Events = events(&o, &result)
	e.Counters.count(&result)
	return result
}

// missing is the error of an executor that lacks a function which every method needs.
func (e *Executor) missing() error {
	switch {
	case e.WriteMetadata == nil:
		return missingFunction("WriteMetadata")
	case e.Now == nil:
		return missingFunction("Now")
	}
	return nil
}

func missingFunction(name string) error {
	return &fault.Error{Kind: fault.Misuse, Code: "missing-function", Where: "Executor." + name, What: "is nil", Hint: "set it"}
}

// failed is the result of a method that could not begin.
func failed(err error) Result { return Result{ending: writeFailed, Delay: mediumRetry, Err: err} }

// end notes how a reconcile ended.
func (r *Result) end(how ending, delay time.Duration, err error) {
	r.ending, r.Delay = how, delay
	if err != nil {
		r.Err = errors.Join(r.decision.err, err)
	}
}

func (e *Executor) carryOut(ctx context.Context, o *Observation, result *Result) {
	pass := result.decision.pass
	if err := ctx.Err(); err != nil {
		result.end(canceled, shortRetry, err)
		return
	}
	if e.AskLimiter != nil && !e.AskLimiter(o.Limit, result.Reason) {
		// Machines that were denied together do not return together.
		delay := o.Settings.denialDelay()
		result.end(denied, delay+spread(delay, o.Machine.Name+"\x00"+o.Machine.ResourceVersion), nil)
		return
	}
	version, ok := e.write(ctx, pass.aboutToCall(), result)
	if !ok {
		return
	}
	left := o.Settings.callTimeout() - e.Now().Sub(o.now)
	if err := ctx.Err(); err != nil || left <= 0 {
		// A process that paused here for long must not call any more: another one may have updated and settled the machine by now.
		result.end(canceled, shortRetry, err)
		return
	}
	callCtx, cancel := context.WithTimeout(ctx, left)
	defer cancel()
	e.finish(ctx, o, result, version, e.UpdateMachine(callCtx, pass.request()))
}

// finish writes what follows the call.
func (e *Executor) finish(ctx context.Context, o *Observation, result *Result, version string, callErr error) {
	pass := result.decision.pass
	// The causes of a partial failure concern single resources: one that is missing, or that the driver does not know.
	_, partial := errors.AsType[*PartialError](callErr)
	switch {
	case errors.Is(callErr, ErrUnimplemented) && !partial:
		if _, ok := e.write(ctx, pass.restorePrevious(version), result); !ok {
			result.Err = errors.Join(callErr, result.Err)
			return
		}
		result.end(unable, 0, callErr)
	case callErr != nil && ctx.Err() != nil:
		result.end(canceled, shortRetry, callErr)
	case errors.Is(callErr, ErrNotFound) && !partial:
		result.end(gone, o.nextTry(pass, e.Now()), callErr)
	case callErr != nil:
		result.end(callFailed, o.nextTry(pass, e.Now()), callErr)
	default:
		e.record(ctx, o, result, version)
	}
}

// record writes a success.
func (e *Executor) record(ctx context.Context, o *Observation, result *Result, version string) {
	pass, now := result.decision.pass, e.Now()
	patch, how, delay := pass.succeeded(version, now), updated, o.Settings.confirmAfter()
	if result.decision.action == actConfirm {
		patch, how, delay = pass.settled(version, now), confirmed, o.Settings.VerifyPeriod
	}
	if _, ok := e.write(ctx, patch, result); ok {
		result.end(how, delay, nil)
	}
}

// write makes a write. A write that fails ends the reconcile.
func (e *Executor) write(ctx context.Context, patch Patch, result *Result) (resourceVersion string, ok bool) {
	resourceVersion, err := e.WriteMetadata(ctx, patch)
	switch {
	case err == nil:
		return resourceVersion, true
	case ctx.Err() != nil:
		result.end(canceled, shortRetry, err)
	case errors.Is(err, ErrConflict):
		result.end(conflicted, conflictRetry, err)
	case errors.Is(err, ErrNotFound):
		result.end(gone, 0, err)
	default:
		result.end(writeFailed, shortRetry, err)
	}
	return "", false
}

// BeginCreation writes the marker before CreateMachine or InitializeMachine, and returns the machine's new resourceVersion. If the creation is
// nil, the driver must not be called: look again after the delay of the result.
func (e *Executor) BeginCreation(ctx context.Context, o Observation) (creation *Creation, resourceVersion string, result Result) {
	if err := e.missing(); err != nil {
		return nil, "", failed(err)
	}
	o.now = e.Now()
	creation, err := beginCreation(&o)
	if err != nil {
		return nil, "", failed(err)
	}
	resourceVersion, ok := e.write(ctx, creation.pass.aboutToCall(), &result)
	if !ok {
		creation = nil
	}
	return creation, resourceVersion, result
}

// FinishCreation records a VM that did not exist before, after CreateMachine and InitializeMachine have succeeded. If the write fails, which
// the error of the result tells, nothing is lost: the marker makes the machine be updated.
func (e *Executor) FinishCreation(ctx context.Context, creation *Creation, providerID, resourceVersion string) (result Result) {
	if err := e.missing(); err != nil {
		return failed(err)
	}
	if creation == nil {
		return failed(&fault.Error{Kind: fault.Misuse, Code: "missing-function", Where: "FinishCreation", What: "has no creation to finish", Hint: "call it only if BeginCreation returned one"})
	}
	if _, ok := e.write(ctx, creation.created(providerID, resourceVersion, e.Now()), &result); ok {
		result.end(updated, shortRetry, nil)
	}
	return result
}
