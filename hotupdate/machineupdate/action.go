package machineupdate

import "strconv"

// action is what to do about a machine.
type action uint8

const (
	actNone        action = iota // nothing
	actWait                      // nothing yet
	actUnsupported               // nothing, though the machine should be updated: the driver cannot
	actUpdate                    // update the machine
	actConfirm                   // update the machine once more, to settle it
)

var actionNames = [...]string{
	actNone: "None", actWait: "Wait", actUnsupported: "Unsupported", actUpdate: "Update", actConfirm: "Confirm",
}

// Reason says why a machine is updated or not. The zero value is UpToDate.
type Reason uint8

// The reasons.
const (
	UpToDate        Reason = iota // the machine is as the class wants it
	MachineDeleting               // the machine is being deleted
	MachineFailed                 // the machine has failed, and will be replaced
	CreationPending               // the machine belongs to the creation flow
	Paused                        // an operator paused hot updates of the machine, of its class, or of all
	ClassUnusable                 // there is no class, or it cannot be read
	ClassDeleting                 // the class is being deleted
	FirstAdoption                 // the machine has no record: it was made before hot updates were
	RecordUnusable                // the record cannot be read, or is that of another VM
	Unfinished                    // an update was begun, and its success was not recorded
	SpecChanged                   // the hot part of the class changed
	SchemaChanged                 // other fields are Hot, or the driver applies other things, than when the record was written
	VerifyDue                     // VerifyPeriod is over
	RecordFull                    // no further attempt fits: the machine is first taken back to what was applied
	ConfirmationDue               // the last success is to be confirmed
	AwaitingDrain                 // the lane is InPlace: it is applied by ApplyInPlace only
)

var reasonNames = [...]string{
	UpToDate: "UpToDate", MachineDeleting: "MachineDeleting", MachineFailed: "MachineFailed", CreationPending: "CreationPending", Paused: "Paused",
	ClassUnusable: "ClassUnusable", ClassDeleting: "ClassDeleting", FirstAdoption: "FirstAdoption", RecordUnusable: "RecordUnusable",
	Unfinished: "Unfinished", SpecChanged: "SpecChanged", SchemaChanged: "SchemaChanged", VerifyDue: "VerifyDue",
	RecordFull: "RecordFull", ConfirmationDue: "ConfirmationDue", AwaitingDrain: "AwaitingDrain",
}

// String returns the reason's name.
func (r Reason) String() string {
	return nameOf(reasonNames[:], int(r), "Reason")
}

// nameOf returns the name of an enum's value.
func nameOf(names []string, value int, enum string) string {
	if value < len(names) {
		return names[value]
	}
	return enum + "(" + strconv.Itoa(value) + ")"
}

// ending is how a reconcile ended.
type ending uint8

const (
	notCalled   ending = iota // there was nothing to call
	denied                    // the limiter denied the call
	conflicted                // the machine was changed meanwhile: look again
	writeFailed               // a write failed: look again
	canceled                  // the context was done, or the call would have been too late: look again
	pending                   // the cloud has not done yet what it accepted, or still refuses it
	refused                   // the cloud refused the change for a time that is known
	undrained                 // the node is not drained, or was drained anew: nothing was sent
	differing                 // a confirmation that only read found something else than was applied
	callFailed                // the driver failed, wholly or in part, or CallTimeout was over
	throttled                 // the cloud throttled the driver's calls
	unable                    // the driver cannot update machines
	gone                      // there is no machine, or the driver found no VM: look again, as reads of the cloud may lag
	updated                   // the update succeeded, and is to be confirmed
	confirmed                 // the machine is settled
)

var endingNames = [...]string{
	notCalled: "NotCalled", denied: "Denied", conflicted: "Conflicted", writeFailed: "WriteFailed", canceled: "Canceled",
	pending: "Pending", refused: "Refused", undrained: "Undrained", differing: "Differing", callFailed: "CallFailed", throttled: "Throttled", unable: "Unable", gone: "Gone", updated: "Updated", confirmed: "Confirmed",
}
