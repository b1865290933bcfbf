package machineupdatetest

import (
	"strings"
	"time"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// driver is what the World's driver can do.
var driver = machineupdate.Driver{CanUpdate: true}

// scenario is what happens to one machine.
type scenario[M machineupdate.Machine] struct {
	name  string
	phase string
	run   func(c *checker[M])
}

func scenarios[M machineupdate.Machine]() []scenario[M] {
	return []scenario[M]{
		{"an update", "Running", update[M]},
		{"an update of a machine that has not joined", "Pending", updateBeforeJoin[M]},
		{"an update that conflicts", "Running", conflict[M]},
		{"an update whose answers are lost", "Running", lostAnswers[M]},
		{"an update that fails for hours", "Running", failure[M]},
		{"an update that the driver does not implement", "Running", unimplemented[M]},
		{"an update that finds no VM", "Running", notFound[M]},
		{"a creation", "", creation[M]},
		{"a creation that fails", "", failedCreation[M]},
		{"a creation whose class cannot be read", "", unreadable[M]},
		{"a creation that conflicts", "", conflictingCreation[M]},
	}
}

func update[M machineupdate.Machine](c *checker[M]) {
	c.again()
	if c.updated != 1 {
		c.broken("never settled", "a machine without a record led to %d calls of UpdateMachine", c.updated)
	}
	if c.delay <= 0 || c.delay > 15*time.Minute {
		c.broken("delay lost", "the confirmation is due after 15m, and the next reconcile after %v", c.delay)
	}
	c.settles()
	c.class(`{"tags":{"k":"2"}}`)
	c.again()
	c.settles()
}

func updateBeforeJoin[M machineupdate.Machine](c *checker[M]) {
	before := c.operation()
	c.again()
	if after := c.operation(); after != before {
		c.broken("report that harms", "the machine has not joined, and its lastOperation is %q %q now: its bootstrap token would never be deleted", after.Type, after.State)
	}
	c.settles()
}

func conflict[M machineupdate.Machine](c *checker[M]) {
	c.server.interfere = true
	c.again()
	c.settles()
}

func lostAnswers[M machineupdate.Machine](c *checker[M]) {
	for range 4 {
		c.server.lost = 1
		c.now = c.now.Add(20 * time.Minute)
		c.again()
	}
	c.settles()
}

func failure[M machineupdate.Machine](c *checker[M]) {
	c.updateErr = &codeError{"Internal"}
	for range 6 {
		c.now = c.now.Add(time.Hour)
		c.again()
		if c.delay <= 0 {
			c.broken("delay lost", "after a failure the next reconcile is due after %v", c.delay)
		}
	}
	if c.failures == 0 {
		c.broken("error kind lost", "no event tells that the update fails")
	}
	c.updateErr = nil
	c.settles()
}

func unimplemented[M machineupdate.Machine](c *checker[M]) {
	c.updateErr = &codeError{"Unimplemented"}
	for range 3 {
		c.now = c.now.Add(time.Hour)
		c.again()
	}
	if c.server.record() != "" || c.updated > 1 {
		c.broken("error kind lost", "Unimplemented led to %d calls of UpdateMachine, and to the record %q", c.updated, c.server.record())
	}
}

func notFound[M machineupdate.Machine](c *checker[M]) {
	c.updateErr = &codeError{"NotFound"}
	c.again()
	if c.failures > 0 {
		c.broken("error kind lost", "NotFound is reported as a failure: reads of clouds lag")
	}
	c.updateErr = nil
	c.settles()
}

// creates lets the controller reconcile until CreateMachine was called.
func (c *checker[M]) creates() {
	for range 4 {
		c.again()
		if c.created > 0 {
			return
		}
		c.now = c.now.Add(time.Minute)
	}
	c.broken("creation stopped", "CreateMachine was not called")
}

func creation[M machineupdate.Machine](c *checker[M]) {
	c.creates()
	if !strings.Contains(c.server.record(), providerID) {
		c.broken("creation endless", "after the creation the record is %q: FinishCreation was not called, or its write overwritten", c.server.record())
	}
	c.again()
}

func failedCreation[M machineupdate.Machine](c *checker[M]) {
	c.createErr = &codeError{"ResourceExhausted"}
	c.creates()
	phase, _ := member(member(c.server.object, "status"), "currentStatus")["phase"].(string)
	if phase != "CrashLoopBackOff" && phase != "Failed" {
		c.broken("stale object", "CreateMachine failed, and the phase is %q, not CrashLoopBackOff", phase)
	}
}

func unreadable[M machineupdate.Machine](c *checker[M]) {
	c.class(`{"tags":1}`)
	c.creates()
}

func conflictingCreation[M machineupdate.Machine](c *checker[M]) {
	c.server.interfere = true
	c.creates()
}
