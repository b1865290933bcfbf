// Package updater applies hot updates beside a machine-controller-manager (MCM) without hot updates.
// It is a controller in the driver's process, and a separate module, because it needs client-go.
//
// # Use
//
// A driver's main builds the driver and calls MCM's app.Run. It also starts an [Updater], once MCM's
// flags are parsed:
//
//	hot, err := updater.Start(context.Background(), updater.Server{
//		ControlKubeconfig: server.ControlKubeconfig, TargetKubeconfig: server.TargetKubeconfig,
//		Namespace: server.Namespace, KubeAPIQPS: server.KubeAPIQPS, KubeAPIBurst: server.KubeAPIBurst,
//	}, updater.Options{Driver: kit})
//	...
//	must(app.Run(server, driver)) // as today
//
// CreateMachine and InitializeMachine of the driver begin with one more line. A driver that does
// not implement InitializeMachine omits it there:
//
//	d.hot.Creating(ctx, req.Machine, req.MachineClass, req.MachineClass.ProviderSpec.Raw)
//
// [New], [Updater.Run] and a registration of the metrics are the parts of [Start], for a main that
// has another client configuration or registry.
//
// # Rights
//
// The Deployment of the driver does not change. In Gardener, gardenlet owns the role of the driver:
// it overwrites rules that others add, and the role has no right on ConfigMaps and on this lease. So
// the extension deploys rbac.yaml, a Role and a RoleBinding, into the namespace of the Machines.
// Deploy rbac.yaml also without Gardener.
//
// # What it writes
//
// It patches annotations of Machines, with their resourceVersion: the records of package
// machineupdate. It never writes to a Machine without a provider ID, to a Machine that is being
// deleted, or to a Machine in the phase Pending, CrashLoopBackOff, Failed or Terminating, or
// without a phase: a conflict would make MCM repeat a part of the creation, and could create a
// second VM. It writes no status, spec, label, finalizer or Node. Beside the records it writes
// events, its lease machine-controller-hot-update, and the ConfigMap below.
//
// # Versions of classes
//
// MCM creates a machine with a version of the class that may be superseded before the updater
// adopts the machine. [Updater.Creating] stores that version before the driver uses it, and the
// adoption counts every stored version of the class as attempted, see "Creations without a
// record" in FLOW.md of package machineupdate.
//
// The ConfigMap machine-controller-hot-update-versions has a list of hot parts for each class, one
// write for each version. Hot parts contain what updates may change, such as infrastructure tags,
// but no credentials. They may still be confidential. Grant the right to read the ConfigMap only to
// those who may read Machines and MachineClasses, which have the same values. Versions are removed
// when every Machine that may have been created with the class has a record; the last version stays
// while the class exists. If a pool that is updated in place gets a new class while Machines have
// no record, such as during a pause, the new class also gets the versions of the old class: an MCM
// newer than v0.62.1 writes the name of the new class into the Machines. Beyond 16 versions the
// older versions are merged without losing a value: common values are stored once, and a leaf with
// N values needs N texts. Once all Machines of a class have records, an annotation of the ConfigMap
// notes that its versions are also in records. If a pool is updated in place, versions that are
// stored nowhere else and that no Machine can lead to are removed with the event
// HotUpdateVersionsLost.
//
// A creation tries for 5 seconds to store its version, and then goes on without. It goes on at once
// if the versions of its class are full or malformed, which concerns no other class. The event
// HotUpdateVersionNotStored reports both, and hot_update_creations_total{version="Failed"} counts
// them. If the class drops a key before such a machine is adopted, the key stays on its VM.
//
// # Drivers that panic or hang
//
// A panic of the driver is an error of its machine: the event HotUpdateFailed reports it,
// hot_update_reconciles_total{ending="Panicked"} counts it, and the log has its stack. The machine
// is updated again as after any other error.
//
// A call that does not return after the end of its context blocks one worker and its machine, and
// is counted by hot_update_overdue_calls. If the lease is lost meanwhile, the process waits 5
// seconds for such calls, and competes for the lease again. In its next term, new workers update
// all other machines. The blocked machine waits until its call has returned, even over several
// terms, and is then updated to the class that it should have by then. So there are never more such
// goroutines than machines. When the context of the call ends, its place in a Limiter is free
// again.
//
// After a crash, another or the restarted process continues once the lease has expired, 15 seconds
// after its last renewal. Interrupted updates are repeated: their markers are in the records.
//
// # Faults that last
//
// A machine whose record the API server refuses, or whose stored versions cannot be read, is
// retried after growing delays, up to ConfirmAfter, regardless of events. A change of its class is
// tried at once. An event reports the fault once for each machine. "Faults that last" in FLOW.md of
// package machineupdate says what each fault costs, and how soon machines are updated after it is
// fixed.
//
// # Wirings that do not work
//
// [New] refuses options with which nothing would be updated. The rest is reported while MCM works:
//
//   - If [Updater.Run] is not called, the next creation reports it by the event HotUpdateNotRunning of
//     its machine, a minute after New at the earliest.
//   - If Namespace is not the namespace of the machines, each creation reports it by the event
//     HotUpdateVersionNotStored of its machine.
//   - If a class, its secret or its provider spec cannot be read, the event HotUpdateClassUnusable of
//     the class reports it, once for all of its machines until the reason changes.
//
// # Pools that are updated in place
//
// The class and its secret come from the template of the MachineDeployment. Its Hot fields are
// applied to all machines at once, even to machines that the rollout has not reached, and while the
// MachineDeployment is paused: spec.paused stops only the rollout. See [machineupdate.Settings] for
// pauses of updates.
//
// MCM leaves no gap between drain and ready, so a separate process cannot apply InPlace fields safely: the
// updater reports them, by events and hot_update_in_place, and confirms them, and never writes them. With
// [Updater.WrapTransport] they are applied. It is for drivers with an InPlace lane whose main calls
// MCM's StartControllers instead of app.Run:
//
//	target.Wrap(hot.WrapTransport) // the rest.Config of the target cluster
//
// # Together with the wiring inside MCM
//
// Both keep the same record. To switch over, release a driver with an MCM that has the wiring, and
// without the Updater: every machine keeps its record, and the switch causes no call of the driver.
// While both run, each write names the resourceVersion, so one of them gets a conflict and
// reconciles again: this costs calls, and loses nothing. A creation that MCM records has a record
// when the updater sees the machine, so that versions are not needed. After the switch delete the
// ConfigMap, once all machines have records.
//
// # Versions of MCM and of drivers
//
// The updater needs client-go v0.34.0 or newer, and Go 1.26. The [table of drivers] says which
// drivers have both. It imports neither MCM nor controller-runtime. An Updater registers no metrics
// by itself: where a process has two Updaters, give the metrics of each a label with
// prometheus.WrapRegistererWith.
//
// Release a driver that knows a new field of the provider spec before the extension that sets it: a
// driver that decodes strictly fails on the class of a newer extension, see [order of releases].
//
// A missing secret is an error: nothing is called or written. MCM treats it as empty data.
//
// [table of drivers]: https://github.com/hotupdate/providerconfig/blob/main/.github/VERSIONS.md
// [order of releases]: https://github.com/hotupdate/providerconfig/blob/main/examples/MIGRATION.md#order-of-releases
package updater
