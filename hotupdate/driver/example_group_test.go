package driver_test

import (
	"context"
	"fmt"
	"strconv"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// DiskSpec is the provider spec of a driver. The iops of the root volume are hot.
type DiskSpec struct {
	IOPS *int32 `json:"iops,omitempty" hotupdatable:"true"`
}

// diskClient is the driver's client of the cloud.
type diskClient struct{ iops string }

// iopsGroup changes iops by ModifyVolume. A volume without iops in the spec has the cloud's 3000.
func iopsGroup() driver.AttributeGroup[DiskSpec, *diskClient] {
	return driver.AttributeGroup[DiskSpec, *diskClient]{
		Kind:       tags.Disk,
		Attributes: driver.Attributes{Defaults: map[string]string{"iops": "3000"}},
		Project: func(spec *DiskSpec, _ *driver.Resource) map[string]string {
			if spec.IOPS == nil {
				return nil
			}
			return map[string]string{"iops": strconv.Itoa(int(*spec.IOPS))}
		},
		Modify: func(_ context.Context, c *diskClient, volume *driver.Resource, values map[string]string) error {
			fmt.Println("ModifyVolume", volume.ID, "iops", values["iops"])
			c.iops = values["iops"]
			return nil
		},
	}
}

// An attribute of a volume in use changes.
func ExampleAttributeGroup() {
	schema, err := hotupdate.SchemaOf[DiskSpec]()
	if err != nil {
		fmt.Println(err)
		return
	}
	client := &diskClient{iops: "3000"}
	kit, err := driver.New(driver.Definition[DiskSpec, *diskClient]{
		Schema: schema,
		Connect: func(context.Context, *machineupdate.UpdateMachineRequest, *DiskSpec) (*diskClient, error) {
			return client, nil
		},
		Resources: func(_ context.Context, c *diskClient) ([]driver.Resource, error) {
			live := map[string]driver.Reading{"iops": driver.Settled(c.iops)}
			return []driver.Resource{{Kind: tags.Disk, ID: "vol-0c2d", Attributes: live}}, nil
		},
		Groups: []driver.AttributeGroup[DiskSpec, *diskClient]{iopsGroup()},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	request := &machineupdate.UpdateMachineRequest{
		Class:       machineupdate.MachineClass{ProviderSpec: []byte(`{"iops":6000}`)},
		Parts:       []machineupdate.Part{{Kind: "disk", Applied: `{"iops":3000}`, Desired: `{"iops":6000}`}},
		BeforeWrite: func(context.Context) error { return nil },
	}
	fmt.Println(kit.UpdateMachine(context.Background(), request))
	fmt.Println(kit.UpdateMachine(context.Background(), request), "again, without a call")
	// Output:
	// ModifyVolume vol-0c2d iops 6000
	// <nil>
	// <nil> again, without a call
}
