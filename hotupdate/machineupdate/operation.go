package machineupdate

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// LastOperation tells people about an update, in the words of a Machine's status.lastOperation. The errorCode is always empty.
//
// Others read it, so it says little: see "LastOperation" in the package documentation.
type LastOperation struct {
	Description string // a sentence with the reason of the update, and nothing that the driver said
	State       string // Processing or Successful
	Type        string // Update
}

// report writes a LastOperation, if the caller wants reports and the machine has joined and runs. It reports whether the machine is still
// the one that was decided about.
func (e *Executor[M]) report(ctx context.Context, o *observation, result *Result[M], state, description string) (unchanged bool) {
	if e.Report == nil || o.Machine.Phase != phaseRunning {
		return true
	}
	operation := LastOperation{Description: description + " (" + result.Reason.String() + ")", State: state, Type: "Update"}
	written, err := e.Report(ctx, result.Machine, operation)
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
