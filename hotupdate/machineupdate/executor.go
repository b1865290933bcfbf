package machineupdate

import (
	"context"
	"errors"
	"fmt"
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
	// UpdateMachine calls the driver.
	UpdateMachine func(ctx context.Context, request *UpdateMachineRequest) error
	// AskLimiter reports whether the driver may be called now, for the update as a whole. It does not block. Nil allows everything.
	AskLimiter func(key LimitKey, reason Reason) bool
	// Now returns the time.
	Now func() time.Time
	// Counters are counted in; nil counts nothing.
	Counters *Counters
}

// Outcome is how a reconcile ended. The zero value is NotCalled.
type Outcome uint8

// The outcomes.
const (
	NotCalled   Outcome = iota // there was nothing to call
	Denied                     // the limiter denied the call
	Conflicted                 // the machine was changed meanwhile: look again
	WriteFailed                // a write failed: look again
	Canceled                   // the context was done, or the call would have been too late: look again
	CallFailed                 // the driver failed, wholly or in part, or CallTimeout was over
	Unable                     // the driver returned ErrUnimplemented
	Gone                       // there is no machine, or the driver found no VM: look again, as reads of the cloud may lag
	Updated                    // the update succeeded, and is to be confirmed
	Confirmed                  // the machine is settled
)

var outcomeNames = [...]string{
	NotCalled: "NotCalled", Denied: "Denied", Conflicted: "Conflicted", WriteFailed: "WriteFailed", Canceled: "Canceled",
	CallFailed: "CallFailed", Unable: "Unable", Gone: "Gone", Updated: "Updated", Confirmed: "Confirmed",
}

// String returns the outcome's name.
func (o Outcome) String() string {
	if int(o) < len(outcomeNames) {
		return outcomeNames[o]
	}
	return fmt.Sprintf("Outcome(%d)", int(o))
}

// Result is what a reconcile did.
type Result struct {
	Decision Decision
	Outcome  Outcome
	// Delay is when to reconcile the machine again; zero if only another event calls for it. The caller's reconcile goes on
	// whatever it is, and takes the earlier of it and its own.
	Delay time.Duration
	// Err is what a function returned, or what is wrong with record or class. It is for logs, and no reason to end the reconcile.
	Err error
	// Events are what the machine's owner may want to know. There are none if the outcome is Canceled: a process that ends says nothing.
	Events []Event
}

// Delays of retries, as MCM has them.
const (
	conflictRetry = 200 * time.Millisecond
	shortRetry    = 5 * time.Second
	mediumRetry   = 3 * time.Minute
)

// Reconcile decides about the machine and carries the decision out. The time of the observation is ignored.
func (e *Executor) Reconcile(ctx context.Context, o Observation) Result {
	err := e.missing()
	if err == nil && e.UpdateMachine == nil {
		err = missingFunction("UpdateMachine")
	}
	if err != nil {
		return Result{Outcome: WriteFailed, Delay: mediumRetry, Err: err}
	}
	o.Now = e.Now()
	d := Decide(o)
	result := Result{Decision: d, Delay: d.Delay, Err: d.Err}
	if d.Pass != nil {
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

// end notes how a reconcile ended.
func (r *Result) end(outcome Outcome, delay time.Duration, err error) {
	r.Outcome, r.Delay = outcome, delay
	if err != nil {
		r.Err = errors.Join(r.Decision.Err, err)
	}
}

func (e *Executor) carryOut(ctx context.Context, o *Observation, result *Result) {
	pass := result.Decision.Pass
	if err := ctx.Err(); err != nil {
		result.end(Canceled, shortRetry, err)
		return
	}
	if e.AskLimiter != nil && !e.AskLimiter(o.Limit, result.Decision.Reason) {
		result.end(Denied, jittered(o.Settings.denialDelay(), &o.Machine), nil)
		return
	}
	version, err := e.WriteMetadata(ctx, pass.AboutToCall())
	if err != nil {
		result.endWrite(ctx, err)
		return
	}
	left := o.Settings.callTimeout() - e.Now().Sub(o.Now)
	if err := ctx.Err(); err != nil || left <= 0 {
		// Whoever pauses here for long must not call any more: somebody else may have updated and settled the machine by now.
		result.end(Canceled, shortRetry, err)
		return
	}
	e.finish(ctx, o, result, version, e.call(ctx, pass, left))
}

func (e *Executor) call(ctx context.Context, pass *Pass, timeout time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return e.UpdateMachine(ctx, pass.Request())
}

// finish writes what follows the call.
func (e *Executor) finish(ctx context.Context, o *Observation, result *Result, version string, callErr error) {
	pass := result.Decision.Pass
	// Of a partial failure the causes concern single resources: one that is missing, or that the driver does not know.
	_, partial := errors.AsType[*PartialError](callErr)
	switch {
	case errors.Is(callErr, ErrUnimplemented) && !partial:
		if _, err := e.WriteMetadata(ctx, pass.RestorePrevious(version)); err != nil {
			result.endWrite(ctx, errors.Join(callErr, err))
			return
		}
		result.end(Unable, 0, callErr)
	case callErr != nil && ctx.Err() != nil:
		result.end(Canceled, shortRetry, callErr)
	case errors.Is(callErr, ErrNotFound) && !partial:
		result.end(Gone, o.nextTry(pass, e.Now()), callErr)
	case callErr != nil:
		result.end(CallFailed, o.nextTry(pass, e.Now()), callErr)
	default:
		e.record(ctx, o, result, version)
	}
}

// record writes a success.
func (e *Executor) record(ctx context.Context, o *Observation, result *Result, version string) {
	pass, now := result.Decision.Pass, e.Now()
	patch, outcome, delay := pass.Succeeded(version, now), Updated, o.Settings.confirmAfter()
	if result.Decision.Action == Confirm {
		patch, outcome, delay = pass.Settled(version, now), Confirmed, o.Settings.VerifyPeriod
	}
	if _, err := e.WriteMetadata(ctx, patch); err != nil {
		result.endWrite(ctx, err)
		return
	}
	result.end(outcome, delay, nil)
}

// endWrite notes a write that failed.
func (r *Result) endWrite(ctx context.Context, err error) {
	switch {
	case ctx.Err() != nil:
		r.end(Canceled, shortRetry, err)
	case errors.Is(err, ErrConflict):
		r.end(Conflicted, conflictRetry, err)
	case errors.Is(err, ErrNotFound):
		r.end(Gone, 0, err)
	default:
		r.end(WriteFailed, shortRetry, err)
	}
}

// BeginCreation writes the marker before CreateMachine or InitializeMachine, and returns what follows it. Unless the outcome is
// NotCalled the creation is nil and the driver must not be called: look again after the delay.
func (e *Executor) BeginCreation(ctx context.Context, o Observation) (creation *Creation, resourceVersion string, result Result) {
	if err := e.missing(); err != nil {
		result.end(WriteFailed, mediumRetry, err)
		return nil, "", result
	}
	o.Now = e.Now()
	creation, err := BeginCreation(o)
	if err != nil {
		result.end(WriteFailed, mediumRetry, err)
		return nil, "", result
	}
	resourceVersion, err = e.WriteMetadata(ctx, creation.AboutToCall())
	if err != nil {
		result.endWrite(ctx, err)
		return nil, "", result
	}
	return creation, resourceVersion, result
}

// FinishCreation records a VM that did not exist before, after CreateMachine and InitializeMachine have succeeded. The outcome is Updated,
// also where the machine is settled at once. If the write fails nothing is lost: the marker makes the machine be updated.
func (e *Executor) FinishCreation(ctx context.Context, creation *Creation, providerID, resourceVersion string) (result Result) {
	err := e.missing()
	if creation == nil && err == nil {
		err = &fault.Error{Kind: fault.Misuse, Code: "missing-function", Where: "FinishCreation", What: "has no creation to finish", Hint: "call it only if the outcome of BeginCreation is NotCalled"}
	}
	if err != nil {
		result.end(WriteFailed, mediumRetry, err)
		return result
	}
	if _, err := e.WriteMetadata(ctx, creation.Created(providerID, resourceVersion, e.Now())); err != nil {
		result.endWrite(ctx, err)
		return result
	}
	result.end(Updated, shortRetry, nil)
	return result
}
