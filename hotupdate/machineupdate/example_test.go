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
	class := machineupdate.MachineClass{Object: &metav1.ObjectMeta{Name: "pool-a", UID: "1f3c", ResourceVersion: "42"}, ProviderSpec: []byte(`{"tags":{"cost-center":"2"}}`)}
	prepared, err := classes.Prepare(class, machineupdate.Driver{Schema: schema, Kinds: []string{"vm"}})
	machine := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "machine-1", ResourceVersion: "7"}}
	executor := machineupdate.Executor[*metav1.PartialObjectMetadata]{
		Patch: func(
			_ context.Context, name string, patchType types.PatchType, _ []byte, _ metav1.PatchOptions, _ ...string,
		) (*metav1.PartialObjectMetadata, error) {
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
	result := executor.Reconcile(context.Background(), machine, machineupdate.Observation{
		ProviderID: "aws:///eu-west-1/i-1", Phase: "Running", Class: prepared, ClassError: err,
	})
	fmt.Println(result.Reason, "look again in", result.RequeueAfter, "and go on with resourceVersion", result.Machine.ResourceVersion)
	// Output:
	// patch machine-1 with application/merge-patch+json
	// call the driver: update of machine machine-1 (aws:///eu-west-1/i-1) of class pool-a
	// patch machine-1 with application/merge-patch+json
	// Normal HotUpdated
	// FirstAdoption look again in 15m0s and go on with resourceVersion 70
}

// The service account of a VM changes in a pool that is updated in place: admission, verdict, hash, drain, call and record say the same.
func ExampleExecutor_ApplyInPlace() {
	schema, err := hotupdate.SchemaOf[laneSpec]()
	if err != nil {
		fmt.Println(err)
		return
	}
	before := []byte(`{"account":"a"}`)
	after := []byte(`{"account":"b"}`)
	changes, _ := schema.DiffRaw(before, after)
	old, _ := schema.HashRaw(before)
	updated, _ := schema.HashRaw(after)
	refused := schema.ValidateUpdateRaw(before, after, hotupdate.AutoInPlaceUpdate, nil)
	fmt.Println(changes.Outcome(hotupdate.AutoInPlaceUpdate), "refused:", len(refused), "another hash:", old != updated)

	driver := machineupdate.Driver{Schema: schema, Kinds: []string{"vm"}, ReadsFirst: true, Lanes: []machineupdate.Lane{{Name: "drained", Paths: []string{"/account", "/kernel"}}}}
	var classes machineupdate.Classes
	former, _ := classes.Prepare(machineupdate.MachineClass{Object: &metav1.ObjectMeta{Name: "old"}, ProviderSpec: before}, driver)
	class, err := classes.Prepare(machineupdate.MachineClass{Object: &metav1.ObjectMeta{Name: "new"}, ProviderSpec: after}, driver)
	now := start
	account := machineupdate.HotSpec(`{"account":"a"}`)
	machine := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "machine-1", ResourceVersion: "1"}}
	executor := machineupdate.Executor[*metav1.PartialObjectMetadata]{
		Patch: func(
			_ context.Context, name string, _ types.PatchType, data []byte, _ metav1.PatchOptions, _ ...string,
		) (*metav1.PartialObjectMetadata, error) {
			patch, err := readPatch(name, data)
			machine = machine.DeepCopy()
			machine.ResourceVersion += "0"
			machine.Annotations = patch.Apply(machine.Annotations)
			return machine, err
		},
		UpdateMachine: func(ctx context.Context, request *machineupdate.UpdateMachineRequest) error {
			desired := request.Parts[0].Desired
			switch {
			case request.Lane != "drained" || account == desired:
				return nil
			case request.ReadOnly:
				return machineupdate.ErrDiffers
			}
			if err := request.BeforeWrite(ctx); err != nil {
				return err
			}
			fmt.Println("stop the VM, change the account, start it")
			account = desired
			return nil
		},
		Now: func() time.Time { return now },
	}
	observed := machineupdate.Observation{
		ProviderID: "gce:///eu/vm-1", Phase: "InPlaceUpdating", Class: class, ClassError: err, Former: former,
	}
	tell := func(what string) { fmt.Printf("%s: %v\n", what, observed.InPlace(machine)) }
	tell("before the node is selected")
	executor.Reconcile(context.Background(), machine, observed)
	tell("hot updates touch nothing of it")

	node := machineupdate.DrainedNode{UID: "node-1", Drained: now, Unschedulable: true}
	drained := func(context.Context) (machineupdate.DrainedNode, error) { return node, nil }
	_, ready := executor.ApplyInPlace(context.Background(), machine, observed, drained)
	tell(fmt.Sprint("drained, ready for the update ", ready))
	now = now.Add(15 * time.Minute)
	executor.Reconcile(context.Background(), machine, observed)
	tell("read once more, so the machine may be handed over")
	// Output:
	// in-place-update refused: 0 another hash: true
	// before the node is selected: Unknown
	// hot updates touch nothing of it: Unknown
	// stop the VM, change the account, start it
	// drained, ready for the update true: Unconfirmed
	// read once more, so the machine may be handed over: Applied
}
