package machineupdate

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// report writes the last operation, if the caller wants reports and the machine has joined and runs. It reports whether the machine is still
// the one that was decided about.
func (e *Executor[M]) report(ctx context.Context, o *observation, result *Result[M], state, description string) (unchanged bool) {
	if e.Report == nil || o.Machine.Phase != phaseRunning {
		return true
	}
	written, err := e.Report(ctx, result.Machine, state, description+" ("+result.Reason.String()+")")
	if err == nil {
		err = versioned("what Executor.Report returned", written)
	}
	if err != nil {
		result.note(err)
		return !apierrors.IsConflict(err)
	}
	result.Machine = written
	return true
}
