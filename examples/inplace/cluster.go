package main

import (
	"fmt"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/inplace"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// cluster is a MachineDeployment with its machines and their nodes.
type cluster struct {
	pool inplace.Pool
}

func (c *cluster) machine(name string) *inplace.Machine {
	for i := range c.pool.Machines {
		if c.pool.Machines[i].Name == name {
			return &c.pool.Machines[i]
		}
	}
	return nil
}

// create creates a machine of a MachineSet, unless it exists.
func (c *cluster) create(name, owner string) {
	if c.machine(name) != nil {
		return
	}
	m := inplace.Machine{Name: name, Owner: owner, Phase: "Pending", InPlace: machineupdate.InPlacePending}
	if owner == c.pool.Target {
		m.InPlace = machineupdate.InPlaceApplied
	}
	c.pool.Machines = append(c.pool.Machines, m)
}

// apply is the driver, which package machineupdate calls on the drained machine.
func (c *cluster) apply(m *inplace.Machine) { m.InPlace = machineupdate.InPlaceApplied }

// pass lets time pass: machines join, agents answer, and the health checks of the machine controller follow.
func (c *cluster) pass() {
	for i := range c.pool.Machines {
		m := &c.pool.Machines[i]
		if m.Node == nil {
			m.Node = &inplace.Node{}
		}
		switch {
		case m.Phase == "InPlaceUpdating" && m.Node.Labels[inplace.ResultLabel] == inplace.Successful:
			m.Phase = "InPlaceUpdateSuccessful"
		case m.Phase == "InPlaceUpdating" && m.Node.Reason == inplace.ReadyForUpdate:
			m.Node.Labels[inplace.ResultLabel] = inplace.Successful // by the agent
		case m.Phase != "InPlaceUpdating":
			m.Phase = "Running"
		}
		m.Available = m.Phase == "Running" && !m.Node.Unschedulable
	}
}

func (c *cluster) isUpdated() bool {
	for _, m := range c.pool.Machines {
		step, err := inplace.Next(c.pool, m)
		if err != nil || m.Owner != c.pool.Target || step.Do != inplace.Done {
			return false
		}
	}
	return len(c.pool.Machines) == c.pool.Replicas
}

// picture returns the pool in one line.
func (c *cluster) picture() string {
	var line strings.Builder
	available := 0
	for _, m := range c.pool.Machines {
		what := m.Owner
		switch {
		case m.Node == nil:
			what = "joins"
		case m.Node.Labels[inplace.SelectedLabel] != "":
			what = "under update"
		case m.Available:
			available++
		}
		fmt.Fprintf(&line, "%s %-13s", m.Name, what)
	}
	return fmt.Sprintf("%s%d available", line.String(), available)
}
