// Package inplace decides about rollouts of in-place node updates (GEP-31), for a controller that does what machine-controller-manager's
// deployment and machine controllers do. [Next] says what comes next for a machine and its node. [Select] says which machines of a pool are
// next, which surge machines to create and which surplus to delete. Both are pure: no client, no clock. The caller observes, asks, does one
// thing, and observes again.
//
// The nodes' labels, condition and reasons are those of machine-controller-manager, which Gardener's node agent knows. What this package
// remembers beside them is in one annotation of the node and one of the MachineDeployment, both [RolloutAnnotation].
//
// # What the caller does
//
//   - A machine in the phase Pending or CrashLoopBackOff, or in none, has not joined. It is not asked about, and counts as one without a node:
//     else the update of its node would take the place of what is left of its creation.
//   - Every write carries the resourceVersion of the object as it was observed. A conflict ends the reconcile; nothing is written over it.
//   - The machines and nodes that [Select] gets are read after the MachineDeployment, and not from a cache that may be older. Caches are
//     good enough to find out that nothing is to be done.
//   - [Pool.Record] is written before anything else of a [Selection] is done. Labelling, creating and deleting are repeated until they are
//     observed, by whichever controller comes next.
//   - [Apply] looks at the node itself before it sends anything, as package machineupdate does.
//   - The phase of a machine becomes InPlaceUpdating with the drain, InPlaceUpdateSuccessful or InPlaceUpdateFailed with the agent's answer,
//     and InPlaceUpdateFailed if there is no answer in time. The time starts anew when the node becomes ready, so that it is the agent's.
//
// # What always holds
//
//  1. A machine is transferred to the target's MachineSet only if its node runs the target or something newer, and the InPlace part of the
//     target is applied; a later read that finds another one makes the machine a candidate again. An answer of the agent counts for the revision that the node was made ready for. After a failure the agent tries
//     again by itself, and may be at work for a former revision: its next answer counts for nothing, and it is asked once more.
//  2. A newer target takes over an update that is under way as soon as the agent has answered or its time is over: no node is left between
//     the two. After a rollback, a machine whose update had begun is updated back.
//  3. No available machine is taken, selected or deleted, if fewer than replicas less maxUnavailable remain. Machines that fail by
//     themselves, and nodes that the user of a manual pool selects, may fall below.
//  4. A cordon is undone only if it is ours, and never while the agent may be at work.
//  5. A node becomes ready for the agent only if it is drained and unschedulable. A node that its driver cannot update is not drained.
//  6. In a pool with ManualInPlaceUpdate no machine is selected. A node whose answer does not count is a candidate again.
//
// # What happens in the end
//
// Once the target, the replicas and the driver's ability stay, and nobody else interferes, every node is updated and given back, deleted as
// surplus, or reported: [Blocked], or named in [Selection.Blocked]. What is blocked goes on when the agent or the driver succeeds after
// all, when somebody removes [ResultLabel] from the node or deletes the machine, or with a newer target.
//
// Tests hold both functions against this in every state of a model: crashes at any point, two controllers of which one is stale, late
// writes, an agent that is late, fails or is silent, users who cordon, uncordon, select and deselect, machines that fail, vanish or never
// come up, other replicas, targets that change and change back.
//
// # Limits
//
//   - The agent reads its configuration after it has seen the node ready, and works at one update at a time. Gardener's does.
//   - Who uncordons a node that we have cordoned, and cordons it again before anybody has looked, has their cordon undone.
//   - A node that machine-controller-manager has cordoned for an update before this package was adopted stays cordoned: it is not known by
//     whom. The same holds if [RolloutAnnotation] is removed from a node under update.
//   - A machine without a node is not updated. It is reported, and replaced by deleting it.
package inplace
