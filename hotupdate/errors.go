package hotupdate

import (
	"errors"

	"github.com/hotupdate/providerconfig/internal/fault"
)

// Error is one problem of a type or of a configuration. Functions return all problems that they find, joined; [Errors] lists them.
//
// Code, Field and Path are stable. The text is for people: it says where the problem is, what it is and how to mend it, and never quotes
// a value of a configuration.
type Error struct {
	// Code says what kind of problem it is.
	Code Code
	// Field is the Go field of a schema problem, such as aws.WorkerConfig.Tags.
	Field string
	// Path is the path of JSON names of a value problem, such as dataVolumes[name=a].iops; it is empty for the root.
	Path string
	// Type is the Go type concerned, where it is known.
	Type string

	fault *fault.Error
}

// Error returns the problem as a sentence.
func (e *Error) Error() string { return e.fault.Error() }

// Unwrap returns what a marshaler returned, if one failed.
func (e *Error) Unwrap() error { return e.fault.Cause }

// Errors lists every [Error] in a possibly joined or wrapped error.
func Errors(err error) []*Error {
	var all []*Error
	switch e := err.(type) { //nolint:errorlint // walks the tree itself
	case nil:
	case *Error:
		all = append(all, e)
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			all = append(all, Errors(inner)...)
		}
	case interface{ Unwrap() error }:
		all = Errors(e.Unwrap())
	}
	return all
}

// public turns the engine's problems into errors of this package; other errors stay as they are.
func public(err error) error {
	if err == nil {
		return nil
	}
	problems := fault.All(err)
	if len(problems) == 0 {
		return err
	}
	errs := make([]error, len(problems))
	for i, p := range problems {
		errs[i] = &Error{Code: Code(p.Code), Field: p.Field, Path: p.Path, Type: p.Type, fault: p}
	}
	return errors.Join(errs...)
}
