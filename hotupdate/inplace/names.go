package inplace

// Labels of nodes, as machine-controller-manager and Gardener's node agent write and read them.
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

const (
	// FailureAnnotation has the reason for a [Failed] update, written by the node agent.
	FailureAnnotation = "node.machine.sapcloud.io/update-failed-reason"
	// RolloutAnnotation is what this package remembers: at a node what its update is for, at a MachineDeployment the [Pool.Record].
	RolloutAnnotation = "node.machine.sapcloud.io/in-place-rollout"
	// ConditionType is the node condition whose reason is a [Reason].
	ConditionType = "InPlaceUpdate"
)

// Reason is the reason of the node condition [ConditionType]: how far the update of the node has come. A node without the condition has "".
type Reason string

// The reasons, in their order. The last two end an update.
const (
	CandidateForUpdate Reason = "CandidateForUpdate" // waits to be selected
	SelectedForUpdate  Reason = "SelectedForUpdate"  // is drained
	DrainSuccessful    Reason = "DrainSuccessful"    // the driver applies the InPlace part
	ReadyForUpdate     Reason = "ReadyForUpdate"     // the node agent is at work
	UpdateSuccessful   Reason = "UpdateSuccessful"
	UpdateFailed       Reason = "UpdateFailed"
)

// Phases of a Machine that decide something here. A machine in any other phase is judged by its node.
const (
	phaseFailed       = "Failed"
	phaseTerminating  = "Terminating"
	phaseUpdating     = "InPlaceUpdating"
	phaseUpdateFailed = "InPlaceUpdateFailed"
)
