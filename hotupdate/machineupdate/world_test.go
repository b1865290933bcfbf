package machineupdate_test

import (
	"context"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// writer returns a function that writes to one machine as an API server does.
func writer(t *testing.T, m *machineupdate.Machine) func(context.Context, machineupdate.Patch) (string, error) {
	t.Helper()
	return func(_ context.Context, patch machineupdate.Patch) (string, error) {
		if patch.Machine != m.Name {
			return "", machineupdate.ErrNotFound
		}
		if patch.ResourceVersion != m.ResourceVersion {
			return "", machineupdate.ErrConflict
		}
		m.Annotations = patch.Apply(m.Annotations)
		version, err := strconv.Atoi(m.ResourceVersion)
		require.NoError(t, err)
		m.ResourceVersion = strconv.Itoa(version + 1)
		return m.ResourceVersion, nil
	}
}

// caller returns a driver that notes its requests and returns the error.
func caller(requests *[]*machineupdate.UpdateMachineRequest, err *error) func(context.Context, *machineupdate.UpdateMachineRequest) error {
	return func(_ context.Context, request *machineupdate.UpdateMachineRequest) error {
		*requests = append(*requests, request)
		return *err
	}
}
