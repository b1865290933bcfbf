package machineupdate

import "k8s.io/apimachinery/pkg/types"

// patch is one write to the annotations of a Machine: the metadata of a JSON merge patch, which the API server refuses with a conflict if the
// machine has another resourceVersion or UID.
type patch struct {
	Machine string `json:"-"` // its name
	// UID and ResourceVersion are those that the machine must still have. A write that does not check the resourceVersion lets two leaders
	// overwrite each other's records. The UID is left out if it is empty.
	UID             types.UID          `json:"uid,omitempty"`
	ResourceVersion string             `json:"resourceVersion"`
	Annotations     map[string]*string `json:"annotations"` // nil removes one
}
