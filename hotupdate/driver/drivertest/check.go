package drivertest

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// Setup is what a check needs to know of a driver.
type Setup struct {
	// Schema is that of the provider spec.
	Schema *hotupdate.Schema
	// Rules are those of the cloud, such as tags.AWS.Rules.
	Rules func(kind tags.Kind) (tags.Rules, error)
	// Request has what the driver reads of a request beside class, lane and parts: Machine, ProviderID, Secret, Object and
	// Class.Object.
	Request machineupdate.UpdateMachineRequest
}

// State is a provider spec, with the resources at and around the machine as they are under it. All states have the same resources. A resource
// that they have alike is somebody else's, such as the volume of a CSI driver. Version is not read.
type State struct {
	Spec      string // JSON
	Resources []driver.Resource
}

// Check takes the machine from each state to each other one, in many ways, and reports each broken promise once. NewDriver makes a driver
// whose client stands on the cloud and which waits by [Cloud.Wait]: a [*driver.Kit], or what the adopter has around it.
func Check[D updates](tb testing.TB, setup Setup, newDriver func(cloud *Cloud) (D, error), states ...State) {
	tb.Helper()
	if len(states) < 2 || setup.Schema == nil || setup.Rules == nil {
		tb.Errorf("a check needs Schema, Rules and two states")
		return
	}
	var reported []string
	for i, s := range scenarios() {
		for from := range states {
			for to := range states {
				if from == to {
					continue
				}
				c := &checker{setup: setup, states: states, from: &states[from], to: &states[to], promise: s.promise, isCalm: i == 0}
				c.broken = func(promise, format string, args ...any) {
					tb.Helper()
					if !slices.Contains(reported, promise) {
						reported = append(reported, promise)
						tb.Errorf("%s: %s (%s, from state %d to %d)", promise, fmt.Sprintf(format, args...), s.name, from, to)
					}
				}
				c.newDriver = func(cloud *Cloud) (updates, error) { return newDriver(cloud) }
				if c.start() {
					s.disturb(c)
					c.try()
					c.settle()
				}
			}
		}
		if i == 0 && len(reported) > 0 {
			return
		}
	}
}

// updates is a driver, as far as updates go.
type updates interface {
	Driver() machineupdate.Driver
	UpdateMachine(ctx context.Context, request *machineupdate.UpdateMachineRequest) error
}
