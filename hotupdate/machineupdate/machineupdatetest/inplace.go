package machineupdatetest

import (
	"context"
	"strings"
	"time"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// node is the machine's node in an in-place update. The account of its VM can change only while the
// node is drained.
type node struct {
	cached, live machineupdate.DrainedNode
	ready        bool
}

// Drained returns the machine's node in the cache, and whether it is drained for an in-place update
// and waits for ApplyInPlace.
func (w *World[M]) Drained() (machineupdate.DrainedNode, bool) {
	return w.node.cached, w.node.cached.Unschedulable && !w.node.ready
}

// Node reads the node from the API server, for ApplyInPlace.
func (w *World[M]) Node(context.Context) (machineupdate.DrainedNode, error) { return w.node.live, nil }

// Ready marks the node as ready for the update.
func (w *World[M]) Ready() {
	w.node.ready = true
	w.server.require(w.live[drainedLane] == accountB && w.updateErr[drainedLane] == nil, "ready too early",
		"the node is ready for the update, and the driver has not applied the InPlace part")
}

// The InPlace parts of the former class and of the other one.
const (
	accountA = `{"account":"a"}`
	accountB = `{"account":"b"}`
)

func inPlaceScenarios[M machineupdate.MachineObject]() []scenario[M] {
	return []scenario[M]{
		{"an in-place update", "InPlaceUpdating", func(c *checker[M]) {
			c.drain()
			c.isReady()
			c.settles()
		}},
		{"a machine that gets the name of its new class", "InPlaceUpdating", func(c *checker[M]) {
			c.drain()
			c.renamed()
			c.isReady()
			c.settles()
			clear(c.updated)
			c.class(`{"tags":{"k":"2"},"account":"b"}`)
			c.updates(nil)
			c.settles()
		}},
		{"an in-place update that is accepted and done later", "InPlaceUpdating", delayed[M](machineupdate.ErrPending)},
		{"an in-place update that fails", "InPlaceUpdating", delayed[M](codeError("Internal"))},
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
		{"a node that is drained again", "InPlaceUpdating", func(c *checker[M]) {
			c.drain()
			c.node.live.Drained = c.now.Add(time.Minute)
			c.later(time.Minute)
			c.node.cached = c.node.live
			c.isReady()
		}},
		{"a creation while the pool is rolled out", "", func(c *checker[M]) {
			c.rollOut()
			c.creates()
			record := c.server.record(drainedLane)
			c.server.require(strings.Contains(record, `"applied":`+accountA), "class confused",
				"CreateMachine gets %s, and the record is %q", accountA, record)
			c.updates(nil)
			c.settles()
		}},
		{"a creation while a class is missing", "", func(c *checker[M]) {
			delete(c.classes, wantedClass)
			c.creates()
		}},
		{"an update while a class is missing", "Running", func(c *checker[M]) {
			delete(c.classes, wantedClass)
			c.until(func() bool { return c.events["HotUpdateClassUnusable"] > 0 }, time.Minute, "class error lost",
				"no event tells that the class that the machine should have is not in the cache")
		}},
	}
}

// rollOut gives the machine's pool a class with another account.
func (c *checker[M]) rollOut() {
	c.driver.ReadsFirst = true
	c.live[drainedLane] = accountA
	c.driver.Lanes = []machineupdate.Lane{{Name: drainedLane, Paths: []string{"/account"}}}
	c.class(`{"tags":{"k":"1"},"account":"b"}`)
}

// drain drains the node for a class with another account.
func (c *checker[M]) drain() {
	c.rollOut()
	c.node.live = machineupdate.DrainedNode{UID: "node", Drained: c.now, Unschedulable: true}
	c.node.cached = c.node.live
}

// renamed gives the machine the name of the class of its MachineDeployment, as
// machine-controller-manager does from the release after v0.62.1 on, when it transfers a machine
// after an in-place update. It does so between two steps of the controller under test.
func (c *checker[M]) renamed() {
	c.later(0)
	named := map[string]any{"spec": map[string]any{"class": map[string]any{"name": wantedClass}}}
	c.server.write(merge(c.server.object.Object, named))
	c.own = wantedClass
}

// isReady waits until the node is ready.
func (c *checker[M]) isReady() {
	c.until(func() bool { return c.node.ready }, time.Minute, "drained in vain", "the node is drained and not ready")
}

// delayed drains the node, and lets the driver return an error for a while.
func delayed[M machineupdate.MachineObject](err error) func(c *checker[M]) {
	return func(c *checker[M]) {
		c.drain()
		c.updateErr[drainedLane] = err
		isAsked := func() bool { return c.updated[drainedLane] > 0 }
		c.until(isAsked, 0, "drained in vain", "UpdateMachine was not called for the drained node")
		c.isDue(time.Minute, "ApplyInPlace looks again after 15s")
		for range 3 {
			c.later(time.Minute)
		}
		c.updateErr[drainedLane] = nil
		c.isReady()
	}
}
