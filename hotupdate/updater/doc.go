// Package updater applies hot updates beside a machine-controller-manager (MCM) that knows nothing
// of them. It is a controller in the driver's own process, and a module of its own, because it
// needs client-go.
//
// # Use
//
// A driver's main builds the driver and calls MCM's app.Run. It gets an [Updater] as well, once
// MCM's flags are parsed:
//
//	hot, err := updater.Start(context.Background(), updater.Server{
//		ControlKubeconfig: server.ControlKubeconfig, TargetKubeconfig: server.TargetKubeconfig,
//		Namespace: server.Namespace, KubeAPIQPS: server.KubeAPIQPS, KubeAPIBurst: server.KubeAPIBurst,
//	}, updater.Options{Driver: kit})
//	...
//	must(app.Run(server, driver)) // as today
//
// CreateMachine and InitializeMachine of the driver begin with one more line. A driver whose
// InitializeMachine is not implemented needs none there:
//
//	d.hot.Creating(ctx, req.Machine, req.MachineClass, req.MachineClass.ProviderSpec.Raw)
//
// [New], [Updater.Run] and a registration of the metrics are the parts of [Start], for a main that
// has a client configuration or a registry of its own.
//
// # Rights
//
// The Deployment of the driver does not change. In Gardener its role is gardenlet's, which
// overwrites what others add to it, and which has no right on ConfigMaps and on this lease. So the
// extension deploys rbac.yaml, a Role and a RoleBinding, into the namespace of the Machines.
// Elsewhere it is the same.
//
// # What it writes
//
// It patches annotations of its own of Machines, with their resourceVersion: the records of package
// machineupdate. It writes to no Machine that has no provider ID, is being deleted, or has the
// phase empty, Pending, CrashLoopBackOff, Failed or Terminating: a conflict would make MCM repeat a
// part of the creation, and could create a second VM. It writes no status, spec, label, finalizer
// or Node. Beside the records it writes events, its lease machine-controller-hot-update, and the
// ConfigMap below.
//
// # Versions of classes
//
// MCM creates a machine with a version of the class that may be superseded before the updater
// adopts the machine. [Updater.Creating] stores that version before the driver uses it, and the
// adoption counts every stored version of the class as attempted, see "Creations without a
// record" in FLOW.md of package machineupdate.
//
// The ConfigMap machine-controller-hot-update-versions has a list of hot parts for each class, one
// write for each version. Hot parts are what updates may change, such as infrastructure tags, and
// no credentials. They may be confidential nevertheless: who reads Machines and MachineClasses
// reads them there as well, so give nobody else the right to read the ConfigMap. Versions are
// removed when every Machine that names the class has a record; the last one stays while the class
// exists. Beyond 16 versions the oldest are merged, and no value is lost. If the ConfigMap is full
// or cannot be written, creations go on after 5 seconds, with the event HotUpdateVersionNotStored,
// and hot_update_creations_total{version="Failed"} counts them. If the class drops a key before
// such a machine is adopted, the key stays on its VM.
//
// # Pools that are updated in place
//
// The class and its secret are those of the template of the MachineDeployment. MCM drains a node
// and reports it as ready in one go, so InPlace fields cannot be applied safely from beside: they
// are reported, by events and hot_update_in_place, and confirmed, and never written. With
// [Updater.Gate] they are applied. It is for drivers with an InPlace lane whose main calls MCM's
// StartControllers instead of app.Run:
//
//	target.Wrap(hot.Gate) // the rest.Config of the target cluster
//
// # Together with the wiring inside MCM
//
// Both keep the same record. To switch over, release a driver on an MCM with the wiring, without
// the Updater: every machine keeps its record, and none is called for the switch. While both run,
// each write names the resourceVersion, so one of them gets a conflict and looks again: this costs
// calls, and loses nothing. A creation that MCM records has a record when the updater sees the
// machine, so that versions are not needed. After the switch delete the ConfigMap, once all
// machines have records.
//
// # Versions of MCM and of drivers
//
// It needs client-go v0.34.0 or newer, and Go 1.26. The [table of drivers] says which of them have
// these. It imports neither MCM nor controller-runtime.
//
// The release that understands a new field of the provider spec goes first: a driver that decodes
// strictly fails on the class of a newer extension, see [order of releases].
//
// A missing secret is an error: nothing is called or written. MCM takes it as empty data.
//
// [table of drivers]: https://github.com/hotupdate/providerconfig/blob/main/.github/VERSIONS.md
// [order of releases]: https://github.com/hotupdate/providerconfig/blob/main/examples/MIGRATION.md#order-of-releases
package updater
