// Package simulation puts a whole control plane together: a cloud behind HTTP on loopback, an API server, machine controllers, and the
// others who use the cloud; all on one simulated clock, so that every run gives the same result.
//
// It knows all packages of the example; none of them knows it.
package simulation

import (
	"context"
	"errors"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/awsdriver"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/clock"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/cloud"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/cloudapi"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/controller"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/driver"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/store"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// Who calls the cloud, by access key.
const (
	ControllersKey = "machine-controller"
	OthersKey      = "somebody-else"
)

// Times of the simulation that are the same for all.
const (
	Timeout         = 30 * time.Second
	CreationTimeout = 20 * time.Minute
	HealthTimeout   = 10 * time.Minute
)

// ErrKilled is why the context of a process that was killed is done.
var ErrKilled = errors.New("the process was killed")

// Config is how the world behaves. The zero value has no lag and no limits.
type Config struct {
	// ReadLag is how old the state is that the cloud shows, CacheLag how late writes reach the caches of controllers.
	ReadLag  time.Duration
	CacheLag time.Duration
	// BootTime is how long an instance takes until its node is ready.
	BootTime time.Duration
	// Reads and Writes limit calls of the cloud.
	Reads, Writes cloud.Rate
	// Settings are the times of updates.
	Settings machineupdate.Settings
	// Limiter makes the limiter of a controller's updates; nil does not limit them.
	Limiter func() *machineupdate.Limiter
	// Driver changes the driver of a controller before it starts. It may be nil.
	Driver func(driver.Driver) driver.Driver
	// Updates is what the driver can do.
	Updates machineupdate.Driver
	// Request is told of every request that the cloud got, Report of what a process did, in the order of the events. They may be nil.
	Request func(cloud.Request)
	Report  func(process, machine, text string)
}

// Simulation is one world. It is not safe for concurrent use.
type Simulation struct {
	Clock *clock.Clock
	Cloud *cloud.Cloud
	Store *store.Store

	// Config may be changed for processes that start later.
	Config Config

	// Tokens are the machines whose bootstrap tokens were deleted, in the order in which they joined.
	Tokens []string

	ctx       context.Context // the life of the world
	endpoint  string
	server    *http.Server
	client    *http.Client
	schema    *hotupdate.Schema
	processes []*Process
	unready   []string // nodes that somebody broke
}

// Process is a machine controller that runs.
type Process struct {
	Controller *controller.Controller

	ctx  context.Context // the life of the process
	kill context.CancelCauseFunc
}

// Kill ends the process at once: from now on nothing that it does has any effect.
func (p *Process) Kill() { p.kill(ErrKilled) }

// Killed reports whether the process has ended.
func (p *Process) Killed() bool { return p.ctx.Err() != nil }

// Start makes a world without machines and processes. It ends with the context, or with Close.
func Start(ctx context.Context, config Config) (*Simulation, error) {
	schema, err := awsdriver.Schema()
	if err != nil {
		return nil, err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	now := clock.New(time.Date(2024, time.January, 1, 0, 0, 0, 0, time.UTC))
	s := &Simulation{
		Clock: now, Store: store.New(now), Config: config, ctx: ctx, schema: schema,
		Cloud: cloud.New(cloud.Config{
			Clock: now, AccessKeys: []string{ControllersKey, OthersKey}, ReadLag: config.ReadLag, BootTime: config.BootTime,
			Reads: config.Reads, Writes: config.Writes,
		}),
		endpoint: "http://" + listener.Addr().String(),
		client:   &http.Client{Transport: &http.Transport{}},
	}
	s.server = &http.Server{Handler: s.Cloud, ReadHeaderTimeout: time.Minute}
	// Serve returns when Close is called; whatever else it could say would show in the first request.
	go func() { _ = s.server.Serve(listener) }()
	return s, nil
}

// Close ends all processes and the cloud.
func (s *Simulation) Close() error {
	for _, p := range s.processes {
		p.Kill()
	}
	s.client.CloseIdleConnections()
	return s.server.Close()
}

// StartController starts a machine controller.
func (s *Simulation) StartController(name string) *Process {
	p := &Process{}
	p.ctx, p.kill = context.WithCancelCause(s.ctx)
	report := func(machine, text string) {
		s.tellRequests()
		if s.Config.Report != nil {
			s.Config.Report(name, machine, text)
		}
	}
	aws := &awsdriver.Driver{
		Endpoint: s.endpoint, HTTP: s.client, Timeout: Timeout, WithTimeout: s.Clock.WithTimeout, Wait: s.Clock.Wait,
		Takeover: func(resource, key string) { report(resource, "takes over the key "+key) },
	}
	config := controller.Config{
		Machines: store.Client[api.Machine, *api.Machine]{Store: s.Store}, Cache: store.NewCache(s.Store, s.Config.CacheLag), Driver: aws, Schema: s.schema, Updates: s.Config.Updates,
		Settings: s.Config.Settings, CreationTimeout: CreationTimeout, HealthTimeout: HealthTimeout,
		DeleteBootstrapToken: func(machine string) { s.Tokens = append(s.Tokens, machine) },
		NodeReady:            s.nodeReady, Now: s.Clock.Now, Report: report,
	}
	if s.Config.Driver != nil {
		config.Driver = s.Config.Driver(aws)
	}
	if s.Config.Limiter != nil {
		config.Limiter = s.Config.Limiter()
	}
	p.Controller = controller.New(config)
	s.processes = append(s.processes, p)
	return p
}

// Run lets time pass, and the processes work.
func (s *Simulation) Run(d time.Duration) {
	s.RunUntil(d, func() bool { return false })
}

// RunUntil is Run until a condition holds. It returns false if the time was not enough.
func (s *Simulation) RunUntil(limit time.Duration, holds func() bool) bool {
	end := s.Clock.Now().Add(limit)
	for !holds() {
		p, at, ok := s.next()
		if !ok || at.After(end) {
			s.Clock.AdvanceTo(end)
			s.tellRequests()
			return holds()
		}
		s.Clock.AdvanceTo(at)
		p.Controller.Work(p.ctx)
		s.tellRequests()
	}
	return true
}

// tellRequests hands on what the cloud has seen. The cloud answers on other goroutines; what is told is told on this one.
func (s *Simulation) tellRequests() {
	for _, r := range s.Cloud.TakeRequests() {
		if s.Config.Request != nil {
			s.Config.Request(r)
		}
	}
}

// next returns the process that has something to do first.
func (s *Simulation) next() (first *Process, at time.Time, ok bool) {
	s.processes = slices.DeleteFunc(s.processes, func(p *Process) bool { return p.Killed() })
	for _, p := range s.processes {
		due, busy := p.Controller.Next()
		if busy && (!ok || due.Before(at)) {
			first, at, ok = p, due, true
		}
	}
	return first, at, ok
}

// nodeReady reports whether the node's VM runs and nobody broke it.
func (s *Simulation) nodeReady(node string) bool {
	if slices.Contains(s.unready, node) {
		return false
	}
	return slices.ContainsFunc(s.Cloud.Instances(), func(vm cloudapi.InstanceDescription) bool {
		return vm.State == cloudapi.Running && slices.ContainsFunc(vm.Tags, func(t cloudapi.Tag) bool {
			return t.Key == "Name" && awsdriver.NodeName(*t.Value) == node
		})
	})
}

// BreakNode makes the node of a machine not ready.
func (s *Simulation) BreakNode(machine string) {
	s.unready = append(s.unready, awsdriver.NodeName(machine))
}

// MendNode makes the node of a machine ready again.
func (s *Simulation) MendNode(machine string) {
	s.unready = slices.DeleteFunc(s.unready, func(node string) bool { return node == awsdriver.NodeName(machine) })
}
