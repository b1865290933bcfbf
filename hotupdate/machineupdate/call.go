package machineupdate

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate/internal/record"
	"github.com/hotupdate/providerconfig/internal/jitter"
)

// A pass is carried out from the top of this file to its end:
//
//	carryOut      asks the Limiter, and recalls the versions of an adoption
//	call          encloses the call of the driver
//	  markOnce    writes the marker: before the call, or when a driver that reads first asks for it
//	  update      calls the driver
//	finish        ends the pass by the driver's answer: succeed, unimplemented or failed

// carryOut carries out the pass of a decision.
func (e *Executor[M]) carryOut(ctx context.Context, o *observation, result *Result[M]) {
	switch err := ctx.Err(); {
	case e.UpdateMachine == nil:
		result.end(writeFailed, 0, missingFunction("UpdateMachine"))
	case err != nil:
		result.end(canceled, shortRetry, err)
	case e.Limiter.begin(o.urgency(result.Reason), o.now):
		end := sync.OnceFunc(e.Limiter.end)
		defer end()
		if err := o.recall(ctx, &result.decision); err != nil {
			result.end(unrecalled, shortRetry, err)
			return
		}
		e.call(ctx, o, result, end)
	default: // machines that were denied together do not retry together
		delay := 4 * o.Settings.retryAfter()
		delay += jitter.Below(delay, o.Machine.GetName()+"\x00"+o.Machine.GetResourceVersion())
		result.end(denied, delay, nil)
	}
}

// urgency returns the reason by which a pass is admitted: a drained node is as urgent as a change.
func (o *observation) urgency(why Reason) Reason {
	if o.gate != nil {
		return specChanged
	}
	return why
}

// call writes the marker, calls the driver and ends the pass by its result. If the driver does not
// return in time, end frees its place in the Limiter. The driver must send nothing more by then.
func (e *Executor[M]) call(ctx context.Context, o *observation, result *Result[M], end func()) {
	left := o.Settings.callTimeout() - elapsed(o.now, e.Now())
	callCtx, cancel := context.WithTimeout(ctx, left)
	defer cancel()
	marker := &markOnce{
		write:    func(ctx context.Context) error { return e.mark(ctx, o, result) },
		callOver: callCtx.Err,
	}
	request := o.request(result.decision.pass)
	request.Object = result.Machine
	request.Rank = o.urgency(result.Reason).rank()
	request.Tell = e.teller(result.Machine)
	request.TellClass = o.lane.ability.once(request.Tell)
	request.BeforeWrite = marker.before
	if o.isClosed() {
		request.BeforeWrite = func(context.Context) error { return errReadOnly }
	}
	publishWriters := e.watchWriters(o, &result.decision, request)

	if !o.Class.driver.ReadsFirst {
		_ = request.BeforeWrite(ctx)
		if marker.failure() != nil {
			return
		}
	}
	keepsPlace := context.AfterFunc(callCtx, end)
	callErr := e.update(callCtx, request)
	keepsPlace()
	cancel()
	marker.close()
	publishWriters(result.Machine)
	switch {
	case marker.failure() == nil:
		e.finish(ctx, o, result, callErr)
	case isPanic(callErr):
		result.note(callErr)
	}
}

// teller returns the function Tell of a request.
func (e *Executor[M]) teller(machine M) func(message string) {
	if e.Event == nil {
		return nil
	}
	return func(message string) { e.Event(machine, warning, "HotUpdateNotApplied", message) }
}

// errReadOnly is returned to a driver that asks for a marker under ReadOnly.
var errReadOnly = misuse("read-only", "UpdateMachine",
	"must not change a machine whose node is not drained", "return ErrDiffers where ReadOnly of the request is set")

// markOnce writes the marker of a pass at most once, and never after the call of the driver has
// returned. A driver may ask for the marker from several goroutines.
type markOnce struct {
	write    func(ctx context.Context) error // writes the marker
	callOver func() error                    // not nil once the call has ended or its time is over

	mutex  sync.Mutex
	isDone bool  // the marker was written, or must not be written any more
	err    error // of the marker: nothing may be sent
}

// before implements BeforeWrite of a request: it returns nil if the driver may change the cloud.
func (m *markOnce) before(ctx context.Context) error {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if !m.isDone {
		m.isDone = true
		m.err = m.write(ctx)
	}
	if m.err != nil {
		return m.err
	}
	return m.callOver()
}

// close waits for a marker that is being written. From then on no marker is written.
func (m *markOnce) close() {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.isDone = true
}

// failure returns the error of writing the marker; nil if the marker was written or not needed.
func (m *markOnce) failure() error {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return m.err
}

// mark writes the marker of a pass. After an error, which the result also holds, nothing may be
// sent.
func (e *Executor[M]) mark(ctx context.Context, o *observation, result *Result[M]) error {
	if !e.write(ctx, o.annotated(result.decision.pass.Marker), result) {
		return result.Err
	}
	result.marked = true
	if o.gate != nil {
		if err := o.gate.check(ctx); err != nil {
			result.end(undrained, shortRetry, err)
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		result.end(canceled, shortRetry, err)
		return err
	}
	if elapsed(o.now, e.Now()) >= o.Settings.callTimeout() {
		// A process that was suspended here must not call the driver: another process may have
		// updated and settled the machine meanwhile.
		result.end(canceled, shortRetry, nil)
		return context.DeadlineExceeded
	}
	return nil
}

// update calls the driver. A panic becomes an error of this machine: it must end neither the
// process nor the updates of other machines.
func (e *Executor[M]) update(ctx context.Context, request *UpdateMachineRequest) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = NewPanicError(value)
		}
	}()
	return e.UpdateMachine(ctx, request)
}

func isPanic(err error) bool {
	_, ok := errors.AsType[*PanicError](err)
	return ok
}

// finish ends the pass according to what the driver returned. Without a marker nothing was sent.
func (e *Executor[M]) finish(ctx context.Context, o *observation, result *Result[M], callErr error) {
	pass := result.decision.pass
	now := e.Now()
	kind, after := DriverErrorOf(callErr)
	isNewRefusal := after > o.Settings.confirmAfter() && pass.Marker.NotBefore.IsZero()
	switch {
	case callErr == nil:
		e.succeed(ctx, o, result)
	case kind == ErrUnimplemented:
		e.unimplemented(ctx, o, result, callErr, now)
	case ctx.Err() != nil:
		result.end(canceled, shortRetry, callErr)
	case kind == ErrNotFound:
		result.end(gone, o.nextTry(&pass.Marker, now), callErr)
	case kind == ErrDiffers && o.isClosed():
		doubted := pass.Doubted(now)
		e.record(ctx, o, result, &doubted, differing, now)
		result.note(callErr)
	case isNewRefusal:
		refusal := pass.Refused(now.Add(min(after, record.MaxRefusal)), now)
		e.record(ctx, o, result, &refusal, refused, now)
		result.note(callErr)
	default:
		e.failed(ctx, o, result, callErr, now)
	}
}

// record writes a record after the call. The next pass follows when the record asks for it.
func (e *Executor[M]) record(
	ctx context.Context, o *observation, result *Result[M], r *record.Record, how ending, now time.Time,
) {
	if e.write(ctx, o.annotated(*r), result) {
		result.end(how, o.nextTry(r, now), nil)
	}
}

// unimplemented restores the previous record, and remembers that the driver cannot update.
func (e *Executor[M]) unimplemented(
	ctx context.Context, o *observation, result *Result[M], callErr error, now time.Time,
) {
	if result.marked && !e.write(ctx, o.former(), result) {
		result.note(callErr)
		return
	}
	o.lane.unable.Store(&now)
	wait, _ := o.unable()
	result.end(unable, wait, callErr)
}

// failed ends a pass that has to be repeated. The marker stays.
func (e *Executor[M]) failed(ctx context.Context, o *observation, result *Result[M], callErr error, now time.Time) {
	marker := result.decision.pass.Marker
	kind, after := DriverErrorOf(callErr)
	isPartial := kind == errPartial && after == 0
	isRemembered := isPartial && e.Memory != nil && !result.decision.adopts
	if isRemembered && !result.marked { // the record already has everything that was sent
		result.end(partial, shortRetry, callErr)
		return
	}
	if !result.marked { // it is written now, so that the next attempts wait
		if !e.write(ctx, o.annotated(marker), result) {
			result.note(callErr)
			return
		}
	}
	retry := o.nextTry(&marker, now)
	isStillRefused := after > 0 && !marker.NotBefore.IsZero()
	switch {
	case kind == ErrPending || isStillRefused:
		result.end(pending, retry, callErr)
	case kind == ErrThrottled:
		result.end(throttled, max(after, retry), callErr)
	case isPanic(callErr):
		result.end(panicked, max(after, retry), callErr)
	case isPartial:
		result.end(partial, retry, callErr)
	default:
		result.end(callFailed, max(after, retry), callErr)
	}
}

// succeed writes the record after a success of the driver.
func (e *Executor[M]) succeed(ctx context.Context, o *observation, result *Result[M]) {
	d := &result.decision
	o.lane.unable.Store(nil)
	success := o.annotated(d.pass.Succeeded(e.Now()))
	how := updated
	delay := o.Settings.confirmAfter()
	switch {
	case d.again:
		success = o.annotated(d.pass.Marker)
	case d.pass.Whole && o.lane.name == "":
		success = o.mirrored(success)
	}
	if d.action == actConfirm && !d.again {
		how = confirmed
		delay = o.Settings.VerifyPeriod
		if d.pass.HasMore() {
			delay = shortRetry
		}
	}
	if e.write(ctx, success, result) {
		result.end(how, delay, nil)
	}
}
