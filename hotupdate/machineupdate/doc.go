// Package machineupdate implements the flow by which machine-controller-manager (MCM) applies the
// hot part of a MachineClass to running machines.
//
// The package owns the decision, the record on the Machine, and the order of writes and calls. It
// uses no logger, clock, Kubernetes client or cloud: time is an input, and the caller supplies
// functions for writes and calls.
//
// For each change of the class the driver is called twice for every machine: at once, and again
// after ConfirmAfter, to check that the change has lasted. See "Cost".
//
// # Use
//
//   - [Classes.Prepare] reads a class once for all of its machines.
//   - [Executor.Reconcile] decides what to do with one machine, and does it. Call it after the
//     health check in MCM's reconcile of a machine, outside the block that needs a node label. The
//     rest of the reconcile continues with the machine of the result, and returns the [Earlier] of
//     both delays, even if it returns an error.
//   - [Executor.ApplyInPlace] is part of the in-place update of a machine. See "In place".
//   - [Executor.BeginCreation] and [Executor.FinishCreation] enclose CreateMachine and
//     InitializeMachine.
//   - A driver gets an [UpdateMachineRequest]. Package driver implements UpdateMachine from the few
//     parts that are specific to a driver.
//   - Package machineupdatetest checks the wiring, with an API server that, unlike fake clients,
//     returns conflicts and loses answers.
//   - Executor.Count and [Fleet] provide the numbers for metrics.
//     Settings.Paused and an annotation pause updates.
//
// # Decision
//
// A decision is about one lane of a machine. The first matching row decides. "Wanted" is the part
// of the class in the lane, and "Schema" the meaning of the Schema and the [Driver]. "Other" means
// different from when the record was written. "Closed" is the lane that is InPlace, outside of
// ApplyInPlace.
//
//	row  machine and class                                record                            decision
//	 1   deletion timestamp, or phase Terminating         any                               None MachineDeleting
//	 2   phase Failed                                     any                               None MachineFailed
//	 3   no provider ID, phase empty or CrashLoopBackOff  any                               None CreationPending
//	 4   paused, or its class, or all                     any                               None Paused
//	 5   no class, or one that cannot be prepared         any                               None ClassUnusable
//	 6   class with deletion timestamp                    any                               None ClassDeleting
//	6a   driver without hot updates                       any                               Unsupported NoUpdates
//	 7   closed                                           none, not Unconfirmed, unusable   None AwaitingDrain
//	 8   closed, ConfirmAfter over or Since too late      Unconfirmed                       Confirm ConfirmationDue,
//	                                                                                        reads only
//	 9   any                                              none                              Update FirstAdoption
//	10   any                                              unreadable, later, of another VM  Update RecordUnusable
//	11   nothing other, RetryAfter or NotBefore not over  Calling, not of a creation        Wait Unfinished
//	12   any                                              Calling                           Update Unfinished
//	13   wanted or Schema other, not closed               Unconfirmed                       Update SpecChanged,
//	                                                                                        SchemaChanged
//	14   ConfirmAfter not over                            Unconfirmed                       Wait ConfirmationDue
//	15   Since is too late: it is in the future           Unconfirmed                       Update Unfinished
//	16   any                                              Unconfirmed                       Confirm ConfirmationDue
//	17   wanted other, or more of what is missing fits    settled                           Update SpecChanged
//	18   Schema other                                     settled                           Update SchemaChanged
//	19   VerifyPeriod over                                settled                           Update VerifyDue
//	20   any                                              settled                           None UpToDate
//
// If the driver cannot update, rows with Update and Confirm become Unsupported with the same
// reason, nothing is written, and no Schema counts as other. A driver that returned
// [ErrUnimplemented] for a lane of a class is asked again after a change of the class's provider
// spec, and after VerifyPeriod or else an hour. No node is drained to ask: a lane that is InPlace
// is only confirmed. An event reports the driver once for each class and lane, and once more after
// a change. The function Count counts Unsupported at every reconcile.
//
// If the record has no room for the whole wanted part, an Update has the reason RecordFull, and
// makes a part of the change. If there is no room for any further part, row 20 has the reason
// RecordFull.
//
// Decisions with None and Wait read only the record's first members. Parts that cannot be read are
// noticed when a pass is due.
//
// # Lanes
//
// A [Lane] of the driver is a set of leaves with a record, a marker and a call of UpdateMachine of
// its own. Lanes share only the Machine, and so its resourceVersion and the 256 KiB of its
// annotations: every statement here about a machine holds for each of its lanes. One reconcile
// handles them one after the other. "Record" and "Cost" describe a driver without lanes.
//
//   - Success means that a read shows the desired state. A pass or confirmation whose change the
//     cloud has accepted but not done returns [ErrPending]: nothing is recorded as applied, no
//     failure is reported, and the pass is repeated.
//   - A [RetryError] with a longer time than ConfirmAfter is a refusal. Its time, at most 24 hours,
//     is recorded as "notBefore" until a pass has succeeded. The driver is called once more after
//     RetryAfter, and then at that time. Until then it only reads. A change of the spec does not
//     wait.
//   - A creation records all lanes. In the record of a further lane a hot part has at most 3 KiB,
//     and the leaves recorded beside it take at most 9 KiB for each kind. Each such record takes 16
//     KiB from the limit of the first one.
//
// # In place
//
// A machine that is updated in place keeps the name of its old class, which the extension deletes.
// Its wanted class is named in the template of its MachineDeployment, not of its MachineSet: the
// MachineSet changes only after the update has succeeded. Observe with the class of the
// MachineDeployment. A lane whose leaves are InPlace is applied only while the machine's node is
// drained (GEP-31), between the reasons DrainSuccessful and ReadyForUpdate of the node's condition.
// machine-controller-manager's issue 1023 asks for this call under the name ApplyMachine. In pools
// that roll, creations record the lane, and it is never applied.
//
//  1. Select a node only if [Observation.InPlace] is not InPlaceUnable.
//  2. [Executor.ApplyInPlace] is the gate. Its marker names the class, the node's UID and the time
//     of the drain. Before the first write the node is read again: it must be the same,
//     unschedulable, and drained at that time. Otherwise nothing is sent. A user can still make the
//     node schedulable between this read and the end of the call.
//  3. Outside of the gate nothing is written to the cloud. The driver is called only to confirm,
//     with ReadOnly. If it finds a difference, the state becomes InPlacePending, an event reports
//     it, and the node has to be drained again.
//  4. A machine is handed over to the new MachineSet only with InPlaceApplied. InPlaceUnconfirmed
//     waits. With any other state the node is selected again, or becomes a candidate.
//  5. InPlaceUnknown, after an adoption or a control-plane migration, is neither present nor
//     absent: the next drain adopts the machine.
//
// # Record
//
// The annotation [AnnotationRecord] is JSON, in this order and without white space:
//
//	{"v":1,"providerID":ID,"schema":S,"state":"Calling"|"Unconfirmed","since":TIME,"retries":N,"notBefore":TIME,
//	 "class":NAME,"node":UID,"drained":TIME,"wanted":D,"parts":[PART,…]}
//	PART: {"kinds":[KIND,…],"applied":HOT,"attempted":[HOT,…],"removed":[HOT,…]}
//
// Members without a value are omitted:
//
//   - While a VM is being created, "creating" with the machine's name takes the place of
//     "providerID".
//   - "schema" is the Schema's fingerprint and, after a question mark, the text that identifies the
//     driver.
//   - A settled record has no state.
//   - "retries" counts repeated updates since the last success. Only a record in the state Calling
//     has it.
//   - "notBefore" is when the cloud accepts the change that it refused. No settled record has it.
//   - "class", "node" and "drained" identify the drain for which the last update was begun. Only
//     the lane that is InPlace has them.
//   - "wanted" is the first half of the SHA-256 of the hot part of the class, in base64. A settled
//     record has it if the whole hot part is applied. It has it with an exclamation mark before it
//     if not all of the hot part is applied, and the record has no room for more of it.
//   - Each part is about the kinds of resources that it names. The last part names none: it is
//     about every other kind, including unknown ones.
//   - "applied" is the hot part of the last success: the Hot fields only, see
//     [hotupdate.Schema.PartDocument].
//   - "attempted" has the values that may be live instead: those sent since and, until a success is
//     confirmed, those applied before it. In the same way, "removed" has the leaves that may be
//     absent: null, or the element of a list.
//
// Rules:
//
//  1. Before the first request that changes the cloud, the record is written with the state Calling
//     and the desired part. This marker makes the next reconcile update, whatever the class wants
//     by then. A confirmation renews Since instead. With [Driver].ReadsFirst the driver decides
//     when the marker is written; otherwise it is written before the call.
//  2. A success makes the desired part the applied part. Everything that may be live instead stays
//     recorded until a second pass has succeeded, ConfirmAfter later. Until then the machine is
//     Unconfirmed. No single pass settles a machine, not even one that found nothing to change.
//  3. Only a pass that covers a kind changes its part. A leaf that is not Hot in the present Schema
//     is frozen, and so is a kind that the driver does not cover: frozen means neither wanted nor
//     removed, not shown to the driver, and kept indefinitely. A kind that is new to a driver
//     begins with the part of every other kind.
//  4. The first pass and every creation write their hot part as applied for the kinds that no pass
//     has covered: the launch gave it to them.
//  5. The leaves recorded beside the applied part take at most 32 KiB for each kind; frozen leaves
//     do not count. A change that does not fit is made in slices of leaves, each of which costs two
//     passes: first removals and changes, then additions. A class with a hot part of more than 64
//     KiB, or a leaf of more than 10 KiB, is refused. If frozen parts leave no room in 240 KiB, the
//     machine keeps its present state: it is settled, and an event tells it.
//  6. After a failure the marker stays. Every write carries the resourceVersion of the object by
//     which it was decided. After a conflict the machine is reconciled again.
//  7. A creation records the spec of the new VM. A VM that already existed is updated instead.
//  8. A record is about one provider ID. A record that is unreadable, of a later version, or of
//     another VM owns nothing: keys that it attempted and that are no longer wanted become foreign.
//  9. If a driver returns that it cannot update, the marker is removed.
//
// A leaf is a JSON scalar with its path. Each element of a list of scalars is a leaf; any other
// list is one leaf.
//
// # Creations without a record
//
// A controller beside an unmodified MCM must not write to a machine while MCM creates its VM, so it
// calls neither [Executor.BeginCreation] nor FinishCreation. The class may have changed before it
// adopts the machine. For keys that were dropped meanwhile not to be foreign forever:
//
//  1. Before CreateMachine and before InitializeMachine the version of the class is stored, with
//     [Prepared.AddVersion], where every process of the namespace finds it.
//  2. [Observation].Versions reads the store, for the class that the Machine names, after the
//     provider ID was seen, which MCM writes after CreateMachine. Every value of every version then
//     counts as attempted.
//  3. Versions may be forgotten when every Machine that names the class has a record in all lanes
//     that are Hot, and none is about to be created with one of them. InPlace parts are not stored:
//     an adoption by a drain knows only the class.
//
// Not covered: a creation whose version could not be stored, an MCM that was suspended in the
// middle of a creation for longer than ConfirmAfter, and a VM with a record that is initialized
// again after a control-plane migration.
//
// # Cost
//
// N machines of a class whose tags change cost 2 N calls of UpdateMachine, and three writes of each
// Machine: marker, success, confirmation. Adopting machines that are in the desired state costs as
// many calls, which only read, and two writes of each Machine. Lanes are adopted one by one.
// UpdateMachine holds a worker of the controller, so a fleet needs a [Limiter]. The guide in
// examples/machinecontroller has the arithmetic for 10,000 machines.
//
// The write of the success cannot be left to the confirmation. Without it a record does not tell an
// update that has succeeded from one whose request is still under way, nor when the success was. If
// a later read without a difference settles such a record, the models find a late request that
// lands after the read: its key stays on the machine and is not known to be ours.
//
// # Reports
//
// Updates are counted and reported by events. This package neither reads nor writes
// status.lastOperation, the proposal's option 2: other parts of MCM decide by it. A caller that
// reports there does so after Reconcile, within the limits that the guide in
// examples/machinecontroller lists. For people, the member "applied" of the record has the hot part
// of the last success. With [Settings].MirrorSpec an annotation has the whole spec.
//
// # Rolled-back drivers and restored backups
//
// After a rollback of the driver every machine is updated once if Kinds, Revision or Schema differ.
// Parts that the older driver does not cover are frozen until the newer one returns. A driver
// without the lane that is InPlace does not read its record: [Observation.InPlace] then compares
// only the two classes, and an update that the newer driver left unfinished shows as InPlacePending
// once that driver returns.
//
// After a restore the records are those of the backup. Change [Driver].Epoch: every machine is then
// checked once, and gets what the class wants. Tags that became ours after the backup and are no
// longer wanted stay, because they cannot be told from the tags of others. So do, with or without a
// backup, values that were replaced before the first success on an adopted machine.
//
// # Time
//
// Requests of a driver that gave up, crashed or lost its lease may take effect later, and reads of
// a cloud lag. ConfirmAfter must be longer than the sum of four spans: CallTimeout or
// CreationTimeout, after which nothing more is sent; the time until a sent request has taken effect
// or failed; the lag of reads; and the difference between the clocks of two leaders. Then no
// request that was sent before a success can change a machine after its confirmation, and the
// confirmation sees the effects of all of them. So a pass has to change only what a read shows to
// differ. Caches of the API server may lag for any time: a decision by an old record ends in a
// conflict before anything is sent.
//
// If the cloud allows fewer calls than a pass needs, early passes may spend the allowance on their
// first calls, while reads do not show these yet. So the time between passes, also of a failed
// confirmation, doubles from RetryAfter up to ConfirmAfter, and drivers repeat throttled calls, see
// [UpdateMachineRequest].
//
// # Guarantees
//
// At any time only desired and mandatory keys are written. The desired value of a key is the wanted
// one or, if the record has no room for it, the applied one. A key is removed only if it is neither
// desired nor mandatory, and its value is recorded for that kind and key.
//
// Assume that from some moment on class, driver and lease holder do not change, failures end, the
// times above hold, the cloud allows the calls of one pass within ConfirmAfter, the record has
// room, and nobody else edits wanted or recorded keys. Then at most two successful passes, three if
// the creation was interrupted, leave every resource with exactly the wanted, the mandatory and the
// foreign infrastructure tags, and the driver is not called again. Passes count once the caches of
// machine and class have caught up. Not covered: keys that were dropped before the first adoption,
// which are foreign forever, and values that others set and that equal ours.
//
// The package's tests check both guarantees in every state of a small model.
//
// Source: the proposal "Hot-Update VirtualMachine tags without triggering a rolling-update",
// sections "Driver interface changes" and "Machine Class reconciliation" with its two edge cases;
// MCM's proposal for InitializeMachine; the source of machine-controller-manager v0.63.
package machineupdate
