package tags

import "strconv"

// Kind is a kind of resource that carries infrastructure tags. The zero value is no kind, and has no rules.
type Kind uint8

// The kinds, in the order in which they are listed everywhere.
const (
	UnknownKind Kind = iota
	VM               // the virtual machine
	Network          // its network interfaces; on GCP, where these carry nothing, the network tags of the VM
	Disk             // its volumes
)

// Kinds returns every kind, in a slice of its own.
func Kinds() []Kind { return []Kind{VM, Network, Disk} }

// String returns the name that the kind has in JSON: "vm", "network" or "disk".
func (k Kind) String() string {
	switch k {
	case VM:
		return "vm"
	case Network:
		return "network"
	case Disk:
		return "disk"
	case UnknownKind:
	}
	return "Kind(" + strconv.Itoa(int(k)) + ")"
}

// Cloud is an infrastructure whose rules this package knows. The zero value is none. Drivers of other infrastructures write their
// own [Rules].
type Cloud uint8

// The clouds.
const (
	UnknownCloud Cloud = iota
	AWS
	Azure
	GCP
	OpenStack
	AliCloud
)

// Clouds returns every cloud, in a slice of its own.
func Clouds() []Cloud { return []Cloud{AWS, Azure, GCP, OpenStack, AliCloud} }

// String returns the cloud's name.
func (c Cloud) String() string {
	switch c {
	case AWS:
		return "AWS"
	case Azure:
		return "Azure"
	case GCP:
		return "GCP"
	case OpenStack:
		return "OpenStack"
	case AliCloud:
		return "Alibaba Cloud"
	case UnknownCloud:
	}
	return "Cloud(" + strconv.Itoa(int(c)) + ")"
}
