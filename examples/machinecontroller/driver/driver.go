// Package driver is the interface between the machine controller and a cloud, like that of machine-controller-manager: requests, responses and codes.
// Hot updates add Prepare and UpdateMachine.
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

// Driver makes, finds, changes and deletes the VMs of machines. All errors except those of UpdateMachine are of type *Status.
type Driver interface {
	// CreateMachine launches the VM. Another call for the same machine finds the existing VM.
	CreateMachine(ctx context.Context, request *Request) (*Response, error)
	// InitializeMachine configures the existing VM. It may be repeated.
	InitializeMachine(ctx context.Context, request *Request) (*Response, error)
	// DeleteMachine deletes the VM, if it exists.
	DeleteMachine(ctx context.Context, request *Request) error
	// GetMachineStatus finds the VM. It returns NotFound if there is none, and the VM with the error Uninitialized if it must be initialized.
	GetMachineStatus(ctx context.Context, request *Request) (*Response, error)
	// Prepare reads the class side of updates, see [machineupdate.Classes.Prepare].
	Prepare(classes *machineupdate.Classes, class machineupdate.MachineClass) (prepared *machineupdate.Prepared, beyond bool, err error)
	// UpdateMachine applies the request to the running VM. See [machineupdate.UpdateMachineRequest] for its contract.
	UpdateMachine(ctx context.Context, request *machineupdate.UpdateMachineRequest) error
}

// Request has the machine of a call.
type Request struct {
	Machine      *api.Machine
	MachineClass *api.MachineClass
	Secret       *corev1.Secret
}

// Response describes an existing VM.
type Response struct {
	ProviderID string
	NodeName   string
}

// Code is the kind of a driver's error. The values are those of machine-controller-manager.
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

// Error returns the code and the cause in the form of machine-controller-manager, which package machineupdate parses.
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
