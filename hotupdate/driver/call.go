package driver

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hotupdate/providerconfig/hotupdate/driver/internal/share"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/internal/jitter"
	"github.com/hotupdate/providerconfig/tags"
)

func (u *update[T, C]) carryOut(ctx context.Context) error {
	if len(u.missing) > 0 {
		u.problems.Add(u.failure("Resources", u.missing, errMissing))
	}
	switch {
	case len(u.steps) == 0 && len(u.missing) > 0:
		return u.partial()
	case len(u.steps) == 0:
		return errors.Join(append(u.pending, u.problems.Err())...)
	case u.request.ReadOnly:
		return machineupdate.ErrDiffers
	case !u.request.NotBefore.IsZero():
		return &machineupdate.RetryError{After: firstDelay, Err: errNotBefore}
	}
	if err := u.request.BeforeWrite(ctx); err != nil {
		return err
	}
	for _, tell := range u.takeovers {
		tell()
	}
	for _, s := range u.steps {
		u.take(ctx, s)
	}
	switch {
	case len(u.problems) == 0:
		return errors.Join(u.pending...)
	// a RetryError would delay the whole lane, also calls that only failed
	case slices.ContainsFunc(u.problems, isFailure):
		for _, refused := range slices.DeleteFunc(slices.Clone(u.problems), isFailure) {
			refused.Cause = nil
		}
	}
	if !u.isTaken {
		return u.problems.Err()
	}
	return u.partial()
}

// isFailure reports whether an error is a failure and not a refusal: the cloud does not say when
// the call may succeed.
func isFailure(problem *fault.Error) bool {
	_, after := machineupdate.DriverErrorOf(problem)
	return after == 0
}

var (
	errNotBefore    = errors.New("the cloud refused the change for a time that is not over")
	errMissing      = errors.New("the launch created the resource, and the cloud does not show it")
	errGone         = errors.New("the resource was read before, and is gone")
	errFailedBefore = errors.New("the cloud accepted the last change and did not make it; it is made again")
)

// take makes the call of a step. A resource whose call failed gets no further call, so that its
// steps keep their order. The others go on.
func (u *update[T, C]) take(ctx context.Context, s *step[C]) {
	of := slices.DeleteFunc(s.resources, func(r *Resource) bool { return u.notDone[r] })
	if len(of) == 0 {
		return
	}
	part := &share.Member[*member[C]]{Equal: s.equal, Bound: max(s.bound, len(of))}
	for _, r := range of {
		part.IDs = append(part.IDs, r.ID)
	}
	attempts := maxAttempts
	if s.pending != nil { // only a read tells whether the cloud has accepted the change
		attempts = 1
	}
	_, err := u.do(ctx, attempts, u.actions(s), part, s.send)
	u.tellReplanned(s)
	if err == nil {
		u.isTaken = true
		err = s.failed
		u.pending = append(u.pending, s.pending)
	}
	if err != nil {
		u.problems.Add(u.failure(s.function, of, err))
		for _, r := range of {
			u.notDone[r] = true
		}
	}
}

// actions returns the cloud action of each attempt of a step.
func (u *update[T, C]) actions(s *step[C]) func() share.Action {
	return func() share.Action {
		action := u.definition.Sharing.action(u.key, s.function, s.kind)
		if s.rereads {
			action = u.definition.Sharing.rereads(action)
		}
		return action
	}
}

// partial is the error of an update in which the cloud accepted some calls.
func (u *update[T, C]) partial() error {
	partial := &machineupdate.PartialError{Err: errors.Join(append(u.pending, u.problems.Err())...)}
	for _, r := range u.missing {
		partial.NotDone = append(partial.NotDone, r.name())
	}
	for _, kind := range tags.Kinds() {
		for _, r := range u.of(kind) {
			if u.notDone[r] {
				partial.NotDone = append(partial.NotDone, r.name())
			} else {
				partial.Done = append(partial.Done, r.name())
			}
		}
	}
	return partial
}

// failure is the error of a call. Its text hides secrets, because clouds quote values that they
// refuse.
func (u *update[T, C]) failure(function string, resources []*Resource, err error) *fault.Error {
	names := []string{function}
	for _, r := range resources {
		names = append(names, r.text())
	}
	return &fault.Error{
		Kind: fault.Failed, Code: fault.FailedCall, Where: strings.Join(names, " "),
		What: u.redacted(err.Error()), Cause: err,
	}
}

// shortest is the length below which no text counts as a secret: hiding each "1" would make
// messages unreadable and still reveal it.
const shortest = 4

// hide registers texts that errors must not show.
func (u *update[T, C]) hide(texts iter.Seq[string]) {
	for text := range texts {
		text = strings.TrimSpace(text)
		if len(text) >= shortest {
			u.secrets = append(u.secrets, text)
		}
	}
}

func (u *update[T, C]) redacted(text string) string { return redact(text, u.secrets, nil) }

// redact hides texts in another, the longest first. The shown ones stay.
func redact(text string, hidden, shown []string) string {
	hidden = slices.Clone(hidden)
	slices.SortFunc(hidden, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	var pairs []string
	for _, part := range slices.Compact(hidden) {
		instead := "…"
		if slices.Contains(shown, part) {
			instead = part
		}
		pairs = append(pairs, part, instead)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// The first and the longest delay before a call is repeated, and the longest delay that a cloud may
// name. Each delay is twice the delay before.
const (
	firstDelay    = share.FirstDelay
	maxDelay      = share.MaxDelay
	maxNamedDelay = share.MaxNamedDelay
)

// maxAttempts is how often a call is made that the cloud fails to answer, see
// [machineupdate.ErrUnavailable]. It is bounded, since the cause may be lasting and concern one
// machine only, whose worker others need. A call that is throttled is repeated until the context is
// done.
const maxAttempts = 4

// unbounded is the number of attempts of a call that is repeated until the context is done.
const unbounded = math.MaxInt

// repeat makes a call until it does not fail with this kind of error, the attempts are used up or the
// context is done. If the cloud names a longer delay than maxNamedDelay, the flow repeats the update.
func (u *update[T, C]) repeat(
	ctx context.Context, failure machineupdate.DriverError, attempts int, f func(context.Context) error,
) error {
	delay := firstDelay
	for try := 1; ; try++ {
		err := f(ctx)
		kind, after := machineupdate.DriverErrorOf(err)
		isLast := try >= attempts || isExhausted(err)
		if kind != failure || after > maxNamedDelay || isLast {
			return err
		}
		if u.definition.Wait(ctx, u.pause(delay, after, try)) != nil {
			return err
		}
		delay = min(2*delay, maxDelay)
	}
}

// pause returns how long to wait before a call is repeated: not less than the cloud says, and a time
// that depends on the machine, so that machines whose calls failed together do not repeat them
// together.
func (u *update[T, C]) pause(delay, after time.Duration, try int) time.Duration {
	return max(after, delay/2+jitter.Below(delay/2, u.request.Machine+strconv.Itoa(try)))
}

// once makes a call and counts it.
func (k *Kit[T, C]) once(
	ctx context.Context, cloud C, of, function string, f func(context.Context) error,
) error {
	if err := share.Ended(ctx); err != nil {
		return err
	}
	ctx = context.WithValue(ctx, againKey{}, &parts{
		of:         of,
		translated: func(err error) error { return k.definition.translated(cloud, err) },
		wait:       k.definition.Wait,
	})
	err := caught(func() error { return k.definition.translated(cloud, f(ctx)) })
	k.definition.Count(function, outcomeOf(err))
	return err
}

// translated returns an error of a call as Translate tells it, unless the error already says what it
// means. A call that failed never becomes one that succeeded.
func (d *Definition[T, C]) translated(cloud C, err error) error {
	if err == nil || d.Translate == nil {
		return err
	}
	kind, after := machineupdate.DriverErrorOf(err)
	isTold := kind != "" || after > 0
	if isTold {
		return err
	}
	told := d.Translate(cloud, err)
	if told == nil {
		return err
	}
	return told
}

// caught calls a function. A panic is its error: it must end neither the process nor the other
// calls of the update.
func caught(f func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = machineupdate.NewPanicError(value)
		}
	}()
	return f()
}

// outcomeOf returns the outcome that Definition.Count gets.
func outcomeOf(err error) string {
	kind, _ := machineupdate.DriverErrorOf(err)
	switch {
	case kind == machineupdate.ErrThrottled:
		return "Throttled"
	case err != nil:
		return "Failed"
	}
	return "Succeeded"
}

func sleep(ctx context.Context, d time.Duration) error {
	timed, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	<-timed.Done()
	return ctx.Err()
}
