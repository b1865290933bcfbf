package machineupdate

import "strconv"

// action is what to do about a machine.
type action string

const (
	actNone        action = "None"        // nothing
	actWait        action = "Wait"        // nothing yet
	actUnsupported action = "Unsupported" // nothing, though the machine should be updated: the driver cannot
	actUpdate      action = "Update"      // update the machine
	actConfirm     action = "Confirm"     // update the machine once more, to settle it
)

// Reason says why a machine is updated or not, for logs, metrics and events. The zero value is UpToDate. The package documentation has them all, under
// "Decision".
type Reason uint8

const (
	upToDate        Reason = iota // the machine is as the class wants it
	machineDeleting               // the machine is being deleted
	machineFailed                 // the machine has failed, and will be replaced
	creationPending               // the machine belongs to the creation flow
	paused                        // an operator paused hot updates of the machine, of its class, or of all
	classUnusable                 // there is no class, or it cannot be read
	classDeleting                 // the class is being deleted
	firstAdoption                 // the machine has no record: it was made before hot updates were
	recordUnusable                // the record cannot be read, or is that of another VM
	unfinished                    // an update was begun, and its success was not recorded
	specChanged                   // the hot part of the class changed
	schemaChanged                 // other fields are Hot, or the driver applies other things, than when the record was written
	verifyDue                     // VerifyPeriod is over
	recordFull                    // no further attempt fits: the machine is first taken back to what was applied
	confirmationDue               // the last success is to be confirmed
	awaitingDrain                 // the lane is InPlace: it is applied by ApplyInPlace only
)

var reasonNames = [...]string{
	upToDate: "UpToDate", machineDeleting: "MachineDeleting", machineFailed: "MachineFailed", creationPending: "CreationPending", paused: "Paused",
	classUnusable: "ClassUnusable", classDeleting: "ClassDeleting", firstAdoption: "FirstAdoption", recordUnusable: "RecordUnusable",
	unfinished: "Unfinished", specChanged: "SpecChanged", schemaChanged: "SchemaChanged", verifyDue: "VerifyDue",
	recordFull: "RecordFull", confirmationDue: "ConfirmationDue", awaitingDrain: "AwaitingDrain",
}

// String returns the reason's name.
func (r Reason) String() string {
	return nameOf(reasonNames[:], int(r), "Reason")
}

func nameOf(names []string, value int, enum string) string {
	if value < len(names) {
		return names[value]
	}
	return enum + "(" + strconv.Itoa(value) + ")"
}

// ending is how a reconcile ended.
type ending string

const (
	notCalled   ending = "NotCalled"   // there was nothing to call
	denied      ending = "Denied"      // the limiter denied the call
	conflicted  ending = "Conflicted"  // the machine was changed meanwhile: look again
	writeFailed ending = "WriteFailed" // a write failed: look again
	canceled    ending = "Canceled"    // the context was done, or the call would have been too late: look again
	pending     ending = "Pending"     // the cloud has not done yet what it accepted, or still refuses it
	refused     ending = "Refused"     // the cloud refused the change for a time that is known
	undrained   ending = "Undrained"   // the node is not drained, or was drained anew: nothing was sent
	differing   ending = "Differing"   // a confirmation that only read found something else than was applied
	callFailed  ending = "CallFailed"  // the driver failed, wholly or in part, or CallTimeout was over
	throttled   ending = "Throttled"   // the cloud throttled the driver's calls
	unable      ending = "Unable"      // the driver cannot update machines
	gone        ending = "Gone"        // there is no machine, or the driver found no VM: look again, as reads of the cloud may lag
	updated     ending = "Updated"     // the update succeeded, and is to be confirmed
	confirmed   ending = "Confirmed"   // the machine is settled
)
