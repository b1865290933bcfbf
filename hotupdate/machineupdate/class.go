package machineupdate

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// MachineClass is a class of machines.
type MachineClass struct {
	// as the cache returned it, anything that is shaped like a MachineClass; without it the class
	// has no name
	Object       metav1.Object
	ProviderSpec []byte // raw
}

// class is what hot updates read of a [MachineClass].
type class struct {
	MachineClass

	key, name        string // the key is that of client-go's caches
	version          string // empty unless UID and resourceVersion are known
	deleting, paused bool
}

func (c MachineClass) read() class {
	if c.Object == nil {
		return class{MachineClass: c}
	}
	read := class{
		MachineClass: c, name: c.Object.GetName(),
		key:      strings.TrimPrefix(c.Object.GetNamespace()+"/"+c.Object.GetName(), "/"),
		deleting: c.Object.GetDeletionTimestamp() != nil, paused: isPaused(c.Object.GetAnnotations()),
	}
	if uid, version := c.Object.GetUID(), c.Object.GetResourceVersion(); uid != "" && version != "" {
		read.version = string(uid) + "/" + version
	}
	return read
}
