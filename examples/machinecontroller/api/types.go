// Package api holds the objects of the example: Machine, MachineClass and Secret, with the JSON names that machine-controller-manager
// gives the fields that the example needs.
//
// They are types of their own, as machine-controller-manager is no dependency. It knows no cloud, and not what controllers do.
package api

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// The kinds, as the store names them.
const (
	KindMachine      = "Machine"
	KindMachineClass = "MachineClass"
	KindSecret       = "Secret"
)

// Finalizer keeps a machine until its VM is gone.
const Finalizer = "machine.sapcloud.io/machine-controller-manager"

// NodeLabel is the label of a machine that names its node.
const NodeLabel = "node"

// Machine is one machine: a VM and the node that runs on it.
type Machine struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec   MachineSpec   `json:"spec,omitempty"`
	Status MachineStatus `json:"status,omitempty"`
}

// ResourceKind returns KindMachine.
func (*Machine) ResourceKind() string { return KindMachine }

// DeepCopyObject makes a Machine a runtime.Object, as client-go's functions need it.
func (m *Machine) DeepCopyObject() runtime.Object {
	copied := *m
	copied.ObjectMeta = *m.ObjectMeta.DeepCopy()
	return &copied
}

// MachineSpec says which class the machine is of. ProviderID is written by the controller when the VM exists.
type MachineSpec struct {
	Class      ClassSpec `json:"class,omitempty"`
	ProviderID string    `json:"providerID,omitempty"`
}

// ClassSpec names a class.
type ClassSpec struct {
	Kind string `json:"kind,omitempty"`
	Name string `json:"name,omitempty"`
}

// MachineStatus is what the controller reports. It is a subresource.
type MachineStatus struct {
	CurrentStatus CurrentStatus `json:"currentStatus,omitempty"`
	LastOperation LastOperation `json:"lastOperation,omitempty"`
}

// CurrentStatus is the phase and when it began.
type CurrentStatus struct {
	Phase          MachinePhase `json:"phase,omitempty"`
	LastUpdateTime metav1.Time  `json:"lastUpdateTime,omitempty"`
}

// MachinePhase is where a machine is in its life. The empty phase is that of a machine nobody has looked at.
type MachinePhase string

// The phases.
const (
	MachinePending          MachinePhase = "Pending"
	MachineRunning          MachinePhase = "Running"
	MachineTerminating      MachinePhase = "Terminating"
	MachineUnknown          MachinePhase = "Unknown"
	MachineFailed           MachinePhase = "Failed"
	MachineCrashLoopBackOff MachinePhase = "CrashLoopBackOff"
)

// LastOperation is a report for people.
type LastOperation struct {
	Description    string               `json:"description,omitempty"`
	ErrorCode      string               `json:"errorCode,omitempty"`
	LastUpdateTime metav1.Time          `json:"lastUpdateTime,omitempty"`
	State          MachineState         `json:"state,omitempty"`
	Type           MachineOperationType `json:"type,omitempty"`
}

// MachineState is how far an operation is.
type MachineState string

// The states of an operation.
const (
	StateProcessing MachineState = "Processing"
	StateFailed     MachineState = "Failed"
	StateSuccessful MachineState = "Successful"
)

// MachineOperationType is what an operation does.
type MachineOperationType string

// The operations.
const (
	OperationCreate      MachineOperationType = "Create"
	OperationUpdate      MachineOperationType = "Update"
	OperationHealthCheck MachineOperationType = "HealthCheck"
	OperationDelete      MachineOperationType = "Delete"
)

// InstanceInitialization is the description of a LastOperation that failed after the VM was created (InitializeMachine proposal,
// "MCM Changes").
const InstanceInitialization = "InstanceInitialization"

// MachineClass is the template that machines share. Controllers never change it.
type MachineClass struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	// Provider names the driver.
	Provider string `json:"provider,omitempty"`
	// ProviderSpec is the driver's own type.
	ProviderSpec runtime.RawExtension `json:"providerSpec"`
	// SecretRef names the secret with the credentials.
	SecretRef *SecretReference `json:"secretRef,omitempty"`
}

// ResourceKind returns KindMachineClass.
func (*MachineClass) ResourceKind() string { return KindMachineClass }

// SecretReference names a secret.
type SecretReference struct {
	Name      string `json:"name,omitempty"`
	Namespace string `json:"namespace,omitempty"`
}

// Secret holds credentials.
type Secret struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Data map[string][]byte `json:"data,omitempty"`
}

// ResourceKind returns KindSecret.
func (*Secret) ResourceKind() string { return KindSecret }
