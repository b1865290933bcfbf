package controller

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/hotupdate/inplace"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// inPlaceUpdate takes the next step of an update of the machine's node. It reports whether the
// update is under way; then the reconcile ends. The hot part was updated before.
func (r *reconciliation) inPlaceUpdate(ctx context.Context) (underway bool, delay time.Duration, err error) {
	deployment := r.inPlaceDeployment(r.machine)
	if deployment == nil || r.node == nil {
		return false, 0, nil
	}
	if targetOf(deployment).Revision == 0 {
		return false, 0, nil // until its first machine set is made
	}
	delay = r.Retry.Medium
	step, err := inplace.Next(poolOf(deployment), r.inPlaceMachine(r.machine, r.node))
	if err != nil {
		return true, delay, err
	}
	switch step.Do {
	case inplace.ActionDone:
		return false, 0, nil
	case inplace.ActionWait:
	case inplace.ActionBlocked:
		r.Recorder.Event(r.machine, corev1.EventTypeWarning, "InPlaceUpdateBlocked", step.Why)
	case inplace.ActionWriteNode:
		err = r.writeNode(ctx, r.node, step.Node)
	case inplace.ActionSetCondition:
		err = r.setCondition(ctx, step.Node.Reason)
	case inplace.ActionDrain: // pods are not drained here
		const description = "is undergoing an in-place update"
		err = r.reportInPlace(ctx, api.MachineInPlaceUpdating, api.MachineStateProcessing, description)
		if err == nil {
			err = r.setCondition(ctx, step.Node.Reason)
		}
	case inplace.ActionApply:
		delay, err = r.applyInPlace(ctx)
	case inplace.ActionTransfer:
		delay = r.Retry.Short
		err = r.transfer(ctx, deployment)
	}
	return true, delay, err
}

// applyInPlace lets the driver apply the InPlace part on the drained node. After that, the node is
// ready for its agent.
func (r *reconciliation) applyInPlace(ctx context.Context) (time.Duration, error) {
	result, ready := r.executor().ApplyInPlace(ctx, r.machine, r.observation(),
		func(ctx context.Context) (machineupdate.DrainedNode, error) {
			node, err := r.Nodes.Get(ctx, r.node.Name, metav1.GetOptions{})
			drained := inPlaceCondition(node).LastTransitionTime.Time
			return machineupdate.DrainedNode{
				UID: node.UID, Drained: drained, Unschedulable: node.Spec.Unschedulable,
			}, err
		})
	r.machine = result.Machine
	delay := result.RequeueWithin(r.Retry.Medium)
	if !ready {
		return delay, nil
	}
	return delay, r.setCondition(ctx, inplace.ReadyForUpdate)
}

// InPlaceNode returns the node for package inplace.
func InPlaceNode(node *corev1.Node) *inplace.Node {
	return &inplace.Node{
		Labels: node.Labels, Annotations: node.Annotations, Unschedulable: node.Spec.Unschedulable,
		Reason: inPlaceCondition(node).Reason,
	}
}

func inPlaceCondition(node *corev1.Node) corev1.NodeCondition {
	if at := slices.IndexFunc(node.Status.Conditions, isInPlace); at >= 0 {
		return node.Status.Conditions[at]
	}
	return corev1.NodeCondition{Type: inplace.ConditionType}
}

func isInPlace(c corev1.NodeCondition) bool { return c.Type == inplace.ConditionType }

// inPlaceMachine returns the machine with its node for package inplace. The node may be nil.
func (c *Controller) inPlaceMachine(machine *api.Machine, node *corev1.Node) inplace.Machine {
	observed := c.observe(machine)
	found := inplace.Machine{
		Name: machine.Name, Owner: ownerOf(machine), Phase: observed.Phase, InPlace: observed.InPlace(machine),
		Annotations: machine.Annotations,
	}
	if machine.DeletionTimestamp != nil {
		found.Phase = string(api.MachineTerminating)
	}
	if node != nil {
		found.Node = InPlaceNode(node)
		found.Available = found.Phase == string(api.MachineRunning) &&
			slices.ContainsFunc(node.Status.Conditions, isReady)
	}
	return found
}

// writeNode writes a node as package inplace has edited it, with the resourceVersion of the observed
// node.
func (c *Controller) writeNode(ctx context.Context, observed *corev1.Node, as *inplace.Node) error {
	node := observed.DeepCopy()
	node.Labels = as.Labels
	node.Annotations = as.Annotations
	node.Spec.Unschedulable = as.Unschedulable
	_, err := c.Nodes.Update(ctx, node, metav1.UpdateOptions{})
	return err
}

func (r *reconciliation) setCondition(ctx context.Context, reason string) error {
	node := r.node.DeepCopy()
	node.Status.Conditions = append(slices.DeleteFunc(node.Status.Conditions, isInPlace), corev1.NodeCondition{
		Type: inplace.ConditionType, Status: corev1.ConditionTrue, Reason: reason,
		LastTransitionTime: metav1.NewTime(r.Now()),
	})
	_, err := r.Nodes.UpdateStatus(ctx, node, metav1.UpdateOptions{})
	return err
}

// Transfer says which class a machine names after it has been transferred to the new machine set of an
// in-place update. The template of the MachineDeployment names the class that the machine should have
// in both cases, so updates do not depend on it.
type Transfer int

// The transfers.
const (
	// KeepClass keeps the name of the old class for ever, as MCM does up to v0.62.1.
	KeepClass Transfer = iota
	// NameClass writes the name of the new class, as MCM does from its pull request 1153 on.
	NameClass
)

// transfer moves the machine to the deployment's new machine set.
func (r *reconciliation) transfer(ctx context.Context, deployment *api.MachineDeployment) error {
	set, err := lookup[api.MachineSet](r.Cache.MachineSets, r.Namespace, targetOf(deployment).Set)
	if err != nil {
		return err
	}
	belongTo(r.machine, set)
	if r.Transfer == NameClass {
		r.machine.Spec.Class.Name = set.Spec.Template.Spec.Class.Name
	}
	return r.write(ctx)
}

// followInPlaceUpdate copies the result of the agent's update from the node to the machine.
func (r *reconciliation) followInPlaceUpdate(ctx context.Context) error {
	switch r.node.GetLabels()[api.LabelKeyNodeUpdateResult] {
	case api.LabelValueNodeUpdateSuccessful:
		return r.reportInPlace(ctx, api.MachineInPlaceUpdateSuccessful, api.MachineStateSuccessful,
			"successfully updated dependencies")
	case api.LabelValueNodeUpdateFailed:
		return r.reportInPlace(ctx, api.MachineInPlaceUpdateFailed, api.MachineStateFailed,
			"failed to update dependencies")
	}
	return nil
}

func (r *reconciliation) reportInPlace(
	ctx context.Context, phase api.MachinePhase, state api.MachineState, said string,
) error {
	return r.writeStatus(ctx, phase, api.LastOperation{
		Description: fmt.Sprintf("Machine %s %s", r.machine.Name, said), State: state,
		Type: api.MachineOperationInPlaceUpdate,
	})
}
