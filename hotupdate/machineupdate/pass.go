package machineupdate

import (
	"slices"
	"time"
)

// pass is one update of one machine: what the driver is asked for, and what is written before and after. It is immutable.
type pass struct {
	machine  Machine
	class    *Prepared
	secret   map[string][]byte
	desired  Hot
	marker   record
	previous string // the annotation before the pass
	recorded bool   // there was one
}

// aboutToCall returns the write that has to succeed before the driver is called. It carries the resourceVersion by which the decision
// was made.
func (p *pass) aboutToCall() Patch {
	return p.patch(p.machine.ResourceVersion, p.marker)
}

// succeeded returns the write that follows the success of an update. The resourceVersion is that which the write of aboutToCall
// returned.
//
// What was applied before stays owned: a cloud read that lagged may not have shown it.
func (p *pass) succeeded(resourceVersion string, now time.Time) Patch {
	r, former := p.marker, p.marker.Applied
	r.Applied, r.State, r.Since, r.Retries = p.desired, unconfirmed, wholeSeconds(now), 0
	r.Attempted = slices.DeleteFunc(slices.Clone(r.Attempted), func(attempted Hot) bool { return attempted == p.desired })
	if former != p.desired && !r.attempt(former) {
		r = p.marker // decide has checked that it fits: nothing recorded is forgotten
	}
	return p.mirrored(p.patch(resourceVersion, r))
}

// settled returns the write that follows the success of a confirmation.
func (p *pass) settled(resourceVersion string, now time.Time) Patch {
	return p.patch(resourceVersion, record{
		ProviderID: p.marker.ProviderID, Schema: p.marker.Schema, Since: wholeSeconds(now), Applied: p.desired,
	})
}

// restorePrevious returns the write that takes aboutToCall back. It is right only if nothing was sent to the cloud.
func (p *pass) restorePrevious(resourceVersion string) Patch {
	patch := Patch{Machine: p.machine.Name, ResourceVersion: resourceVersion}
	if p.recorded {
		patch.Set = map[string]string{AnnotationRecord: p.previous}
	} else {
		patch.Remove = []string{AnnotationRecord}
	}
	return patch
}

func (p *pass) patch(resourceVersion string, r record) Patch {
	return Patch{
		Machine: p.machine.Name, ResourceVersion: resourceVersion,
		Set: map[string]string{AnnotationRecord: r.Annotation()},
	}
}

// mirrored adds the provider spec for people to a patch, if it is what was applied.
func (p *pass) mirrored(patch Patch) Patch {
	spec := p.class.class.ProviderSpec
	switch {
	case p.desired != p.class.hot:
	case len(spec) > maxLastApplied:
		patch.Remove = []string{AnnotationLastApplied}
	default:
		patch.Set[AnnotationLastApplied] = string(spec)
	}
	return patch
}

// request returns what the driver is asked for.
func (p *pass) request() *UpdateMachineRequest {
	r := &UpdateMachineRequest{
		Machine: p.machine.Name, ProviderID: p.machine.ProviderID, Class: p.class.class, Secret: p.secret,
		Applied: p.marker.Applied, Attempted: slices.Clone(p.marker.Attempted), Attempts: slices.Clone(p.marker.Attempts),
		Desired: p.desired,
	}
	if len(r.Attempts) > 0 && !slices.Contains(r.Attempted, p.desired) {
		r.Attempted = append(r.Attempted, p.desired) // recorded as digests only; where it differs from the applied one it is set again, whatever reads say
	}
	return r
}
