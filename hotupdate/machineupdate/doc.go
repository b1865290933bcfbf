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
//   - [Classes.Prepare] reads a class once for all of its machines. [Classes.PrepareUnsupported] is
//     for a driver without hot updates.
//   - [Executor.Reconcile] decides what to do with one machine, and does it. Call it after the
//     health check in MCM's reconcile of a machine, outside the block that needs a node label. The
//     rest of the reconcile continues with the machine of the result, and returns
//     [Result.RequeueWithin] of its own delay, even if it returns an error.
//   - [Executor.ApplyInPlace] is part of the in-place update of a machine.
//   - [Executor.BeginCreation] and [Executor.FinishCreation] enclose CreateMachine and
//     InitializeMachine.
//   - A driver gets an [UpdateMachineRequest]. Package driver implements UpdateMachine from the few
//     parts that are specific to a driver.
//   - Package machineupdatetest checks the wiring, with an API server that, unlike fake clients,
//     returns conflicts and loses answers.
//   - With a [Memory], a fault that lasts does not cost a call and a write at every event.
//   - Executor.Count and [Fleet] provide the numbers for metrics. Settings.Paused pauses updates,
//     and so does the annotation machine.sapcloud.io/pause-hot-update on a Machine or a
//     MachineClass, unless its value is false.
//
// # Specification
//
// FLOW.md beside this code is the specification:
// https://github.com/hotupdate/providerconfig/blob/main/hotupdate/machineupdate/FLOW.md. It has the
// table of decisions, the lanes of a driver, the update in place, the format and the rules of the
// record with an example, creations without a record, faults that last, the conditions on times,
// and rollbacks.
//
// # Messages
//
// A [Reason] is one to three words in CamelCase for the state that decided. Every other message is a
// clause in lower case without a full stop: in an event it names its subject, followed by the Reason
// in parentheses and by the cause after a colon; in an error it continues the place, and the hint
// after the semicolon begins with a command.
//
// # Guarantees
//
// Only desired and mandatory keys are written. A key is removed only if it is neither, and its value
// is recorded for that kind and key. Once failures end and class, driver and lease holder stay, at
// most two successful passes, three after an interrupted creation, leave every resource with exactly
// the wanted, the mandatory and the foreign infrastructure tags. The tests check both in every state
// of a small model; FLOW.md has the assumptions, and what is not covered.
//
// # Cost
//
// N machines of a class whose tags change cost 2 N calls of UpdateMachine, and three writes of each
// Machine. UpdateMachine holds a worker of the controller, so a fleet needs a [Limiter]: the guide
// in examples/machinecontroller has the arithmetic for 10,000 machines.
//
// Source: the proposal "Hot-Update VirtualMachine tags without triggering a rolling-update",
// sections "Driver interface changes" and "Machine Class reconciliation" with its two edge cases;
// MCM's proposal for InitializeMachine; the source of machine-controller-manager v0.63.
package machineupdate
