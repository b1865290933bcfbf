package machineupdate_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// status is MCM's status.Status: it has no Unwrap, and a text that MCM itself parses.
type status struct {
	code  string
	text  string
	cause error
}

func (s *status) Error() string {
	return "machine codes error: code = [" + s.code + "] message = [" + s.text + "]"
}
func (s *status) Cause() error { return s.cause }

// TestErrorKinds has real errors of drivers.
func TestErrorKinds(t *testing.T) {
	unimplemented := &status{code: "Unimplemented"}
	notFound := &status{code: "NotFound", text: "i-1"}
	exhausted := &status{code: "ResourceExhausted"}
	internal := &status{code: "Internal", text: "[] ]["}
	partial := &machineupdate.PartialError{Err: errors.Join(notFound, unimplemented)}
	later := &machineupdate.RetryError{After: time.Hour, Err: exhausted}
	for _, tc := range []struct {
		name  string
		err   error
		kind  machineupdate.DriverError
		after time.Duration
	}{
		{"nothing", nil, machineupdate.DriverError(""), 0},
		{"any", assert.AnError, machineupdate.DriverError(""), 0},
		{"ours", machineupdate.ErrUnimplemented, machineupdate.ErrUnimplemented, 0},
		{"ours, wrapped", fmt.Errorf("a: %w", fmt.Errorf("b: %w", machineupdate.ErrUnimplemented)), machineupdate.ErrUnimplemented, 0},
		{"ours, alone in a join", errors.Join(nil, machineupdate.ErrNotFound), machineupdate.ErrNotFound, 0},
		{"MCM's", unimplemented, machineupdate.ErrUnimplemented, 0},
		{"MCM's", notFound, machineupdate.ErrNotFound, 0},
		{"MCM's", exhausted, machineupdate.ErrThrottled, 0},
		{"MCM's", &status{code: "Unavailable"}, machineupdate.ErrUnavailable, 0},
		{"MCM's", internal, machineupdate.DriverError(""), 0},
		{"MCM's, wrapped", fmt.Errorf("aws: %w", notFound), machineupdate.ErrNotFound, 0},
		{"MCM's, printed", fmt.Errorf("aws: %v", notFound), machineupdate.ErrNotFound, 0}, //nolint:errorlint // as drivers do
		{"a code in the message of another", &status{code: "Internal", text: notFound.Error()}, machineupdate.DriverError(""), 0},
		{
			"behind MCM's, which has no Unwrap", &status{code: "Internal", cause: fmt.Errorf("aws: %w", machineupdate.ErrNotFound)},
			machineupdate.ErrNotFound, 0,
		},
		{"behind MCM's", &status{code: "Unknown", cause: partial}, machineupdate.DriverError("some resources were not updated"), 0},
		{"MCM's code counts", &status{code: "NotFound", cause: assert.AnError}, machineupdate.ErrNotFound, 0},
		{"the outermost counts", &status{code: "NotFound", cause: machineupdate.ErrUnimplemented}, machineupdate.ErrNotFound, 0},
		{
			"but for partial", &status{code: "Unimplemented", cause: partial}, machineupdate.DriverError("some resources were not updated"),
			0,
		},
		{"partial", partial, machineupdate.DriverError("some resources were not updated"), 0},
		{"partial, wrapped", fmt.Errorf("aws: %w", partial), machineupdate.DriverError("some resources were not updated"), 0},
		{"all unimplemented", errors.Join(unimplemented, machineupdate.ErrUnimplemented), machineupdate.ErrUnimplemented, 0},
		{"something was sent", errors.Join(unimplemented, assert.AnError), machineupdate.DriverError(""), 0},
		{"something was sent", errors.Join(assert.AnError, unimplemented), machineupdate.DriverError(""), 0},
		{"two kinds", errors.Join(notFound, unimplemented, unimplemented), machineupdate.DriverError(""), 0},
		{"throttled among others", errors.Join(assert.AnError, exhausted, notFound), machineupdate.ErrThrottled, 0},
		{"partial among others", errors.Join(exhausted, partial), machineupdate.DriverError("some resources were not updated"), 0},
		{"later", later, machineupdate.ErrThrottled, time.Hour},
		{
			"later, in part", &machineupdate.PartialError{Err: errors.Join(assert.AnError, later)},
			machineupdate.DriverError("some resources were not updated"), time.Hour,
		},
		{"pending, wrapped", fmt.Errorf("aws: %w", machineupdate.ErrPending), machineupdate.ErrPending, 0},
		{
			"all pending", errors.Join(machineupdate.ErrPending, &status{code: "Unknown", cause: machineupdate.ErrPending}),
			machineupdate.ErrPending, 0,
		},
		{"pending, and a failure", errors.Join(machineupdate.ErrPending, assert.AnError), machineupdate.DriverError(""), 0},
		{"pending, and throttled", errors.Join(machineupdate.ErrPending, machineupdate.ErrThrottled), machineupdate.ErrThrottled, 0},
		{"throttled", fmt.Errorf("aws: %w", machineupdate.ErrThrottled), machineupdate.ErrThrottled, 0},
		{"unavailable", fmt.Errorf("aws: %w", machineupdate.ErrUnavailable), machineupdate.ErrUnavailable, 0},
		{"unavailable, and a refusal", errors.Join(machineupdate.ErrUnavailable, assert.AnError), machineupdate.DriverError(""), 0},
		{"an error that is one of ours", is{machineupdate.ErrNotFound}, machineupdate.ErrNotFound, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			kind, after := machineupdate.DriverErrorOf(tc.err)
			assert.Equal(t, []any{tc.kind, tc.after}, []any{kind, after}, "%v", tc.err)
		})
	}
	assert.EqualError(t, later, "machine codes error: code = [ResourceExhausted] message = []; again after 1h0m0s")
}

// is has a method Is that makes it equal to another error.
type is struct{ target error }

func (is) Error() string          { return "is" }
func (e is) Is(target error) bool { return target == e.target }

// TestAdoptersErrorKind: an adopter wraps errors that the library does not know. A later time than ours counts.
func TestAdoptersErrorKind(t *testing.T) {
	b := newBench(t, settledRecord(classOf(t, `{"image":""}`)))
	b.callErr = fmt.Errorf("%w: %w", machineupdate.ErrThrottled, &machineupdate.RetryError{After: time.Hour, Err: assert.AnError})
	result := b.reconcile(t)
	assert.Equal(t, []any{"Throttled", time.Hour}, []any{machineupdate.EndingOf(result), result.RequeueAfter})
}
