// Package controller is a machine controller with the flows of machine-controller-manager: creation, initialization, health check, update
// and deletion of the machines in a store, through a driver.
//
// What to update, and what to remember of it, is decided by package machineupdate; this package shows where its calls belong. It knows
// no cloud, and no infrastructure tags.
package controller

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/driver"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/store"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// The periods after which machine-controller-manager looks at a machine again.
const (
	ConflictRetry = 200 * time.Millisecond
	ShortRetry    = 5 * time.Second
	MediumRetry   = 3 * time.Minute
	LongRetry     = 10 * time.Minute
)

// Machines is client-go's client for machines, as far as the controller needs it.
type Machines interface {
	Update(ctx context.Context, machine *api.Machine, options metav1.UpdateOptions) (*api.Machine, error)
	UpdateStatus(ctx context.Context, machine *api.Machine, options metav1.UpdateOptions) (*api.Machine, error)
	Patch(ctx context.Context, name string, patchType types.PatchType, data []byte, options metav1.PatchOptions, subresources ...string) (*api.Machine, error)
}

// Config is what a controller works with.
type Config struct {
	// Machines is client-go's client, and Cache is what the controller reads.
	Machines Machines
	Cache    *store.Cache
	// Driver makes and changes the VMs.
	Driver driver.Driver
	// Schema describes the driver's provider spec, Updates what its UpdateMachine can do.
	Schema  *hotupdate.Schema
	Updates machineupdate.Driver
	// Settings are the times of updates, and Limiter limits them; nil does not.
	Settings machineupdate.Settings
	Limiter  *machineupdate.Limiter
	// CreationTimeout and HealthTimeout are how long a machine may take to join, and may be unhealthy, before it has failed.
	CreationTimeout time.Duration
	HealthTimeout   time.Duration
	// NodeReady reports whether a node of the target cluster is ready.
	NodeReady func(node string) bool
	// DeleteBootstrapToken is called when a machine has joined for the first time. It may be nil.
	DeleteBootstrapToken func(machine string)
	// Now returns the time.
	Now func() time.Time
	// Report is told what the controller does. It may be nil.
	Report func(machine, text string)
}

// Controller is one process of the machine controller. It is not safe for concurrent use: it works on one machine after the other.
type Controller struct {
	config      Config
	queue       queue
	generations map[string]int64
	classes     machineupdate.Classes
	// prepareClass is prepare. Tests replace it.
	prepareClass func(class *api.MachineClass) (*machineupdate.Prepared, error)
	counters     machineupdate.Counters
}

// New returns a controller that is about to look at every machine in its cache.
func New(config Config) *Controller {
	c := &Controller{config: config, generations: map[string]int64{}}
	c.prepareClass = c.prepare
	for _, machine := range config.Cache.Names(api.KindMachine) {
		c.queue.add(machine, config.Now())
	}
	return c
}

// Counters count decisions and outcomes of updates.
func (c *Controller) Counters() *machineupdate.Counters { return &c.counters }

// Next returns when the controller has something to do; false if nothing but an event wakes it.
func (c *Controller) Next() (time.Time, bool) {
	_, at, ok := c.queue.first()
	if event, coming := c.config.Cache.Next(); coming && (!ok || event.Before(at)) {
		return event, true
	}
	return at, ok
}

// Work does what is due by now, until the context is done.
func (c *Controller) Work(ctx context.Context) {
	c.enqueue(ctx, c.config.Cache.Sync())
	for ctx.Err() == nil {
		machine, at, ok := c.queue.first()
		if !ok || at.After(c.config.Now()) {
			return
		}
		c.queue.remove(machine)
		if delay := c.reconcile(ctx, machine); delay > 0 {
			c.queue.add(machine, c.config.Now().Add(delay))
		}
	}
}

// enqueue adds the machines that events concern: those whose generation has changed, and all machines of a class that has. A change
// of a machine's annotations enqueues nothing.
func (c *Controller) enqueue(ctx context.Context, events []store.Event) {
	for _, event := range events {
		switch event.Key.Kind {
		case api.KindMachine:
			if c.generations[event.Key.Name] != event.Generation {
				c.generations[event.Key.Name] = event.Generation
				c.queue.add(event.Key.Name, c.config.Now())
			}
		case api.KindMachineClass:
			c.enqueueMachinesOf(ctx, event.Key.Name)
		}
	}
}

func (c *Controller) enqueueMachinesOf(ctx context.Context, class string) {
	for _, name := range c.config.Cache.Names(api.KindMachine) {
		machine, err := store.Cached[api.Machine](ctx, c.config.Cache, name)
		if err == nil && machine.Spec.Class.Name == class {
			c.queue.add(name, c.config.Now())
		}
	}
}

func (c *Controller) report(machine, text string) {
	if c.config.Report != nil {
		c.config.Report(machine, text)
	}
}
