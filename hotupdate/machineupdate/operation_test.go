package machineupdate_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// TestLastOperation: only what became of a call to the driver is reported.
func TestLastOperation(t *testing.T) {
	late := fmt.Errorf("driver: %w", context.DeadlineExceeded)
	changed := machineupdate.Decision{Reason: machineupdate.SpecChanged}
	for _, tc := range []struct {
		given machineupdate.Result
		want  machineupdate.LastOperation
	}{
		{machineupdate.Result{Outcome: machineupdate.Updated, Decision: changed}, machineupdate.LastOperation{Description: "The machine was updated (SpecChanged)", State: "Successful", Type: "Update"}},
		{machineupdate.Result{Outcome: machineupdate.Confirmed}, machineupdate.LastOperation{Description: "The update of the machine is confirmed", State: "Successful", Type: "Update"}},
		{machineupdate.Result{Outcome: machineupdate.CallFailed, Err: errThrottled}, machineupdate.LastOperation{Description: "The machine was not, or not wholly, updated: throttled", ErrorCode: "Unknown", State: "Failed", Type: "Update"}},
		{machineupdate.Result{Outcome: machineupdate.CallFailed, Err: late}, machineupdate.LastOperation{Description: "The machine was not, or not wholly, updated: driver: context deadline exceeded", ErrorCode: "DeadlineExceeded", State: "Failed", Type: "Update"}},
		{machineupdate.Result{Outcome: machineupdate.Unable, Err: machineupdate.ErrUnimplemented}, machineupdate.LastOperation{Description: "The machine was not, or not wholly, updated: the driver does not implement UpdateMachine", ErrorCode: "Unimplemented", State: "Failed", Type: "Update"}},
		{machineupdate.Result{Outcome: machineupdate.NotCalled}, machineupdate.LastOperation{}},
		{machineupdate.Result{Outcome: machineupdate.Denied}, machineupdate.LastOperation{}},
		{machineupdate.Result{Outcome: machineupdate.Conflicted, Err: machineupdate.ErrConflict}, machineupdate.LastOperation{}},
		{machineupdate.Result{Outcome: machineupdate.WriteFailed, Err: errThrottled}, machineupdate.LastOperation{}},
		{machineupdate.Result{Outcome: machineupdate.Canceled, Err: context.Canceled}, machineupdate.LastOperation{}},
		{machineupdate.Result{Outcome: machineupdate.Gone, Err: machineupdate.ErrNotFound}, machineupdate.LastOperation{}},
		{machineupdate.Result{Outcome: 99}, machineupdate.LastOperation{}},
	} {
		t.Run(tc.given.Outcome.String()+" "+tc.want.ErrorCode, func(t *testing.T) {
			operation, ok := tc.given.LastOperation()
			assert.Equal(t, tc.want, operation)
			assert.Equal(t, tc.want.Type != "", ok)
		})
	}
}
