package inplace

// Labels of nodes, shared with machine-controller-manager and Gardener's node agent.
const (
	CandidateLabel = "node.machine.sapcloud.io/candidate-for-update" // the node needs the update
	SelectedLabel  = "node.machine.sapcloud.io/selected-for-update"  // the node may be drained and updated
	ResultLabel    = "node.machine.sapcloud.io/update-result"        // the node agent's answer: [Successful] or [Failed]
)

// Values of [ResultLabel].
const (
	Successful = "successful"
	Failed     = "failed"
)

// failureAnnotation of a node has the reason for a [Failed] update, written by the node agent.
const failureAnnotation = "node.machine.sapcloud.io/update-failed-reason"

const (
	// RolloutAnnotation is this package's own state: on a node the target of its update, on a MachineDeployment the [Pool.Record].
	RolloutAnnotation = "node.machine.sapcloud.io/in-place-rollout"
	// ConditionType is the node condition whose reason is a [Reason].
	ConditionType = "InPlaceUpdate"
)

// Reason is the reason of the node condition [ConditionType]: how far the update of the node has come. It is CandidateForUpdate while the node
// waits to be selected, SelectedForUpdate while it is drained, then DrainSuccessful and ReadyForUpdate. UpdateSuccessful or UpdateFailed ends the
// update. A node without the condition has "".
type Reason string

// The reasons on which others act.
const (
	DrainSuccessful Reason = "DrainSuccessful" // the driver applies the InPlace part
	ReadyForUpdate  Reason = "ReadyForUpdate"  // the node agent is at work
)

const (
	candidateForUpdate Reason = "CandidateForUpdate"
	selectedForUpdate  Reason = "SelectedForUpdate"
	updateSuccessful   Reason = "UpdateSuccessful"
	updateFailed       Reason = "UpdateFailed"
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
