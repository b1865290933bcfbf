package controller

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
)

// inPlaceUpdate reports whether the node was drained and waits for the agent that runs on it to update it. Then the reconcile ends. The hot part
// has been updated before.
func (r *reconciliation) inPlaceUpdate(ctx context.Context) (waits bool, err error) {
	isReadyForUpdate := r.node != nil && slices.ContainsFunc(r.node.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == api.NodeInPlaceUpdate && c.Reason == api.ReadyForUpdate
	})
	if !isReadyForUpdate {
		return false, nil
	}
	return true, r.writeStatus(ctx, api.MachineInPlaceUpdating, api.LastOperation{
		Description: fmt.Sprintf("Machine %s is undergoing an in-place update", r.machine.Name),
		State:       api.MachineStateProcessing, Type: api.MachineOperationInPlaceUpdate,
	})
}

// followInPlaceUpdate tells what the agent on the node says of its update.
func (r *reconciliation) followInPlaceUpdate(ctx context.Context) error {
	var phase api.MachinePhase
	operation := api.LastOperation{Type: api.MachineOperationInPlaceUpdate}
	switch r.node.GetLabels()[api.LabelKeyNodeUpdateResult] {
	case api.LabelValueNodeUpdateSuccessful:
		phase, operation.State = api.MachineInPlaceUpdateSuccessful, api.MachineStateSuccessful
		operation.Description = fmt.Sprintf("Machine %s successfully updated dependencies", r.machine.Name)
	case api.LabelValueNodeUpdateFailed:
		phase, operation.State = api.MachineInPlaceUpdateFailed, api.MachineStateFailed
		operation.Description = fmt.Sprintf("Machine %s failed to update dependencies", r.machine.Name)
	default:
		return nil
	}
	return r.writeStatus(ctx, phase, operation)
}
