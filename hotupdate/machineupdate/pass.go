package machineupdate

import (
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate/internal/record"
)

// pass is one update of one machine: the request to the driver, and the records before and after it. It is immutable.
type pass struct {
	observation

	planned *record.Pass
	again   bool // the success needs another confirmation, because it is unknown when the lane was applied
}

// restorePrevious returns the write that removes the marker. Use it only if nothing was sent to the cloud.
func (p *pass) restorePrevious(resourceVersion string) patch {
	restored := map[string]*string{p.lane.annotation: nil}
	if previous, recorded := p.Machine.Annotations[p.lane.annotation]; recorded {
		restored[p.lane.annotation] = &previous
	}
	return p.Machine.write(resourceVersion, restored)
}

// maxLastApplied is the greatest length of a mirrored provider spec, in bytes.
const maxLastApplied = 64 << 10

// succeeded returns the write after the success of the pass.
func (p *pass) succeeded(resourceVersion string, now time.Time) patch {
	written := p.write(resourceVersion, p.planned.Succeeded(now))
	if p.planned.Whole && p.lane.name == "" {
		p.mirror(written.Annotations)
	}
	return written
}

// mirror adds the provider spec of the class, if Settings.MirrorSpec asks for it, to the annotations of a success.
func (o *observation) mirror(annotations map[string]*string) {
	_, stands := o.Machine.Annotations[AnnotationLastApplied]
	switch {
	case o.Settings.MirrorSpec && o.Class != nil && len(o.Class.class.ProviderSpec) <= maxLastApplied:
		annotations[AnnotationLastApplied] = new(string(o.Class.class.ProviderSpec))
	case stands:
		annotations[AnnotationLastApplied] = nil
	}
}

// write returns the write of a record, bound to the object by which it was decided, or to a newer object from our own writes.
func (p *pass) write(resourceVersion string, r record.Record) patch {
	return p.Machine.write(resourceVersion, map[string]*string{p.lane.annotation: new(r.Annotation())})
}

func (m *machine) write(resourceVersion string, annotations map[string]*string) patch {
	return patch{Machine: m.Name, UID: m.UID, ResourceVersion: resourceVersion, Annotations: annotations}
}

func (p *pass) request() *UpdateMachineRequest {
	r := &UpdateMachineRequest{
		Machine: p.Machine.Name, ProviderID: p.Machine.ProviderID, Class: p.Class.class.MachineClass, Secret: p.Secret, Lane: p.lane.name,
		NotBefore: p.planned.Marker.NotBefore, ReadOnly: p.isClosed(),
	}
	for _, part := range p.planned.Parts {
		attempted := make([]Hot, len(part.Attempted))
		for i, hot := range part.Attempted {
			attempted[i] = Hot(hot)
		}
		r.Parts = append(r.Parts, Part{Kind: part.Kind, Applied: Hot(part.Applied), Attempted: attempted, Desired: Hot(part.Desired)})
	}
	return r
}

// patch is one write to the annotations of a Machine: the metadata of a JSON merge patch, which the API server refuses with a conflict if the
// machine has another resourceVersion or UID.
type patch struct {
	Machine string `json:"-"` // its name
	// UID and ResourceVersion are those that the machine must still have. Without the check of the resourceVersion two leaders could overwrite each
	// other's records. An empty UID is omitted.
	UID             types.UID          `json:"uid,omitempty"`
	ResourceVersion string             `json:"resourceVersion"`
	Annotations     map[string]*string `json:"annotations"` // nil removes an annotation
}
