package driver_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

func TestCodes(t *testing.T) {
	cause := errors.New("cause")
	for code, name := range map[driver.Code]string{
		driver.Unknown: "Unknown", driver.InvalidArgument: "InvalidArgument", driver.DeadlineExceeded: "DeadlineExceeded",
		driver.NotFound: "NotFound", driver.ResourceExhausted: "ResourceExhausted", driver.Unimplemented: "Unimplemented",
		driver.Internal: "Internal", driver.Unauthenticated: "Unauthenticated", driver.Initialization: "Initialization", 99: "Code(99)",
	} {
		err := fmt.Errorf("wrapped: %w", &driver.Error{Code: code, Cause: cause})
		assert.Equal(t, name, code.String())
		assert.EqualError(t, err, "wrapped: "+name+": cause")
		assert.Equal(t, code, driver.CodeOf(err))
		assert.ErrorIs(t, err, cause)
		assert.Equal(t, code == driver.NotFound, errors.Is(err, machineupdate.ErrNotFound))
		assert.Equal(t, code == driver.Unimplemented, errors.Is(err, machineupdate.ErrUnimplemented))
	}
	assert.Equal(t, driver.Unknown, driver.CodeOf(cause))
}
