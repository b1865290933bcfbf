package machineupdate

import (
	"context"
	"errors"
	"time"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate/internal/record"
)

// Creation records the creation of a VM, because CreateMachine and InitializeMachine also write to
// the cloud.
//
//  1. Call [Executor.BeginCreation] before CreateMachine, and before InitializeMachine if that is
//     called for an existing VM.
//  2. Call CreateMachine and InitializeMachine, both with a context of [Creation.Context] and the
//     class that BeginCreation got.
//  3. Call [Executor.FinishCreation] if both succeeded and the VM did not exist before. The
//     creation of an existing VM is not recorded, because the spec of its creation is unknown. Its
//     marker causes an update.
type Creation struct {
	seen    *observation             // without a class if that cannot be read
	markers map[string]record.Record // the written markers, by the annotation of their lane
	first   bool                     // no earlier attempt to create the VM can be under way
	begun   time.Time
	now     func() time.Time
}

// Context returns a context for CreateMachine and InitializeMachine that ends CreationTimeout after
// the marker was written. So a process that was suspended for longer sends nothing: another process
// may have created the VM and settled it by then. Use the caller's own context for everything else,
// such as writes of the status. The resources of the context are released when it ends. For a
// driver without hot updates, ctx is returned.
func (c *Creation) Context(ctx context.Context) context.Context {
	if c.seen == nil {
		return ctx
	}
	ctx, cancel := context.WithTimeout(ctx, c.left())
	context.AfterFunc(ctx, cancel)
	return ctx
}

// left returns how much of CreationTimeout is left.
func (c *Creation) left() time.Duration {
	return c.seen.Settings.creationTimeout() - elapsed(c.begun, c.now())
}

// begin returns the annotations with the markers of all lanes. There are markers even if the driver
// cannot update: once it can, it needs to know the hot part of the creation. A class that cannot be
// read leaves a marker without a hot part: the machine is updated once the class can be read.
func (c *Creation) begin() annotations {
	marked := annotations{}
	m := c.seen.Machine
	c.markers = map[string]record.Record{}
	for _, lane := range lanesOf(c.seen.Class) {
		var known record.Record
		if text, exists := m.GetAnnotations()[lane.annotation]; exists {
			r, err := record.Parse(text)
			problem, isProblem := errors.AsType[*fault.Error](c.seen.owns(&r.Header, err))
			isForeign := isProblem && problem.Code == fault.ForeignRecord
			if !isForeign {
				c.first = false // this record may be about an earlier attempt
			}
			if !isProblem {
				known = r
			}
		}
		marker := known.Create(m.GetName(), lane.target, c.seen.now)
		c.markers[lane.annotation] = marker
		marked[lane.annotation] = new(marker.Annotation())
	}
	return marked
}

// created returns the annotations of a new VM, after InitializeMachine. If this was the first
// attempt to create the VM, the machine is settled. Otherwise any of the attempts may have created
// the VM, and the update flow confirms it.
func (c *Creation) created(providerID string) annotations {
	success := annotations{}
	for name, marker := range c.markers {
		created := marker.Created(providerID, c.first, c.now())
		success[name] = new(created.Annotation())
	}
	return c.seen.mirrored(success)
}

// BeginCreation writes the marker before CreateMachine or InitializeMachine. The result holds the
// machine returned by that write. If the creation is nil, the driver must not be called: reconcile
// again after RequeueAfter of the result.
//
// Pass the newest machine object, the Observation as to Reconcile, and the class of the driver's
// request. In a pool that is updated in place, the Class of the Observation may be another class. It
// serves only to read the class by its Schema; if it is nil, Former serves for that.
//
// An unreadable class does not block a creation. Infrastructure tags that the VM gets from that
// class, and that are no longer in the class once it can be read, are foreign forever. A machine
// without resourceVersion, as in fake clients, does not block a creation either: nothing is
// written, and the error of the result says so. For a driver without hot updates nothing is
// written.
func (e *Executor[M]) BeginCreation(
	ctx context.Context, machine M, observed Observation, class MachineClass,
) (*Creation, Result[M]) {
	result := Result[M]{Machine: machine, Reason: creationPending, ending: notCalled}
	if observed.Class.isUnsupported() {
		return &Creation{}, result
	}
	if err := errors.Join(e.missing(), given("machine", machine)); err != nil {
		result.end(writeFailed, 0, err)
		return nil, result
	}
	observed.complete()
	by := observed.Class
	if by == nil {
		by = observed.Former
	}
	if by != nil {
		observed.Class, observed.ClassError = by.of(class)
	}
	o := observed.at(e.Now(), machine, nil)
	creation := &Creation{seen: o, first: true, now: e.Now, begun: o.now}
	if o.Class == nil {
		result.Reason = classUnusable
		result.decision.reason = classUnusable
		e.tell(o, &result)
	}
	if err := versioned("machine", machine); err != nil {
		result.note(err)
		return creation, result
	}
	if !e.write(ctx, creation.begin(), &result) {
		return nil, result
	}
	return creation, result
}

// given is an error if there is no creation to finish.
func (c *Creation) given() error {
	if c != nil {
		return nil
	}
	return misuse("missing-creation", "FinishCreation", "has no creation to finish",
		"call FinishCreation only if BeginCreation returned a creation")
}

// FinishCreation records a new VM after CreateMachine and InitializeMachine have succeeded. The
// machine is the newest object: the result of BeginCreation, or of a later write. Nothing is
// recorded if the write fails, the class could not be read, or CreationTimeout is over. Then
// nothing is lost: the marker causes an update.
func (e *Executor[M]) FinishCreation(ctx context.Context, creation *Creation, machine M, providerID string) Result[M] {
	result := Result[M]{Machine: machine, Reason: creationPending, ending: notCalled}
	err := errors.Join(e.missing(), given("FinishCreation's machine", machine), creation.given())
	if err != nil {
		result.end(writeFailed, 0, err)
		return result
	}
	hasMarkers := creation.markers != nil
	if hasMarkers {
		err = versioned("FinishCreation's machine", machine)
	}
	switch {
	case err != nil:
		result.end(writeFailed, 0, err)
	case !hasMarkers || creation.seen.Class == nil:
		result.end(notCalled, shortRetry, nil)
	case creation.left() < 0:
		result.end(notCalled, shortRetry, nil)
	case e.write(ctx, creation.created(providerID), &result):
		result.end(updated, shortRetry, nil)
	}
	return result
}
