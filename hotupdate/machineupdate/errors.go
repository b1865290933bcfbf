package machineupdate

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Code says what kind of problem an [Error] reports. The zero value is UnknownCode.
type Code uint8

// The codes.
const (
	UnknownCode     Code = iota
	MalformedRecord      // the annotation is not a record: truncated, tampered with, or never one
	FutureRecord         // a later version of this package wrote the record
	ForeignRecord        // the record is that of another VM: machine templates copy annotations
	UnusableClass        // the provider spec of the class cannot be read
	LargeHotPart         // the hot part of the class is larger than what can be recorded
	MissingFunction      // an [Executor] without a function that it needs, or a creation that was not begun
)

// String returns the code's name.
func (c Code) String() string {
	switch c {
	case UnknownCode:
		return "UnknownCode"
	case MalformedRecord:
		return "MalformedRecord"
	case FutureRecord:
		return "FutureRecord"
	case ForeignRecord:
		return "ForeignRecord"
	case UnusableClass:
		return "UnusableClass"
	case LargeHotPart:
		return "LargeHotPart"
	case MissingFunction:
		return "MissingFunction"
	}
	return "Code(" + strconv.Itoa(int(c)) + ")"
}

// Error is a problem with a record or a class. It never quotes a value of a provider spec.
type Error struct {
	Code  Code
	Where string // the machine or class, where it is known
	What  string // what is wrong
	Cure  string // what to do instead
	Cause error  // what package hotupdate returned, if it found the problem
}

// Error returns "machineupdate: <where>: <what>; <cure>".
func (e *Error) Error() string {
	var text strings.Builder
	text.WriteString("machineupdate: ")
	if e.Where != "" {
		text.WriteString(e.Where + ": ")
	}
	text.WriteString(e.What)
	if e.Cause != nil {
		text.WriteString(": " + e.Cause.Error())
	}
	if e.Cure != "" {
		text.WriteString("; " + e.Cure)
	}
	return text.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// What the functions given to an [Executor] return, as they are or wrapped.
var (
	// ErrUnimplemented is returned by a driver that cannot update machines and has sent nothing.
	ErrUnimplemented = errors.New("the driver does not implement UpdateMachine")
	// ErrNotFound is returned by a driver that found no VM, and by a write that found no machine.
	ErrNotFound = errors.New("not found")
	// ErrConflict is returned by a write whose resourceVersion is no longer that of the machine. The write has changed nothing.
	ErrConflict = errors.New("the machine was changed meanwhile")
)

// Resource is a resource of a machine, such as the disk vol-1.
type Resource struct {
	Kind string
	ID   string
}

// String returns kind and ID.
func (r Resource) String() string { return r.Kind + " " + r.ID }

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
		names[i] = resource.String()
	}
	text := fmt.Sprintf("updated %d of %d resources, but not %s", len(e.Done), len(e.Done)+len(e.NotDone), strings.Join(names, ", "))
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns why.
func (e *PartialError) Unwrap() error { return e.Err }
