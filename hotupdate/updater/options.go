package updater

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	expiring "k8s.io/apimachinery/pkg/util/cache"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/record"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// Options configure an [Updater]. Control, Namespace and Driver are required.
type Options struct {
	// Control configures a client of the cluster that has the Machines. It is copied. Without QPS
	// the client gets 50 queries a second. Creations and the lease have separate budgets.
	// For a test server that reads only JSON, set its ContentType to application/json.
	Control *rest.Config
	// Namespace is the namespace of the Machines.
	Namespace string
	// Driver updates machines: a [driver.Kit], or another implementation of both methods. Driver is
	// called once. The Object of its requests may lack managedFields, the node template of the spec, and the
	// conditions and the last operation of the status, which an Updater does not keep.
	//
	// [driver.Kit]: https://pkg.go.dev/github.com/hotupdate/providerconfig/hotupdate/driver#Kit
	Driver interface {
		Driver() machineupdate.Driver
		UpdateMachine(ctx context.Context, request *machineupdate.UpdateMachineRequest) error
	}
	// Limiter bounds the updates of this process, see [machineupdate.Limiter]. Nil sets no bound,
	// which is right with a driver.Kit that has Buckets: it paces its calls, and a machine that a
	// Limiter denies waits for minutes. See "Limits, by where updates run" in CALLS.md of package driver.
	Limiter *machineupdate.Limiter
	// Workers is the number of machines that are handled at once. Zero is 20. Together with the QPS
	// of Control it bounds how fast a fleet is updated: see CALLS.md of package driver.
	Workers  int
	Settings machineupdate.Settings
	// Epoch, unless it is empty, replaces the Epoch of the Driver.
	Epoch string
}

// New returns an Updater, which does nothing before Run. The error joins all problems of the
// options, each a [*fault.Error] with the code unusable-options or with a code of
// [machineupdate.Driver.Validate] or [machineupdate.Limiter.Validate], or comes from client-go.
func New(options Options) (*Updater, error) {
	driver, err := options.check()
	if err != nil {
		return nil, err
	}
	clients, err := newClients(options.Control, options.Namespace)
	if err != nil {
		return nil, err
	}
	u := &Updater{
		options: options, driver: driver, clients: clients, metrics: newMetrics(),
		cache: newCache(clients.work, options.Namespace),
		store: store{
			objects:   clients.versions.ConfigMaps(options.Namespace),
			additions: additions{objects: clients.creating.ConfigMaps(options.Namespace)},
		},
		made: time.Now(), written: expiring.NewExpiring(), broadcaster: record.NewBroadcaster(),
		secrets:    secrets{client: clients.core, read: expiring.NewExpiring()},
		succession: make(chan struct{}, 1), leading: make(chan struct{}, 1),
	}
	u.recorder = u.broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "hot-updater"})
	u.executor = &machineupdate.Executor[*object]{
		Patch: clients.machines.Patch, UpdateMachine: u.updateMachine, Event: u.event,
		Limiter: options.Limiter, Memory: &u.memory, Now: time.Now, Count: u.metrics.count,
	}
	u.classes.OnNonHotChange = u.tellNonHotChange
	return u, nil
}

// codeUnusable is the code of problems of options.
const codeUnusable = "unusable-options"

// check checks the options, and returns the description of the driver.
func (o *Options) check() (driver machineupdate.Driver, err error) {
	var problems fault.List
	require := func(holds bool, field, what, hint string) {
		if !holds {
			problems.Add(&fault.Error{
				Kind: fault.Misuse, Code: codeUnusable, Where: "updater.Options", Field: field, What: what,
				Hint: hint,
			})
		}
	}
	require(o.Control != nil, "Control", "is nil", "set it")
	require(o.Namespace != "", "Namespace", "is empty", "set it")
	require(o.Workers >= 0, "Workers", "is negative, so that no machine would be updated",
		"use 0 for the default, or a positive number")
	problems = append(problems, fault.All(o.Limiter.Validate())...)
	driver, driverErr := o.described()
	require(driverErr == nil, "Driver", "is nil, or its description panics", "set it to what driver.New returned")
	if driverErr == nil {
		problems = append(problems, fault.All(driver.Validate())...)
	}
	return driver, problems.Err()
}

// described describes the driver, with the Epoch of the options. A nil driver, or a driver around a
// nil Kit, panics.
func (o *Options) described() (driver machineupdate.Driver, err error) {
	defer func() {
		if value := recover(); value != nil {
			err = machineupdate.NewPanicError(value)
		}
	}()
	driver = o.Driver.Driver()
	if o.Epoch != "" {
		driver.Epoch = o.Epoch
	}
	return driver, nil
}
