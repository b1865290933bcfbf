package machineupdate

import (
	"maps"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate/internal/record"
)

// pass is one update of one machine: the request to the driver, and the records before and after
// it. It is immutable.
type pass struct {
	observation

	planned *record.Pass
	adopts  bool // nothing was recorded about the VM
	again   bool // the success needs another confirmation, because it is unknown when the lane was applied
}

// drained records for which drain of the node the pass is made, if it is made for one.
func (p *pass) drained() {
	if p.gate != nil {
		since := p.gate.node.Drained.UTC().Truncate(time.Second)
		p.planned.Drained(record.Drain{Class: p.Class.class.name, Node: string(p.gate.node.UID), Since: since})
	}
}

// restorePrevious returns the write that removes the marker. Use it only if nothing was sent to the
// cloud.
func (p *pass) restorePrevious(resourceVersion string) patch {
	restored := map[string]*string{p.lane.annotation: nil}
	if previous, recorded := p.Machine.Annotations[p.lane.annotation]; recorded {
		restored[p.lane.annotation] = &previous
	}
	return p.Machine.write(resourceVersion, restored)
}

const (
	// maxLastApplied is the greatest length of a mirrored provider spec, in bytes.
	maxLastApplied = 64 << 10
	// maxAnnotations is the greatest size of all annotations with a mirrored provider spec. The API
	// server accepts 256 KiB, and others add annotations as well.
	maxAnnotations = 240 << 10
)

// succeeded returns the write after the success of the pass.
func (p *pass) succeeded(resourceVersion string, now time.Time) patch {
	annotations := p.annotated(p.planned.Succeeded(now))
	if p.planned.Whole && p.lane.name == "" {
		p.mirror(annotations)
	}
	return p.Machine.write(resourceVersion, annotations)
}

// mirror adds the provider spec of the class, if Settings.MirrorSpec asks for it, to the
// annotations of a success.
func (o *observation) mirror(annotations map[string]*string) {
	_, stands := o.Machine.Annotations[annotationLastApplied]
	switch {
	case o.Settings.MirrorSpec && o.Class != nil && len(o.Class.class.ProviderSpec) <= maxLastApplied:
		annotations[annotationLastApplied] = new(string(o.Class.class.ProviderSpec))
	case stands:
		annotations[annotationLastApplied] = nil
	}
}

// write returns the write of a record, bound to the object by which it was decided, or to a newer
// object from our own writes.
func (p *pass) write(resourceVersion string, r record.Record) patch {
	return p.Machine.write(resourceVersion, p.annotated(r))
}

func (p *pass) annotated(r record.Record) map[string]*string {
	return map[string]*string{p.lane.annotation: new(r.Annotation())}
}

// write returns the write of annotations. If they do not fit beside the mirrored provider spec, it
// drops the mirrored spec.
func (m *machine) write(resourceVersion string, annotations map[string]*string) patch {
	p := patch{Machine: m.Name, UID: m.UID, ResourceVersion: resourceVersion, Annotations: annotations}
	merged, size := map[string]string{}, 0
	maps.Copy(merged, m.Annotations)
	for name, value := range annotations {
		if delete(merged, name); value != nil {
			merged[name] = *value
		}
	}
	for name, value := range merged {
		size += len(name) + len(value)
	}
	if _, mirrored := merged[annotationLastApplied]; mirrored && size > maxAnnotations {
		p.crowded, annotations[annotationLastApplied] = true, nil
	}
	return p
}

func (p *pass) request() *UpdateMachineRequest {
	r := &UpdateMachineRequest{
		Machine: p.Machine.Name, ProviderID: p.Machine.ProviderID, Class: p.Class.class.MachineClass,
		Secret: p.Secret, Lane: p.lane.name,
		NotBefore: p.planned.Marker.NotBefore, ReadOnly: p.isClosed(),
	}
	for _, part := range p.planned.Parts {
		attempted := make([]Hot, len(part.Attempted))
		for i, hot := range part.Attempted {
			attempted[i] = Hot(hot)
		}
		r.Parts = append(r.Parts, Part{
			Kind: part.Kind, Applied: Hot(part.Applied), Attempted: attempted, Desired: Hot(part.Desired),
		})
	}
	return r
}

// patch is one write to the annotations of a Machine: the metadata of a JSON merge patch, which the
// API server refuses with a conflict if the machine has another resourceVersion or UID.
type patch struct {
	Machine string `json:"-"` // its name
	// UID and ResourceVersion are those that the machine must still have. Without the check of the
	// resourceVersion two leaders could overwrite each other's records. An empty UID is omitted.
	UID             types.UID          `json:"uid,omitempty"`
	ResourceVersion string             `json:"resourceVersion"`
	Annotations     map[string]*string `json:"annotations"` // nil removes an annotation

	crowded bool // the mirrored provider spec was dropped, because it does not fit
}
