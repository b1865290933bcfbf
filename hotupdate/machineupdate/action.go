package machineupdate

import "strconv"

// Action is what to do about a machine. The zero value is None.
type Action uint8

// The actions.
const (
	None        Action = iota // nothing
	Wait                      // nothing yet
	Unsupported               // nothing, though the machine should be updated: the driver cannot
	Update                    // update the machine
	Confirm                   // update the machine once more, to settle it
)

var actionNames = [...]string{None: "None", Wait: "Wait", Unsupported: "Unsupported", Update: "Update", Confirm: "Confirm"}

// String returns the action's name.
func (a Action) String() string {
	if int(a) < len(actionNames) {
		return actionNames[a]
	}
	return "Action(" + strconv.Itoa(int(a)) + ")"
}

// Reason says why. The zero value is UpToDate.
type Reason uint8

// The reasons.
const (
	UpToDate        Reason = iota // the machine is as the class wants it
	MachineDeleting               // the machine is being deleted
	MachineFailed                 // the machine has failed, and will be replaced
	CreationPending               // the machine belongs to the creation flow
	ClassUnusable                 // there is no class, or it cannot be read
	ClassDeleting                 // the class is being deleted
	FirstAdoption                 // the machine has no record: it was made before hot updates were
	RecordUnusable                // the record cannot be read, or is that of another VM
	Unfinished                    // an update was begun, and its success was not recorded
	SpecChanged                   // the hot part of the class changed
	SchemaChanged                 // other fields are Hot, or the driver applies other things, than when the record was written
	VerifyDue                     // VerifyPeriod is over
	RecordFull                    // no further attempt can be kept: back to what was applied, then on
	ConfirmationDue               // the last success is to be confirmed
)

var reasonNames = [...]string{
	UpToDate: "UpToDate", MachineDeleting: "MachineDeleting", MachineFailed: "MachineFailed", CreationPending: "CreationPending",
	ClassUnusable: "ClassUnusable", ClassDeleting: "ClassDeleting", FirstAdoption: "FirstAdoption", RecordUnusable: "RecordUnusable",
	Unfinished: "Unfinished", SpecChanged: "SpecChanged", SchemaChanged: "SchemaChanged", VerifyDue: "VerifyDue",
	RecordFull: "RecordFull", ConfirmationDue: "ConfirmationDue",
}

// String returns the reason's name.
func (r Reason) String() string {
	if int(r) < len(reasonNames) {
		return reasonNames[r]
	}
	return "Reason(" + strconv.Itoa(int(r)) + ")"
}
