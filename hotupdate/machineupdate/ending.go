package machineupdate

// ending is how a reconcile ended.
type ending string

const (
	notCalled   ending = "NotCalled"   // there was nothing to call
	backingOff  ending = "BackingOff"  // the passes before ended without a record: it is not time yet
	denied      ending = "Denied"      // the limiter denied the call
	conflicted  ending = "Conflicted"  // the machine has changed meanwhile: try again
	writeFailed ending = "WriteFailed" // a write failed: try again
	canceled    ending = "Canceled"    // the context was done, or the call would have been too late: try again
	pending     ending = "Pending"     // the cloud has not yet done the accepted change, or still refuses it
	refused     ending = "Refused"     // the cloud refused the change until a known time
	unrecalled  ending = "Unrecalled"  // the versions of the class could not be read: try again
	undrained   ending = "Undrained"   // the node is not drained, or was drained again: nothing was sent
	differing   ending = "Differing"   // a read-only confirmation found a difference from the applied part
	callFailed  ending = "CallFailed"  // the driver failed, wholly or in part, or CallTimeout was over
	partial     ending = "Partial"     // the driver could update only some of the resources
	panicked    ending = "Panicked"    // the driver panicked
	throttled   ending = "Throttled"   // the cloud throttled the driver's calls
	unable      ending = "Unable"      // the driver cannot update machines
	// the machine was deleted, or the driver found no VM: try again, since reads of the cloud may lag
	gone      ending = "Gone"
	updated   ending = "Updated"   // the update succeeded, and has yet to be confirmed
	confirmed ending = "Confirmed" // the machine is settled
)

// isFailure reports whether the driver could not update the machine, for a cause that must be
// reported to people.
func (e ending) isFailure() bool {
	//exhaustive:ignore
	switch e {
	case callFailed, partial, panicked, throttled, refused, differing:
		return true
	default:
		return false
	}
}

// isFutile reports whether a pass that has written nothing is repeated with growing delays and
// reported once. After any other ending, the next pass has a new reason or a known time.
func (e ending) isFutile() bool {
	//exhaustive:ignore
	switch e {
	case conflicted, writeFailed, unrecalled, gone, partial:
		return true
	default:
		return false
	}
}
