// Package machineupdatetest checks the wiring of a machine controller to package machineupdate.
//
// [Check] runs reconciles of one machine in a [World]. Unlike a fake client, its API server checks
// resourceVersions, conflicts and loses answers. Its driver returns errors like the errors of MCM's
// drivers. A failure names the broken promise:
//
//	stale object         every write carries the object that the previous write returned, also
//	                     after the update and in error handlers
//	blind write          every write carries a resourceVersion; after a conflict there is no
//	                     call; the driver changes nothing before BeforeWrite of the Executor has
//	                     written the marker; no Update restores an older record
//	status wiped         an update changes nothing in the status except lastOperation
//	error kind lost      Unimplemented leaves no marker, and is asked again after an hour;
//	                     NotFound is not reported as a failure
//	classes lost         all reconciles share the Classes of the process, so Unimplemented is not
//	                     repeated within the hour
//	limiter lost         the Executor has the Limiter of the process
//	class confused       the driver gets the class and the secret that the record is about, when
//	                     it creates, initializes and updates
//	creation stopped     a VM is created even if its class cannot be read, and after a conflict;
//	                     a VM that exists is initialized until that succeeds
//	creation endless     CreateMachine and InitializeMachine get a context with a deadline, and
//	                     the creation is recorded
//	report that harms    status.lastOperation does not change before the machine has joined, is
//	                     never Failed, and has no text of the driver
//	delay lost           the next reconcile is in time for the confirmation, for the next attempt
//	                     after a failure, and after a conflict of a creation
//	never settled        the update is made, also without a node, and confirmed, even if answers
//	                     of writes were lost; a VM that was found, not created, is updated
//	lane lost            requests reach the driver with their lane, and no lane waits for another
//
// [CheckInPlace] checks pools that are updated in place:
//
//	drained in vain      the InPlace part is applied while the node is drained, and then the node
//	                     becomes ready
//	ready too early      the node does not become ready before that
//	write to a live node nothing changes while the node is not drained, even if the cache says
//	                     that it is
//	delay lost           a drained node waits only until the next attempt
//	class confused       a creation records the class that the machine names, and the update
//	                     follows with the class of the MachineDeployment
//	class error lost     an error of the lister of classes becomes the ClassError, and is
//	                     reported
//	change missed        a change of the class of the MachineDeployment reconciles the machines
//	                     of the pool
//
// The glue between a controller and a World provides
//
//   - one controller for all reconciles of a World, with a clock that can be set: the World's Now;
//   - the classes of World.Classes and their secrets in its caches at each reconcile, and for
//     CheckInPlace a MachineSet with the class "former" and a MachineDeployment with the class
//     "class";
//   - a healthy node for a machine that has joined, and no node for other machines: those whose
//     phase is empty, Pending or CrashLoopBackOff;
//   - a client for machines, a recorder and a limiter that are the World's;
//   - a driver that passes its calls to World.Call and World.UpdateMachine, with the class and the
//     secret of the request.
//
// The package owns the world and the promises. It knows no controller: the API objects have MCM's
// JSON names.
package machineupdatetest
