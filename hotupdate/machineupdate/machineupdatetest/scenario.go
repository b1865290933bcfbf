package machineupdatetest

import (
	"strings"
	"time"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// Lanes of the driver: slowLane is refused for hours by the cloud, and drainedLane needs a drained
// node.
const (
	slowLane    = "slow"
	drainedLane = "drained"
)

// scenario runs reconciles of one machine in a phase.
type scenario[M machineupdate.MachineObject] struct {
	name  string
	phase string
	run   func(c *checker[M])
}

func scenarios[M machineupdate.MachineObject]() []scenario[M] {
	return []scenario[M]{
		{"an update", "Running", update[M]},
		{"an update by a driver that reads first", "Running", func(c *checker[M]) {
			c.driver.ReadsFirst = true
			update(c)
		}},
		{"an update of a machine without a node", "Running", func(c *checker[M]) {
			c.detached()
			c.updates(nil)
			c.settles()
		}},
		{"an update that the limiter denies", "Running", denied[M]},
		{"an update of a machine that has not joined", "Pending", updateBeforeJoin[M]},
		{"an update that conflicts", "Running", func(c *checker[M]) {
			c.server.interfere = true
			c.later(0)
			c.settles()
		}},
		{"an update whose answers are lost", "Running", func(c *checker[M]) {
			for range 4 {
				c.server.lost = true
				c.later(20 * time.Minute)
			}
			c.settles()
		}},
		{"an update that fails for hours", "Running", failure[M]},
		{"an update of which the cloud refuses a part for hours", "Running", refusal[M]},
		{"an update that the cloud accepts and does later", "Running", pending[M]},
		{"an update that the driver does not implement", "Running", unimplemented[M]},
		{"an update that finds no VM", "Running", notFound[M]},
		{"a creation", "", creation[M]},
		{"a creation that fails", "", failedCreation[M]},
		{"a creation whose class cannot be read", "", func(c *checker[M]) {
			c.class(`{"tags":1}`)
			c.creates()
		}},
		{"a creation that conflicts", "", func(c *checker[M]) {
			c.server.interfere = true
			c.later(0)
			if c.created == 0 {
				c.isDue(time.Minute, "the marker met a conflict")
			}
			c.creates()
		}},
		{"an initialization of a VM that exists", "", func(c *checker[M]) { initialization(c, 1) }},
		{"an initialization that fails", "", func(c *checker[M]) { initialization(c, 2) }},
	}
}

func update[M machineupdate.MachineObject](c *checker[M]) {
	c.updates(nil)
	c.isDue(15*time.Minute, "the confirmation is due after 15m")
	c.settles()
	c.class(`{"tags":{"k":"2"}}`)
	c.later(0)
	c.settles()
}

func updateBeforeJoin[M machineupdate.MachineObject](c *checker[M]) {
	c.later(0)
	typ := c.server.text("lastOperation", "type")
	state := c.server.text("lastOperation", "state")
	c.server.require(typ == "Create" && state == "Processing", "report that harms",
		"the machine has not joined, and its lastOperation is %q %q: its bootstrap token stays", typ, state)
	c.settles()
}

func failure[M machineupdate.MachineObject](c *checker[M]) {
	c.updates(codeError("Internal"))
	c.isDue(time.Minute, "the update that failed is made again after 15s")
	for range 6 {
		c.later(time.Hour)
		c.isDue(time.Hour, "the update failed again")
	}
	c.server.require(c.events[failed] > 0, "error kind lost", "no event tells that the update fails")
	c.settles()
}

// slow changes a field of slowLane, and waits for the call, which returns the error.
func (c *checker[M]) slow(err error) {
	c.driver.Lanes = []machineupdate.Lane{{Name: slowLane, Paths: []string{"/iops"}}}
	c.updateErr[slowLane] = err
	c.class(`{"tags":{"k":"1"},"iops":3}`)
	c.until(func() bool { return c.updated[slowLane] > 0 }, 0, "lane lost",
		"UpdateMachine was not called with the name of its second lane")
	for range 6 {
		c.later(20 * time.Minute)
	}
	c.server.require(c.isSettled(""), "lane lost",
		"one lane holds up another, whose record is %q", c.server.record(""))
}

func refusal[M machineupdate.MachineObject](c *checker[M]) {
	c.slow(&machineupdate.RetryError{After: 6 * time.Hour, Err: codeError("FailedPrecondition")})
	record := c.server.record(slowLane)
	c.server.require(strings.Contains(record, `"notBefore":`), "error kind lost",
		"the cloud said when it takes the change, and the record is %q", record)
	c.later(6 * time.Hour)
	c.settles()
}

func pending[M machineupdate.MachineObject](c *checker[M]) {
	c.slow(machineupdate.ErrPending)
	c.server.require(!c.isSettled(slowLane) && c.events[failed] == 0, "error kind lost",
		"a change that was accepted and is not done is taken for a success or a failure")
	c.settles()
}

// denied uses a limiter that allows a single update.
func denied[M machineupdate.MachineObject](c *checker[M]) {
	c.limiter = &machineupdate.Limiter{Burst: 1, Every: 24 * time.Hour}
	c.updates(nil)
	c.class(`{"tags":{"k":"2"}}`)
	c.later(time.Minute)
	c.server.require(c.updated[""] < 2, "limiter lost",
		"the Executor has not the Limiter of the process: a denied update is made")
	c.isDue(2*time.Minute, "the update that was denied is asked for again after 1m to 2m")
}

func unimplemented[M machineupdate.MachineObject](c *checker[M]) {
	c.updates(codeError("Unimplemented"))
	for range 5 {
		c.later(10 * time.Minute)
	}
	record := c.server.record("")
	c.server.require(record == "", "error kind lost",
		"Unimplemented is not understood: it left the record %q", record)
	c.server.require(record != "" || c.updated[""] < 2, "classes lost",
		"Unimplemented led to %d calls in 50m: Classes belong to the process", c.updated[""])
	c.later(time.Hour)
	c.server.require(c.updated[""] > 1, "error kind lost",
		"an hour after Unimplemented the driver is not asked again")
	c.class(`{"tags":{"k":"2"}}`)
	c.later(0)
	c.settles()
}

func notFound[M machineupdate.MachineObject](c *checker[M]) {
	c.updates(codeError("NotFound"))
	c.server.require(c.events[failed] == 0, "error kind lost", "NotFound is reported as a failure: reads of clouds lag")
	c.settles()
}

func creation[M machineupdate.MachineObject](c *checker[M]) {
	c.creates()
	record := c.server.record("")
	c.server.require(strings.Contains(record, providerID), "creation endless",
		"after the creation the record is %q: FinishCreation was not called, or its write overwritten", record)
	c.later(0)
}

func failedCreation[M machineupdate.MachineObject](c *checker[M]) {
	c.createErr = codeError("ResourceExhausted")
	c.creates()
	phase := c.server.text("currentStatus", "phase")
	c.server.require(phase == "CrashLoopBackOff" || phase == "Failed", "stale object",
		"CreateMachine failed, and the phase is %q, not CrashLoopBackOff", phase)
}

func initialization[M machineupdate.MachineObject](c *checker[M], calls int) {
	c.vm = true
	c.uninitialized = calls
	c.until(func() bool { return c.uninitialized == 0 }, time.Minute, "creation stopped",
		"InitializeMachine was not called until it succeeded")
	c.until(func() bool { return c.updated[""] > 0 }, 20*time.Minute, "never settled",
		"the VM existed before, so the spec of its creation is unknown, and it is not updated")
}
