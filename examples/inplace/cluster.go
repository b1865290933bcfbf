package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/inplace"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// cluster is a MachineDeployment with its machines and their nodes.
type cluster struct {
	pool inplace.MachineDeployment
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

// pass lets time pass: machines join, agents answer, and the health checks of the machine
// controller follow.
func (c *cluster) pass() {
	for i := range c.pool.Machines {
		m := &c.pool.Machines[i]
		if m.Node == nil {
			m.Node = &inplace.Node{}
		}
		switch {
		case m.Node.IsReadyForUpdate():
			m.Node = m.Node.WithSuccess() // by the agent
		case m.Phase == "InPlaceUpdating" && m.Node.Reason == "UpdateSuccessful":
			m.Phase = "InPlaceUpdateSuccessful"
		case m.Phase != "InPlaceUpdating":
			m.Phase = "Running"
		}
		m.Available = m.Phase == "Running" && !m.Node.Unschedulable
	}
}

// userSelects lets the user of a pool select one of the machines that wait for it, after the update
// of the last one has ended.
func (c *cluster) userSelects(waiting map[string]string) {
	isUnderUpdate := func(m inplace.Machine) bool { return m.Node != nil && m.Node.IsUnderUpdate() }
	if len(waiting) > 0 && !slices.ContainsFunc(c.pool.Machines, isUnderUpdate) {
		first := slices.Min(slices.Collect(maps.Keys(waiting)))
		c.machine(first).Node.Labels[inplace.SelectedLabel] = "true"
	}
}

func (c *cluster) title() string {
	if c.pool.Strategy == hotupdate.ManualInPlaceUpdate {
		return "the user selects the nodes"
	}
	return fmt.Sprintf("maxUnavailable %s, maxSurge %s", c.pool.MaxUnavailable.String(), c.pool.MaxSurge.String())
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
		case m.Node.IsUnderUpdate():
			what = "under update"
		case m.Available:
			available++
		}
		fmt.Fprintf(&line, "%s %-13s", m.Name, what)
	}
	return fmt.Sprintf("%s%d available", line.String(), available)
}

// progress returns how many machines are in each state.
func progress(s inplace.Selection) string {
	var text strings.Builder
	for _, state := range slices.Sorted(maps.Keys(s.Progress)) {
		fmt.Fprintf(&text, ", %d %s", len(s.Progress[state]), state)
	}
	return text.String()
}
