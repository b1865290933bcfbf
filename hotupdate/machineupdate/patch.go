package machineupdate

import "encoding/json"

// Patch is one write to the metadata of a Machine.
type Patch struct {
	Machine string // its name
	// ResourceVersion is the one that the machine must still have. A write that does not check it lets two leaders overwrite each
	// other's records.
	ResourceVersion string
	Set             map[string]string // annotations to set
	Remove          []string          // annotations to remove
}

// MergePatch returns the write as a JSON merge patch, which the API server refuses with a conflict if the machine has another
// resourceVersion.
func (p Patch) MergePatch() ([]byte, error) {
	annotations := make(map[string]*string, len(p.Set)+len(p.Remove))
	for _, name := range p.Remove {
		annotations[name] = nil
	}
	for name, value := range p.Set {
		annotations[name] = &value
	}
	metadata := map[string]any{"resourceVersion": p.ResourceVersion, "annotations": annotations}
	return json.Marshal(map[string]any{"metadata": metadata})
}
