package machineupdate

import (
	"slices"
	"time"
)

// Pass is one update of one machine: what the driver is asked for, and what is written before and after. It is immutable.
type Pass struct {
	machine  Machine
	class    *Prepared
	secret   map[string][]byte
	desired  Hot
	marker   Record
	previous string // the annotation before the pass
	recorded bool   // there was one
}

// Marker returns the record that AboutToCall writes.
func (p *Pass) Marker() Record { return p.marker.clone() }

// AboutToCall returns the write that has to succeed before the driver is called. It carries the resourceVersion by which the decision
// was made.
func (p *Pass) AboutToCall() Patch {
	return p.patch(p.machine.ResourceVersion, p.marker)
}

// Succeeded returns the write that follows the success of an update. The resourceVersion is that which the write of AboutToCall
// returned.
//
// What was applied before stays owned: a cloud read that lagged may not have shown it.
func (p *Pass) Succeeded(resourceVersion string, now time.Time) Patch {
	r := p.marker.clone()
	former := r.Applied
	r.Applied, r.State, r.Since, r.Retries = p.desired, Unconfirmed, wholeSeconds(now), 0
	r.Attempted = slices.DeleteFunc(r.Attempted, func(attempted Hot) bool { return attempted == p.desired })
	if former != p.desired && !r.attempt(former) {
		r = p.marker // Decide has checked that it fits; what does not is never forgotten
	}
	return p.mirrored(p.patch(resourceVersion, r))
}

// Settled returns the write that follows the success of a confirmation.
func (p *Pass) Settled(resourceVersion string, now time.Time) Patch {
	return p.patch(resourceVersion, p.settled(now))
}

func (p *Pass) settled(now time.Time) Record {
	return Record{ProviderID: p.marker.ProviderID, Schema: p.marker.Schema, Since: wholeSeconds(now), Applied: p.desired}
}

// RestorePrevious returns the write that takes AboutToCall back. It is right only if nothing was sent to the cloud.
func (p *Pass) RestorePrevious(resourceVersion string) Patch {
	patch := Patch{Machine: p.machine.Name, ResourceVersion: resourceVersion}
	if p.recorded {
		patch.Set = map[string]string{AnnotationRecord: p.previous}
	} else {
		patch.Remove = []string{AnnotationRecord}
	}
	return patch
}

func (p *Pass) patch(resourceVersion string, r Record) Patch {
	return Patch{
		Machine: p.machine.Name, ResourceVersion: resourceVersion,
		Set: map[string]string{AnnotationRecord: r.Annotation()},
	}
}

// mirrored adds the provider spec for people to a patch, if it is what was applied.
func (p *Pass) mirrored(patch Patch) Patch {
	spec := p.class.class.ProviderSpec
	switch {
	case p.desired != p.class.hot:
	case len(spec) > MaxLastApplied:
		patch.Remove = []string{AnnotationLastApplied}
	default:
		patch.Set[AnnotationLastApplied] = string(spec)
	}
	return patch
}

// Request returns what the driver is asked for.
func (p *Pass) Request() *UpdateMachineRequest {
	r := &UpdateMachineRequest{
		Machine: p.machine.Name, ProviderID: p.machine.ProviderID, Class: p.class.class, Secret: p.secret,
		Applied: p.marker.Applied, Attempted: slices.Clone(p.marker.Attempted), Attempts: slices.Clone(p.marker.Attempts),
		Desired: p.desired,
	}
	if len(r.Attempts) > 0 && !slices.Contains(r.Attempted, p.desired) {
		r.Attempted = append(r.Attempted, p.desired) // recorded as digests only; what it differs in from the applied one is to be set, whatever reads say
	}
	return r
}
