package machineupdate

import (
	"context"
	"errors"
)

// LastOperation is a report for people, in the words of a Machine's status.lastOperation. The hot-update proposal discusses it as the
// place of state, in section "Machine Class reconciliation", option 2. It is none: health checks overwrite it, a control-plane migration
// drops it, and deletion keeps its own progress there. Nothing in this package reads it.
type LastOperation struct {
	Description string
	ErrorCode   string // as MCM spells its codes; empty for a success
	State       string // Successful or Failed
	Type        string // Update
}

// LastOperation reports what became of a call to the driver. It is not ok where there was none, or where its result is not known: then
// the status stays as it is.
//
// The error code is Unknown if only the driver's error tells more; a caller who understands it may say more.
func (r *Result) LastOperation() (operation LastOperation, ok bool) {
	operation = LastOperation{Type: "Update", State: "Successful"}
	switch r.Outcome {
	case Updated:
		operation.Description = "The machine was updated (" + r.Decision.Reason.String() + ")"
	case Confirmed:
		operation.Description = "The update of the machine is confirmed"
	case CallFailed, Unable:
		operation.State, operation.ErrorCode = "Failed", errorCode(r.Err)
		operation.Description = "The machine was not, or not wholly, updated: " + r.Err.Error()
	case NotCalled, Denied, Conflicted, WriteFailed, Canceled, Gone:
		return LastOperation{}, false
	default:
		return LastOperation{}, false
	}
	return operation, true
}

func errorCode(err error) string {
	switch {
	case errors.Is(err, ErrUnimplemented):
		return "Unimplemented"
	case errors.Is(err, context.DeadlineExceeded):
		return "DeadlineExceeded"
	}
	return "Unknown"
}
