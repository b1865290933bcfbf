package driver

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/hotupdate/providerconfig/hotupdate/driver/internal/share"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/internal/jitter"
)

// Again makes one part of a call of the Definition, such as a poll of an operation, and repeats
// only this part while the cloud throttles it or fails to answer it. Earlier parts, such as the
// write that began the operation, are not repeated. Parts are repeated by the same rules as whole
// calls, see "Calls that fail" in CALLS.md. A write that is refused as [Outdated] is not repeated
// here: the kit reads the resource before it writes again. Translate of the Definition gets the
// error of the part first. Pass the context of the call.
func Again(ctx context.Context, part func(ctx context.Context) error) error {
	return repeatHere(ctx, part, machineupdate.ErrThrottled, machineupdate.ErrUnavailable)
}

// AtOnce makes independent parts of a read at once, such as the lists of VMs and of disks, and
// repeats each part alone that the cloud fails to answer. A part must return the same when it is
// made again. AtOnce returns the errors of all parts, or the error of a throttled part alone, the
// one with the longest delay: then the kit makes the whole read again. Translate of the Definition
// gets the error of each part first. Pass the context of the read.
func AtOnce(ctx context.Context, parts ...func(ctx context.Context) error) error {
	errs := make([]error, len(parts))
	var all sync.WaitGroup
	for i, part := range parts {
		errs[i] = errNoReturn
		all.Go(func() {
			errs[i] = caught(func() error { return repeatHere(ctx, part, machineupdate.ErrUnavailable) })
		})
	}
	all.Wait()
	throttled := -1
	longest := time.Duration(-1)
	for i, err := range errs {
		kind, after := machineupdate.DriverErrorOf(err)
		if kind == machineupdate.ErrThrottled && after > longest {
			throttled = i
			longest = after
		}
	}
	if throttled >= 0 {
		return errs[throttled]
	}
	if slices.ContainsFunc(errs, isExhausted) {
		return &exhaustedError{errors.Join(errs...)}
	}
	return errors.Join(errs...)
}

// errNoReturn is the error of a part that ends its goroutine, for example by a failed assertion in
// a test.
var errNoReturn = errors.New("a part of the read has ended its goroutine, and returned nothing")

// againKey is the key of what a call's context has for its parts.
type againKey struct{}

// parts says how the parts of a call are repeated.
type parts struct {
	of         string // the machine that makes the call: the delays of machines differ
	translated func(err error) error
	wait       func(ctx context.Context, d time.Duration) error
}

// repeatHere makes a part of a call until it does not fail in one of these ways, the attempts are used up
// or the context is done. A part that is refused as Outdated would be refused again.
func repeatHere(
	ctx context.Context, part func(ctx context.Context) error, kinds ...machineupdate.DriverError,
) error {
	how, isOfKit := ctx.Value(againKey{}).(*parts)
	if !isOfKit {
		return part(ctx)
	}
	delay := firstDelay
	unanswered := 0
	for try := 0; ; try++ {
		err := caught(func() error { return how.translated(part(ctx)) })
		kind, after := machineupdate.DriverErrorOf(err)
		isRepeated := slices.Contains(kinds, kind) && !isOutdated(err)
		if !isRepeated || after > maxNamedDelay {
			return err
		}
		if kind == machineupdate.ErrUnavailable {
			unanswered++
		}
		if unanswered == maxAttempts {
			return &exhaustedError{err}
		}
		pause := max(after, delay/2+jitter.Below(delay/2, how.of+strconv.Itoa(try)))
		if how.wait(ctx, pause) != nil {
			return err
		}
		delay = min(2*delay, maxDelay)
		share.SpendOne(ctx)
	}
}

// exhaustedError is the error of a part that was repeated as often as allowed. The call is not
// repeated.
type exhaustedError struct{ err error }

func (e *exhaustedError) Error() string { return e.err.Error() }
func (e *exhaustedError) Unwrap() error { return e.err }

// Is makes the error of kind ErrUnavailable, even if it joins errors of several kinds.
func (e *exhaustedError) Is(target error) bool { return target == error(machineupdate.ErrUnavailable) }

func isExhausted(err error) bool {
	_, ok := errors.AsType[*exhaustedError](err)
	return ok
}
