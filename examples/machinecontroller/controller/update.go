package controller

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/store"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// update is the whole of what a machine controller adds for hot updates to its reconcile, between the sync of the node template and the
// in-place update. It returns its own delay, and ends nothing.
func (r *reconciliation) update(ctx context.Context) time.Duration {
	result := r.executor().Reconcile(ctx, r.observation())
	for _, event := range result.Events {
		r.say(event.Message)
	}
	r.reportOperation(ctx, &result)
	return result.Delay
}

// observation is what package machineupdate needs to know.
func (r *reconciliation) observation() machineupdate.Observation {
	return machineupdate.Observation{
		Machine: machineupdate.Machine{
			Name: r.machine.Name, ResourceVersion: r.machine.ResourceVersion, ProviderID: r.machine.Spec.ProviderID,
			Phase: string(r.machine.Status.CurrentStatus.Phase), Deleting: r.machine.DeletionTimestamp != nil,
			Annotations: r.machine.Annotations,
		},
		Settings: r.config.Settings,
		Class:    r.prepared, ClassError: r.classErr,
		Secret: r.secret.Data,
		Limit:  machineupdate.LimitKey{Credentials: r.secret.Name}, // one controller works in one region
	}
}

// executor carries decisions out with what this controller has.
func (r *reconciliation) executor() *machineupdate.Executor {
	executor := &machineupdate.Executor{
		WriteMetadata: r.patch, UpdateMachine: r.config.Driver.UpdateMachine, Now: r.config.Now, Counters: &r.counters,
	}
	if r.config.Limiter != nil {
		executor.AskLimiter = func(key machineupdate.LimitKey, _ machineupdate.Reason) bool {
			return r.config.Limiter.Ask(key, r.config.Now())
		}
	}
	return executor
}

// patch writes annotations. What the API server answers is told apart in the words of package machineupdate.
func (r *reconciliation) patch(ctx context.Context, patch machineupdate.Patch) (string, error) {
	merge, err := patch.MergePatch()
	if err != nil {
		return "", err
	}
	written, err := store.Patch[api.Machine](ctx, r.config.Store, patch.Machine, merge)
	switch {
	case apierrors.IsConflict(err):
		return "", fmt.Errorf("%w: %w", machineupdate.ErrConflict, err)
	case apierrors.IsNotFound(err):
		return "", fmt.Errorf("%w: %w", machineupdate.ErrNotFound, err)
	case err != nil:
		return "", err
	}
	r.machine = written
	return written.ResourceVersion, nil
}

// reportOperation tells people in the status what became of an update. Nothing reads it, and nothing is lost if it cannot be written.
func (r *reconciliation) reportOperation(ctx context.Context, result *machineupdate.Result) {
	description, code, ok := result.LastOperation()
	if !ok {
		return
	}
	report := api.LastOperation{Description: description, ErrorCode: code, State: api.StateSuccessful, Type: api.OperationUpdate}
	if code != "" {
		report.State = api.StateFailed
	}
	err := r.writeStatus(ctx, r.machine.Status.CurrentStatus.Phase, report)
	if err != nil && !isConflict(err) {
		r.say("status not written: " + err.Error())
	}
}
