package api

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
)

// Copies for client-go: copies of objects share no memory, copies of lists share the items, which
// must not be changed.

// DeepCopy returns a copy that shares no memory with the receiver.
func (m *Machine) DeepCopy() *Machine {
	copied := *m
	copied.ObjectMeta = *m.ObjectMeta.DeepCopy()
	return &copied
}

// DeepCopyObject makes a Machine a runtime.Object.
func (m *Machine) DeepCopyObject() runtime.Object { return m.DeepCopy() }

// DeepCopyObject makes a MachineClass a runtime.Object.
func (c *MachineClass) DeepCopyObject() runtime.Object {
	copied := *c
	copied.ObjectMeta = *c.ObjectMeta.DeepCopy()
	copied.ProviderSpec = *c.ProviderSpec.DeepCopy()
	return &copied
}

// DeepCopyObject makes a MachineSet a runtime.Object.
func (s *MachineSet) DeepCopyObject() runtime.Object {
	copied := *s
	copied.ObjectMeta = *s.ObjectMeta.DeepCopy()
	copied.Spec.Template.Labels = maps.Clone(s.Spec.Template.Labels)
	return &copied
}

// DeepCopyObject makes a MachineDeployment a runtime.Object.
func (d *MachineDeployment) DeepCopyObject() runtime.Object {
	copied := *d
	copied.ObjectMeta = *d.ObjectMeta.DeepCopy()
	copied.Spec.Template.Labels = maps.Clone(d.Spec.Template.Labels)
	return &copied
}

// DeepCopyObject makes a List a runtime.Object.
func (l *List[T]) DeepCopyObject() runtime.Object {
	copied := *l
	copied.Items = slices.Clone(l.Items)
	return &copied
}
