// Package machineupdate is the flow by which the machine-controller-manager (MCM) applies the hot part of a MachineClass to running machines.
//
// It owns the decision, the record that is kept on the Machine, and the order of writes and calls. It knows no logger, no clock, no
// Kubernetes client and no cloud: time is an input, writes and calls are functions of the caller.
//
// # Use
//
//   - [Classes.Prepare] reads a class once for all of its machines.
//   - [Executor.Reconcile] decides what to do about one machine, and does it. Call it behind the health check in MCM's reconcile of a machine,
//     outside the block that needs a node label. It returns its own delay: the rest of the reconcile goes on.
//   - [Executor.BeginCreation] and [Executor.FinishCreation] stand around CreateMachine and InitializeMachine.
//   - A driver gets an [UpdateMachineRequest], and plans with package tags.
//
// # Decision
//
// The first row that applies counts. "Wanted" is the hot part of the class. "Full" means that the record has no room for another attempt.
// "Repeated" means that wanted was attempted before under the same Schema, though not in a creation, or that the record is full.
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
// Its members:
//
//   - While a VM is being created "creating" with the machine's name stands in place of "providerID".
//   - "schema" is the Schema's fingerprint, and after a slash the driver's revision.
//   - "retries" counts the updates that repeat one which was not successful. Only a record in the state Calling has it.
//   - A settled record has no state, no attempted and no attempts.
//   - HOT are the Hot fields only, see [hotupdate.Schema.HotDocument]; null is an attempt to remove them all. DIGEST is a [Digest] in base64.
//
// Rules:
//
//  1. Before every call that writes to the cloud the record is written with the state Calling and the wanted hot part among the attempts. This
//     marker makes the next reconcile update, whatever the class wants by then. A confirmation renews Since instead.
//  2. A success makes the wanted hot part the applied one, and leaves the attempts, to which the former applied one is added. Until a
//     second pass has succeeded, ConfirmAfter later, the machine is Unconfirmed. A failure writes nothing.
//  3. Every write carries the resourceVersion by which it was decided. After a conflict the machine is reconciled anew.
//  4. A creation records the spec that it created with. A VM that was found is updated instead.
//  5. A record is about one provider ID. One that is unreadable, later, or of another VM owns nothing: keys that were attempted under it and are
//     no longer wanted become foreign.
//  6. Where a driver turns out to be unable to update, the marker is taken back.
//
// The attempts of a record take at most 32 KiB. Longer ones are merged, then replaced by digests. If these are too long as well, the machine is
// first taken back to what was applied. A hot part has at most 96 KiB and 600 leaves, such as infrastructure tags.
//
// # Time
//
// Requests of a driver that gave up, crashed or lost its lease may land later, and reads of a cloud lag. ConfirmAfter must be longer than four
// spans together: CallTimeout, after which an [Executor] sends nothing more; the time from sending a request until it has landed or died;
// the lag of reads; and the difference between the clocks of two leaders. Then no request that was sent before a success can change a machine
// after its confirmation. Caches of the API server may lag for any time: a decision by an old record ends in a conflict before the call.
//
// The effects of a failed call are unknown, so every pass makes all calls again. Where the cloud allows fewer calls than a pass needs,
// early passes would spend the allowance on their first calls for ever. So the time between passes doubles from RetryAfter up to
// ConfirmAfter, when a failed confirmation is repeated too, and drivers repeat throttled calls, see [UpdateMachineRequest].
//
// # Guarantees
//
// At any time only wanted and mandatory keys are written, and a key is removed only if it is neither, and has a value that is recorded.
//
// From some moment on let class, driver and lease holder stay as they are, failures end, the times above hold, ConfirmAfter be time enough
// for the cloud to allow the calls of one pass, and nobody else edit wanted or recorded keys. Then at most two successful passes, three if
// the creation was interrupted, leave every resource with exactly the wanted, the mandatory and the foreign infrastructure tags, and the
// driver is not called again. Not covered: keys that were dropped before the first adoption, which are foreign for ever, and values that
// others set equal to ours.
//
// The package's tests check both in every state of a small model.
//
// Source: the proposal "Hot-Update VirtualMachine tags without triggering a rolling-update", sections "Driver interface changes" and
// "Machine Class reconciliation" with its two edge cases; MCM's proposal for InitializeMachine.
package machineupdate
