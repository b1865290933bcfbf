// Package driver is the boundary between the machine controller and a cloud, with the shape of machine-controller-manager's own:
// requests, responses and codes. Two methods are those of proposals: InitializeMachine and UpdateMachine.
//
// It knows no cloud.
package driver

import (
	"context"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// Driver makes, finds, changes and deletes the VMs of machines. All errors carry a [Code].
type Driver interface {
	// CreateMachine launches the VM. Calling it again for the same machine finds the VM of then.
	CreateMachine(ctx context.Context, request *Request) (*Response, error)
	// InitializeMachine does what remains to be done when the VM exists. An error has the code Initialization, and it is called again.
	InitializeMachine(ctx context.Context, request *Request) (*Response, error)
	// UpdateMachine applies what the request wants to the running VM. See [machineupdate.UpdateMachineRequest] for its contract; the
	// errors that the contract names stand for NotFound and Unimplemented.
	UpdateMachine(ctx context.Context, request *machineupdate.UpdateMachineRequest) error
	// MachineStatus finds the VM and reports whether it was initialized: NotFound or Initialization if not.
	MachineStatus(ctx context.Context, request *Request) (*Response, error)
	// DeleteMachine deletes the VM. It is no error if there is none.
	DeleteMachine(ctx context.Context, request *Request) error
}

// Request says which machine a call is about.
type Request struct {
	Machine      *api.Machine
	MachineClass *api.MachineClass
	Secret       *api.Secret
}

// Response tells of a VM that exists.
type Response struct {
	ProviderID string
	NodeName   string
}
