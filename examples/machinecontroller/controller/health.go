package controller

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
)

// checkHealth compares the phase with the node. It reads and overwrites the last operation, which
// therefore cannot store anything else.
func (r *reconciliation) checkHealth(ctx context.Context) (time.Duration, error) {
	status := r.machine.Status.CurrentStatus
	if r.machine.Labels[api.NodeLabelKey] == "" || status.Phase == "" {
		return r.Retry.Long, nil
	}
	healthy := r.node != nil && slices.ContainsFunc(r.node.Status.Conditions, isReady)
	switch status.Phase {
	case api.MachineInPlaceUpdating, api.MachineInPlaceUpdateFailed:
		return r.Retry.Long, r.checkInPlaceUpdate(ctx, healthy)
	case api.MachinePending, api.MachineUnknown, api.MachineInPlaceUpdateSuccessful:
		switch timeout, began := r.timeout(); {
		case healthy:
			return r.Retry.Long, r.joined(ctx)
		case began > timeout:
			return r.Retry.Long, r.unhealthy(ctx, api.MachineFailed, api.MachineStateFailed,
				"Machine %s failed to join the cluster, or was unhealthy for too long")
		}
		return r.Retry.Short, nil
	case api.MachineRunning:
		if !healthy {
			return r.Retry.Short, r.unhealthy(ctx, api.MachineUnknown, api.MachineStateProcessing,
				"Machine %s is unhealthy - changing MachinePhase to Unknown")
		}
	case "", api.MachineTerminating, api.MachineFailed, api.MachineCrashLoopBackOff:
	}
	return r.Retry.Long, nil
}

// checkInPlaceUpdate ends the phase of an update. Under update, the severity of a failure is not
// known. An update that has been canceled never gets an answer.
func (r *reconciliation) checkInPlaceUpdate(ctx context.Context, healthy bool) error {
	isCanceled := r.node != nil && InPlaceNode(r.node).IsCandidate()
	switch {
	case isCanceled && healthy:
		return r.joined(ctx)
	case isCanceled:
		return r.unhealthy(ctx, api.MachineUnknown, api.MachineStateProcessing,
			"Machine %s is unhealthy after its in-place update was canceled - changing MachinePhase to Unknown")
	}
	return r.followInPlaceUpdate(ctx)
}

func isReady(c corev1.NodeCondition) bool {
	return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
}

// timeout returns the longest time for the machine's phase, and the time since the phase began.
func (r *reconciliation) timeout() (timeout, elapsed time.Duration) {
	if r.machine.Status.CurrentStatus.Phase == api.MachinePending {
		return r.CreationTimeout, r.since(r.machine.CreationTimestamp)
	}
	return r.HealthTimeout, r.since(r.machine.Status.CurrentStatus.LastUpdateTime)
}

// joined writes that the machine is in the cluster. The last operation decides whether it joins for
// the first time: another report there would keep the bootstrap token for ever.
func (r *reconciliation) joined(ctx context.Context) error {
	operation := api.LastOperation{
		Description: fmt.Sprintf("Machine %s successfully re-joined the cluster", r.machine.Name),
		State:       api.MachineStateSuccessful, Type: api.MachineOperationHealthCheck,
	}
	if last := r.machine.Status.LastOperation; last.Type == api.MachineOperationCreate &&
		last.State != api.MachineStateSuccessful {
		operation.Description = fmt.Sprintf("Machine %s successfully joined the cluster", r.machine.Name)
		operation.Type = api.MachineOperationCreate
		if r.DeleteBootstrapToken != nil {
			r.DeleteBootstrapToken(r.machine.Name)
		}
	}
	return r.writeStatus(ctx, api.MachineRunning, operation)
}

func (r *reconciliation) unhealthy(
	ctx context.Context, phase api.MachinePhase, state api.MachineState, description string,
) error {
	operation := api.MachineOperationHealthCheck
	if r.machine.Status.CurrentStatus.Phase == api.MachinePending {
		operation = r.machine.Status.LastOperation.Type
	}
	return r.writeStatus(ctx, phase, api.LastOperation{
		Description: fmt.Sprintf(description, r.machine.Name), State: state, Type: operation,
	})
}
