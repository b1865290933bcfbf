package machineupdate

import (
	"maps"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate/internal/record"
)

// annotations are annotations of a Machine to write; nil removes one.
type annotations map[string]*string

// annotated returns the annotation with a record of the lane.
func (o *observation) annotated(r record.Record) annotations {
	return annotations{o.lane.annotation: new(r.Annotation())}
}

// former returns the annotation as it was observed, which removes the marker. Use it only if nothing
// was sent to the cloud.
func (o *observation) former() annotations {
	if text, recorded := o.Machine.GetAnnotations()[o.lane.annotation]; recorded {
		return annotations{o.lane.annotation: &text}
	}
	return annotations{o.lane.annotation: nil}
}

const (
	// maxLastApplied is the greatest length of a mirrored provider spec, in bytes.
	maxLastApplied = 64 << 10
	// maxAnnotations is the greatest size of all annotations with a mirrored provider spec. The API
	// server accepts 256 KiB, and others also add annotations.
	maxAnnotations = 240 << 10
)

// mirrored adds the provider spec of the class, if Settings.MirrorSpec asks for it, to the
// annotations of a success.
func (o *observation) mirrored(success annotations) annotations {
	_, stands := o.Machine.GetAnnotations()[annotationLastApplied]
	isShort := o.Class != nil && len(o.Class.class.ProviderSpec) <= maxLastApplied
	switch {
	case o.Settings.MirrorSpec && isShort:
		success[annotationLastApplied] = new(string(o.Class.class.ProviderSpec))
	case stands:
		success[annotationLastApplied] = nil
	}
	return success
}

// makeRoom drops the mirrored provider spec, and reports whether it did, if it does not fit beside
// the other annotations of a machine.
func (a annotations) makeRoom(present map[string]string) (crowded bool) {
	merged := map[string]string{}
	size := 0
	maps.Copy(merged, present)
	for name, value := range a {
		delete(merged, name)
		if value != nil {
			merged[name] = *value
		}
	}
	for name, value := range merged {
		size += len(name) + len(value)
	}
	if _, mirrored := merged[annotationLastApplied]; mirrored && size > maxAnnotations {
		a[annotationLastApplied] = nil
		return true
	}
	return false
}

// request returns the request of a pass to the driver.
func (o *observation) request(p *record.Pass) *UpdateMachineRequest {
	r := &UpdateMachineRequest{
		Machine: o.Machine.GetName(), ProviderID: o.ProviderID, Class: o.Class.class, Secret: o.Secret,
		Lane: o.lane.name, NotBefore: p.Marker.NotBefore, ReadOnly: o.isClosed(),
	}
	for _, part := range p.Parts {
		attempted := make([]HotSpec, len(part.Attempted))
		for i, hot := range part.Attempted {
			attempted[i] = HotSpec(hot)
		}
		r.Parts = append(r.Parts, Part{
			Kind: part.Kind, Applied: HotSpec(part.Applied), Attempted: attempted, Desired: HotSpec(part.Desired),
		})
	}
	return r
}
