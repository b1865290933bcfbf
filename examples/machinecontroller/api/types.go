// Package api has the objects of the tests and client-go's typed clients for them: Machine,
// MachineClass, MachineSet and MachineDeployment, with the names and JSON names of
// machine-controller-manager, but only the fields that the tests need.
//
// They are own types, because machine-controller-manager is not a dependency. They know no cloud
// and no controller.
package api

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Finalizer keeps a machine until its VM is gone, and a class until no machine uses it.
const Finalizer = "machine.sapcloud.io/machine-controller-manager"

// NodeLabelKey is the label of a machine that names its node.
const NodeLabelKey = "node"

// InPlaceUpdateStrategyType is the type of the strategy of a [MachineDeployment] whose nodes are updated, not replaced.
const InPlaceUpdateStrategyType = "InPlaceUpdate"

// Machine is one machine: a VM and its node.
type Machine struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   MachineSpec   `json:"spec,omitempty"`
	Status MachineStatus `json:"status,omitempty"`
}

// List is a list of objects, such as a MachineList.
type List[T any] struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []T `json:"items"`
}

// MachineSpec names the class of the machine. The controller writes ProviderID when the VM exists.
type MachineSpec struct {
	Class      ClassSpec `json:"class,omitempty"`
	ProviderID string    `json:"providerID,omitempty"`
}

// ClassSpec names a class.
type ClassSpec struct {
	Kind string `json:"kind,omitempty"`
	Name string `json:"name,omitempty"`
}

// MachineStatus is the controller's report. It is a subresource.
type MachineStatus struct {
	CurrentStatus CurrentStatus `json:"currentStatus,omitempty"`
	LastOperation LastOperation `json:"lastOperation,omitempty"`
}

// CurrentStatus is the phase and its begin.
type CurrentStatus struct {
	Phase          MachinePhase `json:"phase,omitempty"`
	LastUpdateTime metav1.Time  `json:"lastUpdateTime,omitempty"`
}

// MachinePhase is the phase of a machine's life. A new machine has the empty phase.
type MachinePhase string

// The phases.
const (
	MachinePending          MachinePhase = "Pending"
	MachineRunning          MachinePhase = "Running"
	MachineTerminating      MachinePhase = "Terminating"
	MachineFailed           MachinePhase = "Failed"
	MachineCrashLoopBackOff MachinePhase = "CrashLoopBackOff"
)

// LastOperation is a report for people. Controllers also read it.
type LastOperation struct {
	LastUpdateTime metav1.Time          `json:"lastUpdateTime,omitempty"`
	State          MachineState         `json:"state,omitempty"`
	Type           MachineOperationType `json:"type,omitempty"`
}

// MachineState is the state of an operation.
type MachineState string

// The states of an operation.
const (
	MachineStateProcessing MachineState = "Processing"
	MachineStateSuccessful MachineState = "Successful"
)

// MachineOperationType is the type of an operation.
type MachineOperationType string

// The operations.
const (
	MachineOperationCreate        MachineOperationType = "Create"
	MachineOperationUpdate        MachineOperationType = "Update"
	MachineOperationInPlaceUpdate MachineOperationType = "InPlaceUpdate"
	MachineOperationHealthCheck   MachineOperationType = "HealthCheck"
	MachineOperationDelete        MachineOperationType = "Delete"
)

// MachineClass is the template that machines share. Controllers never change its spec.
type MachineClass struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Provider names the driver.
	Provider string `json:"provider,omitempty"`
	// ProviderSpec is the driver's own type.
	ProviderSpec runtime.RawExtension `json:"providerSpec"`
	// SecretRef names the secret with the credentials.
	SecretRef SecretReference `json:"secretRef,omitempty"`
}

// SecretReference names a secret.
type SecretReference struct {
	Name string `json:"name,omitempty"`
}

// MachineTemplateSpec is the template of new machines.
type MachineTemplateSpec struct {
	Labels map[string]string `json:"labels,omitempty"`
	Spec   MachineSpec       `json:"spec,omitempty"`
}

// MachineSet has the machines of one class of a [MachineDeployment]. It has the name of the class.
type MachineSet struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec MachineSetSpec `json:"spec,omitempty"`
}

// MachineSetSpec has the template of its machines.
type MachineSetSpec struct {
	Template MachineTemplateSpec `json:"template,omitempty"`
}

// MachineDeployment is a pool of machines. Its template names the class that its machines should
// have.
type MachineDeployment struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec MachineDeploymentSpec `json:"spec,omitempty"`
}

// MachineDeploymentSpec has the number of machines, and the strategy for changes of the template.
type MachineDeploymentSpec struct {
	Replicas int32                     `json:"replicas"`
	Strategy MachineDeploymentStrategy `json:"strategy,omitempty"`
	Template MachineTemplateSpec       `json:"template,omitempty"`
}

// MachineDeploymentStrategy names a strategy.
type MachineDeploymentStrategy struct {
	Type string `json:"type,omitempty"`
}
