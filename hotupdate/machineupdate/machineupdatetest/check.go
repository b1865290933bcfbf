package machineupdatetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// Check runs the controller through scenarios for all promises in the package documentation, and
// reports each broken promise once, with the last error that Reconcile returned.
//
// Machine makes a machine with the phase and the provider ID, whose class is "class". It has all
// finalizers, labels and annotations that the controller would add, a name as long as names of real
// machines (the machine-controller-manager makes the bootstrap token of it), and a status with a
// lastOperation of type Create. Its state is Processing if the phase is Pending, and Successful if
// the phase is Running.
//
// Reconcile runs one whole reconcile of the machine in the cache, and returns the time until the
// next one and its error, if there is one. It uses the World for everything outside, and the
// default Settings. What the controller keeps for all reconciles, such as its Classes, it keeps for
// all reconciles of a World.
func Check[M machineupdate.MachineObject](
	tb testing.TB, machine func(phase, providerID string) M,
	reconcile func(ctx context.Context, w *World[M], machine M) (time.Duration, error),
) {
	tb.Helper()
	check(tb, scenarios[M](), wantedClass, machine, reconcile)
}

// CheckInPlace is Check for a pool that is updated in place: the machine and its MachineSet name
// the class "former", and the MachineDeployment names "class". The World drains the machine's node.
// In one scenario it changes the machine's spec.class.name to "class".
// Reconcile calls Drained, then ApplyInPlace, and then Ready if ApplyInPlace allows it.
//
// Enqueues reports whether a change of the class makes the controller reconcile the machine.
func CheckInPlace[M machineupdate.MachineObject](
	tb testing.TB, machine func(phase, providerID string) M,
	reconcile func(ctx context.Context, w *World[M], machine M) (time.Duration, error),
	enqueues func(w *World[M], machine M, class string) bool,
) {
	tb.Helper()
	all := append(inPlaceScenarios[M](), scenario[M]{"a change of a class", "Running", func(c *checker[M]) {
		for _, class := range []string{wantedClass, formerClass} {
			c.server.require(enqueues(&c.World, c.server.read(), class), "change missed",
				"the class %q changes, and the machine is not reconciled", class)
		}
	}})
	check(tb, all, formerClass, machine, reconcile)
}

func check[M machineupdate.MachineObject](
	tb testing.TB, scenarios []scenario[M], own string, machine func(phase, providerID string) M,
	reconcile func(ctx context.Context, w *World[M], machine M) (time.Duration, error),
) {
	tb.Helper()
	var reported []string
	for _, s := range scenarios {
		c := &checker[M]{reconcile: reconcile}
		c.events = map[string]int{}
		c.updated = map[string]int{}
		c.updateErr = map[string]error{}
		c.live = map[string]string{}
		c.own = own
		c.classes = map[string]class{formerClass: {spec: formerSpec}}
		c.limiter = &machineupdate.Limiter{Burst: 1000, Every: time.Second}
		c.server.broken = func(promise, format string, args ...any) {
			tb.Helper()
			if !slices.Contains(reported, promise) {
				reported = append(reported, promise)
				text := fmt.Sprintf(format, args...)
				tb.Errorf("%s: %s (%s; the last error of the controller: %v)", promise, text, s.name, c.err)
			}
		}
		c.server.require = func(holds bool, promise, format string, args ...any) {
			if !holds {
				c.server.broken(promise, format, args...)
			}
		}
		c.now = time.Date(2024, time.January, 1, 0, 0, 0, 0, time.UTC)
		id := ""
		c.vm = s.phase != ""
		if c.vm {
			id = providerID
		}
		c.server.write(c.server.fields(machine(s.phase, id)))
		c.driver.Kinds = []string{"vm"}
		c.class(`{"tags":{"k":"1"}}`)
		s.run(c)
	}
}

// checker runs reconciles of a controller.
type checker[M machineupdate.MachineObject] struct {
	World[M]

	reconcile func(ctx context.Context, w *World[M], machine M) (time.Duration, error)
	delay     time.Duration // of the last reconcile
	err       error         // the last error that a reconcile returned
}

// spec is the provider spec of the driver.
type spec struct {
	Tags    map[string]string `json:"tags,omitempty"    hotupdatable:"true"`
	IOPS    int               `json:"iops,omitempty"    hotupdatable:"true"`
	Account string            `json:"account,omitempty" hotupdatable:"inplace"`
}

// class changes the class that the machine should have.
func (c *checker[M]) class(providerSpec string) {
	c.classes[wantedClass] = class{providerSpec, c.classes[wantedClass].version + 1}
}

// detached removes the node label, as in a setup without a target cluster, and lets a user preserve
// the machine: machine-controller-manager then writes the machine's status after the update.
func (c *checker[M]) detached() {
	object := c.server.object.DeepCopy()
	object.SetLabels(nil)
	object.SetAnnotations(map[string]string{"node.machine.sapcloud.io/preserve": "now"})
	c.server.write(object.Object)
}

// later reconciles once, after the time.
func (c *checker[M]) later(d time.Duration) {
	c.now = c.now.Add(d)
	c.server.disturbed = false
	delay, err := c.reconcile(context.Background(), &c.World, c.server.read())
	c.delay = delay
	if err != nil {
		c.err = err
	}
}

// until reconciles until done returns true. After 12 reconciles the promise is broken.
func (c *checker[M]) until(done func() bool, every time.Duration, promise, what string) {
	for range 12 {
		if done() {
			return
		}
		c.later(every)
	}
	c.server.broken(promise, "after 12 reconciles %s, and the record is %q", what, c.server.record(""))
}

// isDue checks that the next reconcile comes in time.
func (c *checker[M]) isDue(within time.Duration, why string) {
	c.server.require(c.delay > 0 && c.delay <= within, "delay lost",
		"%s, and the next reconcile is due after %v", why, c.delay)
}

// updates waits for a call of UpdateMachine, which returns the error. A health check may end a
// reconcile before the call.
func (c *checker[M]) updates(err error) {
	c.updateErr[""] = err
	c.until(func() bool { return c.updated[""] > 0 }, 0, "never settled", "UpdateMachine was not called")
}

func (c *checker[M]) creates() {
	c.until(func() bool { return c.created > 0 }, time.Minute, "creation stopped", "CreateMachine was not called")
}

// isSettled reports whether a lane has a record, and nothing is under way.
func (c *checker[M]) isSettled(lane string) bool {
	record := c.server.record(lane)
	return record != "" && !strings.Contains(record, `"state":`)
}

// settles reconciles until all updates are confirmed.
func (c *checker[M]) settles() {
	clear(c.updateErr)
	c.until(func() bool {
		return c.isSettled("") && (c.driver.Lanes == nil || c.isSettled(c.driver.Lanes[0].Name))
	}, 20*time.Minute, "never settled", "no update is confirmed")
	want := c.classes[wantedClass].hot()
	c.server.require(c.live[""] == want, "never settled",
		"the driver has applied %q, not %q, and the record is settled", c.live[""], want)
}
