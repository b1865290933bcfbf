// Package machineupdatetest checks how a machine controller is wired to package machineupdate.
//
// [Check] lets the controller reconcile one machine in a [World]: an API server that checks resourceVersions, conflicts, and loses answers, as
// those of fake clients do not, and a driver that fails as drivers do. A failure names the promise that is broken:
//
//	stale object         every write carries the object that the write before it returned, also behind the update and in error handlers
//	blind write          every write carries a resourceVersion; a conflict ends in no call; no Update brings an older record back
//	status wiped         an update leaves the status as it is, but for lastOperation
//	error kind lost      Unimplemented leaves no marker and is not repeated, NotFound is no failure
//	creation stopped     a VM is created although its class cannot be read, and after a conflict
//	creation endless     CreateMachine and InitializeMachine get a context with a deadline, and what was created is recorded
//	report that harms    status.lastOperation is left alone before the machine has joined, is never Failed, and holds nothing of the driver
//	delay lost           the reconcile comes back in time for the confirmation, and after a failure
//	never settled        the update is confirmed, also where answers of writes were lost
//	lane lost            requests reach the driver with their lane, and no lane waits for another
//
// [CheckInPlace] checks the gate of in-place updates:
//
//	drained in vain      what needs a drained node is applied while the node is drained, and the node is ready then
//	ready too early      the node is not ready before that
//	write to a live node nothing is changed while the node is not drained, whatever the cache says
//
// It owns the world and the promises. It knows no controller: the API objects have MCM's JSON names.
package machineupdatetest
