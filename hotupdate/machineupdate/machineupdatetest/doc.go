// Package machineupdatetest checks the wiring of a machine controller to package machineupdate.
//
// [Check] runs reconciles of one machine in a [World]. Unlike a fake client, its API server checks resourceVersions, conflicts and loses answers. Its
// driver returns errors like those of MCM's drivers. A failure names the broken promise:
//
//	stale object         every write carries the object that the previous write returned, also after the update and in error handlers
//	blind write          every write carries a resourceVersion; after a conflict there is no call; no Update restores an older record
//	status wiped         an update changes nothing in the status except lastOperation
//	error kind lost      Unimplemented leaves no marker and is not repeated; NotFound is not reported as a failure
//	creation stopped     a VM is created even if its class cannot be read, and after a conflict; a VM that exists is initialized until that succeeds
//	creation endless     CreateMachine and InitializeMachine get a context with a deadline, and the creation is recorded
//	report that harms    status.lastOperation does not change before the machine has joined, is never Failed, and has no text of the driver
//	delay lost           the next reconcile is in time for the confirmation, and for the next attempt after a failure
//	never settled        the update is confirmed, even if answers of writes were lost; a VM that was found, not created, is updated
//	lane lost            requests reach the driver with their lane, and no lane waits for another
//
// [CheckInPlace] checks the gate of in-place updates:
//
//	drained in vain      the InPlace part is applied while the node is drained, and then the node becomes ready
//	ready too early      the node does not become ready before that
//	write to a live node nothing changes while the node is not drained, even if the cache says that it is
//
// The package owns the world and the promises. It knows no controller: the API objects have MCM's JSON names.
package machineupdatetest
