package machineupdate

import (
	"context"
	"errors"
)

// LastOperation reports to people what became of a call to the driver, in the words of a Machine's status.lastOperation. The type is Update. The
// state is Successful if the error code, as MCM spells its codes, is empty, else Failed. It is not ok where there was no call, or where
// its result is not known: then leave the status as it is.
//
// The error code is Unknown if only the driver's error tells more; a caller who understands it may say more.
//
// Nothing in this package reads it. The hot-update proposal discusses it as the place of state, in section "Machine Class reconciliation",
// option 2. It cannot be: health checks overwrite it, a control-plane migration drops it, and deletion keeps its own progress there.
func (r *Result) LastOperation() (description, errorCode string, ok bool) {
	switch r.ending {
	case updated:
		return "The machine was updated (" + r.Reason.String() + ")", "", true
	case confirmed:
		return "The update of the machine is confirmed", "", true
	case callFailed, unable:
		errorCode = "Unknown"
		if r.ending == unable {
			errorCode = "Unimplemented"
		} else if errors.Is(r.Err, context.DeadlineExceeded) {
			errorCode = "DeadlineExceeded"
		}
		return "The machine was not, or not wholly, updated: " + r.Err.Error(), errorCode, true
	case notCalled, denied, conflicted, writeFailed, canceled, gone:
	}
	return "", "", false
}
