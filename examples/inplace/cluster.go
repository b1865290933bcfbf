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
	pool   inplace.MachineDeployment
	pauses bool // the user pauses the pool during the first update
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

// apply stands in for the driver, which package machineupdate calls on the drained machine.
func (c *cluster) apply(m *inplace.Machine) { m.InPlace = machineupdate.InPlaceApplied }

// pass simulates the time between two reconciliations: machines join, agents report success, and
// the machine controller updates its health checks.
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

// userSelects selects the first waiting machine, as the user of a pool does. It waits until no
// machine is under update.
func (c *cluster) userSelects(waiting map[string]string) {
	if len(waiting) > 0 && !c.isUnderUpdate() {
		first := slices.Min(slices.Collect(maps.Keys(waiting)))
		c.machine(first).Node.Labels[inplace.SelectedLabel] = "true"
	}
}

// userPauses pauses the pool when the first update begins, and resumes the pool when this update
// has ended.
func (c *cluster) userPauses(updating map[string]string) {
	switch {
	case !c.pauses:
	case len(updating) > 0:
		c.pool.Paused = true
	case c.pool.Paused:
		c.pool.Paused = false
		c.pauses = false
	}
}

func (c *cluster) isUnderUpdate() bool {
	return slices.ContainsFunc(c.pool.Machines, func(m inplace.Machine) bool { return m.Node.IsUnderUpdate() })
}

func (c *cluster) title() string {
	switch {
	case c.pool.Strategy == hotupdate.ManualInPlaceUpdate:
		return "the user selects the nodes"
	case c.pauses:
		return "the user pauses the rollout during the first update"
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
	paused := ""
	if c.pool.Paused {
		paused = ", paused"
	}
	return fmt.Sprintf("%s%d available%s", line.String(), available, paused)
}

// progress returns how many machines are in each state.
func progress(s inplace.Selection) string {
	var text strings.Builder
	for _, state := range slices.Sorted(maps.Keys(s.Progress)) {
		fmt.Fprintf(&text, ", %d %s", len(s.Progress[state]), state)
	}
	return text.String()
}
