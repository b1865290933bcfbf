package machineupdate

import (
	"context"
	"errors"
	"time"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate/internal/record"
)

// Creation records the creation of a VM: CreateMachine and InitializeMachine write to the cloud, too.
//
//  1. [Executor.BeginCreation] before CreateMachine, and before InitializeMachine where that is called for a VM that exists.
//  2. CreateMachine and InitializeMachine, both with a context of [Creation.Context] and the class of the Observation.
//  3. [Executor.FinishCreation] if both succeeded and the VM did not exist before. A VM that was found is not recorded, as the spec that
//     made it is unknown. The marker makes it be updated.
type Creation struct {
	seen     observation              // its class is nil if it cannot be read
	markers  map[string]record.Record // by the annotation of each lane
	first    bool                     // no other attempt to create the VM can be under way
	marked   bool                     // the marker was written
	deadline time.Time
	now      func() time.Time
}

// Context returns a context for CreateMachine and InitializeMachine that ends CreationTimeout after the marker was written. A process that
// sleeps for longer sends nothing any more: another one may have created the VM and settled it by then. Everything else, such as writes of the
// status, keeps the context from before. What the context holds is released when it ends.
func (c *Creation) Context(ctx context.Context) context.Context {
	ctx, cancel := context.WithTimeout(ctx, c.deadline.Sub(c.now()))
	context.AfterFunc(ctx, cancel)
	return ctx
}

// beginCreation prepares the record for the creation of a VM. Whether the driver can update does not matter: as soon as it can, it has to
// know what the VM was created with. A class that cannot be read leaves a marker without a hot part: the machine is updated once it can be read.
func beginCreation(o *observation) *Creation {
	c := &Creation{seen: *o, markers: map[string]record.Record{}, first: true, deadline: o.now.Add(o.Settings.creationTimeout())}
	for _, lane := range lanesOf(o.Class) {
		c.mark(lane.annotation, lane.target, o.now)
	}
	return c
}

// mark prepares the record of a lane.
func (c *Creation) mark(annotation string, target *record.Target, now time.Time) {
	var known record.Record
	if text, exists := c.seen.Machine.Annotations[annotation]; exists {
		r, err := record.Parse(text)
		problem, ok := errors.AsType[*fault.Error](c.seen.Machine.owns(&r.Header, err))
		if c.first = c.first && ok && problem.Code == "foreign-record"; !ok {
			known = r
		}
	}
	c.markers[annotation] = known.Create(c.seen.Machine.Name, target, now)
}

func (c *Creation) begun() patch {
	return c.write(c.seen.Machine.ResourceVersion, func(r record.Record) record.Record { return r })
}

func (c *Creation) write(resourceVersion string, recordOf func(marker record.Record) record.Record) patch {
	annotations := map[string]*string{}
	for name, marker := range c.markers {
		r := recordOf(marker)
		annotations[name] = new(r.Annotation())
	}
	return c.seen.Machine.write(resourceVersion, annotations)
}

// created returns the write that records a VM which did not exist before, after InitializeMachine. After the first attempt to create it the
// machine is settled. Otherwise any of the attempts may have made the VM, and the update flow confirms it.
func (c *Creation) created(providerID, resourceVersion string, now time.Time) patch {
	written := c.write(resourceVersion, func(marker record.Record) record.Record { return marker.Created(providerID, c.first, now) })
	c.seen.mirror(written.Annotations)
	return written
}

// BeginCreation writes the marker before CreateMachine or InitializeMachine. The result has the machine as that write returned it. If the
// creation is nil, the driver must not be called: look again after the delay of the result.
//
// A class that cannot be read stops no creation. Infrastructure tags that the VM gets from it, and that are gone from the class by the time it can be
// read, are foreign for ever. Nor does a machine without resourceVersion, as fake clients have them: nothing is written, and the
// error of the result says so. For an Observation with neither class nor error nothing is written either.
func (e *Executor[M]) BeginCreation(ctx context.Context, observed Observation[M]) (*Creation, Result[M]) {
	result := Result[M]{Machine: observed.Machine, Reason: creationPending, ending: notCalled}
	if err := errors.Join(e.missing(), given("Observation.Machine", observed.Machine)); err != nil {
		result.end(writeFailed, 0, err)
		return nil, result
	}
	o := observed.at(e.Now(), nil)
	creation := beginCreation(&o)
	creation.now = e.Now
	switch {
	case o.Class == nil && o.ClassError == nil:
		return creation, result // nothing is recorded of what no driver applies
	case o.Class == nil:
		result.Reason, result.decision.reason = classUnusable, classUnusable
		e.tell(&o, &result)
	}
	if err := versioned("Observation.Machine", observed.Machine); err != nil {
		result.note(err)
		return creation, result
	}
	if creation.marked = e.write(ctx, creation.begun(), &result); !creation.marked {
		return nil, result
	}
	return creation, result
}

// FinishCreation records a VM that did not exist before, after CreateMachine and InitializeMachine have succeeded. The machine is the newest
// object: the result of BeginCreation, or of a write since. If nothing is recorded, as the write fails, the class could not be read or the time of the
// creation is over, nothing is lost: the marker makes the machine be updated.
func (e *Executor[M]) FinishCreation(ctx context.Context, creation *Creation, machine M, providerID string) Result[M] {
	result := Result[M]{Machine: machine, Reason: creationPending, ending: notCalled}
	err := errors.Join(e.missing(), given("FinishCreation's machine", machine))
	if creation == nil {
		err = errors.Join(err, &fault.Error{Kind: fault.Misuse, Code: "missing-creation", Where: "FinishCreation", What: "has no creation to finish", Hint: "call it only if BeginCreation returned one"})
	} else if err == nil && creation.marked {
		err = versioned("FinishCreation's machine", machine)
	}
	switch {
	case err != nil:
		result.end(writeFailed, 0, err)
	case !creation.marked || creation.seen.Class == nil || e.Now().After(creation.deadline):
		result.end(notCalled, shortRetry, nil)
	case e.write(ctx, creation.created(providerID, result.version(), e.Now()), &result):
		result.end(updated, shortRetry, nil)
	}
	return result
}
