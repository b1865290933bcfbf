package machineupdate_test

import (
	"context"
	"fmt"
	"time"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// A class changed in what is hot. The machine has a record of what was applied before.
func ExampleDecide() {
	schema, err := hotupdate.SchemaOf[spec]()
	if err != nil {
		fmt.Println(err)
		return
	}
	class := machineupdate.Class{Name: "pool-a", UID: "1f3c", ResourceVersion: "42", ProviderSpec: []byte(`{"image":"ami-1","tags":{"cost-center":"2"}}`)}
	prepared, err := machineupdate.Prepare(class, schema, machineupdate.Driver{Ability: machineupdate.CanUpdate})
	if err != nil {
		fmt.Println(err)
		return
	}
	record := machineupdate.Record{
		ProviderID: "aws:///eu-west-1/i-1", Schema: prepared.Schema(), Applied: `{"tags":{"cost-center":"1"}}`,
	}
	decision := machineupdate.Decide(machineupdate.Observation{
		Now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Class: prepared,
		Machine: machineupdate.Machine{
			Name: "machine-1", ProviderID: "aws:///eu-west-1/i-1", Phase: "Running",
			Annotations: map[string]string{machineupdate.AnnotationRecord: record.Annotation()},
		},
	})
	request := decision.Pass.Request()
	fmt.Println(decision.Action, decision.Reason)
	fmt.Println("applied", string(request.Applied))
	fmt.Println("desired", string(request.Desired))
	// Output:
	// Update SpecChanged
	// applied {"tags":{"cost-center":"1"}}
	// desired {"tags":{"cost-center":"2"}}
}

// The functions stand for MCM's client, driver and clock.
func ExampleExecutor() {
	schema, err := hotupdate.SchemaOf[spec]()
	if err != nil {
		fmt.Println(err)
		return
	}
	var classes machineupdate.Classes
	class := machineupdate.Class{Name: "pool-a", UID: "1f3c", ResourceVersion: "42", ProviderSpec: []byte(`{"tags":{"cost-center":"2"}}`)}
	prepared, _, err := classes.Prepare(class, schema, machineupdate.Driver{Ability: machineupdate.CanUpdate})
	executor := machineupdate.Executor{
		WriteMetadata: func(_ context.Context, patch machineupdate.Patch) (string, error) {
			record, err := machineupdate.ParseRecord(patch.Set[machineupdate.AnnotationRecord])
			fmt.Println("write", record.State, "if the resourceVersion is still", patch.ResourceVersion)
			return patch.ResourceVersion + "0", err
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
	fmt.Println(result.Decision.Reason, result.Outcome, "look again in", result.Delay)
	// Output:
	// write Calling if the resourceVersion is still 7
	// call the driver: update of machine machine-1 (aws:///eu-west-1/i-1) of class pool-a
	// write Unconfirmed if the resourceVersion is still 70
	// FirstAdoption Updated look again in 15m0s
}
