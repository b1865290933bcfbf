// Package driver is the boundary between the machine controller and a cloud, with the shape of machine-controller-manager's own:
// requests, responses and codes. UpdateMachine is what hot updates add.
//
// It knows no cloud.
package driver

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// Driver makes, finds, changes and deletes the VMs of machines. All errors but those of UpdateMachine are of type *Status.
type Driver interface {
	// CreateMachine launches the VM. Calling it again for the same machine finds the VM of then.
	CreateMachine(ctx context.Context, request *Request) (*Response, error)
	// InitializeMachine does what remains to be done when the VM exists. It may be repeated.
	InitializeMachine(ctx context.Context, request *Request) (*Response, error)
	// DeleteMachine deletes the VM. It is no error if there is none.
	DeleteMachine(ctx context.Context, request *Request) error
	// GetMachineStatus finds the VM: NotFound if there is none. One that is to be initialized is returned with the error Uninitialized.
	GetMachineStatus(ctx context.Context, request *Request) (*Response, error)
	// Prepare reads the class side of updates, see [machineupdate.Classes.Prepare].
	Prepare(classes *machineupdate.Classes, class machineupdate.MachineClass) (prepared *machineupdate.Prepared, beyond bool, err error)
	// UpdateMachine applies what the request wants to the running VM. See [machineupdate.UpdateMachineRequest] for its contract.
	UpdateMachine(ctx context.Context, request *machineupdate.UpdateMachineRequest) error
}

// Request says which machine a call is about.
type Request struct {
	Machine      *api.Machine
	MachineClass *api.MachineClass
	Secret       *corev1.Secret
}

// Response tells of a VM that exists.
type Response struct {
	ProviderID string
	NodeName   string
}

// Code says what kind of error a driver returns. The values are those of machine-controller-manager.
type Code string

// The codes that this example uses.
const (
	InvalidArgument   Code = "InvalidArgument"
	NotFound          Code = "NotFound"
	OutOfRange        Code = "OutOfRange"
	ResourceExhausted Code = "ResourceExhausted"
	Internal          Code = "Internal"
	Unauthenticated   Code = "Unauthenticated"
	Uninitialized     Code = "Uninitialized"
)

// Status is an error with a code.
type Status struct { //nolint:errname // the name is machine-controller-manager's
	Code  Code
	Cause error
}

// Error returns the code and the cause in the form of machine-controller-manager, by which package machineupdate knows them.
func (s *Status) Error() string {
	return fmt.Sprintf("machine codes error: code = [%s] message = [%s]", s.Code, s.Cause)
}

// Unwrap returns the cause.
func (s *Status) Unwrap() error { return s.Cause }

// CodeOf returns the code of an error: none if the error is nil, Internal if it has none.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	if status, ok := errors.AsType[*Status](err); ok {
		return status.Code
	}
	return Internal
}
