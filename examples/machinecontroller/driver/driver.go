// Package driver is the interface between the machine controller and a cloud, like the interface
// of machine-controller-manager: requests, responses and codes. Hot updates add the interface
// [Updater].
//
// It knows no cloud, and no type of package machineupdate.
package driver

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
)

// Driver makes, finds and deletes the VMs of machines. All errors are of type *Status.
type Driver interface {
	// CreateMachine launches the VM. Another call for the same machine finds the existing VM.
	CreateMachine(ctx context.Context, request *Request) (*Response, error)
	// InitializeMachine configures the existing VM. It may be repeated.
	InitializeMachine(ctx context.Context, request *Request) (*Response, error)
	// DeleteMachine deletes the VM, if it exists.
	DeleteMachine(ctx context.Context, request *Request) error
	// GetMachineStatus finds the VM. It returns NotFound if there is none, and the VM with the
	// error Uninitialized if it must be initialized.
	GetMachineStatus(ctx context.Context, request *Request) (*Response, error)
}

// Updater is implemented by a Driver that can update running machines.
type Updater interface {
	// DescribeUpdates says what UpdateMachine applies.
	DescribeUpdates() []byte
	// UpdateMachine applies the request to the running VM.
	UpdateMachine(ctx context.Context, request *UpdateMachineRequest) (*UpdateMachineResponse, error)
}

// UpdateMachineRequest asks for an update of a running machine.
type UpdateMachineRequest struct {
	Machine      *api.Machine
	MachineClass *api.MachineClass
	Secret       *corev1.Secret
	// Update says what was applied and what is desired.
	Update []byte
	// BeforeWrite must have returned nil before the first change of the cloud.
	BeforeWrite func(ctx context.Context) error
	// Tell and OtherWriter report what becomes events of the machine.
	Tell        func(message string)
	TellClass   func(message string)
	OtherWriter func(resource, key, live string)
}

// UpdateMachineResponse is the result of an update.
type UpdateMachineResponse struct{}

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

// Code is the kind of a driver's error. The values are the codes of machine-controller-manager.
type Code string

// The codes that this example uses.
const (
	InvalidArgument   Code = "InvalidArgument"
	NotFound          Code = "NotFound"
	OutOfRange        Code = "OutOfRange"
	ResourceExhausted Code = "ResourceExhausted"
	Internal          Code = "Internal"
	Unavailable       Code = "Unavailable"
	Unauthenticated   Code = "Unauthenticated"
	Uninitialized     Code = "Uninitialized"
)

// Status is an error with a code.
type Status struct { //nolint:errname // the name is machine-controller-manager's
	Code  Code
	Cause error
}

// Error returns the code and the cause in the form of machine-controller-manager, which package
// machineupdate parses. As in machine-controller-manager, Status has no method Unwrap: callers
// that unwrap would not parse the text.
func (s *Status) Error() string {
	return fmt.Sprintf("machine codes error: code = [%s] message = [%s]", s.Code, s.Cause)
}

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
