package machineupdatetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// Check runs the controller through everything that the package documentation names, and reports each broken promise once.
//
// Machine makes a machine with the phase; one that is not empty nor CrashLoopBackOff has the provider ID. It has the finalizers, labels and annotations
// that the controller would add otherwise, and a status with a lastOperation of type Create, Processing if the machine is Pending and Successful if it
// is Running, and something else that an update does not touch.
//
// Reconcile is one whole reconcile of the machine, which is as the cache has it, and returns when the next is due. The node of a Running
// machine is healthy, that of a Pending one has not joined. It uses the World for everything outside, and the default Settings.
func Check[M machineupdate.Machine](t testing.TB, machine func(phase, providerID string) M, reconcile func(ctx context.Context, w *World[M], machine M) time.Duration) {
	t.Helper()
	var reported []string
	for _, s := range scenarios[M]() {
		c := &checker[M]{reconcile: reconcile, scenario: s.name}
		c.report = func(promise, detail string) {
			t.Helper()
			if !slices.Contains(reported, promise) {
				reported = append(reported, promise)
				t.Errorf("%s: %s (%s)", promise, detail, s.name)
			}
		}
		c.start(machine, s.phase)
		s.run(c)
	}
}

// checker lets a controller reconcile.
type checker[M machineupdate.Machine] struct {
	World[M]

	reconcile func(ctx context.Context, w *World[M], machine M) time.Duration
	report    func(promise, detail string)
	scenario  string
	delay     time.Duration // of the last reconcile
}

// spec is the provider spec of the driver.
type spec struct {
	Tags map[string]string `json:"tags,omitempty" hotupdatable:"true"`
}

// start makes a world with one machine.
func (c *checker[M]) start(machine func(phase, providerID string) M, phase string) {
	c.World.broken = func(promise, format string, args ...any) { c.report(promise, fmt.Sprintf(format, args...)) }
	c.server.broken = c.World.broken
	c.now = time.Date(2024, time.January, 1, 0, 0, 0, 0, time.UTC)
	id := providerID
	if c.vm = phase != "" && phase != "CrashLoopBackOff"; !c.vm {
		id = ""
	}
	c.server.put(machine(phase, id))
	c.class(`{"tags":{"k":"1"}}`)
}

// class gives the machine a class with the provider spec.
func (c *checker[M]) class(providerSpec string) {
	classes := &machineupdate.Classes{}
	class := machineupdate.MachineClass{Name: "class", ProviderSpec: []byte(providerSpec)}
	schema, err := hotupdate.SchemaOf[spec]()
	c.reads = func() (*machineupdate.Prepared, error) {
		if err != nil {
			return nil, err
		}
		prepared, _, err := classes.Prepare(class, schema, driver)
		return prepared, err
	}
}

// again lets the controller reconcile once, with what its cache should have.
func (c *checker[M]) again() {
	c.server.disturbed = false
	machine := c.server.read()
	c.before = fields(member(c.server.object, "status"))
	c.delay = c.reconcile(context.Background(), &c.World, machine)
}

// settles lets the controller reconcile until the record is settled.
func (c *checker[M]) settles() {
	for range 12 {
		if record := c.server.record(); record != "" && !strings.Contains(record, `"state":`) {
			return
		}
		c.now = c.now.Add(20 * time.Minute) // longer than ConfirmAfter
		c.again()
	}
	c.broken("never settled", "after 12 reconciles the record says %q", c.server.record())
}
