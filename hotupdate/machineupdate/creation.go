package machineupdate

import (
	"errors"
	"time"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// Creation is the record around the creation of a VM: CreateMachine and InitializeMachine write to the cloud, too.
//
//  1. [BeginCreation] before CreateMachine, and before InitializeMachine where that is called for a VM that exists.
//  2. Write AboutToCall. On a conflict, requeue.
//  3. Call CreateMachine and InitializeMachine, both with the class of [Creation.Class].
//  4. If both succeeded, and the VM did not exist before, write Created: alone, or in one write with the provider ID. Finding a VM that exists
//     records nothing: nobody knows with which spec it was made. The marker makes it be updated.
type Creation struct {
	pass  *Pass
	fresh bool
}

// BeginCreation prepares the record for the creation of a VM. The error is the one of the class: without one no VM can be created.
//
// What the driver is able to update does not matter here: what a VM was created with is worth knowing as soon as the driver can.
func BeginCreation(o Observation) (*Creation, error) {
	if o.Class == nil {
		if o.ClassError != nil {
			return nil, o.ClassError
		}
		return nil, &fault.Error{Kind: fault.Malformed, Code: "unusable-class", Where: "machine " + o.Machine.Name, What: "has no class", Hint: "prepare the class first"}
	}
	annotation, exists := o.Machine.Annotations[AnnotationRecord]
	r, fresh := Record{}, true
	if exists {
		var err error
		r, err = recordOf(&o.Machine, annotation)
		problem, ok := errors.AsType[*fault.Error](err)
		fresh = ok && problem.Code == "foreign-record"
	}
	marker := r.clone()
	if !marker.attempt(o.Class.hot) {
		// Creation goes on in any case. What was attempted so long ago is unlikely to be live.
		marker.Attempted, marker.Attempts = []Hot{o.Class.hot}, nil
	}
	marker.Schema, marker.State, marker.Since = o.Class.schema, Calling, wholeSeconds(o.Now)
	if marker.ProviderID == "" {
		marker.Creating = o.Machine.Name
	}
	return &Creation{pass: o.pass(o.Class.hot, marker), fresh: fresh}, nil
}

// Class returns the class to create and initialize the VM with.
func (c *Creation) Class() Class { return c.pass.class.class }

// AboutToCall returns the write that has to succeed before CreateMachine or InitializeMachine is called.
func (c *Creation) AboutToCall() Patch { return c.pass.AboutToCall() }

// Created returns the write that records a VM which did not exist before, after InitializeMachine. The resourceVersion is that which
// the last write to the machine returned.
//
// If this was the first attempt to create it, the machine is settled. Otherwise nobody knows which attempt made it, and the update
// flow confirms it.
func (c *Creation) Created(providerID, resourceVersion string, now time.Time) Patch {
	p := *c.pass
	p.marker = p.marker.clone()
	p.marker.ProviderID, p.marker.Creating = providerID, ""
	if c.fresh {
		return p.mirrored(p.Settled(resourceVersion, now))
	}
	return p.Succeeded(resourceVersion, now)
}
