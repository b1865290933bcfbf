// Command inplace prints four rollouts of in-place updates:
//
//   - five machines, one of which may be unavailable
//   - five machines and one surge machine
//   - two machines whose user selects the nodes
//   - three machines whose user pauses the pool during the first update: this update ends, and the
//     others wait
//
// Package hotupdate/inplace makes the decisions. The controller and the node agent imitate
// machine-controller-manager and Gardener's agent, with a cluster in memory. Run it:
//
//	go run ./examples/inplace
package main

import (
	"fmt"
	"io"
	"os"
	"slices"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/inplace"
)

func main() {
	if err := printRollouts(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "inplace:", err)
		os.Exit(1)
	}
}

// printRollouts prints the four rollouts.
func printRollouts(out io.Writer) error {
	paused := newCluster(hotupdate.AutoInPlaceUpdate, 3, 1, 0)
	paused.pauses = true
	for _, c := range []*cluster{
		newCluster(hotupdate.AutoInPlaceUpdate, 5, 1, 0),
		newCluster(hotupdate.AutoInPlaceUpdate, 5, 0, 1),
		newCluster(hotupdate.ManualInPlaceUpdate, 2, 0, 0),
		paused,
	} {
		_, _ = fmt.Fprintln(out, c.title()) // the last write returns the error
		last := ""
		finished := false
		for !finished {
			selection, err := c.reconcile()
			if err != nil {
				return err
			}
			finished = selection.Finished
			if line := c.picture() + progress(selection); line != last {
				last = line
				if _, err := fmt.Fprintln(out, line); err != nil {
					return err
				}
			}
			c.userSelects(selection.Progress[inplace.StateWaitingForUser])
			c.userPauses(selection.Progress[inplace.StateUpdating])
			c.pass()
		}
	}
	return nil
}

// newCluster returns a pool whose machines have the MachineSet v1 and whose MachineDeployment asks
// for v2.
func newCluster(strategy hotupdate.Strategy, replicas, unavailable, surge int) *cluster {
	c := &cluster{pool: inplace.MachineDeployment{
		Target: "v2", Revision: 2, Strategy: strategy, Replicas: replicas,
		MaxUnavailable: intstr.FromInt(unavailable), MaxSurge: intstr.FromInt(surge),
	}}
	for i := range replicas {
		c.create(fmt.Sprintf("v1-%d", i), "v1")
	}
	c.pass()
	return c
}

// reconcile reconciles the MachineDeployment, and then every machine. It returns the progress.
func (c *cluster) reconcile() (inplace.Selection, error) {
	selection, err := inplace.Select(c.pool)
	if err != nil {
		return selection, err
	}
	c.pool.Record = selection.Record // written before the nodes change, as by a controller
	for name, node := range selection.Select {
		c.machine(name).Node = node
	}
	for _, name := range selection.Create {
		c.create(name, c.pool.Target)
	}
	for _, name := range selection.Delete {
		c.pool.Machines = slices.DeleteFunc(c.pool.Machines, func(m inplace.Machine) bool { return m.Name == name })
	}
	for i := range c.pool.Machines {
		step, err := inplace.Next(c.pool, c.pool.Machines[i])
		if err != nil {
			return selection, err
		}
		c.do(&c.pool.Machines[i], step)
	}
	return selection, nil
}

// do does one step for a machine.
func (c *cluster) do(m *inplace.Machine, step inplace.Step) {
	switch step.Do {
	case inplace.ActionWriteNode, inplace.ActionSetCondition:
		m.Node = step.Node
	case inplace.ActionDrain:
		m.Node = step.Node
		m.Phase = "InPlaceUpdating"
	case inplace.ActionApply:
		c.apply(m)
	case inplace.ActionTransfer:
		m.Owner = c.pool.Target
	case inplace.ActionDone, inplace.ActionWait, inplace.ActionBlocked:
	}
}
