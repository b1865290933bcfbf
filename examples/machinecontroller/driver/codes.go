package driver

import (
	"errors"
	"strconv"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// Code says what kind of error a driver returns. The zero value is Unknown; the names are those of machine-controller-manager's codes.
type Code uint8

// The codes. Initialization is that of the InitializeMachine proposal: the VM exists, but was not initialized.
const (
	Unknown Code = iota
	InvalidArgument
	DeadlineExceeded
	NotFound
	ResourceExhausted
	Unimplemented
	Internal
	Unauthenticated
	Initialization
)

// String returns the code's name.
func (c Code) String() string {
	switch c {
	case Unknown:
		return "Unknown"
	case InvalidArgument:
		return "InvalidArgument"
	case DeadlineExceeded:
		return "DeadlineExceeded"
	case NotFound:
		return "NotFound"
	case ResourceExhausted:
		return "ResourceExhausted"
	case Unimplemented:
		return "Unimplemented"
	case Internal:
		return "Internal"
	case Unauthenticated:
		return "Unauthenticated"
	case Initialization:
		return "Initialization"
	}
	return "Code(" + strconv.Itoa(int(c)) + ")"
}

// Error is what the methods of a driver return.
type Error struct {
	Code  Code
	Cause error
}

// Error returns the code and the cause.
func (e *Error) Error() string { return e.Code.String() + ": " + e.Cause.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Is reports whether the error stands for one that package machineupdate tells apart.
func (e *Error) Is(target error) bool {
	return e.Code == NotFound && target == machineupdate.ErrNotFound || e.Code == Unimplemented && target == machineupdate.ErrUnimplemented
}

// CodeOf returns the code of an error, Unknown if it has none.
func CodeOf(err error) Code {
	if problem, ok := errors.AsType[*Error](err); ok {
		return problem.Code
	}
	return Unknown
}
