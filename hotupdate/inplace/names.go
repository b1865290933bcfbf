package inplace

// Names on nodes, shared with machine-controller-manager and Gardener's node agent.
const (
	// SelectedLabel says that the node may be drained and updated.
	SelectedLabel = "node.machine.sapcloud.io/selected-for-update"
	// ConditionType is the node condition whose reason is [Node.Reason].
	ConditionType = "InPlaceUpdate"
)

const (
	candidateLabel = "node.machine.sapcloud.io/candidate-for-update" // the node needs the update
	resultLabel    = "node.machine.sapcloud.io/update-result"        // the node agent's answer
	// failureAnnotation has the node agent's reason for a failed update.
	failureAnnotation = "node.machine.sapcloud.io/update-failed-reason"
)

// Values of resultLabel.
const (
	answerSuccessful = "successful"
	answerFailed     = "failed"
)

// RolloutAnnotation is this package's own state: on a node the target of its update, on a
// MachineDeployment the [MachineDeployment.Record]. A node object that is deleted during its update
// and registers again has lost the annotation: after a rollback it counts as updated.
const RolloutAnnotation = "node.machine.sapcloud.io/in-place-rollout"

// SelectionAnnotation has the revision for which [Select] has selected the node. It is written
// together with [SelectedLabel], and this package removes both together. So a node with the
// annotation for the present revision and without the label was deselected by a user, and Select
// skips it. The node is updated when the label is added. Select considers it again when this
// annotation is removed, or for the next revision.
//
// A node that got the label from a user or another program may be selected once more after the
// label was removed.
const SelectionAnnotation = "node.machine.sapcloud.io/in-place-selection"

// Annotations of nodes: the cluster-autoscaler does not remove a node with the first one. The
// second one says that machine-controller-manager wrote the first one.
const (
	scaleDownDisabled      = "cluster-autoscaler.kubernetes.io/scale-down-disabled"
	scaleDownDisabledByMCM = "cluster-autoscaler.kubernetes.io/scale-down-disabled-by-mcm"
)

// priorityAnnotation of a Machine is a number, defaultPriority if it is absent: the machine with
// the lower priority is deleted first.
const (
	priorityAnnotation = "machinepriority.machine.sapcloud.io"
	defaultPriority    = 3
)

// Reasons of the node condition [ConditionType] on which others act.
const (
	DrainSuccessful = "DrainSuccessful" // the driver applies the InPlace part
	ReadyForUpdate  = "ReadyForUpdate"  // the node agent is at work
)

// The other reasons.
const (
	candidateForUpdate = "CandidateForUpdate"
	selectedForUpdate  = "SelectedForUpdate"
	updateSuccessful   = "UpdateSuccessful"
	updateFailed       = "UpdateFailed"
)

// Phases of a Machine that affect a decision. In any other phase the node decides.
const (
	phaseNone             = ""
	phasePending          = "Pending"
	phaseCrashLoopBackOff = "CrashLoopBackOff"
	phaseFailed           = "Failed"
	phaseTerminating      = "Terminating"
	phaseUpdating         = "InPlaceUpdating"
	phaseUpdateFailed     = "InPlaceUpdateFailed"
)
