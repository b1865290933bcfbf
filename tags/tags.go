// Package tags holds the infrastructure tags of a machine: the keys and values that a cloud keeps with a virtual machine, its network
// interfaces and its disks.
package tags

import "maps"

// Tags are the infrastructure tags of a machine, one map for each kind of resource.
//
// It is an API type: the JSON names are its contract.
type Tags struct {
	// VM are the tags of the virtual machine.
	VM map[string]string `json:"vm,omitempty"`
	// Network are the tags of the network interfaces.
	Network map[string]string `json:"network,omitempty"`
	// Disk are the tags of the volumes.
	Disk map[string]string `json:"disk,omitempty"`
}

// DeepCopyInto writes a copy into out that shares no memory with the receiver. Nil and empty maps stay what they are.
func (t *Tags) DeepCopyInto(out *Tags) {
	*out = Tags{VM: maps.Clone(t.VM), Network: maps.Clone(t.Network), Disk: maps.Clone(t.Disk)}
}

// DeepCopy returns a copy that shares no memory with the receiver; a copy of nil is nil.
func (t *Tags) DeepCopy() *Tags {
	if t == nil {
		return nil
	}
	out := new(Tags)
	t.DeepCopyInto(out)
	return out
}
