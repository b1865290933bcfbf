package machineupdate

import (
	"fmt"
	"runtime/debug"
	"strings"
	"time"
)

// DriverError is a kind of error that the flow distinguishes. A driver returns it directly or
// wrapped. All other errors have an empty kind: the machine is updated again after RetryAfter.
type DriverError string

// The kinds of a driver's errors.
const (
	errOther DriverError = ""
	// ErrUnimplemented says that the driver cannot update machines and has sent nothing: the
	// previous record is restored.
	ErrUnimplemented DriverError = "the driver does not implement UpdateMachine"
	// ErrNotFound says that the driver found no VM, which may be missing or not yet readable: the
	// machine is updated again, and no failure is reported.
	ErrNotFound DriverError = "the driver found no VM"
	// ErrPending says that the cloud has accepted the change but not yet done it, or that the
	// driver read a value without knowing its target. Acceptance is not success: the machine is
	// updated again, and no failure is reported.
	ErrPending DriverError = "the cloud has not done the change yet"
	// ErrDiffers says that the driver, called with ReadOnly, found a resource that is not in the
	// desired state.
	ErrDiffers DriverError = "the driver found a resource that is not as desired"
	// ErrThrottled says that the cloud refused calls because there were too many.
	ErrThrottled DriverError = "the cloud throttles the driver"
	// ErrUnavailable says that the cloud failed to answer a call, for a cause that may be
	// temporary. The call may have taken effect. The machine is updated again as after an error
	// without a kind.
	ErrUnavailable DriverError = "the cloud is unavailable"
	// errPartial says that some resources were updated. It takes precedence over the kinds above,
	// whatever the cause.
	errPartial DriverError = "some resources were not updated"
)

// Error returns the text.
func (k DriverError) Error() string { return string(k) }

// DriverErrorOf returns the kind of a driver's error and, if the error has a [*RetryError], the time
// until the next call. The outermost known kind of an error and the errors that it wraps counts,
// except that a [*PartialError] always counts. DriverErrorOf follows Unwrap and Cause, since MCM's
// status.Status has no Unwrap. It knows
//
//   - the errors of this package, and any error whose method Is reports that it is one;
//   - MCM's status.Status by its text, "machine codes error: code = [NotFound] message = […]", as
//     MCM itself does: the codes Unimplemented, NotFound, Unavailable and ResourceExhausted, which
//     is ErrThrottled.
//
// It is for implementations of UpdateMachine and for their tests: errors.Is does not know MCM's
// codes, the rule for joined errors or the precedence above.
//
// Joined errors have a kind if all of them have it: a driver that joins ErrUnimplemented with
// another error may have sent calls. If one of the errors is throttled, so is the whole error, and
// a PartialError makes it partial.
func DriverErrorOf(err error) (kind DriverError, retryAfter time.Duration) {
	if err == nil {
		return errOther, 0
	}
	kind = ownKind(err)
	if later, ok := err.(*RetryError); ok { //nolint:errorlint // the function walks the wrapped errors itself
		retryAfter = later.After
	}
	below, wait := joinedKind(wrapped(err))
	if kind == errOther || below == errPartial {
		kind = below
	}
	return kind, max(retryAfter, wait)
}

// ownKind returns the kind of an error without the errors that it wraps.
func ownKind(err error) DriverError {
	if _, ok := err.(*PartialError); ok { //nolint:errorlint // DriverErrorOf walks the wrapped errors itself
		return errPartial
	}
	is, _ := err.(interface{ Is(target error) bool })
	for _, kind := range kinds {
		if err == error(kind) { //nolint:errorlint // as above
			return kind
		}
		if is != nil && is.Is(kind) {
			return kind
		}
	}
	switch err.(type) { //nolint:errorlint // as above
	case *PanicError: // its text comes from any value
		return errOther
	case interface{ Unwrap() error }, interface{ Unwrap() []error }:
		return errOther // its text includes the text of the wrapped error
	}
	_, code, _ := strings.Cut(err.Error(), "machine codes error: code = [")
	code, _, _ = strings.Cut(code, "] message = [")
	return kindsOfMCM[code]
}

var (
	kinds      = []DriverError{ErrUnimplemented, ErrNotFound, ErrPending, ErrDiffers, ErrThrottled, ErrUnavailable}
	kindsOfMCM = map[string]DriverError{
		"Unimplemented": ErrUnimplemented, "NotFound": ErrNotFound, "ResourceExhausted": ErrThrottled,
		"Unavailable": ErrUnavailable,
	}
)

func wrapped(err error) []error {
	switch err := err.(type) { //nolint:errorlint // as above
	case interface{ Unwrap() error }:
		return []error{err.Unwrap()}
	case interface{ Cause() error }:
		return []error{err.Cause()}
	case interface{ Unwrap() []error }:
		return err.Unwrap()
	}
	return nil
}

func joinedKind(errs []error) (kind DriverError, retryAfter time.Duration) {
	for i, err := range errs {
		one, after := DriverErrorOf(err)
		retryAfter = max(retryAfter, after)
		switch {
		case i == 0 || one == kind:
			kind = one
		case one == errPartial || kind == errPartial:
			kind = errPartial
		case one == ErrThrottled || kind == ErrThrottled:
			kind = ErrThrottled
		default:
			kind = errOther
		}
	}
	return kind, retryAfter
}

// ResourceID names a resource of a machine, such as the disk vol-1.
type ResourceID struct {
	Kind string
	ID   string
}

// PartialError is returned by a driver that updated only some of a machine's resources.
type PartialError struct {
	Done    []ResourceID
	NotDone []ResourceID
	// Err is the cause; it may join an error for each resource. It must not quote values of the
	// provider spec.
	Err error
}

// Error names the resources that were not updated, and the cause.
func (e *PartialError) Error() string {
	names := make([]string, len(e.NotDone))
	for i, resource := range e.NotDone {
		names[i] = resource.Kind + " " + resource.ID
	}
	text := fmt.Sprintf("updated %d of %d resources, but not %s", len(e.Done), len(e.Done)+len(e.NotDone),
		strings.Join(names, ", "))
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns the cause.
func (e *PartialError) Unwrap() error { return e.Err }

// PanicError is the error of a driver that panicked. It has no kind, whatever the value of the panic
// is: the driver may have sent something.
type PanicError struct {
	Value string // the text of the panic's value
	Stack string // of the goroutine that panicked, for logs: it has no values
}

// NewPanicError returns the error for a value that recover has returned. Call it in the deferred
// function that called recover.
func NewPanicError(value any) *PanicError {
	return &PanicError{Value: fmt.Sprint(value), Stack: string(debug.Stack())}
}

// Error shows the value of the panic, and no stack.
func (e *PanicError) Error() string { return "panic: " + e.Value }

// RetryError is returned by a driver if the cloud says when a call may succeed.
type RetryError struct {
	After time.Duration
	Err   error
}

// Error says why the call failed, and when it may succeed.
func (e *RetryError) Error() string { return fmt.Sprintf("%v; again after %v", e.Err, e.After) }

// Unwrap returns the cause.
func (e *RetryError) Unwrap() error { return e.Err }
