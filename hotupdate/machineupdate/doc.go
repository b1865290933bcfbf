// Package machineupdate is the flow by which the machine-controller-manager (MCM) applies the hot part of a MachineClass to machines that
// run: when to call the driver, what to remember of it, and what the driver may rely on.
//
// It owns the decision, the record that is kept on the Machine, and the order of writes and calls. It knows no logger, no clock, no
// Kubernetes client and no cloud: time is an input, writes and calls are functions of the caller.
//
// # Use
//
//   - [Prepare], or [Classes.Prepare], reads a class once for all of its machines.
//   - [Decide] says what to do about one machine. It is a pure function.
//   - [Executor.Reconcile] decides and carries out. It belongs behind the health check in MCM's reconcile of a machine, outside the
//     block that needs a node label, and returns its own delay: the rest of the reconcile goes on.
//   - [Executor.BeginCreation] and [Executor.FinishCreation] stand around CreateMachine and InitializeMachine.
//   - A driver gets an [UpdateMachineRequest], and plans with package tags.
//
// # Decision
//
// The first row that applies counts. "Wanted" is the hot part of the class, "full" means that no further attempt can be kept,
// "repeated" that wanted was attempted already under the Schema, though not in a creation, or that the record is full.
//
//	row  machine and class                                           record                              decision
//	 1   deletion timestamp, or phase Terminating                    any                                 None MachineDeleting
//	 2   phase Failed                                                any                                 None MachineFailed
//	 3   no provider ID, or phase empty or CrashLoopBackOff          any                                 None CreationPending
//	 4   no class, or one that cannot be prepared                    any                                 None ClassUnusable
//	 5   class with deletion timestamp                               any                                 None ClassDeleting
//	 6   any                                                         none                                Update FirstAdoption
//	 7   any                                                         unreadable, later, of another VM    Update RecordUnusable
//	 8   repeated, RetryAfter not over                               Calling                             Wait Unfinished
//	 9   any                                                         Calling                             Update Unfinished
//	10   wanted or Schema not the applied one, not full              Unconfirmed                         Update SpecChanged, SchemaChanged
//	11   ConfirmAfter not over                                       Unconfirmed                         Wait ConfirmationDue
//	12   Since is impossibly late                                    Unconfirmed                         Update Unfinished
//	13   any                                                         Unconfirmed                         Confirm ConfirmationDue
//	14   wanted not the applied one                                  settled                             Update SpecChanged
//	15   Schema not the applied one                                  settled                             Update SchemaChanged
//	16   VerifyPeriod over                                           settled                             Update VerifyDue
//	17   any                                                         settled                             None UpToDate
//
// Where the driver cannot update, rows with Update and Confirm become Unsupported with the same reason, and nothing is written. Where
// the record is full, an Update has the reason RecordFull and goes back to what was applied; confirming that empties the record.
//
// # Record
//
// The annotation [AnnotationRecord] is JSON without white space:
//
//	{"v":1,"providerID":ID,"schema":S,"state":"Calling"|"Unconfirmed","since":TIME,"retries":N,"applied":HOT,"attempted":[HOT|null,…],"attempts":[DIGEST,…]}
//
// What stands in it:
//
//   - While a VM is being created "creating" with the machine's name stands in place of "providerID".
//   - "schema" is the Schema's fingerprint, and after a slash the driver's revision.
//   - "retries" counts the updates that repeat one which was not successful. Only a record in the state Calling has it.
//   - A settled record has no state, no attempted and no attempts.
//   - HOT are the Hot fields only, see [hotupdate.Schema.AppendHot]; null is an attempt to remove them all. DIGEST is [Digest].
//
// Rules:
//
//  1. Before every call that writes to the cloud the record is written with the state Calling and the wanted hot part among the attempts. That it
//     stands there makes the next reconcile update, whatever the class wants by then. A confirmation renews Since instead.
//  2. A success makes the wanted hot part the applied one, and leaves the attempts, to which the former applied one is added. Until a
//     second pass has succeeded, ConfirmAfter later, the machine is Unconfirmed. A failure writes nothing.
//  3. Every write carries the resourceVersion by which it was decided. After a conflict the machine is looked at anew.
//  4. A creation records what it created with. A VM that was found is updated instead.
//  5. A record is about one provider ID. One that is unreadable, later, or of another VM owns nothing: keys that were attempted under it and are
//     no longer wanted become foreign.
//  6. A driver that turns out to be unable takes the marker back.
//
// Attempts take [MaxAttempted] bytes. Longer ones are laid together, then kept as digests, and if that is too long the machine is first taken
// back to what was applied.
//
// # Time
//
// Requests of a driver that gave up, crashed or lost its lease may land later, and reads of a cloud lag. ConfirmAfter must be longer than four
// spans together: CallTimeout, after which an [Executor] sends nothing more; the time from sending a request until it has landed or died;
// the lag of reads; and the difference between the clocks of two leaders. Nothing that was sent before a success can then change a machine
// after it was confirmed. Caches of the API server may lag for any time: whoever decides by an old record gets a conflict before the call.
//
// Nothing that a failed call has done is believed, so every pass makes all calls again. Where the cloud allows fewer calls than that,
// passes that come too early would spend them all on their first call for ever. Two things keep that from happening: the time between
// passes doubles from RetryAfter up to ConfirmAfter, which is when a confirmation that failed is repeated as well; and drivers repeat
// calls that the cloud throttles, see [UpdateMachineRequest].
//
// # Guarantees
//
// At any time only wanted and mandatory keys are written, and a key is removed only if it is neither, and has a value that is recorded.
//
// Once class, driver and lease holder stay as they are, failures end, the times above hold, ConfirmAfter is time enough for the cloud to
// allow the calls of one pass, and nobody else edits wanted or recorded
// keys, at most two successful passes (three if the creation was interrupted) leave every resource with exactly the wanted, the mandatory
// and the foreign infrastructure tags, and the driver is not called again. Not covered: keys that were dropped before the first
// adoption, which are foreign for ever, and values that others set equal to ours.
//
// The package's own tests prove both by checking every state of a small model.
//
// Source: the proposal "Hot-Update VirtualMachine tags without triggering a rolling-update", sections "Driver interface changes" and
// "Machine Class reconciliation" with its two edge cases; MCM's proposal for InitializeMachine.
package machineupdate
