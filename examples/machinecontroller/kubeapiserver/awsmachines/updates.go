//go:build hotupdates

package awsmachines

import (
	"context"
	"encoding/json"

	"github.com/gardener/machine-controller-manager/pkg/util/provider/driver"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

var _ driver.Updater = (*Driver)(nil)

// DescribeUpdates says what UpdateMachine applies.
func (d *Driver) DescribeUpdates() []byte { return d.kit.Describe() }

// UpdateMachine passes the request to the kit.
func (d *Driver) UpdateMachine(
	ctx context.Context, request *driver.UpdateMachineRequest,
) (*driver.UpdateMachineResponse, error) {
	class := request.MachineClass
	update := &machineupdate.UpdateMachineRequest{
		Object: request.Machine, Class: machineupdate.MachineClass{Object: class, ProviderSpec: class.ProviderSpec.Raw},
		Secret: request.Secret.Data, BeforeWrite: request.BeforeWrite,
		Tell: request.Tell, TellClass: request.TellClass, OtherWriter: request.OtherWriter,
	}
	if err := json.Unmarshal(request.Update, update); err != nil {
		return nil, err
	}
	return &driver.UpdateMachineResponse{}, d.kit.UpdateMachine(ctx, update)
}
