package machineupdate_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// TestLastOperation: only a call to the driver with a known result is reported.
func TestLastOperation(t *testing.T) {
	const failure = "The machine was not, or not wholly, updated: "
	late := fmt.Errorf("driver: %w", context.DeadlineExceeded)
	partial := &machineupdate.PartialError{Err: machineupdate.ErrUnimplemented}
	for _, tc := range []struct {
		ending            machineupdate.Ending
		err               error
		description, code string
	}{
		{machineupdate.Updated, nil, "The machine was updated (SpecChanged)", ""},
		{machineupdate.Confirmed, nil, "The update of the machine is confirmed", ""},
		{machineupdate.CallFailed, errThrottled, failure + "throttled", "Unknown"},
		{machineupdate.CallFailed, late, failure + "driver: context deadline exceeded", "DeadlineExceeded"},
		{machineupdate.CallFailed, partial, failure + "updated 0 of 0 resources, but not : the driver does not implement UpdateMachine", "Unknown"},
		{machineupdate.Unable, machineupdate.ErrUnimplemented, failure + "the driver does not implement UpdateMachine", "Unimplemented"},
		{machineupdate.NotCalled, nil, "", ""},
		{machineupdate.Denied, nil, "", ""},
		{machineupdate.Conflicted, machineupdate.ErrConflict, "", ""},
		{machineupdate.WriteFailed, errThrottled, "", ""},
		{machineupdate.Canceled, context.Canceled, "", ""},
		{machineupdate.Gone, machineupdate.ErrNotFound, "", ""},
	} {
		t.Run(tc.ending.String()+" "+tc.code, func(t *testing.T) {
			result := machineupdate.NewResult(tc.ending, machineupdate.SpecChanged, tc.err)
			description, code, ok := result.LastOperation()
			assert.Equal(t, []string{tc.description, tc.code}, []string{description, code})
			assert.Equal(t, tc.description != "", ok)
		})
	}
}
