// Package machineupdate is the flow by which the machine-controller-manager (MCM) applies the hot part of a MachineClass to running machines.
//
// It owns the decision, the record that is kept on the Machine, and the order of writes and calls. It knows no logger, no clock, no
// Kubernetes client and no cloud: time is an input, writes and calls are functions of the caller.
//
// For each change of the class the driver is called twice for every machine: at once, and once more after ConfirmAfter, to see that the change
// has stayed. See "Cost".
//
// # Use
//
//   - [Classes.Prepare] reads a class, which is that of [ClassOf], once for all of its machines.
//   - [Executor.Reconcile] decides what to do about one machine, and does it. Call it behind the health check in MCM's reconcile of a machine,
//     outside the block that needs a node label. The rest of the reconcile goes on with the machine of the result, and returns the [Earlier] of both
//     delays whatever its own errors are.
//   - [Executor.ApplyInPlace] stands in the in-place update of a machine. See "In place".
//   - [Executor.BeginCreation] and [Executor.FinishCreation] stand around CreateMachine and InitializeMachine.
//   - A driver gets an [UpdateMachineRequest]. Package driver makes its UpdateMachine from what only the driver knows.
//   - Package machineupdatetest checks the wiring, with an API server that conflicts and loses answers, as fake clients do not.
//   - Executor.Count and [Fleet] have the numbers for metrics. [AnnotationPause] and Settings.Paused pause updates.
//
// # Decision
//
// A decision is about one lane of a machine. The first row that applies counts. "Wanted" is what the class wants of the lane, and "Schema" what the
// Schema and the [Driver] say. "Other" means other than when the record was written. "Closed" is the lane that is InPlace, but for ApplyInPlace.
//
//	row  machine and class                                           record                              decision
//	 1   deletion timestamp, or phase Terminating                    any                                 None MachineDeleting
//	 2   phase Failed                                                any                                 None MachineFailed
//	 3   no provider ID, or phase empty or CrashLoopBackOff          any                                 None CreationPending
//	 4   paused, or its class, or all                                any                                 None Paused
//	 5   no class, or one that cannot be prepared                    any                                 None ClassUnusable
//	 6   class with deletion timestamp                               any                                 None ClassDeleting
//	 7   closed                                                      none, not Unconfirmed, unusable     None AwaitingDrain
//	 8   closed, ConfirmAfter over or Since impossibly late          Unconfirmed                         Confirm ConfirmationDue, reads only
//	 9   any                                                         none                                Update FirstAdoption
//	10   any                                                         unreadable, later, of another VM    Update RecordUnusable
//	11   nothing other, RetryAfter or NotBefore not over             Calling, not of a creation          Wait Unfinished
//	12   any                                                         Calling                             Update Unfinished
//	13   wanted or Schema other, not closed                          Unconfirmed                         Update SpecChanged, SchemaChanged
//	14   ConfirmAfter not over                                       Unconfirmed                         Wait ConfirmationDue
//	15   Since is impossibly late                                    Unconfirmed                         Update Unfinished
//	16   any                                                         Unconfirmed                         Confirm ConfirmationDue
//	17   wanted other, or not all of it applied                      settled                             Update SpecChanged
//	18   Schema other                                                settled                             Update SchemaChanged
//	19   VerifyPeriod over                                           settled                             Update VerifyDue
//	20   any                                                         settled                             None UpToDate
//
// Where the driver cannot update, rows with Update and Confirm become Unsupported with the same reason, nothing is written, and no Schema is
// other. Where the record has no room for all that is wanted, an Update has the reason RecordFull, and makes a part of the change.
//
// Decisions with None and Wait need the record's first members alone. Parts that cannot be read are noticed when a pass is due.
//
// # Lanes
//
// A [Lane] of the driver is a set of leaves with a record, a marker and a call of UpdateMachine of its own. Lanes share the Machine, and so its
// resourceVersion and the 256 KiB of its annotations, and nothing else: everything that is said here of a machine holds for each of its lanes. One
// reconcile takes them one after the other. A driver without lanes stores and costs what is said under "Record" and "Cost".
//
//   - Success means that a read shows what is desired. A pass or confirmation whose change the cloud has accepted and not done returns
//     [ErrPending]: nothing is recorded as applied, no failure is reported, and the pass is repeated.
//   - A [RetryError] with a longer time than ConfirmAfter is a refusal. Its time, at most 24 hours, is recorded as "notBefore" until a pass has
//     succeeded. The driver is asked once more after RetryAfter, and then at that time. Until then it only reads. A change of the spec does not
//     wait.
//   - A creation records all lanes. In the record of a further lane a hot part has at most 3 KiB, and what is recorded beside it 9 KiB for each
//     kind. Each record takes 16 KiB from the first one's.
//
// # In place
//
// A machine that is updated in place keeps the name of its old class, which the extension deletes. The class that it should have stands in the template of
// its MachineDeployment, not of its MachineSet: that one changes only after the update has succeeded. Observe with the class of the MachineDeployment.
// A lane whose leaves are InPlace is applied only while the machine's node is drained (GEP-31), between the reasons DrainSuccessful and
// ReadyForUpdate of the node's condition. This call is what machine-controller-manager's issue 1023 asks for as ApplyMachine. In pools that are
// replaced the lane is recorded by creations and never applied.
//
//  1. Before a node is selected, [Observation.InPlace] is not InPlaceUnable.
//  2. [Executor.ApplyInPlace] is the gate. Its marker names the class, the node's UID and the time of the drain. Before the first write the node is
//     read again: it must be the same, unschedulable, and drained at that time. Else nothing is sent. What remains is a user who makes the node
//     schedulable between this read and the end of the call.
//  3. Outside of the gate nothing is written to the cloud. A driver is called to confirm, with ReadOnly. What it finds to differ becomes
//     InPlacePending, and an event; the node has to be drained again.
//  4. A machine is handed over to the new MachineSet only with InPlaceApplied. InPlaceUnconfirmed waits. With any other state the node is selected
//     again, or made a candidate.
//  5. InPlaceUnknown, after an adoption or a control-plane migration, is neither present nor absent: the next drain adopts the machine.
//
// # Record
//
// The annotation [AnnotationRecord] is JSON, in this order and without white space:
//
//	{"v":1,"providerID":ID,"schema":S,"state":"Calling"|"Unconfirmed","since":TIME,"retries":N,"notBefore":TIME,
//	 "class":NAME,"node":UID,"drained":TIME,"wanted":D,"parts":[PART,…]}
//	PART: {"kinds":[KIND,…],"applied":HOT,"attempted":[HOT,…],"removed":[HOT,…]}
//
// Members without a value are left out:
//
//   - While a VM is being created "creating" with the machine's name stands in place of "providerID".
//   - "schema" is the Schema's fingerprint, and after a question mark what the driver says of itself.
//   - A settled record has no state.
//   - "retries" counts the updates that repeat one which was not successful. Only a record in the state Calling has it.
//   - "notBefore" is when the cloud takes the change that it refused. No settled record has it.
//   - "class", "node" and "drained" say for which drain of the node the last update was begun. Only the lane that is InPlace has them.
//   - "wanted" is the first half of the SHA-256 of the hot part that the class had, in base64. A settled record has it if all of it is applied.
//   - Each part is about the kinds of resources that it names. The last one names none: it is about every other kind, unknown ones included.
//   - "applied" is the hot part of the last success: the Hot fields only, see [hotupdate.Schema.HotDocument].
//   - "attempted" has the values that may be live beside it: those sent since, and before the confirmation of a success those applied before.
//     "removed" has likewise what may be absent: null, or the element of a list.
//
// Rules:
//
//  1. Before the first request that changes the cloud the record is written with the state Calling and what is desired. This marker makes the
//     next reconcile update, whatever the class wants by then. A confirmation renews Since instead. With [Driver].ReadsFirst the driver says when;
//     otherwise it is before the call.
//  2. A success makes what was desired the applied part. Everything that may be live beside it stays recorded until a second pass has succeeded,
//     ConfirmAfter later. Until then the machine is Unconfirmed. No pass settles a machine by itself, not even one that found everything right.
//  3. Only a pass that covers a kind changes its part. A leaf that is not Hot in the present Schema is frozen, and so is a kind that the driver
//     does not cover: neither wanted nor removed, not shown to the driver, kept as long as it takes. A kind that a driver has learned begins with the
//     part of every other kind.
//  4. The first pass and every creation write their hot part as applied for the kinds that no pass has covered: the launch gave it to them.
//  5. What is recorded beside the applied part takes at most 32 KiB for each kind; what is frozen does not count. A change that does not fit is
//     made in slices of leaves, each of which costs two passes: first what is removed and changed, then what is added. A class with a hot part
//     of more than 64 KiB, or a leaf of more than 10 KiB, is refused. Where frozen parts leave no room in 240 KiB the machine keeps what it has.
//  6. A failure leaves the marker. Every write carries the resourceVersion by which it was decided. After a conflict the machine is reconciled anew.
//  7. A creation records the spec that it created with. A VM that was found is updated instead.
//  8. A record is about one provider ID. One that is unreadable, later, or of another VM owns nothing: keys that were attempted under it and are
//     no longer wanted become foreign.
//  9. Where a driver turns out to be unable to update, the marker is taken back.
//
// A leaf is a JSON scalar with its path. A list of scalars is as many leaves as it has elements, any other list is one.
//
// # Cost
//
// N machines of a class whose tags change cost 2 N calls of UpdateMachine, and three writes of each Machine: marker, success, confirmation. The adoption
// of machines that are right costs as many calls, which only read, and two writes of each Machine. Lanes are adopted one by one. UpdateMachine holds a
// worker of the controller, so a fleet needs a [Limiter]. The guide in examples/machinecontroller has the arithmetic for 10,000 machines.
//
// # Reports
//
// An update is told by events and counted. Nothing of this package reads or writes status.lastOperation, the proposal's option 2: other parts of
// MCM decide by it. A caller that reports there does so behind Reconcile, within the limits that the guide in examples/machinecontroller lists. For
// people the member "applied" of the record has the hot part of the last success, and with [Settings].MirrorSpec an annotation the whole spec.
//
// # Rolled-back drivers and restored backups
//
// After a rollback of the driver every machine is updated once if Kinds, Revision or Schema differ. What the older one does not cover is frozen
// until the newer one returns. A driver without the lane that is InPlace reads no record of it: [Observation.InPlace] then compares the two classes
// alone, and an update that the newer driver left unfinished shows as InPlacePending when that returns.
//
// After a restore the records are those of the backup. Change [Driver].Epoch: every machine is then looked at once, and has what the class
// wants. What became ours since the backup and is no longer wanted stays, as nothing tells it from what others set; and so do, with or without
// a backup, values that were replaced before the first success on an adopted machine.
//
// # Time
//
// Requests of a driver that gave up, crashed or lost its lease may land later, and reads of a cloud lag. ConfirmAfter must be longer than four
// spans together: CallTimeout or CreationTimeout, after which nothing more is sent; the time from sending a request until it has landed or died;
// the lag of reads; and the difference between the clocks of two leaders. Then no request that was sent before a success can change a machine
// after its confirmation, and the confirmation sees all that they did. So a pass need change no more than reads show to differ. Caches of the API
// server may lag for any time: a decision by an old record ends in a conflict before anything is sent.
//
// Where the cloud allows fewer calls than a pass needs, early passes may spend the allowance on their first calls, while reads do not show
// these yet. So the time between passes doubles from RetryAfter up to ConfirmAfter, when a failed confirmation is repeated too, and drivers repeat
// throttled calls, see [UpdateMachineRequest].
//
// # Guarantees
//
// At any time only desired and mandatory keys are written. Desired is what is wanted or, where the record has no room for that, what was applied.
// A key is removed only if it is neither, and its value is recorded for that kind and key.
//
// From some moment on let class, driver and lease holder stay as they are, failures end, the times above hold, ConfirmAfter be time enough
// for the cloud to allow the calls of one pass, the record have room, and nobody else edit wanted or recorded keys. Then at most two successful
// passes, three if the creation was interrupted, leave every resource with exactly the wanted, the mandatory and the foreign infrastructure
// tags, and the driver is not called again. They count from when the caches of machine and class have caught up. Not covered: keys that were
// dropped before the first adoption, which are foreign for ever, and values that others set equal to ours.
//
// The package's tests check both in every state of a small model.
//
// Source: the proposal "Hot-Update VirtualMachine tags without triggering a rolling-update", sections "Driver interface changes" and
// "Machine Class reconciliation" with its two edge cases; MCM's proposal for InitializeMachine; the source of machine-controller-manager v0.63.
package machineupdate
