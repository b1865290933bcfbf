package machineupdate

import (
	"context"
	"errors"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate/internal/record"
)

// InPlaceState is the state of the InPlace part of a class on a machine.
type InPlaceState string

// The states. InPlaceUnknown is the zero value.
const (
	// InPlaceUnknown: nothing is recorded, as after an adoption: the part is applied after the next
	// drain
	InPlaceUnknown InPlaceState = ""
	// InPlacePending: another part is applied, an update is unfinished, or a read found a
	// difference: the node must be drained to apply the part
	InPlacePending InPlaceState = "Pending"
	// InPlaceUnconfirmed: it is applied, and a later read has to confirm it: the machine waits, and
	// needs no drain
	InPlaceUnconfirmed InPlaceState = "Unconfirmed"
	InPlaceApplied     InPlaceState = "Applied" // it is applied and confirmed, or there is nothing to apply
	// InPlaceUnable: it may differ from the machine's state, and the driver cannot apply or confirm
	// it: do not drain the node
	InPlaceUnable InPlaceState = "Unable"
)

// String returns the state, Unknown if nothing is recorded.
func (s InPlaceState) String() string {
	if s == InPlaceUnknown {
		return "Unknown"
	}
	return string(s)
}

// InPlace returns the state of the InPlace part of the Class on the machine, to which the
// observation belongs. The Class must be the class of the MachineDeployment's template. Call it
// before a node is selected for an in-place update, and before the machine is handed over to the
// new MachineSet, which requires InPlaceApplied.
func (o *Observation) InPlace(machine MachineObject) InPlaceState {
	if given("machine", machine) != nil {
		return InPlaceUnknown
	}
	return o.at(time.Time{}, machine, nil).inPlace()
}

func (o *observation) inPlace() InPlaceState {
	if o.Class == nil {
		return InPlaceUnknown
	}
	if o.mayDifferBeside() {
		return InPlaceUnable
	}
	lane := o.Class.inPlace()
	if lane == nil {
		return InPlaceApplied
	}
	state := o.recorded(lane)
	isSamePart := o.Former != nil && o.Former.drained == o.Class.drained
	switch {
	case state == InPlaceApplied || lane.canUpdate():
		return state
	case state == InPlaceUnknown && isSamePart:
		return InPlaceApplied
	}
	return InPlaceUnable
}

// mayDifferBeside reports whether InPlace leaves that belong to no lane may differ from the machine's
// state.
func (o *observation) mayDifferBeside() bool {
	if o.Former == nil {
		return o.Class.beside
	}
	return o.Former.uncovered != o.Class.uncovered
}

// recorded returns the state that follows from the record of the InPlace lane.
func (o *observation) recorded(lane *lane) InPlaceState {
	r, err := record.Parse(o.Machine.GetAnnotations()[lane.annotation])
	switch {
	case o.owns(&r.Header, err) != nil:
		return InPlaceUnknown
	case r.State == record.Calling || !r.Has(lane.target):
		return InPlacePending
	case r.State == record.Unconfirmed:
		return InPlaceUnconfirmed
	}
	return InPlaceApplied
}

// inPlace returns the lane that is InPlace; nil if the driver has none.
func (p *PreparedClass) inPlace() *lane {
	for i := range p.lanes {
		if p.lanes[i].class == hotupdate.InPlace {
			return &p.lanes[i]
		}
	}
	return nil
}

// DrainedNode is a node that was drained for an in-place update, read from the API server.
type DrainedNode struct {
	UID           types.UID
	Drained       time.Time // the transition time of the condition that reports the drain
	Unschedulable bool
}

// gate guards the lane that is InPlace: it opens only for a drained node.
type gate struct {
	read func(ctx context.Context) (DrainedNode, error)
	node DrainedNode // the first read
}

// sign records for which drain of the node a pass is made, if it is made for one.
func (o *observation) sign(p *record.Pass) {
	if o.gate != nil {
		since := o.gate.node.Drained.UTC().Truncate(time.Second)
		p.Drained(record.Drain{Class: o.Class.class.meta().GetName(), Node: string(o.gate.node.UID), Since: since})
	}
}

// check reads the node, and returns nil if the node is drained and was not drained again since the
// first read.
func (g *gate) check(ctx context.Context) error {
	if g.read == nil {
		return missingFunction("ApplyInPlace's node")
	}
	node, err := g.read(ctx)
	if g.node == (DrainedNode{}) {
		g.node = node
	}
	if err != nil {
		return err
	}
	if !g.admits(node) {
		return &fault.Error{
			Kind: fault.Conflict, Code: "node-not-drained", Where: "node of the machine",
			What: "is not drained, or was drained again", Hint: "reconcile again",
		}
	}
	return nil
}

// admits reports whether the node is still drained as it was at the first read.
func (g *gate) admits(node DrainedNode) bool {
	switch {
	case !node.Unschedulable:
		return false
	case node.UID != g.node.UID:
		return false
	}
	return node.Drained.Equal(g.node.Drained)
}

// ApplyInPlace applies the InPlace part of the Class, the class of the MachineDeployment's
// template, to a machine whose node is drained. Call it between DrainSuccessful and ReadyForUpdate,
// behind Reconcile, and mark the node as ready for the update only if ready is true. Do not count
// the time that a machine waits here towards the timeout of the update.
//
// Node reads the node from the API server. It is called at the beginning, and again before the
// first request that changes the cloud. That request is sent only if the node is the same,
// unschedulable, and was not drained again. For a driver without hot updates the node is ready.
func (e *Executor[M]) ApplyInPlace(
	ctx context.Context, machine M, observed Observation, node func(ctx context.Context) (DrainedNode, error),
) (result Result[M], ready bool) {
	result = Result[M]{Machine: machine, ending: notCalled}
	if observed.Class.isUnsupported() {
		return result, true
	}
	if err := errors.Join(e.unusable(), versioned("machine", machine)); err != nil {
		result.end(writeFailed, 0, err)
		return result, false
	}
	observed.complete()
	o := observed.at(e.Now(), machine, nil)
	o.gate = &gate{read: node}
	if err := o.gate.check(ctx); err != nil {
		result.end(undrained, shortRetry, err)
		return result, false
	}
	if o.inPlace() == InPlaceUnable {
		err := &fault.Error{
			Kind: fault.Unsupported, Code: "in-place-unsupported", Where: "machine " + machine.GetName(),
			What: "may need another InPlace part, which the driver cannot apply",
			Hint: "call Observation.InPlace before a node is selected",
		}
		result.end(unable, 0, err)
		if e.Event != nil {
			e.Event(machine, warning, "HotUpdateUnsupported", err.Error())
		}
		return result, false
	}
	if o.Class != nil {
		o.lane = o.Class.inPlace()
	}
	if o.lane != nil || o.Class == nil {
		result = e.reconcile(ctx, o, machine)
	}
	state := observed.InPlace(result.Machine)
	isDone := slices.Contains([]ending{notCalled, updated, confirmed}, result.ending)
	isApplied := state == InPlaceUnconfirmed || state == InPlaceApplied
	return result, isDone && isApplied
}
