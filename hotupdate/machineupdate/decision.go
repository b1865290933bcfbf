package machineupdate

import (
	"cmp"
	"errors"
	"time"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// decision says what to do about a machine, and why.
type decision struct {
	action action
	reason Reason
	delay  time.Duration // when to look again; zero if only another event can change the decision
	err    error         // what is wrong with the class, or with the record, which does not keep an update from being made
	pass   *pass         // the update to be made; nil unless the action is actUpdate or actConfirm
}

// decide says what to do about a machine. It is a pure function, and allocates nothing for a machine that is up to date. The package
// documentation has the table.
func decide(o *observation) decision {
	d := o.decide()
	if d.pass != nil && (!o.Class.driver.CanUpdate || o.Class.unable.Load()) {
		return decision{action: actUnsupported, reason: d.reason, err: d.err}
	}
	return d
}

func (o *observation) decide() decision {
	if reason, ok := o.excluded(); ok {
		return decision{action: actNone, reason: reason, err: o.ClassError}
	}
	annotation, exists := o.Machine.Annotations[AnnotationRecord]
	if !exists {
		return o.update(FirstAdoption, record{}, nil)
	}
	if since, ok := o.Class.settledSince(annotation, o.Machine.ProviderID); ok {
		if d, ok := o.upToDate(since); ok {
			return d
		}
	}
	r, err := recordOf(&o.Machine, annotation)
	if err != nil {
		return o.update(RecordUnusable, record{}, err)
	}
	return o.decideBy(r)
}

// excluded reports whether a machine is not updated whatever its record says, and why.
func (o *observation) excluded() (Reason, bool) {
	switch m := &o.Machine; {
	case m.Deleting || m.Phase == phaseTerminating:
		return MachineDeleting, true
	case m.Phase == phaseFailed:
		return MachineFailed, true
	case m.ProviderID == "" || m.Phase == phaseNone || m.Phase == phaseCrashLoopBackOff:
		return CreationPending, true
	case isPaused(m.Annotations) || o.Class != nil && o.Class.class.Paused || o.Settings.Paused != nil && o.Settings.Paused():
		return Paused, true
	case o.Class == nil:
		return ClassUnusable, true
	case o.Class.class.Deleting:
		return ClassDeleting, true
	}
	return UpToDate, false
}

// upToDate decides for a settled machine that is as the class wants it. It is not ok if it is time to verify that.
func (o *observation) upToDate(since time.Time) (d decision, ok bool) {
	if o.Settings.VerifyPeriod <= 0 {
		return decision{action: actNone, reason: UpToDate}, true
	}
	wait := remaining(o.now, since, o.Settings.VerifyPeriod)
	return decision{action: actNone, reason: UpToDate, delay: wait}, wait > 0
}

// remaining returns how long it is until d after since, zero if that is past. It is negative if since is further ahead than the clocks of two
// processes can differ: nothing waits for such a time.
func remaining(now, since time.Time, d time.Duration) time.Duration {
	elapsed := now.Sub(since)
	if elapsed < -d {
		return -1
	}
	return max(d-elapsed, 0)
}

// recordOf reads the machine's record and checks that it is its own.
func recordOf(m *machine, annotation string) (record, error) {
	r, err := parseRecord(annotation)
	if problem, ok := errors.AsType[*fault.Error](err); ok {
		problem.Where = "machine " + m.Name
		return r, problem
	}
	if !r.isOf(m) {
		return record{}, &fault.Error{Kind: fault.Conflict, Code: "foreign-record", Where: "machine " + m.Name, What: "has the record of another VM", Hint: hintRecord}
	}
	return r, nil
}

// decideBy decides by the record.
func (o *observation) decideBy(r record) decision {
	changed := o.changed(&r)
	switch r.State {
	case calling:
		if wait := remaining(o.now, r.Since, o.retryDelay(&r)); wait > 0 && o.repeats(&r) {
			return decision{action: actWait, reason: Unfinished, delay: wait}
		}
		return o.update(Unfinished, r, nil)
	case unconfirmed:
		if changed != UpToDate && o.fits(&r) {
			return o.update(changed, r, nil)
		}
		return o.unconfirmed(r)
	case settled:
	}
	if changed != UpToDate {
		return o.update(changed, r, nil)
	}
	if d, ok := o.upToDate(r.Since); ok {
		return d
	}
	return o.update(VerifyDue, r, nil)
}

// changed says why the class wants something else than was applied; UpToDate if it does not.
func (o *observation) changed(r *record) Reason {
	switch {
	case r.Applied != o.Class.hot:
		return SpecChanged
	case r.Schema != o.Class.schema:
		return SchemaChanged
	}
	return UpToDate
}

// unconfirmed decides for a machine whose last update succeeded and has to be confirmed next.
func (o *observation) unconfirmed(r record) decision {
	wait := remaining(o.now, r.Since, o.Settings.confirmAfter())
	switch {
	case wait < 0:
		return o.update(Unfinished, r, nil)
	case wait > 0:
		return decision{action: actWait, reason: ConfirmationDue, delay: wait}
	}
	// This call is preceded by a write as well, so that a process that decided by an older record gets a conflict.
	r.Since = wholeSeconds(o.now)
	return decision{action: actConfirm, reason: ConfirmationDue, pass: o.pass(r.Applied, r)}
}

// repeats reports whether an update would repeat one that was not successful. Where the record is full every update does.
func (o *observation) repeats(r *record) bool {
	return r.State == calling && r.Creating == "" && r.Schema == o.Class.schema && (r.hasAttempted(o.Class.hot) || !o.fits(r))
}

// update decides for an update to the hot part that the class wants, or, if the record is full, back to the one that was applied.
func (o *observation) update(reason Reason, r record, err error) decision {
	marker, desired := r, o.Class.hot
	if !o.fits(&r) || !marker.attempt(desired) {
		// Going back to what was applied adds no attempt. Its confirmation empties the record.
		reason, desired = RecordFull, cmp.Or(r.Applied, Nothing)
	}
	marker.Retries = 0
	if o.repeats(&r) {
		marker.Retries = min(r.Retries+1, maxRetries)
	}
	marker.ProviderID, marker.Creating = o.Machine.ProviderID, ""
	marker.Schema, marker.State, marker.Since = o.Class.schema, calling, wholeSeconds(o.now)
	return decision{action: actUpdate, reason: reason, err: err, pass: o.pass(desired, marker)}
}

// fits reports whether the record can hold the wanted hot part as an attempt, and after a success the former applied one.
func (o *observation) fits(r *record) bool {
	after := *r
	return after.attempt(o.Class.hot, r.Applied)
}

// retryDelay returns how long after the record was written the update is made again.
func (o *observation) retryDelay(r *record) time.Duration {
	d := o.Settings.retryAfter()
	if r.Retries == 0 {
		return d
	}
	limit := max(d, o.Settings.confirmAfter())
	for range r.Retries {
		d += min(d, limit-d)
	}
	return d + spread(d/2, o.Machine.Name)
}

// nextTry returns how long after a failed pass the next one is made. By then decide does not wait any more.
func (o *observation) nextTry(p *pass, now time.Time) time.Duration {
	delay := max(o.retryDelay(&p.marker), shortRetry)
	if p.marker.State == unconfirmed {
		delay = o.Settings.confirmAfter()
	}
	return delay + max(p.marker.Since.Sub(now), 0)
}

func (o *observation) pass(desired Hot, marker record) *pass {
	previous, recorded := o.Machine.Annotations[AnnotationRecord]
	return &pass{o.Machine, o.Class, o.Secret, desired, marker, previous, recorded}
}
