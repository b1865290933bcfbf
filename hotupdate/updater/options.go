package updater

import (
	"context"
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	expiring "k8s.io/apimachinery/pkg/util/cache"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/record"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// Options configure an [Updater]. Control, Namespace, Driver and Schema are required.
type Options struct {
	// Control configures a client of the cluster that has the Machines. It is copied. Without a QPS
	// of its own it gets 50 queries a second. Creations and the lease have budgets of their own.
	Control *rest.Config
	// Namespace is that of the Machines.
	Namespace string
	// Driver updates machines: a [driver.Kit], or another implementation of both methods.
	//
	// [driver.Kit]: https://pkg.go.dev/github.com/hotupdate/providerconfig/hotupdate/driver#Kit
	Driver interface {
		Driver() machineupdate.Driver
		UpdateMachine(ctx context.Context, request *machineupdate.UpdateMachineRequest) error
	}
	// Schema is that of the provider spec.
	Schema *hotupdate.Schema
	// Limiter bounds the updates of this process, see [machineupdate.Limiter]. Nil, which is right
	// with a driver.Kit, does not: the kit paces its calls, and a machine that is denied waits for
	// minutes. See "Limits, by where updates run" in CALLS.md of package driver.
	Limiter *machineupdate.Limiter
	// Workers is the number of machines that are handled at once. Zero is 20. With the writes that
	// Control allows it bounds how fast a fleet is updated: see CALLS.md of package driver.
	Workers  int
	Settings machineupdate.Settings
	// Epoch, unless it is empty, is used in place of that of the Driver.
	Epoch string
}

// New returns an Updater, which does nothing before Run. The error joins all problems of the
// options, each a [*fault.Error] with the code unusable-options, or is that of a client.
func New(options Options) (*Updater, error) {
	if err := options.check(); err != nil {
		return nil, err
	}
	clients, err := newClients(options.Control, options.Namespace)
	if err != nil {
		return nil, err
	}
	u := &Updater{
		Options: options, clients: clients, cache: newCache(clients.work, options.Namespace), metrics: newMetrics(),
		store:   store{objects: clients.versions.ConfigMaps(options.Namespace)},
		secrets: expiring.NewExpiring(), broadcaster: record.NewBroadcaster(),
	}
	u.recorder = u.broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "hot-updater"})
	u.executor = &machineupdate.Executor[*object]{
		Patch: clients.machines.Patch, UpdateMachine: options.Driver.UpdateMachine, Event: u.recorder.Event,
		Limiter: options.Limiter, Now: time.Now, Count: u.metrics.count,
	}
	return u, nil
}

// codeUnusable is the code of problems of options.
const codeUnusable = "unusable-options"

func (o *Options) check() error {
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
	require(o.Driver != nil, "Driver", "is nil", "set it")
	require(o.Schema != nil, "Schema", "is nil", "set it")
	require(o.Workers >= 0, "Workers", "is negative, so that no machine would be updated",
		"use 0 for the default, or a positive number")
	if err := problems.Err(); err != nil {
		return err
	}
	// A class without members finds mistakes of the driver's lanes.
	class := machineupdate.MachineClass{ProviderSpec: []byte("{}")}
	_, _, err := new(machineupdate.Classes).Prepare(class, o.Schema, o.driver())
	if problem, ok := errors.AsType[*fault.Error](err); ok && problem.Code == "invalid-lane" {
		return err
	}
	return nil
}

// driver describes the driver, with the Epoch of the options.
func (o *Options) driver() machineupdate.Driver {
	driver := o.Driver.Driver()
	if o.Epoch != "" {
		driver.Epoch = o.Epoch
	}
	return driver
}
