package machineupdate

import (
	"errors"
	"fmt"
	"strings"
)

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
