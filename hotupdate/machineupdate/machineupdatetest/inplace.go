package machineupdatetest

import (
	"context"
	"encoding/json"
	"time"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// node is the machine's node in an in-place update. The account of its VM can change only while the node is drained.
type node struct {
	cached, live machineupdate.DrainedNode
	ready        bool
	account      string // of the VM
	wanted       string
}

// PrepareFormer stands in for Classes.Prepare with the class of the machine's MachineSet.
func (w *World[M]) PrepareFormer() (*machineupdate.Prepared, error) { return w.former() }

// Drained returns the machine's node in the cache, and whether it is drained for an in-place update and waits for ApplyInPlace.
func (w *World[M]) Drained() (machineupdate.DrainedNode, bool) {
	return w.node.cached, w.node.cached.Unschedulable && !w.node.ready
}

// Node reads the node from the API server, for ApplyInPlace.
func (w *World[M]) Node(context.Context) (machineupdate.DrainedNode, error) { return w.node.live, nil }

// Ready marks the node as ready for the update.
func (w *World[M]) Ready() {
	w.node.ready = true
	if w.node.account != w.node.wanted || w.updateErr[drainedLane] != nil {
		w.server.broken("ready too early", "the node is ready for the update, and the driver has not applied the InPlace part")
	}
}

// updateDrained is the driver's UpdateMachine for drainedLane.
func (w *World[M]) updateDrained(ctx context.Context, request *machineupdate.UpdateMachineRequest) error {
	var desired spec
	if err := json.Unmarshal([]byte(request.Parts[0].Desired), &desired); err != nil {
		return err
	}
	switch {
	case w.node.account == desired.Account:
		return w.updateErr[drainedLane]
	case request.ReadOnly:
		return machineupdate.ErrDiffers
	}
	if err := request.BeforeWrite(ctx); err != nil {
		return err
	}
	if !w.node.live.Unschedulable {
		w.server.broken("write to a live node", "UpdateMachine changes what needs a drained node, and the node is not drained")
	}
	if w.updateErr[drainedLane] == nil {
		w.node.account = desired.Account
	}
	return w.updateErr[drainedLane]
}

func inPlaceScenarios[M machineupdate.Machine]() []scenario[M] {
	return []scenario[M]{
		{"an in-place update", "InPlaceUpdating", func(c *checker[M]) {
			c.drain()
			c.isReady()
			c.settles()
		}},
		{"an in-place update that is accepted and done later", "InPlaceUpdating", func(c *checker[M]) { c.delayed(machineupdate.ErrPending) }},
		{"an in-place update that fails", "InPlaceUpdating", func(c *checker[M]) { c.delayed(codeError("Internal")) }},
		{"an in-place update that conflicts", "InPlaceUpdating", func(c *checker[M]) {
			c.drain()
			c.later(0)
			c.server.interfere = true
			c.isReady()
		}},
		{"a node that a user has made schedulable", "InPlaceUpdating", func(c *checker[M]) {
			c.drain()
			c.node.live.Unschedulable = false
			for range 6 {
				c.later(time.Minute)
			}
		}},
		{"a node that is drained anew", "InPlaceUpdating", func(c *checker[M]) {
			c.drain()
			c.node.live.Drained = c.now.Add(time.Minute)
			c.later(time.Minute)
			c.node.cached = c.node.live
			c.isReady()
		}},
	}
}

// drain drains the node for a class with another account.
func (c *checker[M]) drain() {
	c.driver, c.node.wanted = drainedDriver, "b"
	c.class(`{"tags":{"k":"1"},"account":"a"}`)
	c.former = c.prepare
	c.class(`{"tags":{"k":"1"},"account":"b"}`)
	c.node.live = machineupdate.DrainedNode{UID: "node", Drained: c.now, Unschedulable: true}
	c.node.cached = c.node.live
}

// isReady waits until the node is ready.
func (c *checker[M]) isReady() {
	c.until(func() bool { return c.node.ready }, time.Minute, "drained in vain", "the node is drained and not ready")
}

// delayed drains the node, and lets the driver return an error for a while.
func (c *checker[M]) delayed(err error) {
	c.drain()
	c.updateErr[drainedLane] = err
	for range 4 {
		c.later(time.Minute)
	}
	c.updateErr[drainedLane] = nil
	c.isReady()
}
