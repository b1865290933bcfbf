package tags

import "strconv"

// Kind is a kind of resource that carries infrastructure tags. The zero value is no kind, and has no rules.
type Kind uint8

// The kinds, in the order in which they are listed everywhere.
const (
	_       Kind = iota
	VM           // the virtual machine
	Network      // its network interfaces; on GCP, where these carry nothing, the network tags of the VM
	Disk         // its volumes
)

// Kinds returns every kind, in a new slice.
func Kinds() []Kind { return []Kind{VM, Network, Disk} }

// String returns the name that the kind has in JSON: "vm", "network" or "disk".
func (k Kind) String() string { return enumName(k, "Kind", "", "vm", "network", "disk") }

// Cloud is an infrastructure whose rules this package knows. The zero value is none.
type Cloud uint8

// The clouds.
const (
	_ Cloud = iota
	AWS
	Azure
	GCP
	OpenStack
	AliCloud
)

// String returns the cloud's name.
func (c Cloud) String() string {
	return enumName(c, "Cloud", "", "AWS", "Azure", "GCP", "OpenStack", "Alibaba Cloud")
}

// enumName returns the name at the value's index, or the type with the number for a value without a name.
func enumName[E ~uint8](value E, enum string, names ...string) string {
	if int(value) < len(names) && names[value] != "" {
		return names[value]
	}
	return enum + "(" + strconv.Itoa(int(value)) + ")"
}
