package inplace_test

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/inplace"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// running is a machine whose node runs the MachineSet of the old image.
func running(name string, node *inplace.Node) inplace.Machine {
	return inplace.Machine{
		Name: name, Owner: "orders-general-old", Phase: "Running", Available: true,
		InPlace: machineupdate.InPlacePending, Node: node,
	}
}

// orders is a MachineDeployment whose template asks for a new machine image.
func orders(machines ...inplace.Machine) inplace.MachineDeployment {
	return inplace.MachineDeployment{
		Target: "orders-general-new", Revision: 2, Strategy: hotupdate.AutoInPlaceUpdate, Replicas: len(machines),
		MaxUnavailable: intstr.FromInt32(1), MaxSurge: intstr.FromInt32(0), Machines: machines,
	}
}

// others is what the rest of the system does while a machine waits: Select chooses it, the node agent
// updates the node, and the health check follows.
func others(machine *inplace.Machine) {
	switch {
	case machine.Node.IsReadyForUpdate():
		machine.Node = machine.Node.WithSuccess()
	case machine.Phase == "InPlaceUpdating":
		machine.Phase = "InPlaceUpdateSuccessful"
	default:
		machine.Node.Labels[inplace.SelectedLabel] = "true"
	}
}

// The machine controller asks for the next step of a machine, takes the step, and observes again.
func ExampleNext() {
	machine := running("orders-1", &inplace.Node{})
	for {
		step, err := inplace.Next(orders(machine), machine)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s: %s\n", step.Do, step.Why)
		switch step.Do {
		case inplace.ActionWriteNode, inplace.ActionSetCondition:
			machine.Node = step.Node
		case inplace.ActionDrain:
			machine.Node = step.Node
			machine.Phase = "InPlaceUpdating"
		case inplace.ActionApply:
			machine.InPlace = machineupdate.InPlaceApplied // by the driver
		case inplace.ActionTransfer:
			machine.Owner = "orders-general-new"
		case inplace.ActionWait:
			others(&machine)
		case inplace.ActionDone, inplace.ActionBlocked:
			return
		}
	}
	// Output:
	// set condition: the node needs the update
	// write node: the node needs the update
	// wait: the node waits for its turn
	// set condition: the node is selected
	// write node: the node is cordoned for this target
	// drain: the node is drained
	// apply: the InPlace part is applied to the drained machine
	// set condition: the node is drained, and the InPlace part is applied
	// wait: the node agent updates the node
	// set condition: the agent has updated the node
	// wait: the machine's phase has still to become InPlaceUpdateSuccessful
	// transfer: the node is updated
	// write node: the machine is updated: the node takes pods again, unless others have cordoned it
	// done: the machine is updated
}

// The deployment controller asks which machines of a pool are next. One of three may be unavailable.
func ExampleSelect() {
	waiting := func() *inplace.Node {
		node := &inplace.Node{}
		for range 3 { // the steps of Next that make the node a candidate
			step, err := inplace.Next(orders(running("", node)), running("", node))
			if err != nil || step.Node == nil {
				break
			}
			node = step.Node
		}
		return node
	}
	pool := orders(running("orders-1", waiting()), running("orders-2", waiting()), running("orders-3", waiting()))
	selection, err := inplace.Select(pool)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("write to the MachineDeployment first:", selection.Record)
	fmt.Println("then write the nodes of:", slices.Sorted(maps.Keys(selection.Select)))
	fmt.Println("waiting:", len(selection.Progress[inplace.StateWaiting]), "finished:", selection.Finished)
	// Output:
	// write to the MachineDeployment first: {"select":["orders-1"]}
	// then write the nodes of: [orders-1]
	// waiting: 2 finished: false
}
