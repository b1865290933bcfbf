package machineupdate_test

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// PartialObjectMetadata stands for *v1alpha1.Machine, and the functions for MCM's client, driver, recorder and clock.
func ExampleExecutor() {
	schema, err := hotupdate.SchemaOf[spec]()
	if err != nil {
		fmt.Println(err)
		return
	}
	var classes machineupdate.Classes
	class := machineupdate.MachineClass{Name: "pool-a", UID: "1f3c", ResourceVersion: "42", ProviderSpec: []byte(`{"tags":{"cost-center":"2"}}`)}
	prepared, _, err := classes.Prepare(class, schema, machineupdate.Driver{Kinds: []string{"vm"}})
	machine := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "machine-1", ResourceVersion: "7"}}
	executor := machineupdate.Executor[*metav1.PartialObjectMetadata]{
		Patch: func(_ context.Context, name string, patchType types.PatchType, _ []byte, _ metav1.PatchOptions, _ ...string) (*metav1.PartialObjectMetadata, error) {
			fmt.Println("patch", name, "with", patchType)
			written := machine.DeepCopy()
			written.ResourceVersion += "0"
			return written, nil
		},
		UpdateMachine: func(_ context.Context, request *machineupdate.UpdateMachineRequest) error {
			fmt.Println("call the driver:", request)
			return nil
		},
		Event: func(_ runtime.Object, eventType, reason, _ string) { fmt.Println(eventType, reason) },
		Now:   time.Now,
	}
	result := executor.Reconcile(context.Background(), machineupdate.Observation[*metav1.PartialObjectMetadata]{
		Machine: machine, ProviderID: "aws:///eu-west-1/i-1", Phase: "Running", Class: prepared, ClassError: err,
	})
	fmt.Println(result.Reason, "look again in", result.Delay, "and go on with resourceVersion", result.Machine.ResourceVersion)
	// Output:
	// patch machine-1 with application/merge-patch+json
	// call the driver: update of machine machine-1 (aws:///eu-west-1/i-1) of class pool-a
	// patch machine-1 with application/merge-patch+json
	// Normal HotUpdated
	// FirstAdoption look again in 15m0s and go on with resourceVersion 70
}
