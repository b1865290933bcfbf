package machineupdate

import (
	"fmt"
	"strings"
	"time"
)

// DriverError is an error that a driver returns, as it is or wrapped, and what the flow tells apart of a driver's errors. After any other error, whose
// kind is empty, the machine is updated again after RetryAfter.
type DriverError string

// The kinds of a driver's errors.
const (
	errOther DriverError = ""
	// ErrUnimplemented says that the driver cannot update machines and has sent nothing: the record is as before.
	ErrUnimplemented DriverError = "the driver does not implement UpdateMachine"
	// ErrNotFound says that there is no VM, or that reads lag: the machine is updated again, and no failure is reported.
	ErrNotFound DriverError = "the driver found no VM"
	// ErrPending says that the cloud has accepted the change and not done it yet, or that the driver does not know the target of what it read.
	// Acceptance is no success: the machine is updated again, and no failure is reported.
	ErrPending DriverError = "the cloud has not done the change yet"
	// ErrDiffers says that the driver was to read only and found a resource that is not as desired.
	ErrDiffers DriverError = "the driver found a resource that is not as desired"
	// ErrThrottled says that the cloud refused calls for being too many.
	ErrThrottled DriverError = "the cloud throttles the driver"
	// errPartial says that some resources were updated: whatever the cause, it is not one of the kinds above.
	errPartial DriverError = "some resources were not updated"
)

// Error says what the driver tells.
func (k DriverError) Error() string { return string(k) }

// ErrorKindOf returns the kind of a driver's error, and how long not to call again if the error has a [*RetryError]. Of an error and what it
// wraps the outermost known kind counts, but for that of a [*PartialError], which always counts. It looks behind Unwrap and behind Cause, as MCM's
// status.Status has no Unwrap. It knows
//
//   - the errors of this package, and whatever says by a method Is that it is one;
//   - MCM's status.Status by its text, "machine codes error: code = [NotFound] message = […]", as MCM itself does: the codes Unimplemented,
//     NotFound and ResourceExhausted, which is ErrThrottled.
//
// Joined errors have a kind if all of them have it: a driver that could do something, beside something unimplemented, may have sent calls. One
// that is throttled makes all of them ErrThrottled, and a PartialError all of them partial.
func ErrorKindOf(err error) (kind DriverError, retryAfter time.Duration) {
	if err == nil {
		return errOther, 0
	}
	kind = ownKind(err)
	if later, ok := err.(*RetryError); ok { //nolint:errorlint // the function goes through what is wrapped
		retryAfter = later.After
	}
	below, wait := joinedKind(wrapped(err))
	if kind == errOther || below == errPartial {
		kind = below
	}
	return kind, max(retryAfter, wait)
}

// ownKind returns the kind of an error, without what it wraps.
func ownKind(err error) DriverError {
	if _, ok := err.(*PartialError); ok { //nolint:errorlint // ErrorKindOf goes through what is wrapped
		return errPartial
	}
	is, _ := err.(interface{ Is(target error) bool })
	for _, kind := range []DriverError{ErrUnimplemented, ErrNotFound, ErrPending, ErrDiffers, ErrThrottled} {
		if err == error(kind) || is != nil && is.Is(kind) { //nolint:errorlint // as above
			return kind
		}
	}
	switch err.(type) { //nolint:errorlint // as above
	case interface{ Unwrap() error }, interface{ Unwrap() []error }:
		return errOther // its text has that of what it wraps
	}
	_, code, _ := strings.Cut(err.Error(), "machine codes error: code = [")
	code, _, _ = strings.Cut(code, "] message = [")
	return map[string]DriverError{"Unimplemented": ErrUnimplemented, "NotFound": ErrNotFound, "ResourceExhausted": ErrThrottled}[code]
}

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
		one, after := ErrorKindOf(err)
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

// Resource is a resource of a machine, such as the disk vol-1.
type Resource struct {
	Kind string
	ID   string
}

// PartialError is returned by a driver that updated some of a machine's resources and not others.
type PartialError struct {
	Done    []Resource
	NotDone []Resource
	// Err says why; it may join an error for each resource. It must not quote values of the provider spec.
	Err error
}

// Error names the resources that were not updated, and says why.
func (e *PartialError) Error() string {
	names := make([]string, len(e.NotDone))
	for i, resource := range e.NotDone {
		names[i] = resource.Kind + " " + resource.ID
	}
	text := fmt.Sprintf("updated %d of %d resources, but not %s", len(e.Done), len(e.Done)+len(e.NotDone), strings.Join(names, ", "))
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns why.
func (e *PartialError) Unwrap() error { return e.Err }

// RetryError is returned by a driver whose cloud says when a call may succeed.
type RetryError struct {
	After time.Duration
	Err   error
}

// Error says why the call did not succeed, and when it may.
func (e *RetryError) Error() string { return fmt.Sprintf("%v; again after %v", e.Err, e.After) }

// Unwrap returns why.
func (e *RetryError) Unwrap() error { return e.Err }
