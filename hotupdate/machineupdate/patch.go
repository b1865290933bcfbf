package machineupdate

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/types"
)

// patch is one write to the annotations of a Machine.
type patch struct {
	Machine string // its name
	// UID and ResourceVersion are those that the machine must still have. A write that does not check the resourceVersion lets two leaders
	// overwrite each other's records. The UID is left out if it is empty.
	UID             types.UID
	ResourceVersion string
	Set             map[string]string // annotations to set
	Remove          []string          // annotations to remove
}

// mergePatch returns the write as a JSON merge patch, which the API server refuses with a conflict if the machine has another
// resourceVersion or UID.
func (p patch) mergePatch() ([]byte, error) {
	type metadata struct {
		UID             types.UID          `json:"uid,omitempty"`
		ResourceVersion string             `json:"resourceVersion"`
		Annotations     map[string]*string `json:"annotations"`
	}
	annotations := make(map[string]*string, len(p.Set)+len(p.Remove))
	for _, name := range p.Remove {
		annotations[name] = nil
	}
	for name, value := range p.Set {
		annotations[name] = &value
	}
	return json.Marshal(map[string]metadata{"metadata": {p.UID, p.ResourceVersion, annotations}})
}
