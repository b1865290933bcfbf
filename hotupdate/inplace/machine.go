package inplace

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// Machine is an observed Machine.
type Machine struct {
	Name  string
	Owner string // name of the MachineSet that owns it
	// Phase is the phase of its status: Terminating if it has a deletion timestamp, whatever its
	// status says.
	Phase string
	// Available says that the machine is Running, and that its node has been Ready for the
	// deployment's minReadySeconds.
	Available bool
	InPlace   machineupdate.InPlaceState // of the target's InPlace part
	// Annotations are the annotations of the Machine. Only the priority is read,
	// machinepriority.machine.sapcloud.io.
	Annotations map[string]string
	// Preserved says that machine-controller-manager preserves the machine: its status has a
	// preserveExpiryTime in the future. A machine that has failed then stays in the pool, is not
	// updated, holds up no other machine, and is the last one to be deleted as surplus.
	Preserved bool
	Node      *Node // nil if no node has joined
}

// Node is the node of a machine, observed or to be written.
type Node struct {
	Labels, Annotations map[string]string
	Unschedulable       bool
	// Reason of the condition [ConditionType]: how far the update of the node has come. It is
	// CandidateForUpdate while the node waits to be selected, SelectedForUpdate while it is
	// drained, then [DrainSuccessful] and [ReadyForUpdate]. UpdateSuccessful or UpdateFailed ends
	// the update. It is empty without the condition.
	Reason string
}

// leaves reports whether the machine is leaving the pool. A failed machine is replaced, unless it is
// preserved.
func (m *Machine) leaves() bool {
	isReplaced := m.Phase == phaseFailed && !m.Preserved
	return m.Phase == phaseTerminating || isReplaced
}

// hasJoined reports whether the creation of the machine is finished. Until then its node, if there
// is one, is left alone.
func (m *Machine) hasJoined() bool {
	return !slices.Contains([]string{phaseNone, phasePending, phaseCrashLoopBackOff}, m.Phase)
}

// isUnderUpdate reports whether the node is, or may soon be, drained: it counts as unavailable.
func (m *Machine) isUnderUpdate() bool { return m.Node != nil && m.Node.IsUnderUpdate() }

// hasFailed reports whether the update of the node has failed and needs intervention.
func (m *Machine) hasFailed() bool {
	return m.Node != nil && (m.Node.Labels[resultLabel] == answerFailed || m.Node.Reason == updateFailed)
}

// priority returns the priority of the machine: machines with a low priority are deleted first.
func (m *Machine) priority() int {
	if n, err := strconv.Atoi(m.Annotations[priorityAnnotation]); err == nil {
		return n
	}
	return defaultPriority
}

// isUpdated reports whether the machine has the target's state. The owner alone does not prove it:
// after a rollback, machines whose update to the revision in between had begun still belong to the
// target's MachineSet.
func (m *Machine) isUpdated(d *MachineDeployment) bool {
	switch {
	case m.Owner != d.Target:
		return false
	case m.Node == nil:
		return true
	case m.InPlace == machineupdate.InPlacePending, m.InPlace == machineupdate.InPlaceUnable:
		return false // a later read has found a difference
	}
	mark := m.Node.mark()
	switch {
	case mark.Done:
		return true
	case mark.Revision == 0: // this package has never updated the node: only another controller can have begun
		return !m.Node.hasBegun()
	case mark.Revision == d.Revision:
		return m.Node.Reason == updateSuccessful
	}
	return false // an update to another revision has begun
}

// hasBegun reports whether an update of the node has begun and not succeeded.
func (n *Node) hasBegun() bool {
	return slices.Contains([]string{DrainSuccessful, ReadyForUpdate, updateFailed}, n.Reason)
}

func (n *Node) isSelected() bool { return has(n.Labels, SelectedLabel) }

// selectedFor returns the node with the label and its annotation. Both belong in one write: if the
// annotation came first, the missing label would look as if a user had removed it.
func (n *Node) selectedFor(revision int64) *Node {
	selected := n.copied()
	selected.Labels[SelectedLabel] = "true"
	selected.Annotations[SelectionAnnotation] = strconv.FormatInt(revision, 10)
	return selected
}

// isDeselected reports whether a user has removed the label that Select gave to the node for a
// revision. Other removals of the label also remove the annotation.
func (n *Node) isDeselected(revision int64) bool {
	return !n.isSelected() && n.Annotations[SelectionAnnotation] == strconv.FormatInt(revision, 10)
}

func has(values map[string]string, key string) bool {
	_, ok := values[key]
	return ok
}

// mark is the content of the annotation [RolloutAnnotation] of a node.
type mark struct {
	// Revision is the revision of the target to which the node is updated. An answer of the agent
	// counts only for this revision.
	Revision int64 `json:"revision,omitempty"`
	// Done says that the update is finished, and the node schedulable again unless others cordoned
	// it.
	Done bool `json:"done,omitempty"`
	// Cordoned says that the node was schedulable until we cordoned it.
	Cordoned bool `json:"cordoned,omitempty"`
	// Unconfirmed says that the agent may still be working for another target: its next answer is
	// ignored.
	Unconfirmed bool `json:"unconfirmed,omitempty"`
}

// mark returns the node's mark. An unreadable mark counts as empty: the update is repeated, and no
// cordon is undone.
func (n *Node) mark() mark {
	var m mark
	text, ok := n.Annotations[RolloutAnnotation]
	if !ok {
		return mark{}
	}
	if json.Unmarshal([]byte(text), &m) != nil {
		return mark{}
	}
	return m
}

// edit returns a copy of the node with a new mark, for further changes.
func (n *Node) edit(m mark) *Node {
	edited := n.copied()
	delete(edited.Annotations, RolloutAnnotation)
	if m != (mark{}) {
		text, _ := json.Marshal(m) // a struct of strings and bools
		edited.Annotations[RolloutAnnotation] = string(text)
	}
	return edited
}

// copied returns a copy with maps that can be written.
func (n *Node) copied() *Node {
	var copied Node
	if n != nil {
		copied = *n
	}
	copied.Labels = maps.Collect(maps.All(copied.Labels))
	copied.Annotations = maps.Collect(maps.All(copied.Annotations))
	return &copied
}

// unanswered removes the agent's answer from the node.
func (n *Node) unanswered() *Node {
	delete(n.Labels, resultLabel)
	delete(n.Annotations, failureAnnotation)
	return n
}

// isProtected reports whether the node has the annotation for the cluster-autoscaler, which
// ignores every value but true.
func (n *Node) isProtected() bool { return n.Annotations[scaleDownDisabled] == "true" }

// protected keeps the cluster-autoscaler from removing the node. It replaces a value that the
// autoscaler ignores.
func (n *Node) protected() *Node {
	if !n.isProtected() {
		n.Annotations[scaleDownDisabled] = "true"
		n.Annotations[scaleDownDisabledByMCM] = "true"
	}
	return n
}

// unprotected undoes protected. An annotation that others wrote stays.
func (n *Node) unprotected() *Node {
	if has(n.Annotations, scaleDownDisabledByMCM) && n.Annotations[scaleDownDisabled] == "true" {
		delete(n.Annotations, scaleDownDisabled)
	}
	delete(n.Annotations, scaleDownDisabledByMCM)
	return n
}

func (n *Node) equals(o *Node) bool {
	return n.Unschedulable == o.Unschedulable &&
		maps.Equal(n.Labels, o.Labels) && maps.Equal(n.Annotations, o.Annotations)
}
