package driver

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/gardener/machine-controller-manager/pkg/apis/machine/v1alpha1"
)

// Updater is implemented by a Driver that can update running machines.
type Updater interface {
	// DescribeUpdates says what UpdateMachine applies.
	DescribeUpdates() []byte
	// UpdateMachine applies the request to the running VM.
	UpdateMachine(context.Context, *UpdateMachineRequest) (*UpdateMachineResponse, error)
}

// UpdateMachineRequest asks for an update of a running machine.
type UpdateMachineRequest struct {
	// Machine is the machine to update.
	Machine *v1alpha1.Machine
	// MachineClass is the class that the machine should have. It need not be the one that it names.
	MachineClass *v1alpha1.MachineClass
	// Secret has the credentials of that class.
	Secret *corev1.Secret
	// Update is the JSON of what was applied and what is desired.
	Update []byte
	// BeforeWrite must have returned nil before the first request that changes the cloud.
	BeforeWrite func(context.Context) error
	// Tell, TellClass and OtherWriter report what becomes events of the machine.
	Tell        func(message string)
	TellClass   func(message string)
	OtherWriter func(resource, key, live string)
}

// UpdateMachineResponse is the response to an update of a machine.
type UpdateMachineResponse struct{}
