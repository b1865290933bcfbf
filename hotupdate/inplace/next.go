package inplace

import (
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// Action is the action of a [Step]: one write of one object, or one operation that can be repeated.
type Action string

// The actions.
const (
	// ActionDone means that there is nothing to do: the machine is updated, has not joined, or
	// leaves the pool.
	ActionDone Action = "done"
	// ActionWait means that another program or the user acts next.
	ActionWait Action = "wait"
	// ActionBlocked means that the update needs an intervention: report it.
	ActionBlocked Action = "blocked"
	// ActionWriteNode copies labels, annotations and unschedulable from Step.Node to the node. The
	// caller is responsible for taints: in the write that ends an update and removes the label
	// candidate-for-update, machine-controller-manager also removes its taint prefer-no-schedule,
	// and adds the taint node.gardener.cloud/critical-components-not-ready.
	ActionWriteNode Action = "write node"
	// ActionSetCondition sets the node's condition to Step.Node.Reason, status True.
	ActionSetCondition Action = "set condition"
	// ActionDrain evicts the pods, and then sets the condition to Step.Node.Reason.
	ActionDrain Action = "drain"
	// ActionApply lets the driver apply the InPlace part of the target.
	ActionApply Action = "apply"
	// ActionTransfer makes the target's MachineSet the owner of the machine, and sets its labels on the
	// machine.
	ActionTransfer Action = "transfer"
)

// Step is the next step for a machine, with its reason.
type Step struct {
	Do   Action
	Node *Node // the node to write; nil if the step does not write it
	// Why is for people: a clause in lower case, without a full stop, that names its subject. A
	// consequence or an instruction follows after a colon.
	Why string
}

// Next returns the next step for a machine of the pool. Of the pool it reads Target, Revision and
// Strategy. Every write carries the resourceVersion of the observed object; after a conflict,
// observe again.
//
//	the node is            what comes next
//	not labelled           the condition CandidateForUpdate, then the label, and the annotation
//	                       that keeps the cluster-autoscaler from removing the node
//	CandidateForUpdate     waits for SelectedLabel, from Select or from the user
//	SelectedForUpdate      is cordoned, then drained
//	DrainSuccessful        Apply of the InPlace part, then ReadyForUpdate
//	ReadyForUpdate         waits for the agent's answer; answers that the update has failed itself
//	                       once the phase is InPlaceUpdateFailed
//	answered successful    UpdateSuccessful, then Transfer; then the node is uncordoned and loses
//	                       the annotation, if they are ours
//	answered successful    SelectedForUpdate again, in a manual pool CandidateForUpdate
//	for another target, or
//	part not applied
//	answered failed        UpdateFailed, then blocked until a new target, a new answer of the
//	                       agent, the removal of the answer or the deletion of the machine
func Next(d MachineDeployment, m Machine) (Step, error) {
	if err := d.check(); err != nil {
		return Step{}, err
	}
	switch {
	case m.leaves() || !m.hasJoined():
		return Step{Do: ActionDone, Why: "the machine leaves the pool, or its creation is not finished"}, nil
	case m.Phase == phaseFailed:
		return Step{Do: ActionWait, Why: "the machine has failed, and is preserved: it is not updated"}, nil
	case m.Node != nil && m.Node.mark().Revision > d.Revision:
		const why = "the node knows a newer revision: the MachineDeployment as observed is stale"
		return Step{Do: ActionWait, Why: why}, nil
	case m.isUpdated(&d):
		return m.giveBack(), nil
	case m.Node == nil:
		return Step{Do: ActionBlocked, Why: "the machine has no node that could be updated"}, nil
	}
	if m.Node.IsUnderUpdate() && !m.Node.isProtected() {
		const why = "the cluster-autoscaler must not remove the node while it is updated"
		return write(m.Node.copied().protected(), why), nil
	}
	switch m.Node.Labels[resultLabel] {
	case answerSuccessful:
		return d.afterSuccess(&m), nil
	case answerFailed:
		return d.afterFailure(&m), nil
	}
	return d.unanswered(&m), nil
}

func write(n *Node, why string) Step { return Step{Do: ActionWriteNode, Node: n, Why: why} }

// giveBack ends the update of a node. It undoes only our own cordon, and only our own annotation
// for the cluster-autoscaler, unless the preservation of the machine needs that. The mark stays, so
// that a controller with a stale MachineDeployment leaves the node alone.
func (m *Machine) giveBack() Step {
	if m.Node == nil {
		return Step{Do: ActionDone, Why: "the machine was created for the target"}
	}
	if !m.isNoticed() {
		return Step{Do: ActionWait, Why: notNoticed}
	}
	old := m.Node.mark()
	free := m.Node.edit(mark{Revision: old.Revision, Done: old.Revision != 0}).unanswered()
	delete(free.Labels, candidateLabel)
	delete(free.Labels, SelectedLabel)
	delete(free.Annotations, SelectionAnnotation)
	if !m.Preserved {
		free = free.unprotected()
	}
	free.Unschedulable = m.Node.Unschedulable && !old.Cordoned
	if free.equals(m.Node) {
		return Step{Do: ActionDone, Why: "the machine is updated"}
	}
	return write(free, "the machine is updated: the node takes pods again, unless others have cordoned it")
}

// isNoticed reports whether the machine controller has set the machine's phase by the agent's
// answer, which it cannot do once the answer is removed.
func (m *Machine) isNoticed() bool {
	if m.Node.Labels[resultLabel] != answerSuccessful {
		return true
	}
	return m.Phase != phaseUpdating && m.Phase != phaseUpdateFailed
}

const notNoticed = "the machine's phase has still to become InPlaceUpdateSuccessful"

// unanswered handles a node without an answer from the agent.
func (d *MachineDeployment) unanswered(m *Machine) Step {
	n := m.Node
	switch n.Reason {
	case "", updateSuccessful:
		if d.holdsBack(n) {
			return Step{Do: ActionWait, Why: paused}
		}
		return n.become(candidateForUpdate, "the node needs the update")
	case candidateForUpdate:
		return d.candidate(m)
	case selectedForUpdate, DrainSuccessful:
		if !n.isSelected() || m.InPlace == machineupdate.InPlaceUnable {
			return n.backToCandidate("the node is not selected any more, or the driver cannot apply the update")
		}
		return d.selected(m)
	case ReadyForUpdate:
		if m.Phase != phaseUpdateFailed {
			return Step{Do: ActionWait, Why: "the node agent updates the node"}
		}
		const late = "the node agent has not answered in time"
		return write(n.WithFailure(late), late)
	case updateFailed:
		return n.cleared()
	}
	return Step{Do: ActionBlocked, Why: "the node condition " + ConditionType + " has the unknown reason " + n.Reason}
}

// holdsBack reports whether a pause prevents the update of a node from beginning. The update of a
// node that we have cordoned goes on, so that the node becomes schedulable again.
func (d *MachineDeployment) holdsBack(n *Node) bool { return d.Paused && !n.mark().Cordoned }

const paused = "the MachineDeployment is paused"

// candidate handles a node that waits to be selected.
func (d *MachineDeployment) candidate(m *Machine) Step {
	n := m.Node
	switch {
	case d.holdsBack(n):
		return Step{Do: ActionWait, Why: paused}
	case n.isSelected() && m.InPlace != machineupdate.InPlaceUnable:
		return n.become(selectedForUpdate, "the node is selected")
	case !n.equals(n.asCandidate()):
		return write(n.asCandidate(), "the node needs the update")
	case m.InPlace == machineupdate.InPlaceUnable:
		return Step{Do: ActionBlocked, Why: "the driver cannot apply the InPlace part of the target"}
	case d.leavesToUser():
		return Step{Do: ActionWait, Why: "the user selects the nodes of this pool with the label " + SelectedLabel}
	case n.isDeselected(d.Revision):
		return Step{Do: ActionWait, Why: "a user has deselected the node: to give it its turn again, remove the " +
			"annotation " + SelectionAnnotation}
	}
	return Step{Do: ActionWait, Why: "the node waits for its turn"}
}

// selected cordons and drains a node, and makes it ready for the agent once the driver has applied
// the InPlace part.
func (d *MachineDeployment) selected(m *Machine) Step {
	n := m.Node
	mark := m.Node.mark()
	switch {
	case !n.Unschedulable && n.Reason == DrainSuccessful:
		return n.become(selectedForUpdate, "the drained node was uncordoned by others: it is drained again")
	case !n.Unschedulable || mark.Revision != d.Revision || mark.Done:
		mark.Revision = d.Revision
		mark.Done = false
		mark.Cordoned = mark.Cordoned || !n.Unschedulable
		cordoned := n.edit(mark)
		cordoned.Unschedulable = true
		if has(n.Annotations, SelectionAnnotation) {
			cordoned = cordoned.selectedFor(d.Revision)
		}
		return write(cordoned, "the node is cordoned for this target")
	case n.Reason == selectedForUpdate:
		drained := n.become(DrainSuccessful, "the node is drained")
		drained.Do = ActionDrain
		return drained
	case m.InPlace == machineupdate.InPlaceUnknown || m.InPlace == machineupdate.InPlacePending:
		return Step{Do: ActionApply, Why: "the InPlace part is applied to the drained machine"}
	case m.Phase == phaseUpdateFailed:
		const why = "the time was over before the agent could begin: it starts again with the drain"
		return n.become(selectedForUpdate, why)
	}
	return n.become(ReadyForUpdate, "the node is drained, and the InPlace part is applied")
}

func (d *MachineDeployment) afterSuccess(m *Machine) Step {
	n := m.Node
	mark := m.Node.mark()
	asked := slices.Contains([]string{ReadyForUpdate, updateFailed, updateSuccessful}, n.Reason)
	switch {
	case mark.Revision != d.Revision:
		return d.again(m, "the agent has answered for another target")
	case !asked || mark.Unconfirmed:
		return d.again(m, "the agent may have answered for another target: it is asked once more")
	case m.InPlace == machineupdate.InPlaceUnconfirmed:
		return Step{Do: ActionWait, Why: "the InPlace part is applied, and has still to be confirmed"}
	case m.InPlace != machineupdate.InPlaceApplied:
		return d.again(m, "the InPlace part of the target is not applied")
	case n.Reason != updateSuccessful:
		return n.become(updateSuccessful, "the agent has updated the node")
	case m.isNoticed():
		return Step{Do: ActionTransfer, Why: "the node is updated"}
	}
	return Step{Do: ActionWait, Why: notNoticed}
}

func (d *MachineDeployment) afterFailure(m *Machine) Step {
	n := m.Node
	switch {
	case n.mark().Revision != d.Revision:
		return d.again(m, "the failed update was for another target")
	case n.Reason == ReadyForUpdate:
		return n.become(updateFailed, "the update has failed")
	case n.Reason == updateFailed:
		return Step{Do: ActionBlocked, Why: "the update has failed: " + n.Annotations[failureAnnotation]}
	}
	return d.again(m, "the failed update has been given up")
}

// cleared handles a node from which the user has removed the answer that the update has failed. The
// agent may still be working.
func (n *Node) cleared() Step {
	if mark := n.mark(); !mark.Unconfirmed {
		mark.Unconfirmed = true
		return write(n.edit(mark), "the failure is cleared, and the agent may still be at work")
	}
	return n.become(selectedForUpdate, "the failure is cleared: the node is updated again")
}

// again restarts the update of a node whose answer is ignored. It resets the condition first, so
// that the agent does not begin an update whose answer is not read, and then removes the answer. After
// a failure the agent retries on its own, so its next answer may be for any target. After a success
// it is idle.
func (d *MachineDeployment) again(m *Machine, why string) Step {
	n := m.Node
	mark := m.Node.mark()
	if n.Reason == candidateForUpdate || n.Reason == selectedForUpdate {
		mark.Unconfirmed = n.Labels[resultLabel] == answerFailed
		unanswered := n.edit(mark).unanswered()
		if n.Reason == candidateForUpdate {
			unanswered = unanswered.asCandidate()
		}
		return write(unanswered, why)
	}
	confirms := mark.Unconfirmed && mark.Revision == d.Revision
	switch {
	case n.Labels[resultLabel] == answerFailed && !mark.Unconfirmed:
		mark.Unconfirmed = true
		return write(n.edit(mark), why)
	case !n.isSelected():
		return n.become(candidateForUpdate, why)
	case d.leavesToUser() && !confirms:
		return n.become(candidateForUpdate, why)
	}
	return n.become(selectedForUpdate, why)
}

func (n *Node) become(reason, why string) Step {
	edited := n.edit(n.mark())
	edited.Reason = reason
	return Step{Do: ActionSetCondition, Node: edited, Why: why}
}

// asCandidate returns the node as a candidate: labelled, protected from the cluster-autoscaler, and
// without our cordon. A node whose update has failed stays cordoned. A node that is deselected here,
// and not by a user, is selected again in its turn.
func (n *Node) asCandidate() *Node {
	old := n.mark()
	kept := mark{Revision: old.Revision, Done: old.Done, Unconfirmed: old.Unconfirmed}
	kept.Cordoned = old.Cordoned && old.Unconfirmed
	waiting := n.edit(kept).protected()
	if n.isSelected() {
		delete(waiting.Labels, SelectedLabel)
		delete(waiting.Annotations, SelectionAnnotation)
	}
	waiting.Labels[candidateLabel] = "true"
	waiting.Unschedulable = n.Unschedulable && (!old.Cordoned || old.Unconfirmed)
	return waiting
}

// backToCandidate cancels an update that the agent has not begun.
func (n *Node) backToCandidate(why string) Step {
	if waiting := n.asCandidate(); !n.equals(waiting) {
		return write(waiting, why)
	}
	return n.become(candidateForUpdate, why)
}
