package machineupdate

import (
	"errors"
	"time"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// Creation records the creation of a VM: CreateMachine and InitializeMachine write to the cloud, too.
//
//  1. [Executor.BeginCreation] before CreateMachine, and before InitializeMachine where that is called for a VM that exists.
//  2. CreateMachine and InitializeMachine, both with the class of [Creation.Class].
//  3. [Executor.FinishCreation] if both succeeded and the VM did not exist before. A VM that was found is not recorded, as the spec that
//     made it is unknown. The marker makes it be updated.
type Creation struct {
	pass  *pass
	first bool // no other attempt to create the VM can be under way
}

// beginCreation prepares the record for the creation of a VM. The error is that of the class: without a class no VM can be created. Whether
// the driver can update does not matter: as soon as it can, it has to know what the VM was created with.
func beginCreation(o *observation) (*Creation, error) {
	if o.Class == nil {
		if o.ClassError != nil {
			return nil, o.ClassError
		}
		return nil, &fault.Error{Kind: fault.Malformed, Code: "unusable-class", Where: "machine " + o.Machine.Name, What: "has no class", Hint: "prepare the class first"}
	}
	annotation, exists := o.Machine.Annotations[AnnotationRecord]
	marker, first := record{}, true
	if exists {
		var err error
		marker, err = recordOf(&o.Machine, annotation)
		problem, ok := errors.AsType[*fault.Error](err)
		first = ok && problem.Code == "foreign-record"
	}
	if !marker.attempt(o.Class.hot) {
		// Creation goes on in any case. Attempts so old are unlikely to be live.
		marker.Attempted, marker.Attempts = []Hot{o.Class.hot}, nil
	}
	marker.Schema, marker.State, marker.Since = o.Class.schema, calling, wholeSeconds(o.now)
	if marker.ProviderID == "" {
		marker.Creating = o.Machine.Name
	}
	return &Creation{pass: o.pass(o.Class.hot, marker), first: first}, nil
}

// Class returns the class to create and initialize the VM with.
func (c *Creation) Class() MachineClass { return c.pass.class.class }

// created returns the write that records a VM which did not exist before, after InitializeMachine. After the first attempt to create it the
// machine is settled. Otherwise any of the attempts may have made the VM, and the update flow confirms it.
func (c *Creation) created(providerID, resourceVersion string, now time.Time) patch {
	p := *c.pass
	p.marker.ProviderID, p.marker.Creating = providerID, ""
	if c.first {
		return p.mirrored(p.settled(resourceVersion, now))
	}
	return p.succeeded(resourceVersion, now)
}
