package controller

import (
	"context"
	"time"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
)

// checkHealth compares the phase with the node. It overwrites the last operation, which is why that is no place to remember anything.
func (r *reconciliation) checkHealth(ctx context.Context) (time.Duration, error) {
	status := r.machine.Status.CurrentStatus
	ready := r.config.NodeReady(r.machine.Labels[api.NodeLabel])
	elapsed := r.config.Now().Sub(status.LastUpdateTime.Time)
	switch status.Phase {
	case api.MachinePending:
		switch {
		case ready && r.joinsFirst():
			if r.config.DeleteBootstrapToken != nil {
				r.config.DeleteBootstrapToken(r.machine.Name)
			}
			return LongRetry, r.healthy(ctx, api.OperationCreate, "Machine successfully joined the cluster")
		case ready:
			return LongRetry, r.healthy(ctx, api.OperationHealthCheck, "Machine successfully re-joined the cluster")
		case elapsed > r.config.CreationTimeout:
			return LongRetry, r.unhealthy(ctx, api.MachineFailed, api.OperationCreate, "Machine failed to join the cluster in time")
		}
		return ShortRetry, nil
	case api.MachineRunning:
		if !ready {
			return ShortRetry, r.unhealthy(ctx, api.MachineUnknown, api.OperationHealthCheck, "Machine is unhealthy")
		}
	case api.MachineUnknown:
		switch {
		case ready:
			return LongRetry, r.healthy(ctx, api.OperationHealthCheck, "Machine successfully re-joined the cluster")
		case elapsed > r.config.HealthTimeout:
			return LongRetry, r.unhealthy(ctx, api.MachineFailed, api.OperationHealthCheck, "Machine is not healthy since too long")
		}
		return ShortRetry, nil
	case "", api.MachineTerminating, api.MachineFailed, api.MachineCrashLoopBackOff:
	}
	return LongRetry, nil
}

// joinsFirst reports whether a machine that has joined was not in the cluster before. It goes by the last operation, as machine-controller-manager
// does: a report about anything else would keep the bootstrap token for ever.
func (r *reconciliation) joinsFirst() bool {
	last := r.machine.Status.LastOperation
	return last.Type == api.OperationCreate && last.State != api.StateSuccessful
}

// FailedMachines lists the machines that machine-controller-manager writes into the status of their machine set, from where they become an error
// of the worker and a red condition of the cluster. It goes by the last operation, of whatever type.
func FailedMachines(machines []*api.Machine) []string {
	var failed []string
	for _, machine := range machines {
		if machine.Status.LastOperation.State == api.StateFailed {
			failed = append(failed, machine.Name)
		}
	}
	return failed
}

func (r *reconciliation) healthy(ctx context.Context, operation api.MachineOperationType, description string) error {
	return r.writeStatus(ctx, api.MachineRunning, api.LastOperation{Description: description, State: api.StateSuccessful, Type: operation})
}

func (r *reconciliation) unhealthy(ctx context.Context, phase api.MachinePhase, operation api.MachineOperationType, description string) error {
	return r.writeStatus(ctx, phase, api.LastOperation{Description: description, State: api.StateProcessing, Type: operation})
}
