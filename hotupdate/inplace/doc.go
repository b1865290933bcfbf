// Package inplace decides about rollouts of in-place node updates (GEP-31), for a controller that
// does what machine-controller-manager's deployment and machine controllers do. [Next] returns the
// next step for a machine and its node. [Select] says which machines of a pool are next, which
// surge machines to create and which surplus machines to delete, and how far the rollout is. Both
// are pure: no client, no clock. The caller observes, calls one of them, carries out one step, and
// observes again. Reasons are clauses in lower case, without a full stop, that name their subject.
//
// Nodes have the labels, annotations, condition and reasons of machine-controller-manager, which
// Gardener's node agent and the cluster-autoscaler know. Other agents use the methods of [Node].
// This package keeps its state in [RolloutAnnotation] and [SelectionAnnotation].
//
// # What the caller does
//
//   - A machine in the phase Pending or CrashLoopBackOff, or without a phase, has not joined. Next
//     returns [ActionDone], and Select ignores its node. A node without a machine is not passed.
//   - Every write carries the resourceVersion of the observed object. A conflict ends the
//     reconcile; nothing is overwritten.
//   - The machines and nodes passed to [Select] are read after the MachineDeployment, and not from
//     a cache that may be older. A cache is sufficient to find that there is nothing to do.
//   - [MachineDeployment.Record] is written before anything else of a [Selection] is done.
//     Labelling, creating and deleting are repeated until they are observed, possibly by another
//     controller.
//   - [ActionApply] reads the node again before it sends anything, as package machineupdate does.
//   - The phase of a machine becomes InPlaceUpdating with the drain, InPlaceUpdateSuccessful or
//     InPlaceUpdateFailed with the agent's answer, and InPlaceUpdateFailed if there is no answer in
//     time. The time starts again when the node becomes ready for the update, so that the agent has
//     all of it. If [Node.IsCandidate], the update was canceled: the phase becomes Running or Unknown.
//
// # What always holds
//
//  1. A machine is transferred to the target's MachineSet only if its node runs the target or a
//     newer revision, and the InPlace part of the target is applied. If a later read finds another
//     part, the machine becomes a candidate again. An answer of the agent counts for the revision
//     for which the node was made ready. After a failure the agent retries on its own, and may be
//     working on a former revision: its next answer is ignored, and it is asked once more.
//  2. A newer target replaces the target of an update under way once the agent has answered or its
//     time is over, so that no node stays between two targets. After a rollback, a machine whose
//     update had begun is updated back.
//  3. No available machine is selected or deleted if fewer than replicas minus maxUnavailable would
//     remain. Failures of machines, and selections by the user of a manual pool, may lead below
//     that number. Of machines that may be deleted, those with the lowest priority go first.
//  4. A cordon is undone only if it is ours, and never while the agent may be working. So is the
//     annotation that keeps the cluster-autoscaler from removing the node.
//  5. A node is drained only if it has that annotation. It becomes ready for the agent only if it
//     is drained and unschedulable. A node that its driver cannot update is not drained.
//  6. In a pool with ManualInPlaceUpdate no machine is selected. A node whose answer does not count
//     is a candidate again. No node is selected again for a revision for which a user has
//     deselected it: see [SelectionAnnotation].
//  7. A machine that is updated is not drained again for the same target, whatever is written on
//     its node, unless a read finds its InPlace part to differ.
//  8. A pause begins no update, and leaves none unfinished: see [MachineDeployment.Paused].
//
// # What finally happens
//
// Once the target, the replicas and the driver's ability no longer change, and others do not
// interfere, every node is updated and made schedulable again, deleted as surplus, or reported by
// [ActionBlocked] and by [StateFailed], [StateUnavailable] or [StateWaitingForUser] in
// [Selection.Progress]. A blocked node continues when the agent or the driver succeeds after all, when
// a person removes the label node.machine.sapcloud.io/update-result from the node or deletes the
// machine, or with a newer target.
//
// Tests check these guarantees in every state of a model: crashes at any point, two controllers of
// which one is stale, late writes, an agent that is late, fails or is silent, users who cordon, select
// and pause, and undo that, or write the annotation for the cluster-autoscaler, machines that fail,
// vanish or never become ready, changed replicas, targets that change and change back.
//
// # Limits
//
//   - The agent is assumed to read its configuration after it has seen the node ready, and to work
//     on one update at a time. Gardener's does.
//   - If others uncordon a node that we have cordoned, and cordon it again before a controller
//     has seen this, their cordon is undone.
//   - A node that machine-controller-manager cordoned for an update before this package was adopted
//     stays cordoned: the owner of the cordon is not known. The same holds if [RolloutAnnotation]
//     is removed from a node under update. A node that a user deselects after a failure stays
//     cordoned: its agent may be at work.
//   - A machine without a node is not updated. It is reported. Delete it to replace it.
//   - The cluster-autoscaler may remove a node before and after its own update, also during the
//     rollout of the pool. If others write its annotation while ours is set, theirs is removed
//     with ours. A value other than true, which the autoscaler ignores, is replaced by ours.
package inplace
