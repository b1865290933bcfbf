package machineupdate_test

import (
	"context"
	"fmt"
	"time"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// The functions stand for MCM's client, driver and clock.
func ExampleExecutor() {
	schema, err := hotupdate.SchemaOf[spec]()
	if err != nil {
		fmt.Println(err)
		return
	}
	var classes machineupdate.Classes
	class := machineupdate.MachineClass{Name: "pool-a", UID: "1f3c", ResourceVersion: "42", ProviderSpec: []byte(`{"tags":{"cost-center":"2"}}`)}
	prepared, _, err := classes.Prepare(class, schema, machineupdate.Driver{CanUpdate: true})
	executor := machineupdate.Executor{
		WriteMetadata: func(_ context.Context, patch machineupdate.Patch) (string, error) {
			fmt.Println("write", len(patch.Set), "annotations if the resourceVersion is still", patch.ResourceVersion)
			return patch.ResourceVersion + "0", nil
		},
		UpdateMachine: func(_ context.Context, request *machineupdate.UpdateMachineRequest) error {
			fmt.Println("call the driver:", request)
			return nil
		},
		Now: time.Now,
	}
	result := executor.Reconcile(context.Background(), machineupdate.Observation{
		Machine: machineupdate.Machine{Name: "machine-1", ResourceVersion: "7", ProviderID: "aws:///eu-west-1/i-1", Phase: "Running"},
		Class:   prepared, ClassError: err,
	})
	for _, event := range result.Events {
		fmt.Println(event.Type, event.Reason)
	}
	fmt.Println(result.Reason, "look again in", result.Delay)
	// Output:
	// write 1 annotations if the resourceVersion is still 7
	// call the driver: update of machine machine-1 (aws:///eu-west-1/i-1) of class pool-a
	// write 2 annotations if the resourceVersion is still 70
	// Normal HotUpdated
	// FirstAdoption look again in 15m0s
}
