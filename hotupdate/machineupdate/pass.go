package machineupdate

import (
	"slices"
	"time"
)

// pass is one update of one machine: what the driver is asked for, and what is written before and after. It is immutable.
type pass struct {
	machine  machine
	class    *Prepared
	secret   map[string][]byte
	desired  Hot
	marker   record
	previous string // the annotation before the pass
	recorded bool   // there was one
}

// aboutToCall returns the write that has to succeed before the driver is called. It carries the resourceVersion by which the decision
// was made.
func (p *pass) aboutToCall() patch {
	return p.patch(p.machine.ResourceVersion, p.marker)
}

// succeeded returns the write that follows the success of an update. The resourceVersion is that which the write of aboutToCall
// returned.
//
// What was applied before stays owned: a cloud read that lagged may not have shown it.
func (p *pass) succeeded(resourceVersion string, now time.Time) patch {
	r, former := p.marker, p.marker.Applied
	r.Applied, r.State, r.Since, r.Retries = p.desired, unconfirmed, wholeSeconds(now), 0
	r.Attempted = slices.DeleteFunc(slices.Clone(r.Attempted), func(attempted Hot) bool { return attempted == p.desired })
	if former != p.desired && !r.attempt(former) {
		r = p.marker // decide has checked that it fits: nothing recorded is forgotten
	}
	return p.mirrored(p.patch(resourceVersion, r))
}

// settled returns the write that follows the success of a confirmation.
func (p *pass) settled(resourceVersion string, now time.Time) patch {
	return p.patch(resourceVersion, record{
		ProviderID: p.marker.ProviderID, Schema: p.marker.Schema, Since: wholeSeconds(now), Applied: p.desired,
	})
}

// restorePrevious returns the write that takes aboutToCall back. It is right only if nothing was sent to the cloud.
func (p *pass) restorePrevious(resourceVersion string) patch {
	restored := patch{Machine: p.machine.Name, UID: p.machine.UID, ResourceVersion: resourceVersion}
	if p.recorded {
		restored.Set = map[string]string{AnnotationRecord: p.previous}
	} else {
		restored.Remove = []string{AnnotationRecord}
	}
	return restored
}

func (p *pass) patch(resourceVersion string, r record) patch {
	return patch{
		Machine: p.machine.Name, UID: p.machine.UID, ResourceVersion: resourceVersion,
		Set: map[string]string{AnnotationRecord: r.Annotation()},
	}
}

// mirrored adds the provider spec for people to a write, if it is what was applied.
func (p *pass) mirrored(write patch) patch {
	spec := p.class.class.ProviderSpec
	switch {
	case p.desired != p.class.hot:
	case len(spec) > maxLastApplied:
		write.Remove = []string{AnnotationLastApplied}
	default:
		write.Set[AnnotationLastApplied] = string(spec)
	}
	return write
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
