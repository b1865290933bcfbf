package tags

import "maps"

// Tags are the infrastructure tags of a machine, one map for each kind of resource.
//
// Tags is an API type: the JSON names are its contract. Where a kind carries keys without values,
// such as GCP's network tags, each key has the empty string as its value.
type Tags struct {
	// VM are the tags of the virtual machine.
	VM map[string]string `json:"vm,omitempty"`
	// Network are the tags of the network interfaces; on GCP the network tags of the virtual
	// machine.
	Network map[string]string `json:"network,omitempty"`
	// Disk are the tags of the volumes.
	Disk map[string]string `json:"disk,omitempty"`
}

// Of returns the map of a kind, not a copy. It is nil for a nil receiver and for an unknown kind.
func (t *Tags) Of(k Kind) map[string]string {
	if t == nil {
		return nil
	}
	switch k {
	case VM:
		return t.VM
	case Network:
		return t.Network
	case Disk:
		return t.Disk
	}
	return nil
}

// DeepCopyInto writes a copy into out that shares no memory with the receiver. Nil maps stay nil,
// and empty maps stay empty.
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

// Kind is a kind of resource that carries infrastructure tags, by its name in JSON. Any other text
// is an unknown kind and has no rules.
type Kind string

// The kinds, in the order in which they are listed everywhere.
const (
	VM Kind = "vm" // the virtual machine
	// Network are its network interfaces; on GCP, where interfaces carry no tags, the network tags
	// of the VM
	Network Kind = "network"
	Disk    Kind = "disk" // its volumes
)

// Kinds returns every kind, in a new slice.
func Kinds() []Kind { return []Kind{VM, Network, Disk} }

// Cloud is an infrastructure whose rules this package knows. Any other text is an unknown cloud.
type Cloud string

// The clouds.
const (
	AWS       Cloud = "AWS"
	Azure     Cloud = "Azure"
	GCP       Cloud = "GCP"
	OpenStack Cloud = "OpenStack"
	AliCloud  Cloud = "Alibaba Cloud"
)
