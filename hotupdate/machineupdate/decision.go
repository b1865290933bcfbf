package machineupdate

import (
	"errors"
	"time"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate/internal/record"
	"github.com/hotupdate/providerconfig/internal/jitter"
)

// decision says what to do with a machine, and why.
type decision struct {
	action action
	reason Reason
	delay  time.Duration // when to decide again; zero if only another event can change the decision
	err    error         // what is wrong with the class or the record; a wrong record does not prevent an update

	pass   *record.Pass // the update to make; nil unless the action is actUpdate or actConfirm
	adopts bool         // nothing is recorded about the VM
	again  bool         // the success needs another confirmation, because it is unknown when the lane was applied
}

// decide says what to do with a lane of a machine. It is a pure function. Unless there is something
// to do, it reads only the header of the record, and allocates nothing. FLOW.md has the
// table.
func decide(o *observation) decision {
	if reason, ok := o.excluded(); ok {
		return decision{action: actNone, reason: reason, err: o.ClassError}
	}
	if o.Class.isUnsupported() {
		return decision{action: actUnsupported, reason: noUpdates}
	}
	annotation, exists := o.Machine.GetAnnotations()[o.lane.annotation]
	if !exists {
		return o.adopt(firstAdoption, nil)
	}
	header, _, err := record.ReadHeader(annotation)
	if err = o.owns(&header, err); err != nil {
		return o.adopt(recordUnusable, err)
	}
	d := o.decideBy(&header)
	if d.action != actUpdate && d.action != actConfirm {
		return d
	}
	r, err := record.Parse(annotation)
	if err = o.owns(&r.Header, err); err != nil {
		return o.adopt(recordUnusable, err)
	}
	return o.update(d, &r)
}

// isClosed reports whether the lane is InPlace and the node is not drained. Such a lane is only
// confirmed.
func (o *observation) isClosed() bool { return o.lane.class == hotupdate.InPlace && o.gate == nil }

// adopt decides for a machine without a record about its VM.
func (o *observation) adopt(reason Reason, err error) decision {
	if o.isClosed() {
		return decision{action: actNone, reason: awaitingDrain}
	}
	return o.update(decision{action: actUpdate, reason: reason, err: err}, nil)
}

// excluded reports whether and why a machine is not updated, whatever its record says.
func (o *observation) excluded() (Reason, bool) {
	switch {
	case o.Machine.GetDeletionTimestamp() != nil || o.Phase == phaseTerminating:
		return machineDeleting, true
	case o.Phase == phaseFailed:
		return machineFailed, true
	case o.ProviderID == "" || o.Phase == phaseNone || o.Phase == phaseCrashLoopBackOff:
		return creationPending, true
	case o.isPaused():
		return paused, true
	case o.Class == nil:
		return classUnusable, true
	case o.Class.class.meta().GetDeletionTimestamp() != nil:
		return classDeleting, true
	}
	return upToDate, false
}

// isPaused reports whether an operator paused hot updates of the machine, of its class, or of all
// machines.
func (o *observation) isPaused() bool {
	switch {
	case isPaused(o.Machine):
		return true
	case o.Class != nil && isPaused(o.Class.class.meta()):
		return true
	}
	return o.Settings.Paused != nil && o.Settings.Paused()
}

// owns returns an error if a record cannot be read or does not belong to this machine.
func (o *observation) owns(h *record.Header, err error) error {
	name := o.Machine.GetName()
	if problem, ok := errors.AsType[*fault.Error](err); ok {
		problem.Where = "machine " + name
		return problem
	}
	isOfCreation := h.Creating != "" && h.Creating == name
	isOfVM := h.ProviderID != "" && h.ProviderID == o.ProviderID
	if isOfCreation || isOfVM {
		return nil
	}
	return &fault.Error{
		Kind: fault.Conflict, Code: fault.ForeignRecord, Where: "machine " + name,
		What: "has the record of another VM", Hint: "do nothing: the machine is updated and gets a new record",
	}
}

func (o *observation) decideBy(h *record.Header) decision {
	if o.isClosed() && h.State != record.Unconfirmed {
		return decision{action: actNone, reason: awaitingDrain}
	}
	changed := o.changed(h)
	switch h.State {
	case record.Calling:
		wait := remaining(o.now, h.Since, o.retryDelay(h))
		isRepetition := changed == upToDate && h.Creating == ""
		if wait > 0 && isRepetition {
			return decision{action: actWait, reason: unfinished, delay: wait}
		}
		return decision{action: actUpdate, reason: unfinished}
	case record.Unconfirmed:
		if changed != upToDate && !o.isClosed() {
			return decision{action: actUpdate, reason: changed}
		}
		return o.unconfirmed(h)
	case record.Settled:
	}
	if changed != upToDate {
		return decision{action: actUpdate, reason: changed}
	}
	rest := decision{action: actNone, reason: upToDate}
	if h.IsFull() {
		rest.reason = recordFull
	}
	if o.Settings.VerifyPeriod <= 0 {
		return rest
	}
	rest.delay = remaining(o.now, h.Since, o.Settings.VerifyPeriod)
	if rest.delay > 0 {
		return rest
	}
	return decision{action: actUpdate, reason: verifyDue}
}

// changed says why the class differs from the class that the record was written for; UpToDate if
// both are the same. A driver that cannot update applies nothing, so its differences are ignored.
func (o *observation) changed(h *record.Header) Reason {
	sameHot, sameSchema := o.lane.target.Wants(h)
	switch {
	case !sameHot:
		return specChanged
	case !sameSchema && len(o.lane.kinds) > 0:
		return schemaChanged
	}
	return upToDate
}

// unconfirmed decides for a machine whose last update succeeded and has yet to be confirmed.
func (o *observation) unconfirmed(h *record.Header) decision {
	wait := remaining(o.now, h.Since, o.Settings.confirmAfter())
	switch {
	case wait < 0 && !o.isClosed():
		return decision{action: actUpdate, reason: unfinished}
	case max(wait, o.unripe) > 0:
		return decision{action: actWait, reason: confirmationDue, delay: max(wait, o.unripe)}
	}
	return decision{action: actConfirm, reason: confirmationDue}
}

// remaining returns the time until d after since, zero if that is past. It is negative if since is
// further in the future than the clocks of two processes can differ: nothing waits for such a time.
func remaining(now, since time.Time, d time.Duration) time.Duration {
	elapsed := now.Sub(since)
	if elapsed < -d {
		return -1
	}
	return max(d-elapsed, 0)
}

// update adds the pass that a decision asks for. The record is nil if nothing is known about the
// VM.
func (o *observation) update(d decision, r *record.Record) decision {
	if wait, unable := o.unable(); unable {
		return decision{action: actUnsupported, reason: d.reason, delay: wait, err: d.err}
	}
	if r == nil {
		d.adopts = true
		r = &record.Record{}
	}
	if d.action == actConfirm {
		d.pass = r.Confirm(o.lane.target, o.now)
		d.again = remaining(o.now, r.Since, o.Settings.confirmAfter()) < 0
	} else {
		d.pass = r.Begin(o.lane.target, o.ProviderID, o.now)
		if !d.pass.Whole {
			d.reason = recordFull
		}
	}
	o.sign(d.pass)
	return d
}

// unable reports whether the driver cannot update the lane, and the time until it is asked again;
// zero if it covers nothing of the lane.
func (o *observation) unable() (wait time.Duration, unable bool) {
	since := o.lane.unable.Load()
	switch {
	case o.lane.canUpdate():
		return 0, false
	case since == nil:
		return 0, true
	}
	wait = remaining(o.now, *since, positive(o.Settings.VerifyPeriod, time.Hour))
	return wait, wait > 0
}

// retryDelay returns how long after the record was written the update is repeated. During a refusal
// the cloud is read once before the refusal ends: its cause may be an update of ours whose answer
// was lost.
func (o *observation) retryDelay(h *record.Header) time.Duration {
	d := o.Settings.retryAfter()
	if h.Retries == 0 {
		return d
	}
	if !h.NotBefore.IsZero() {
		return h.NotBefore.Sub(h.Since)
	}
	limit := max(d, o.Settings.confirmAfter())
	for range h.Retries {
		d += min(d, limit-d)
	}
	// It differs from pass to pass, so that failures that recur do not meet every pass of a machine.
	return d + jitter.Below(d/2, o.Machine.GetName(), h.Since.Unix())
}

// nextTry returns how long after a failed pass with this record the next pass is made. After this
// delay, decide makes the pass.
func (o *observation) nextTry(r *record.Record, now time.Time) time.Duration {
	delay := max(o.retryDelay(&r.Header), shortRetry)
	if r.State == record.Unconfirmed {
		delay = o.Settings.confirmAfter()
	}
	// Since is rounded up. If it is later by more, the clock was set back, and nothing waits for it.
	return delay + min(max(r.Since.Sub(now), 0), time.Second)
}

// elapsed returns how long ago a time was, by the wall clock or the monotonic clock, whichever says
// longer: while a process is suspended, the monotonic clock may stand still, and the wall clock may
// be set back at any time.
func elapsed(from, to time.Time) time.Duration {
	return max(to.Sub(from), to.Round(0).Sub(from.Round(0)), 0)
}

// action is what to do with a machine.
type action string

const (
	actNone        action = "None"        // nothing
	actWait        action = "Wait"        // nothing yet
	actUnsupported action = "Unsupported" // nothing, though the machine should be updated: the driver cannot
	actUpdate      action = "Update"      // update the machine
	actConfirm     action = "Confirm"     // update the machine once more, to settle it
)

// Reason says why a machine is updated or not, for logs, metrics and events. FLOW.md
// has them all, under "Decision".
type Reason string

const (
	upToDate        Reason = "UpToDate"        // nothing differs from the class
	machineDeleting Reason = "MachineDeleting" // the machine is being deleted
	machineFailed   Reason = "MachineFailed"   // the machine has failed, and will be replaced
	creationPending Reason = "CreationPending" // the machine belongs to the creation flow
	paused          Reason = "Paused"          // an operator paused hot updates of the machine, of its class, or of all
	classUnusable   Reason = "ClassUnusable"   // the class is missing, or cannot be read
	classDeleting   Reason = "ClassDeleting"   // the class is being deleted
	noUpdates       Reason = "NoUpdates"       // the driver has no hot updates
	firstAdoption   Reason = "FirstAdoption"   // the machine has no record: it is older than hot updates
	recordUnusable  Reason = "RecordUnusable"  // the record cannot be read, or belongs to another VM
	unfinished      Reason = "Unfinished"      // an update was begun, and no success was recorded
	specChanged     Reason = "SpecChanged"     // the hot part of the class changed
	// since the record was written, other fields have become Hot, or the driver applies other
	// things
	schemaChanged   Reason = "SchemaChanged"
	verifyDue       Reason = "VerifyDue"       // VerifyPeriod is over
	recordFull      Reason = "RecordFull"      // the record has no room: the change is made in parts, or not at all
	confirmationDue Reason = "ConfirmationDue" // the last success is to be confirmed
	awaitingDrain   Reason = "AwaitingDrain"   // the lane is InPlace: only ApplyInPlace applies it
)
