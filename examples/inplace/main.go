// Command inplace shows how a pool of five machines is updated in place, without and with a surge machine:
//
//	go run ./examples/inplace
//
// Package hotupdate/inplace makes the decisions. The controller and the node agent imitate machine-controller-manager and Gardener's agent, with a
// cluster in memory.
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
	if err := tell(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "inplace:", err)
		os.Exit(1)
	}
}

// tell tells both stories.
func tell(out io.Writer) error {
	for _, limits := range []struct{ unavailable, surge int }{{1, 0}, {0, 1}} {
		_, _ = fmt.Fprintf(out, "maxUnavailable %d, maxSurge %d\n", limits.unavailable, limits.surge) // the last write returns the error
		c := newCluster(5, limits.unavailable, limits.surge)
		for last := ""; !c.isUpdated(); {
			if err := c.reconcile(); err != nil {
				return err
			}
			if picture := c.picture(); picture != last {
				last = picture
				if _, err := fmt.Fprintln(out, picture); err != nil {
					return err
				}
			}
			c.pass()
		}
	}
	return nil
}

// newCluster returns a pool of machines of MachineSet v1, whose MachineDeployment asks for v2.
func newCluster(replicas, unavailable, surge int) *cluster {
	c := &cluster{pool: inplace.Pool{
		Target: "v2", Revision: 2, Strategy: hotupdate.AutoInPlaceUpdate, Replicas: replicas,
		MaxUnavailable: intstr.FromInt(unavailable), MaxSurge: intstr.FromInt(surge),
	}}
	for i := range replicas {
		c.create(fmt.Sprintf("v1-%d", i), "v1")
	}
	c.pass()
	return c
}

// reconcile reconciles the MachineDeployment, and then every machine.
func (c *cluster) reconcile() error {
	selection, err := inplace.Select(c.pool)
	if err != nil {
		return err
	}
	c.pool.Record = selection.Record // before anything else
	for _, name := range selection.Select {
		c.machine(name).Node.Labels[inplace.SelectedLabel] = "true"
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
			return err
		}
		c.do(&c.pool.Machines[i], step)
	}
	return nil
}

// do does one step for a machine.
func (c *cluster) do(m *inplace.Machine, step inplace.Step) {
	switch step.Do {
	case inplace.WriteNode, inplace.SetCondition:
		m.Node = step.Node
	case inplace.Drain:
		m.Node, m.Phase = step.Node, "InPlaceUpdating"
	case inplace.Apply:
		c.apply(m)
	case inplace.Transfer:
		m.Owner = c.pool.Target
	case inplace.Done, inplace.Wait, inplace.Blocked:
	}
}
