package machineupdate

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// What a driver returns, as it is or wrapped.
var (
	// ErrUnimplemented is returned by a driver that cannot update machines and has sent nothing.
	ErrUnimplemented = errors.New("the driver does not implement UpdateMachine")
	// ErrNotFound is returned by a driver that found no VM.
	ErrNotFound = errors.New("the driver found no VM")
	// ErrPending is returned by a driver whose change the cloud has accepted and not done yet, and by one that does not know the target of what it
	// read. Acceptance is no success.
	ErrPending = errors.New("the cloud has not done the change yet")
	// ErrThrottled is returned by a driver of which the cloud refused calls for being too many.
	ErrThrottled = errors.New("the cloud throttles the driver")
	// ErrDiffers is returned by a driver that was to read only and found a resource that is not as desired.
	ErrDiffers = errors.New("the driver found a resource that is not as desired")
)

// ErrorKind is what the flow tells apart of a driver's errors. The zero value is OtherError.
type ErrorKind uint8

// The kinds of a driver's errors.
const (
	OtherError    ErrorKind = iota // the machine is updated again after RetryAfter
	Unimplemented                  // the driver cannot update machines and has sent nothing: the record is as before
	NotFound                       // there is no VM, or reads lag: the machine is updated again, and no failure is reported
	Pending                        // the cloud has not done it yet: the machine is updated again, and no failure is reported
	differs                        // a read that was to confirm found something else
	Throttled                      // the cloud refused calls for being too many
	Partial                        // some resources were updated: whatever the cause, it is not one of the kinds above
)

// String returns the kind's name.
func (k ErrorKind) String() string {
	names := [...]string{OtherError: "OtherError", Unimplemented: "Unimplemented", NotFound: "NotFound", Pending: "Pending", differs: "Differs", Throttled: "Throttled", Partial: "Partial"}
	return nameOf(names[:], int(k), "ErrorKind")
}

// ErrorKindOf returns the kind of a driver's error, and how long not to call again if the error has a [*RetryError]. Of an error and what it
// wraps the outermost known kind counts, but for Partial, which always counts. It looks behind Unwrap and behind Cause, as MCM's status.Status has no Unwrap. It knows
//
//   - the errors of this package, and whatever says by a method Is that it is one;
//   - MCM's status.Status by its text, "machine codes error: code = [NotFound] message = […]", as MCM itself does: the codes Unimplemented,
//     NotFound and ResourceExhausted, which is Throttled.
//
// Joined errors have a kind if all of them have it: a driver that could do something, beside something unimplemented, may have sent calls. One
// that is throttled makes all of them Throttled, and one that is partial Partial.
func ErrorKindOf(err error) (kind ErrorKind, retryAfter time.Duration) {
	if err == nil {
		return OtherError, 0
	}
	kind = ownKind(err)
	if later, ok := err.(*RetryError); ok { //nolint:errorlint // the function goes through what is wrapped
		retryAfter = later.After
	}
	below, wait := joinedKind(wrapped(err))
	if kind == OtherError || below == Partial {
		kind = below
	}
	return kind, max(retryAfter, wait)
}

// ownKind returns the kind of an error, without what it wraps.
func ownKind(err error) ErrorKind {
	if _, ok := err.(*PartialError); ok { //nolint:errorlint // ErrorKindOf goes through what is wrapped
		return Partial
	}
	is, _ := err.(interface{ Is(target error) bool })
	for _, known := range knownErrors {
		if err == known.err || is != nil && is.Is(known.err) { //nolint:errorlint // as above
			return known.kind
		}
	}
	switch err.(type) { //nolint:errorlint // as above
	case interface{ Unwrap() error }, interface{ Unwrap() []error }:
		return OtherError // its text has that of what it wraps
	}
	_, code, _ := strings.Cut(err.Error(), "machine codes error: code = [")
	code, _, _ = strings.Cut(code, "] message = [")
	return map[string]ErrorKind{"Unimplemented": Unimplemented, "NotFound": NotFound, "ResourceExhausted": Throttled}[code]
}

// knownErrors are the errors of this package that have a kind.
var knownErrors = [...]struct {
	err  error
	kind ErrorKind
}{{ErrUnimplemented, Unimplemented}, {ErrNotFound, NotFound}, {ErrPending, Pending}, {ErrThrottled, Throttled}, {ErrDiffers, differs}}

// wrapped returns what an error wraps.
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

func joinedKind(errs []error) (kind ErrorKind, retryAfter time.Duration) {
	for i, err := range errs {
		one, after := ErrorKindOf(err)
		retryAfter = max(retryAfter, after)
		switch {
		case i == 0 || one == kind:
			kind = one
		case max(one, kind) >= Throttled:
			kind = max(one, kind)
		default:
			kind = OtherError
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
