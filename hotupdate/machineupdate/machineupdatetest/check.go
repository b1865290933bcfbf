package machineupdatetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// Check runs the controller through scenarios for all promises in the package documentation, and reports each broken promise once.
//
// Machine makes a machine with the phase and the provider ID. It has all finalizers, labels and annotations that the controller would add, and a
// status with a lastOperation of type Create. Its state is Processing if the phase is Pending, and Successful if the phase is Running.
//
// Reconcile runs one whole reconcile of the machine in the cache, and returns the time until the next one. The node of a Running machine is
// healthy; that of a Pending machine has not joined. Reconcile uses the World for everything outside, and the default Settings.
func Check[M machineupdate.Machine](tb testing.TB, machine func(phase, providerID string) M, reconcile func(ctx context.Context, w *World[M], machine M) time.Duration) {
	tb.Helper()
	check(tb, scenarios[M](), machine, reconcile)
}

// CheckInPlace is Check for the gate of an in-place update. The World drains the machine's node. Reconcile calls Drained, then ApplyInPlace, and then
// Ready if ApplyInPlace allows it. The gate writes after an update in the same reconcile. So this check finds a controller that loses the object
// of the update, even if none of its other steps writes after the update.
func CheckInPlace[M machineupdate.Machine](tb testing.TB, machine func(phase, providerID string) M, reconcile func(ctx context.Context, w *World[M], machine M) time.Duration) {
	tb.Helper()
	check(tb, inPlaceScenarios[M](), machine, reconcile)
}

func check[M machineupdate.Machine](tb testing.TB, scenarios []scenario[M], machine func(phase, providerID string) M, reconcile func(ctx context.Context, w *World[M], machine M) time.Duration) {
	tb.Helper()
	var reported []string
	for _, s := range scenarios {
		c := &checker[M]{reconcile: reconcile}
		c.updateErr, c.updated = map[string]error{}, map[string]int{}
		c.server.broken = func(promise, format string, args ...any) {
			tb.Helper()
			if !slices.Contains(reported, promise) {
				reported = append(reported, promise)
				tb.Errorf("%s: %s (%s)", promise, fmt.Sprintf(format, args...), s.name)
			}
		}
		c.now = time.Date(2024, time.January, 1, 0, 0, 0, 0, time.UTC)
		id := ""
		if c.vm = s.phase != ""; c.vm {
			id = providerID
		}
		c.server.write(c.server.fields(machine(s.phase, id)))
		c.driver = driver
		c.class(`{"tags":{"k":"1"}}`)
		s.run(c)
	}
}

// checker runs reconciles of a controller.
type checker[M machineupdate.Machine] struct {
	World[M]

	reconcile func(ctx context.Context, w *World[M], machine M) time.Duration
	driver    machineupdate.Driver
	delay     time.Duration // of the last reconcile
}

// spec is the provider spec of the driver.
type spec struct {
	Tags    map[string]string `json:"tags,omitempty"    hotupdatable:"true"`
	IOPS    int               `json:"iops,omitempty"    hotupdatable:"true"`
	Account string            `json:"account,omitempty" hotupdatable:"inplace"`
}

// class gives the machine a class with the provider spec.
func (c *checker[M]) class(providerSpec string) {
	classes := &machineupdate.Classes{}
	c.prepare = func() (*machineupdate.Prepared, error) {
		schema, err := hotupdate.SchemaOf[spec]()
		if err != nil {
			return nil, err
		}
		prepared, _, err := classes.Prepare(machineupdate.MachineClass{Object: &metav1.ObjectMeta{Name: "class"}, ProviderSpec: []byte(providerSpec)}, schema, c.driver)
		return prepared, err
	}
}

// later reconciles once, after the time.
func (c *checker[M]) later(d time.Duration) {
	c.now, c.server.disturbed = c.now.Add(d), false
	c.delay = c.reconcile(context.Background(), &c.World, c.server.read())
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

// updates waits for a call of UpdateMachine, which returns the error. A health check may end a reconcile before the call.
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
	c.until(func() bool { return c.isSettled("") && (c.driver.Lanes == nil || c.isSettled(c.driver.Lanes[0].Name)) }, 20*time.Minute, "never settled", "no update is confirmed")
}
